/** Checks across rows that an entity can declare: contradictions refuse a load; agreements and doubts make it warn. */
import { raw, type Sql } from '../db/sql.js'
import type { PeriodFigure } from '../ledger/period-figures.js'

/** The extent of a load, for its checks. */
export interface Loading {
  /** The entities that the load has rows of. */
  readonly loaded: ReadonlySet<string>
  /** The entities given to `--replace`: the load removes stored rows that are not in their file. */
  readonly replaced: ReadonlySet<string>
  /** The entities whose rows were checked for contradictions while they were inserted. */
  readonly checked: ReadonlySet<string>
  /** By entity, how to find the stored rows that rejected rows keep (src/import/pipeline/kept-rows.ts). */
  readonly kept?: ReadonlyMap<string, readonly KeptBy[]>
  /** Whether the ledger was empty before the load. */
  readonly first: boolean
  /** Whether nothing was loaded before: every stored row comes from this load. */
  readonly empty: boolean
}

/** Columns in which a rejected row and the stored rows that it keeps are equal. */
export interface KeptBy {
  /** The readable columns of its key, or the columns that identify its document. */
  readonly columns: readonly string[]
  readonly isDocument: boolean
}

/** The rows that a load brings, as its file has them, with the line of each. */
export const stagedRows = (entity: string): Sql => raw(`millbook_staging.${entity}`)

/** The stored rows that a load changes or removes, as the entity's `changes` select them. */
export const changedRows = (entity: string): Sql => raw(`millbook_staging.changed_${entity}`)

/**
 * Selects the stored rows that a load is about to change in a way that other rows depend on. The statement runs before these
 * rows are merged, because the merge overwrites the old values, and after the entities that they refer to were merged. Only
 * these rows are checked: reloading an unchanged file checks nothing.
 */
export interface Changes {
  /** Selects the `line` of the file and the columns that lead to dependent rows. */
  readonly changed: Sql
  /** The same for the rows that `--replace` removes, with null as the line. */
  readonly removed?: Sql
  /** A warning about these rows, which the loader checks after the merge. */
  readonly warning?: WarningCheck
}

/** A table joined to the entity's row `m`: columns that are unique together, each with the expression that it equals. */
export interface Joined {
  readonly table: string
  readonly by: Readonly<Record<string, string>>
}

/** A condition that must never be true of stored rows. A load that would make it true is refused; `verify` checks all rows. */
export interface Contradiction {
  /** The contradiction in words. */
  readonly check: string
  /** The column that errors show if the entity's own rows cause it. Without one, no load can cause it: only `verify` checks it. */
  readonly column?: string
  /** Changes of other entities that can cause it. The first cause that explains a wrong row is shown. */
  readonly causes?: readonly Cause[]
  /** True for a wrong row `m`; may use the entity's `joins`. */
  readonly wrong: Sql
  /** One more join; it may return a row several times. */
  readonly join?: Sql
  /** Names the row and the value that contradicts it; different for each row. */
  readonly message: Sql
}

export interface Cause {
  readonly entity: string
  /** The column that errors show. */
  readonly column: string
  /** Joins a changed row `c` of that entity with the rows `m` that depend on it. */
  readonly through: Sql
}

/**
 * A fact that documents and the ledger both state. Real books contain differences: a load warns of differences in the
 * documents and items that it touches, and `verify` finds all.
 */
export interface Agreement {
  /** The difference in words. */
  readonly check: string
  readonly scope: Scope
  /**
   * Selects the differences among the rows of a scope `x`, as one column of text, in order. `since` is the first day of a
   * month before which no movement has changed; without it, any movement may have changed.
   *
   * Add both sides up in one aggregate over `union all`, and join sums only with tables that have an index for it: the
   * planner guesses how many rows a sum has, and after two wrong guesses it may compare each row with all others.
   */
  readonly differing: (x: Sql, since?: Sql) => Sql
  /** The same for a first load of the ledger alone, where this is faster than looking up the documents that the ledger names. */
  readonly ofLedger?: Sql
}

/** The documents or items that an agreement compares. */
export interface Scope {
  /** The staging table that holds them during a load. */
  readonly name: string
  readonly all: Sql
  /** By entity: the documents or items that its rows touch, possibly repeated. */
  readonly touched: Readonly<Record<string, Sql>>
  /** The documents or items that the ledger names, each once, for a first load of the ledger alone. */
  readonly named?: Sql
  /** Makes unique rows of the touched ones, with all columns that the check uses; the default is `select distinct`. */
  readonly each?: (touched: Sql) => Sql
}

/** A doubt about documents, such as a total that is not the sum of its lines: a load checks its own documents, `verify` all. */
export interface Doubt {
  /** The doubt in words. */
  readonly check: string
  /** Checked when one of these entities is loaded. */
  readonly entities: readonly string[]
  /** Selects one text per doubtful document `d`; `isLoaded(column)` limits them to documents of the load. */
  readonly query: (isLoaded: (column: string) => Sql) => Sql
}

/** The warnings of one check. */
export interface WarningKind {
  check: string
  count: number
  /** Some of them. */
  examples: string[]
  /** For programs: the load changes figures of closed periods. */
  kind?: 'closed-period'
  /** All of them, of this kind. */
  changes?: readonly ClosedChange[]
}

/** A figure of a closed period that a load changes. */
export interface ClosedChange {
  readonly period: string
  readonly figure: PeriodFigure
  readonly before: string
  readonly after: string
  readonly difference: string
}

/** A check of a load: its statement selects one text per warning. */
export interface WarningCheck {
  readonly check: string
  readonly wrong: Sql
}
