/** The file that records the deliveries of each job. */
import { existsSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { MillbookError } from '../errors.js'
import type { Missed, Parcel } from './target.js'

/** The recorded state of a job. */
export interface JobState {
  /** The last slot that was delivered to every target, and when. */
  readonly done?: string
  readonly doneAt?: string
  /** The missed slots that its run covered, for --again. */
  readonly missed?: Missed
  /** The unfinished run. */
  readonly current?: Current
  /** Only for a job that delivers changes. */
  readonly following?: Following
}

export interface Following {
  readonly report: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly token: string
  /** The token that the last run sent, for --again. */
  readonly before: string
}

export interface Current {
  readonly slot: string
  readonly parcel: Parcel
  readonly token?: string
  readonly before?: string
  /** The targets that have the file, by the key of the place. */
  readonly arrived: Readonly<Record<string, string>>
}

export function readState(file: string): Record<string, JobState> {
  if (!existsSync(file)) return {}
  try {
    const found = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof found === 'object' && found !== null) return found
  } catch {
    // reported below
  }
  throw new MillbookError(
    `${file} is damaged, so the past deliveries are unknown: delete it; the next run then delivers every job again`,
  )
}

/** Replaces the file atomically, so that a crash never leaves half of it. */
export async function writeState(path: string, state: Readonly<Record<string, JobState>>): Promise<void> {
  const part = `${path}.part`
  const file = await open(part, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(state, null, 2))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
}
