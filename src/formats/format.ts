/** A format turns records into a response body. Each is one file here and one line in list.ts. */
import type { Changes, Records } from '../kernel/answer/answer.js'
import type { Page } from '../kernel/report/paging.js'
import type { Params, Values } from '../kernel/report/params.js'
import type { Report } from '../kernel/report/report.js'

/** The request that a format may need to know beside the records. */
export interface About {
  readonly report: Report
  readonly values: Values<Params>
  /** Undefined for the whole report. */
  readonly page: PageLinks | undefined
  readonly options: Options
  /** The number of the version of the data. */
  readonly version: string
  /** Of an answer about changes, for a format that has the removed records apart. */
  readonly changes?: Changes | undefined
}

/** Options in the query string. */
export interface Options {
  /** `no`: a table has a row for each document, without its lines. */
  readonly lines?: 'yes' | 'no' | undefined
  /** `safe`: a text that a spreadsheet would run as a formula is made harmless. */
  readonly formulas?: 'safe' | 'as-is' | undefined
}

export interface PageLinks extends Page {
  readonly links: Readonly<Record<string, string>>
}

export interface Format {
  /** The value of `?format=`. */
  readonly name: string
  /** Its name for people. */
  readonly label: string
  /** The bytes of a body, as a part of the bytes as JSON; measured on the sample's reports. */
  readonly share: number
  /** The content type of the response, and the media type in `Accept` that asks for it. */
  readonly contentType: string
  /** The extension of a file that it is saved to; undefined for what a browser shows. */
  readonly extension?: string
  /** Whether it has removed records apart from others, and not in one table with them. */
  readonly removedApart?: boolean
  /** Whether its body names the report and the version: reports and versions with the same records then have bodies of their own. */
  readonly namesRequest?: boolean
  /** The options that it takes. */
  readonly options?: readonly (keyof Options)[]
  /** Throws a problem if it cannot hold these records; nothing has been sent by then. */
  check?(records: Records, about: About): Promise<void>
  encode(records: Records, about: About): AsyncIterable<Buffer>
  /** Bytes of the body where they are known beforehand: it is then streamed without being written to a file first. */
  length?(records: Records, about: About): number
}
