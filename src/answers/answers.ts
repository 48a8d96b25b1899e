/** Reports as files, from a service or straight from a database. */
import type { Options } from '../formats/format.js'
import type { Report, ViewSpec } from '../kernel/report/report.js'

interface WantedFile {
  /** The name of a format. */
  readonly format: string
  readonly options?: Options
  /** A version, a day or a moment: the records as they were known then. */
  readonly asKnown?: string | undefined
  /** An earlier version, day or moment: the differences from then. */
  readonly against?: string | undefined
  /** Fetches only this number of records, from the first on. */
  readonly first?: number | undefined
}

/** A report to fetch. */
export interface WantedReport extends WantedFile {
  readonly report: Report
  /** Its parameters, as a caller sends them. */
  readonly params: Readonly<Record<string, unknown>>
  /** How to sort, filter, search, sum, group or compare it. */
  readonly view?: ViewSpec
  /** Asks for changes: `start`, or the token of the last answer. */
  readonly since?: string | undefined
}

/** A saved view to fetch. */
export interface WantedView extends WantedFile {
  /** Its id or its name. */
  readonly saved: string
  /** Only of a database: the user with whose views and rights to read; without one, the views of all users with all rights. */
  readonly user?: string | undefined
  /** The day from which the words of its period are counted; today by default. */
  readonly on?: string | undefined
}

export type Wanted = WantedReport | WantedView

/** A report as it arrives. */
export interface Fetched {
  /** The name of the file. */
  readonly name: string
  /** The version of the data. */
  readonly version: string
  /** The number of records in it, and in the whole report. */
  readonly records: number
  readonly total: number
  /** For the next request for changes. */
  readonly token: string | undefined
  /** The number of bytes, if known before they arrive. */
  readonly length: number | undefined
  /** Throws if the response is cut off. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** A source of reports. */
export interface Answers {
  /** Throws TokenGone, or a MillbookError with the reason. */
  fetch(wanted: Wanted, signal?: AbortSignal): Promise<Fetched>
  /** Today in the account's time zone, if the source knows it; else on this machine. */
  today(): Promise<string>
  close(): Promise<void>
}

/** The since-token has expired: fetch the whole report again. */
export class TokenGone extends Error {}
