/** A place that reports are delivered to. Each kind is one file in to/ and one line in list.ts. */

/** A saved report that waits to be delivered: whole, and the same at every attempt. */
export interface Parcel {
  /** Names the run: the same at every attempt. */
  readonly run: string
  readonly job: string
  /** The id of the report and its parameters, or the name of the saved view. */
  readonly report?: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly view?: string
  /** The path of the saved file. */
  readonly path: string
  /** The file's name at the target. */
  readonly name: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: string
  readonly records: number
  /** The version of the data. */
  readonly version: string
  /** Whether it holds only changes. */
  readonly changes: boolean
  /** The due times that were missed and that it covers too. */
  readonly missed?: Missed
}

export interface Missed {
  readonly times: number
  /** The first of them. */
  readonly first: string
}

/** The settings of one target, as the file has them. */
export type Settings = Readonly<Record<string, unknown>>

export interface Target {
  /** Delivers the whole parcel or throws; a second attempt replaces the remains of the first. Returns the location, for people. */
  deliver(parcel: Parcel, signal: AbortSignal): Promise<string>
}

export interface TargetKind {
  /** The key in the file. */
  readonly name: string
  /** Throws a MillbookError that names the wrong setting. */
  read(settings: unknown): Target
}

/** The figures that go with a parcel. */
export const figuresOf = ({
  job,
  report,
  parameters,
  view,
  name,
  bytes,
  sha256,
  records,
  version,
  ...more
}: Parcel) => ({
  ...{
    job,
    ...(view === undefined ? { report, parameters } : { view }),
    file: name,
    records,
    version: Number(version),
    changes: more.changes,
    bytes,
    sha256,
  },
  ...(more.missed && { missed_times: more.missed.times, missed_since: more.missed.first }),
})
