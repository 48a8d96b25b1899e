/** Migrates a database to this program's schema: numbered SQL files, forward only, in one transaction. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { MillbookError } from '../errors.js'
import { isDistributed } from './cluster/copies.js'
import type { Db, Queryable, Tx } from './db.js'

export interface Migration {
  number: number
  name: string
  text: string
}

type Applied = { number: number; checksum: string }

// The same from src/ and from dist/.
const FOLDER = new URL('../../src/db/migrations/', import.meta.url)

/** Any number that no other program takes as its lock on the same database. */
const LOCK = 7_461_203_118

export const migrations: readonly Migration[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => {
    const [, number, name] = /^(\d{3})-(.+)\.sql$/.exec(file) ?? []
    if (number === undefined || name === undefined) throw new Error(`not a migration's name: ${file}`)
    return { number: Number(number), name, text: readFileSync(new URL(file, FOLDER), 'utf8') }
  })

const newest = (known: readonly Migration[]) => known.at(-1)?.number ?? 0
const checksum = (migration: Migration) => createHash('sha256').update(migration.text).digest('hex')

/**
 * Applies the missing migrations and returns them. A second process waits, and then finds nothing to do. `finish` runs in
 * the same transaction, even if no migration is missing.
 */
export async function migrate(
  db: Db,
  known: readonly Migration[] = migrations,
  finish: (tx: Tx) => Promise<void> = async () => {},
): Promise<Migration[]> {
  return await db.begin(async (tx) => {
    await tx.unsafe('set local statement_timeout = 0; set local lock_timeout = 0') // a service's limits are for reports
    // A cluster changes tables that refer to each other over one connection to each node.
    await tx`select set_config('citus.multi_shard_modify_mode', 'sequential', true) where ${isDistributed}`
    const missing = await applyMigrations(tx, known)
    await finish(tx)
    return missing
  })
}

/** Until the transaction ends, no other process changes the schema. */
export const lockSchema = async (tx: Tx): Promise<void> => void (await tx`select pg_advisory_xact_lock(${LOCK})`)

/** Applies the missing migrations in a transaction, and returns them. */
export async function applyMigrations(tx: Tx, known: readonly Migration[]): Promise<Migration[]> {
  await lockSchema(tx)
  await tx.unsafe(`create table if not exists schema_migration (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  const applied = new Map<number, string>()
  for (const row of await tx<Applied[]>`select number, checksum from schema_migration`)
    applied.set(row.number, row.checksum)
  refuseNewer(Math.max(0, ...applied.keys()), known)
  refuseChanged(applied, known)
  const missing = known.filter((migration) => !applied.has(migration.number))
  for (const migration of missing) {
    await tx.unsafe(migration.text)
    await tx`insert into schema_migration (number, name, checksum)
               values (${migration.number}, ${migration.name}, ${checksum(migration)})`
  }
  return missing
}

async function appliedTo(db: Queryable): Promise<Applied[]> {
  const [{ there } = { there: false }] = await db`select to_regclass('schema_migration') is not null as there`
  return there ? await db<Applied[]>`select number, checksum from schema_migration order by number` : []
}

/** The number of the schema, 0 if there is none; throws if it is newer than this program. */
export async function schemaOf(db: Queryable, known: readonly Migration[] = migrations): Promise<number> {
  const at = (await appliedTo(db)).at(-1)?.number ?? 0
  refuseNewer(at, known)
  return at
}

/** Throws, saying what to do, unless the database has exactly the schema that this program knows. */
export async function checkSchema(db: Db, known: readonly Migration[] = migrations): Promise<void> {
  const applied = await appliedTo(db)
  const at = applied.at(-1)?.number ?? 0
  refuseNewer(at, known)
  refuseChanged(new Map(applied.map((row) => [row.number, row.checksum])), known)
  if (known.some((migration) => !applied.some((row) => row.number === migration.number)))
    throw new MillbookError(
      `the database has schema ${at} and this program needs ${newest(known)}: run millbook migrate`,
    )
}

function refuseChanged(applied: ReadonlyMap<number, string>, known: readonly Migration[]): void {
  for (const migration of known)
    if (applied.has(migration.number) && applied.get(migration.number) !== checksum(migration))
      throw new MillbookError(
        `migration ${migration.number} (${migration.name}) was changed after it was applied to this database`,
      )
}

function refuseNewer(at: number, known: readonly Migration[]): void {
  if (at > newest(known))
    throw new MillbookError(
      `the database has schema ${at}, newer than this program, which knows ${newest(known)}: use a newer Millbook`,
    )
}
