/** Answers: the records of an edition or of one of its pages, and values that were made from them. */
import type { FileHandle } from 'node:fs/promises'
import type { Memory } from '../../store/memory.js'
import { type Slice, split, streamJoined, streamRecords } from '../../store/records.js'
import type { SnapshotFolder } from '../../store/snapshots.js'
import type { Report } from '../report/report.js'

/** The records that answer a question at one state of the data. */
export interface Edition {
  /** Names the state of the data, and the day if the report depends on it; a walk over pages is pinned to it. */
  readonly pin: string
  /** Names the edition's file: the same for the same question at the same state. */
  readonly key: string
  /** Whether a question without a pin gets this edition now. */
  readonly current: boolean
}

/** The caller has this edition already. */
export interface Unchanged {
  readonly unchanged: true
  readonly edition: Edition
}

/** Where the records of an answer came from. */
export type Source = 'memory' | 'file' | 'database'

/** The records that answer a question. */
export interface Answer {
  readonly unchanged: false
  readonly edition: Edition
  readonly records: Records
  readonly source: Source
  /** Only in an answer to `against`: the report whose fields the records have; undefined if they are differences (report/difference.ts). */
  readonly against?: { readonly report: Report | undefined }
  /** Only in an answer to `since`, whose `records` are the new and changed ones. */
  readonly changes?: Changes
}

export interface Changes {
  /** The `since` of the next question. */
  readonly token: string
  /** The keys of the removed records, as records without other fields. */
  readonly removed: Records
}

/** Records of an edition: a page of it or all. Several versions of the data can share them. */
export interface Records {
  /** Records of the whole report. */
  readonly total: number
  /** These records. */
  readonly count: number
  /** Bytes of these records' texts, joined by commas. */
  readonly size: number
  /** Whether they are too large for memory. */
  readonly isLarge: boolean
  /** The texts, joined by commas, in pieces of bounded size. */
  joined(): AsyncIterable<Buffer>
  /** The text of each record, in runs of bounded length. */
  texts(): AsyncIterable<readonly Buffer[]>
  /** The path of a file that `write` makes from these records, once for all processes. */
  file(name: string, write: (file: FileHandle) => Promise<void>): Promise<string>
  /** A value that was made from these records and kept in memory with them. */
  recall<T extends object>(name: string): T | undefined
  /** Keeps such a value, in place of an earlier one, for as long as the records are in memory. */
  keep<T extends object>(name: string, value: T, bytes: number): T
}

export class KeptRecords implements Records {
  readonly total: number
  readonly count: number
  readonly size: number
  readonly isLarge: boolean
  readonly #texts: Slice['texts']
  readonly #key: string
  readonly #files: SnapshotFolder
  readonly #memory: Memory<KeptRecords>
  readonly #made = new Map<string, { readonly value: object; readonly bytes: number }>()
  #madeBytes = 0

  /** `key` names these records in memory, and their file if they are too large for memory. */
  constructor(slice: Slice, key: string, files: SnapshotFolder, memory: Memory<KeptRecords>) {
    this.total = slice.total
    this.count = slice.count
    this.size = slice.size
    this.#texts = slice.texts
    this.isLarge = slice.texts === undefined
    this.#key = key
    this.#files = files
    this.#memory = memory
  }

  async *joined(): AsyncGenerator<Buffer> {
    if (this.#texts !== undefined) yield this.#texts.bytes
    else yield* streamJoined(this.#files.path(this.#key))
  }

  async *texts(): AsyncGenerator<readonly Buffer[]> {
    if (this.#texts !== undefined) yield split(this.#texts)
    else yield* streamRecords(this.#files.path(this.#key))
  }

  async file(name: string, write: (file: FileHandle) => Promise<void>): Promise<string> {
    const full = `${this.#key}.${name}`
    await this.#files.make(full, write)
    return this.#files.path(full)
  }

  recall<T extends object>(name: string): T | undefined {
    return this.#made.get(name)?.value as T | undefined
  }

  keep<T extends object>(name: string, value: T, bytes: number): T {
    this.#madeBytes += bytes - (this.#made.get(name)?.bytes ?? 0)
    this.#made.set(name, { value, bytes })
    if (this.#memory.get(this.#key) === this) this.#memory.set(this.#key, this, this.size + this.#madeBytes)
    return value
  }
}
