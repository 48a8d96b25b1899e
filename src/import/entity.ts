/** Declares an entity of an import: its file, its columns, and everything that must be true of its rows. */
import type { Grants } from '../db/roles.js'
import type { Sql } from '../db/sql.js'
import type { Agreement, Changes, Contradiction, Doubt, Joined } from './checks.js'
import type { Column } from './columns.js'
import type { Conversion } from './conversion.js'

export interface Entity<Name extends string = string, ColumnName extends string = string> {
  /** The file's name without its ending, also for `--replace`. */
  readonly name: Name
  readonly table: string
  /** For the documentation: the meaning of a row. */
  readonly about: string
  /** An entity loads after the entities that it refers to; otherwise the smaller number loads first. */
  readonly order: number
  readonly columns: Readonly<Record<ColumnName, Column>>
  /** The file's columns that identify a row; empty for the one account. */
  readonly key: readonly string[]
  /** The table's columns that identify a row, if they differ from `key`. */
  readonly tableKey?: readonly string[]
  /** Conditions on each row, as SQL over the staged row `s`; null counts as true. */
  readonly rules?: readonly Rule[]
  /** Rows of other entities that must exist. */
  readonly references?: readonly Reference[]
  /**
   * Entities, besides the ones that it looks up, whose rows change the meaning of cells in this entity's file: the file is
   * read again if one of their files changed.
   */
  readonly readsFrom?: readonly string[]
  /**
   * Columns that decide what the quantities of other rows mean. A rejected row must not leave another value of them stored;
   * for currencies and exchange rates, this is so without it.
   */
  readonly decides?: readonly string[]
  /** Selects changed rows that other entities depend on. */
  readonly changes?: Changes
  /**
   * Joins that contradictions can use, by alias. The planner drops joins that a statement does not use, but each used join
   * costs a tenth of inserting the row: for masters, and tables that few rows refer to, use `in` or `exists` instead.
   */
  readonly joins?: Readonly<Record<string, Joined>>
  readonly contradictions?: readonly Contradiction[]
  readonly agreements?: readonly Agreement[]
  readonly doubts?: readonly Doubt[]
  /** Converts amounts, prices and quantities to the account's currency and stock units; the table keeps the originals as `given`. */
  readonly conversion?: Conversion
  /** The privileges of the database roles on the table, on a server. */
  readonly grants: Grants
  /** The name of a row in messages; needed where a reference has no foreign key. */
  readonly singular?: string
  /** Its rows are documents, which `verify` counts. */
  readonly document?: true
  /** Its rows are the ledger: loaded last, by src/ledger/write.ts. */
  readonly ledger?: true
}

/** Business data: the loader writes it, the service reads it. */
export const businessData: Grants = { service: ['select'], loader: ['select', 'insert', 'update', 'delete'] }

export interface Rule {
  /** The column shown with the message. */
  readonly column: string
  readonly holds: Sql
  /** The table has a constraint with the same condition. */
  readonly inTable?: true
  /** The accepted values, as the end of a sentence that begins with "expected". */
  readonly expects: string
}

export interface Reference {
  /** The file's columns; the first is shown with messages. A row in which it is empty refers to nothing. */
  readonly columns: readonly string[]
  readonly table: string
  /** The table's columns that they must match, in the same order; the code of a master is matched by its id. */
  readonly to: readonly string[]
  /** The entity that has to contain the row, for messages. */
  readonly entity: string
  /** Few rows have this reference: the loader looks it up for them instead of joining the table. */
  readonly seldom?: true
  /** A row in which the first column is 0 refers to nothing either. */
  readonly zeroIsNone?: true
  /** The table has no foreign key for it: the loader and `verify` check that the row exists. */
  readonly noForeignKey?: true
}

export const defineEntity = <const Name extends string, ColumnName extends string>(
  entity: Entity<Name, ColumnName>,
): Entity<Name, ColumnName> => entity

export const storedName = (name: string, column: Column): string => column.stored ?? name
