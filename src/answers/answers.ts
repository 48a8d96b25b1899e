/** Reports as files, from a service or straight from a database. */
import type { Options } from '../formats/format.js'
import type { Report, ViewSpec } from '../kernel/report/report.js'

/** A report to fetch. */
export interface Wanted {
  readonly report: Report
  /** Its parameters, as a caller sends them. */
  readonly params: Readonly<Record<string, unknown>>
  /** The name of a format. */
  readonly format: string
  readonly options?: Options
  /** How to sort, filter, search or sum it. */
  readonly view?: ViewSpec
  /** Asks for changes: `start`, or the token of the last answer. */
  readonly since?: string | undefined
  /** The first so many records only. */
  readonly first?: number | undefined
}

/** A report as it arrives. */
export interface Fetched {
  /** A name that tells what it is. */
  readonly name: string
  /** The version of the data. */
  readonly version: string
  /** Records in it, and those of the whole report. */
  readonly records: number
  readonly total: number
  /** For the next question about changes. */
  readonly token: string | undefined
  /** The bytes that will come, where that is known. */
  readonly length: number | undefined
  /** Throws if it is cut off. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Where reports come from. */
export interface Answers {
  /** Throws a problem of the catalogue, or a MillbookError in words. */
  fetch(wanted: Wanted, signal?: AbortSignal): Promise<Fetched>
  /** Today, as the account or else this machine has it. */
  today(): Promise<string>
  close(): Promise<void>
}

/** The token that was asked with is no longer kept: begin again. */
export class TokenGone extends Error {}
