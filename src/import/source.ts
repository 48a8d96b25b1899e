/** Where the rows of a load come from: the files of a folder, or a program that generates them. */
import type { Cell } from './columns.js'
import type { Entity } from './entity.js'

export interface Source {
  /** Its name in the log of loads, if it is no folder of files: those are named one by one. */
  readonly name?: string
  /** The entities that it has rows of, in load order. */
  readonly parts: readonly Part[]
  /** All rows of these parts, or of all, once; parts may alternate. */
  chunks(of?: readonly Part[]): AsyncIterable<Chunk>
  /** Where a line of a part is, of one that is made of several files. */
  place?(part: string, line: number): { readonly file: string; readonly line: number }
  /** A part can be read more than once, so a load may skip rows that are stored and read the part again if it has to. */
  readonly again?: true
}

/** The rows of one entity. */
export interface Part {
  readonly entity: Entity
  /** Its name in messages, such as `items.csv`. */
  readonly name: string
  /** The same for the same content, of which the load can then skip all rows; it is called once, before the rows are read. */
  fingerprint?(): Promise<string>
  /** Whether the content is still the one of the fingerprint. */
  unchanged?(): Promise<boolean>
}

export interface Chunk {
  readonly part: Part
  /** The names of the columns, with the first rows of a part that has them once for all rows. */
  readonly header?: readonly string[] | undefined
  readonly rows: Rows
  /** No more rows of the part follow; without it, they may follow until the source ends. */
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
}[]
