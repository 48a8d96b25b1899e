/** Where the rows of a load come from: the files of a folder, or a program that generates them. */
import type { Cell } from './columns.js'
import type { Entity } from './entity.js'

export interface Source {
  /** Its name in the log of loads. A folder of files has none: the log names each file. */
  readonly name?: string
  /** The entities that it has rows of, in load order. */
  readonly parts: readonly Part[]
  /** Yields all rows of these parts, or of all parts, once; parts may alternate. */
  chunks(of?: readonly Part[]): AsyncIterable<Chunk>
  /** The file and line behind a line of a part that is made of several files. */
  place?(part: string, line: number, column?: string): Place
  /** A part can be read more than once, so a load may skip rows that are stored and read the part again if it has to. */
  readonly again?: true
}

export interface Place {
  readonly file: string
  readonly line: number
  /** The cell of a sheet, such as C5. */
  readonly cell?: string
}

/** The rows of one entity. */
export interface Part {
  readonly entity: Entity
  /** Its name in messages, such as `items.csv`. */
  readonly name: string
  /**
   * Equal only for equal content, so that the load can skip an unchanged part; called once, before the rows are read. Undefined
   * if the source cannot tell.
   */
  fingerprint?(): Promise<string | undefined>
  /** Whether the content still has this fingerprint. */
  unchanged?(): Promise<boolean>
}

export interface Chunk {
  readonly part: Part
  /** The names of the columns; comes with the first rows of a part that names its columns once. */
  readonly header?: readonly string[] | undefined
  readonly rows: Rows
  /** These are the last rows of the part; without it, more may follow until the source ends. */
  readonly last?: true
  /** How much of all parts has been read, from 0 to 1. */
  readonly done: number
}

export type Rows = {
  /** The line on which the row begins, from 1. */
  readonly line: number
  readonly header: readonly string[]
  readonly cells: readonly Cell[]
  /** The row has more or fewer cells than columns. */
  readonly wrong?: 'more' | 'fewer'
  /** Errors that the source found in its cells. */
  readonly faults?: readonly { readonly column: string; readonly value: string | null; readonly message: string }[]
}[]
