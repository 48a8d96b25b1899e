/**
 * The interface of everything that differs between the embedded database, a PostgreSQL server and a Citus cluster. `connect.ts`
 * chooses the engine, and the rest of the program calls this interface without asking which engine it has.
 */
import type { Db, Queryable } from './db.js'
import type { Sql } from './sql.js'

export interface Engine {
  /** For messages to people; no decision may depend on it. */
  readonly name: 'embedded' | 'server' | 'cluster'

  /** Whether a page of a listing may be computed without the rest of the report. */
  readonly computesPages: boolean
  /** Whether whole reports may be computed in the background, beside requests. */
  readonly computesInBackground: boolean
  /** Runs `work` in a read-only transaction that sees one version of the data; `settings` are statements to run first. */
  inVersion<T>(db: Db, settings: string, work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Whether the rows that loads replace are kept. */
  readonly keepsHistory: boolean
  /** Opens a read-only transaction that sees one version of the data and does not block loads. */
  openSnapshot(db: Db): Promise<Snapshot>
  /** Selects the rows of a table as JSON text. */
  selectRows(table: string, columns: readonly string[]): Sql

  /** Whether a load merges rows while later files are still being read. */
  readonly mergesWhileReading: boolean
  /** Runs a statement that inserts this number of rows. `indexed` names its table if no foreign key refers to it. */
  insertMany<T>(tx: Queryable, rows: number, insert: () => Promise<T>, indexed?: string): Promise<T>
  /** Whether the database checks foreign keys during `insertMany`; otherwise the caller has to. */
  readonly checksForeignKeys: boolean
  /** Runs work that derives tables from this number of new rows. */
  derive(tx: Queryable, tables: readonly string[], rows: number, work: () => Promise<void>): Promise<void>
  /** Prepares the tables that a load works on, in its transaction. */
  openWork(tx: Queryable, wanted: Wanted): Promise<Work>
  /** The characteristics of a transaction that calls `openWork` and stores nothing. */
  readonly checking: string
  /** Guards the commit of a transaction that has stepped the version of the data. To be called as late as possible. */
  guardCommit(tx: Queryable): Promise<void>
  /** Updates statistics that a load could not update in its transaction. `tables` has the columns that plans depend on. */
  analyzeAfterLoad(db: Db, tables: readonly (readonly [table: string, columns: readonly string[]])[]): Promise<void>
}

export interface Snapshot {
  readonly tx: Queryable
  end(): Promise<void>
}

/** The stored rows that a load needs. */
export interface Wanted {
  /** The tables that it writes, parents before children. */
  readonly tables: readonly string[]
  /** Copies the rows that matter, table by table, where the load works on copies; without it, all rows matter. */
  readonly copyRelevant?: (tx: Queryable, stored: (table: string) => string, copy: CopyRows) => Promise<void>
}

/** Copies the rows of a stored table, called `t`, that a condition or join selects. */
export type CopyRows = (table: string, where?: string) => Promise<void>

export interface Work {
  /** Stores the changes. Resolves to the tables that were written, or to null if they are not known. */
  store(): Promise<readonly string[] | null>
  /** The number of rows that differ, by table of copies that the engine keeps. `rewrite` writes the copies again first. */
  checkCopies(rewrite: boolean): Promise<Readonly<Record<string, number>>>
}
