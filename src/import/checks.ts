/** What an entity can declare about its rows together with other rows: what refuses a load, and what a load warns of. */
import { raw, type Sql } from '../db/sql.js'

/** What a load does. */
export interface Loading {
  /** The entities that it has rows of. */
  readonly loaded: ReadonlySet<string>
  /** Those given to `--replace`: stored rows that their file does not have are removed. */
  readonly replaced: ReadonlySet<string>
  /** Those whose rows were checked for contradictions while they were inserted. */
  readonly checked: ReadonlySet<string>
  /** Whether the ledger was empty before the load. */
  readonly first: boolean
  /** Whether nothing was loaded before: every stored row is one of the load. */
  readonly empty: boolean
}

/** The rows that a load brings, as its file has them, with the line of each. */
export const stagedRows = (entity: string): Sql => raw(`millbook_staging.${entity}`)

/** The stored rows that a load changes or removes, as the entity's `changes` select them. */
export const changedRows = (entity: string): Sql => raw(`millbook_staging.changed_${entity}`)

/**
 * Selects the stored rows that a load is about to change in a way that other rows depend on. It runs before they are merged,
 * since the old values are gone afterwards, and after the merge of the entities that they refer to. It limits the checks to
 * those rows: reloading an unchanged file checks nothing.
 */
export interface Changes {
  /** The `line` of the file, and the columns by which dependent rows are found. */
  readonly changed: Sql
  /** The same for the rows that `--replace` removes, with null as the line. */
  readonly removed?: Sql
  /** A warning about these rows; the loader asks for it after the merge. */
  readonly warning?: WarningCheck
}

/** A table joined to the entity's row `m`: a unique set of its columns, and what each of them equals. */
export interface Joined {
  readonly table: string
  readonly by: Readonly<Record<string, string>>
}

/** Something that can never be true of stored rows. A load that would make it true is refused; `verify` checks all rows. */
export interface Contradiction {
  /** What is wrong. */
  readonly check: string
  /** The column shown where the entity's own rows cause it; without one, no load can, and only `verify` checks it. */
  readonly column?: string
  /** Changes of other entities that can cause it. The first cause that explains a wrong row is shown. */
  readonly causes?: readonly Cause[]
  /** Holds for a wrong row `m`, by the entity's `joins`. */
  readonly wrong: Sql
  /** One more join, which may repeat a row. */
  readonly join?: Sql
  /** Names the row and what contradicts it; different for each row. */
  readonly message: Sql
}

export interface Cause {
  readonly entity: string
  /** The column shown. */
  readonly column: string
  /** Joins a changed row `c` of that entity with the rows `m` that depend on it. */
  readonly through: Sql
}

/**
 * Something that documents and the ledger both state. Real books contain differences: a load warns of those among the
 * documents or items that it touches, and `verify` finds all.
 */
export interface Agreement {
  /** What is wrong. */
  readonly check: string
  readonly scope: Scope
  /**
   * Selects the differences among the rows of a scope `x`, as one column of text, in order. No movement before the month that
   * begins on the day `since` has changed; without it, any may have.
   *
   * Add both sides up in one aggregate over `union all`, and join sums only with tables that have an index for it: the
   * planner guesses how many rows a sum has, and for two wrong guesses it may join each row with all others.
   */
  readonly differing: (x: Sql, since?: Sql) => Sql
  /** The same for a first load of the ledger alone, where that is faster than looking up what the ledger names. */
  readonly ofLedger?: Sql
}

/** The documents or items that an agreement compares. */
export interface Scope {
  /** The staging table that holds them during a load. */
  readonly name: string
  readonly all: Sql
  /** By entity: those that its rows touch, possibly repeated. */
  readonly touched: Readonly<Record<string, Sql>>
  /** Those that the ledger names, each once, for a first load of the ledger alone. */
  readonly named?: Sql
  /** Turns touched ones into unique rows with all columns that the check uses; `select distinct` unless given. */
  readonly each?: (touched: Sql) => Sql
}

/** A doubt about documents, such as a total that is not the sum of its lines: a load warns of those that it brings, and `verify` finds all. */
export interface Doubt {
  /** What is doubtful. */
  readonly check: string
  /** Checked when one of these entities is loaded. */
  readonly entities: readonly string[]
  /** Selects one text per doubtful document `d`; `isLoaded` limits them to those that the load brings, by a column. */
  readonly query: (isLoaded: (column: string) => Sql) => Sql
}

/** The warnings of one check. */
export interface WarningKind {
  check: string
  count: number
  /** Some of them. */
  examples: string[]
}

/** A check of a load: its statement selects one text per warning. */
export interface WarningCheck {
  readonly check: string
  readonly wrong: Sql
}
