/** Migrates a database to this program's schema: numbered SQL files, forward only, in one transaction. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { MillbookError } from '../errors.js'
import { clusterViews, isDistributed } from './cluster/copies.js'
import type { Db, Queryable, Tx } from './db.js'
import { adopt, isOfEarlierBuild, refuseEarlier, SAME_SCHEMA } from './earlier-build.js'

export interface Migration {
  number: number
  name: string
  text: string
}

export interface Migrated {
  /** The number of the schema before the migration, 0 if there was none, and after it. */
  from: number
  to: number
  applied: Migration[]
}

type Applied = { number: number; name: string; checksum: string }

// The same from src/ and from dist/.
const FOLDER = new URL('../../src/db/migrations/', import.meta.url)
const AS_KNOWN = readFileSync(new URL('../../src/db/as-known.sql', import.meta.url), 'utf8')

/** Views of SQL access keep tables from being changed; `finish` makes them again (src/surfaces/sql/). */
const WITHDRAW = `do $$ begin
  if to_regprocedure('millbook_sql.withdraw()') is not null then perform millbook_sql.withdraw(); end if; end $$`

/** Any number that no other program uses for a lock on the same database. */
const LOCK = 7_461_203_118

export const migrations: readonly Migration[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => {
    const [, number, name] = /^(\d{3})-(.+)\.sql$/.exec(file) ?? []
    if (number === undefined || name === undefined) throw new Error(`not a migration's name: ${file}`)
    return { number: Number(number), name, text: readFileSync(new URL(file, FOLDER), 'utf8') }
  })

/** The name of the migrations that make views. */
export const VIEWS = 'views'

/** The database has an older schema, and this login may not migrate it. */
export class NotMigrated extends MillbookError {}

/** Of migrations in their order. */
const newest = (all: readonly { number: number }[]) => all.at(-1)?.number ?? 0
/** The number of the schema that this program needs. */
export const SCHEMA = newest(migrations)
const checksum = (migration: Migration) => createHash('sha256').update(migration.text).digest('hex')

/**
 * Applies the missing migrations. A second process waits, and then finds nothing to do. `finish` runs in the same transaction,
 * even if no migration is missing.
 */
export async function migrate(
  db: Db,
  known: readonly Migration[] = migrations,
  finish: (tx: Tx) => Promise<void> = async () => {},
): Promise<Migrated> {
  return await db.begin(async (tx) => {
    await tx.unsafe('set local statement_timeout = 0; set local lock_timeout = 0') // the limits of a service are meant for reports
    // A cluster can change tables that refer to each other only over one connection to each node.
    await tx`select set_config('citus.multi_shard_modify_mode', 'sequential', true) where ${isDistributed}`
    const migrated = await applyMigrations(tx, known)
    await finish(tx)
    return migrated
  })
}

/** A line for the operator. */
export function describeMigrated({ from, to }: Migrated): string {
  if (from === 0) return `created the schema, version ${to}`
  if (from === to) return `the schema is up to date (${to})`
  return `migrated the schema from ${from}${from > to ? ' of an earlier development build' : ''} to ${to}`
}

/** Until the transaction ends, no other process changes the schema. */
export const lockSchema = async (tx: Tx): Promise<void> => void (await tx`select pg_advisory_xact_lock(${LOCK})`)

/** Applies the missing migrations in a transaction. */
export async function applyMigrations(tx: Tx, known: readonly Migration[]): Promise<Migrated> {
  await lockSchema(tx)
  await tx.unsafe(`create table if not exists schema_migration (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  let applied = await appliedTo(tx)
  const from = newest(applied)
  if (isOfEarlierBuild(applied)) {
    await adopt(tx, from)
    for (const migration of known) if (migration.number <= SAME_SCHEMA) await note(tx, migration)
    applied = await appliedTo(tx)
  }
  refuseNewer(newest(applied), known)
  refuseChanged(applied, known)
  const missing = known.filter(({ number }) => !applied.some((row) => row.number === number))
  const [cluster] = await tx<{ distributed: boolean }[]>`select ${isDistributed} as distributed`
  if (missing.length > 0) await tx.unsafe(WITHDRAW)
  for (const migration of missing) {
    await tx.unsafe(migration.name === VIEWS && cluster?.distributed ? clusterViews : migration.text)
    await note(tx, migration)
  }
  if (missing.length > 0) {
    await tx.unsafe(AS_KNOWN)
    // Running services of the old version learn of it at once, and refuse requests.
    await tx`select pg_notify('millbook_version', 'migrated')`
  }
  return { from, to: newest(known), applied: missing }
}

const note = (tx: Tx, migration: Migration) => tx`
  insert into schema_migration (number, name, checksum)
  values (${migration.number}, ${migration.name}, ${checksum(migration)})`

async function appliedTo(db: Queryable): Promise<Applied[]> {
  const [{ there } = { there: false }] = await db`select to_regclass('schema_migration') is not null as there`
  return there ? await db<Applied[]>`select number, name, checksum from schema_migration order by number` : []
}

/** The number of the schema, 0 if there is none; throws if it is newer than this program, or of an earlier build. */
export async function schemaOf(db: Queryable, known: readonly Migration[] = migrations): Promise<number> {
  return newest(await appliedOrRefused(db, known))
}

/** Throws with instructions unless the database has exactly the schema that this program knows. */
export async function checkSchema(db: Db, known: readonly Migration[] = migrations): Promise<void> {
  const applied = await appliedOrRefused(db, known)
  refuseChanged(applied, known)
  if (known.some((migration) => !applied.some((row) => row.number === migration.number)))
    throw otherSchema(newest(applied), known)
}

async function appliedOrRefused(db: Queryable, known: readonly Migration[]): Promise<Applied[]> {
  const applied = await appliedTo(db)
  if (isOfEarlierBuild(applied)) refuseEarlier(newest(applied))
  refuseNewer(newest(applied), known)
  return applied
}

function refuseChanged(applied: readonly Applied[], known: readonly Migration[]): void {
  for (const migration of known)
    if (applied.some((row) => row.number === migration.number && row.checksum !== checksum(migration)))
      throw new MillbookError(
        `migration ${migration.number} (${migration.name}) was changed after it was applied to this database: use the build of Millbook that applied it`,
      )
}

function refuseNewer(at: number, known: readonly Migration[]): void {
  if (at > newest(known)) throw otherSchema(at, known)
}

export const otherSchema = (at: number, known: readonly Migration[] = migrations): MillbookError =>
  new MillbookError(
    at > newest(known)
      ? `the database has schema ${at}, newer than this program, which knows ${newest(known)}: use a newer Millbook`
      : `the database has schema ${at}, but this program needs ${newest(known)}: run millbook migrate`,
  )
