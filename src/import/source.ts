/** Where the rows of a load come from: the files of a folder, or a program that makes them. */
import type { Cell } from './columns.js'
import type { Entity } from './entity.js'

export interface Source {
  /** What it has rows of, in the order in which it is loaded. */
  readonly parts: readonly Part[]
  /** All rows once, those of different parts in any order. */
  chunks(): AsyncIterable<Chunk>
}

/** The rows of one entity. */
export interface Part {
  readonly entity: Entity
  /** How messages call it, such as `items.csv`. */
  readonly name: string
}

export interface Chunk {
  readonly part: Part
  /** The names of the columns, where they stand once for all rows of the part. */
  readonly header?: readonly string[] | undefined
  readonly rows: Rows
  /** How much of everything has been read, from 0 to 1. */
  readonly done: number
}

/** Some rows. */
export type Rows = {
  /** Where it begins, from 1. */
  readonly line: number
  readonly header: readonly string[]
  readonly cells: readonly Cell[]
  /** There are more cells than columns, or fewer. */
  readonly wrong?: 'more' | 'fewer'
}[]
