/** What an entity of an import is: a file, its columns, and what must be true of its rows. */
import type { Sql } from '../db/sql.js'
import type { Column } from './columns.js'

export interface Entity<Name extends string = string, ColumnName extends string = string> {
  /** The file's name without its ending; also how `--replace` calls it. */
  readonly name: Name
  readonly table: string
  /** For the documentation: what one row is. */
  readonly about: string
  readonly columns: Readonly<Record<ColumnName, Column>>
  /** The file's columns that name a row; empty for the one account. */
  readonly key: readonly string[]
  /** The table's columns that name a row, where they are not just the key's. */
  readonly conflict?: readonly string[]
  /** What must hold in each row, as SQL over the staged row `s`; an unknown truth counts as true. */
  readonly rules?: readonly Rule[]
  /** Rows of other entities that must be there. */
  readonly references?: readonly Reference[]
}

export interface Rule {
  /** The column that is shown with the message. */
  readonly column: string
  readonly holds: Sql
  /** The table has a constraint that asks the same. */
  readonly inTable?: true
  /** What to write instead: the end of a sentence that begins with "expected". */
  readonly expects: string
}

export interface Reference {
  /** The file's columns; where the first is empty, there is nothing to look for. */
  readonly columns: readonly string[]
  readonly table: string
  /** The table's columns that they must match, in the same order; a code of a master is matched by its id. */
  readonly to: readonly string[]
  /** The entity that has to hold it, for the message. */
  readonly entity: string
  /** Few rows have one, so it is looked up for those and not joined. */
  readonly seldom?: true
}

export const defineEntity = <const Name extends string, ColumnName extends string>(
  entity: Entity<Name, ColumnName>,
): Entity<Name, ColumnName> => entity

export const storedName = (name: string, column: Column): string => column.stored ?? name
