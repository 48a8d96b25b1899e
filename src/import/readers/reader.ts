/** The interface of a reader of one file format. */
import type { Rows } from '../source.js'

/** Reads a file, some rows at a time; `name` is the file's name in messages. */
export type Reader = (file: string, name: string, listener: Listener) => AsyncGenerator<Rows>

/** Receives a reader's reports while it reads. */
export interface Listener {
  onBytes(bytes: number): void
  /** The names of the columns, in formats that have them once for all rows. */
  onHeader(names: readonly string[]): void
}
