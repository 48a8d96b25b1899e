/** A format turns records into a response body. Each is one file here and one line in list.ts. */
import type { Changes, Records } from '../kernel/answer/answer.js'
import type { Page } from '../kernel/report/paging.js'
import type { Params, Values } from '../kernel/report/params.js'
import type { Report } from '../kernel/report/report.js'

/** The parts of the request that a format may need beside the records. */
export interface About {
  readonly report: Report
  readonly values: Values<Params>
  /** Undefined for the whole report. */
  readonly page: PageLinks | undefined
  readonly options: Options
  /** The number of the version of the data. */
  readonly version: string
  /** The earlier versions that the request names, as parameters. */
  readonly known?: Readonly<Record<string, string>>
  /** Only in an answer to `since`, for a format that keeps removed records separate. */
  readonly changes?: Changes | undefined
}

/** Options in the query string. */
export interface Options {
  /** Whether a file has the lines of documents; each format that takes the option has its own default. */
  readonly lines?: 'yes' | 'no' | undefined
  /** `safe`: a text that a spreadsheet would run as a formula is made harmless. */
  readonly formulas?: 'safe' | 'as-is' | undefined
  /** `api`: the columns are headed by the names of the API, in place of words for people. */
  readonly headings?: 'words' | 'api' | undefined
}

export interface PageLinks extends Page {
  readonly links: Readonly<Record<string, string>>
}

export interface Format {
  /** The value of `?format=`. */
  readonly name: string
  /** The name that people see. */
  readonly label: string
  /** The size of a body relative to JSON; measured on the sample's reports. */
  readonly share: number
  /** The content type of the response, and the media type in `Accept` that asks for it. */
  readonly contentType: string
  /** The extension of the file; undefined for a format that browsers show. */
  readonly extension?: string
  /** Whether the format keeps removed records separate, not in one table with the others. */
  readonly removedApart?: boolean
  /** Whether each record is the JSON of the answer, not a row of a table. */
  readonly keepsRecords?: boolean
  /** Whether the body names the report and the version, so that reports and versions with the same records have different bodies. */
  readonly namesRequest?: boolean
  /** The options that the format accepts. */
  readonly options?: readonly (keyof Options)[]
  /** The value of `lines` if the caller gives none; only with that option. */
  readonly usualLines?: 'yes' | 'no'
  /** Throws a problem if the format cannot hold these records; called before anything is sent. */
  check?(records: Records, about: About): Promise<void>
  encode(records: Records, about: About): AsyncIterable<Buffer>
  /** The size of the body in bytes, if it is known beforehand: the body is then streamed without writing a file first. */
  length?(records: Records, about: About): number
}
