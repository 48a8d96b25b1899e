/** A place that reports are delivered to. Each kind is one file in to/ and one line in list.ts. */

/** A report that waits on this machine to be delivered: whole, and the same at every attempt. */
export interface Parcel {
  /** Names the run: the same at every attempt. */
  readonly run: string
  readonly job: string
  readonly report: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Where it waits. */
  readonly path: string
  /** The name that it gets. */
  readonly name: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: string
  readonly records: number
  /** The version of the data. */
  readonly version: string
  /** Whether it has changes only. */
  readonly changes: boolean
}

/** What a file has of the settings of one place. */
export type Settings = Readonly<Record<string, unknown>>

export interface Target {
  /** Delivers the whole parcel or throws; a second attempt replaces what the first one left. Returns where it is, in words. */
  deliver(parcel: Parcel, signal: AbortSignal): Promise<string>
}

export interface TargetKind {
  /** The key in the file. */
  readonly name: string
  /** Throws a MillbookError that names what is wrong with the settings. */
  read(settings: unknown): Target
}

/** The figures that go with a parcel. */
export const figuresOf = ({ job, report, parameters, name, bytes, sha256, records, version, changes }: Parcel) => ({
  ...{ job, report, parameters, file: name, records, version: Number(version), changes, bytes, sha256 },
})
