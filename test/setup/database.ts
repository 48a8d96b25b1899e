/** A separate database for each test file, on the engine of the run. */
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { connect, type Database, type Db, type Target } from '../../src/db/connect.js'
import { engine } from './engine.js'

export { engine }

export interface TestTarget {
  target: Target
  /** Command-line flags that select the database. */
  flags: string[]
  drop(): Promise<void>
}

/** A copy of a prepared database: one without any table, or one with the schema and no data. */
export async function makeTarget(from: 'empty' | 'migrated', on = engine): Promise<TestTarget> {
  if (on === 'embedded') {
    const templates = inject('embeddedTemplates')
    const directory = mkdtempSync(join(templates, 'db-')) // removed with the templates at the end of the run
    cpSync(join(templates, from, 'database'), join(directory, 'database'), { recursive: true })
    return {
      target: { directory },
      flags: ['--data', directory],
      drop: async () => rmSync(directory, { recursive: true, force: true }),
    }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = from === 'empty' ? 'template0' : 'millbook_migrated'
  const admin = async (statement: string) => {
    const database = await connect({ url: `${inject('serverUrl')}postgres` })
    await database.db.unsafe(statement)
    await database.close()
  }
  await admin(`create database ${name} template ${template}`)
  const url = `${inject('serverUrl')}${name}`
  return {
    target: { url },
    flags: ['--database', url],
    drop: () => admin(`drop database ${name} with (force)`),
  }
}

export interface TestDatabase extends Database {
  target: Target
  drop(): Promise<void>
}

/** Open it in beforeAll and drop it in afterAll. */
export async function openTestDatabase(from: 'empty' | 'migrated' = 'migrated'): Promise<TestDatabase> {
  const { database, target, drop } = (from === 'migrated' && spare.pop()) || (await open(from))
  return {
    ...database,
    target,
    drop: async () => {
      if (from === 'migrated' && engine === 'embedded' && (await emptied(database)))
        spare.push({ database, target, drop })
      else {
        await database.close()
        await drop()
      }
    },
  }
}

interface Opened {
  database: Database
  target: Target
  drop(): Promise<void>
}

/** Open, migrated and empty embedded databases for later tests, because opening one takes more than a second. */
const spare: Opened[] = []
/** The schema of a new migrated database, and a statement that restores its rows. */
let first: { schema: string; restore: string } | undefined

async function open(from: 'empty' | 'migrated'): Promise<Opened> {
  const { target, drop } = await makeTarget(from)
  const database = await connect(target)
  if (from === 'migrated' && engine === 'embedded') first ??= await lookAt(database)
  return { database, target, drop }
}

async function lookAt({ db }: Database): Promise<NonNullable<typeof first>> {
  return { schema: await schemaOf(db), restore: await insertsOf(db) }
}

/**
 * Remembers all rows; the returned function restores them, in a tenth of the time of loading them again. Not below a service,
 * which does not expect its versions again.
 */
export async function remember({ db }: Database): Promise<() => Promise<void>> {
  const deletes = (await tables(db)).map((table) => `delete from ${table};`)
  const statements = `set local session_replication_role = replica; ${deletes.join('')} ${await insertsOf(db)}`
  return () => db.begin(async (tx) => void (await tx.unsafe(statements)))
}

/** Statements that insert the present rows of all tables, to be run without triggers. */
async function insertsOf(db: Db): Promise<string> {
  const inserts: string[] = []
  for (const table of await tables(db)) {
    const [held] = await db.unsafe<{ rows: string | null; columns: string }[]>(`
      select (select quote_literal(json_agg(t)::text) from ${table} t) as rows,
             (select string_agg(quote_ident(attname), ',') from pg_attribute
               where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = '') as columns`)
    if (!held?.rows) continue
    const { rows, columns } = held
    inserts.push(
      `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, ${rows});`,
    )
  }
  return inserts.join('\n')
}

const tables = async (db: Db): Promise<string[]> =>
  (
    await db<{ name: string }[]>`
      select oid::regclass::text as name from pg_class where relkind = 'r' and oid >= 16384 order by oid`
  ).map(({ name }) => name)

/** A checksum that changes with every table, column, index and trigger that is added, removed or renamed. */
async function schemaOf(db: Db): Promise<string> {
  const [row] = await db<{ sum: string }[]>`
    select md5(string_agg(part, ' ' order by part)) as sum from (
      select concat_ws('.', c.oid, relname, attnum, attname) as part from pg_class c left join pg_attribute on attrelid = c.oid
       where c.oid >= 16384 and relkind <> 't' and relpersistence = 'p'
      union all select concat_ws('.', oid, tgname, tgenabled) from pg_trigger) s`
  return row?.sum ?? ''
}

/** Restores the rows of a new database; false if the schema changed or the database does not answer: then it is not reused. */
async function emptied({ db }: Database): Promise<boolean> {
  try {
    if (first === undefined || (await schemaOf(db)) !== first.schema) return false
    const all = (await tables(db)).join()
    const { restore } = first
    await db.begin(async (tx) => {
      await tx.unsafe('set local session_replication_role = replica') // without triggers
      await tx.unsafe(`truncate ${all} restart identity; delete from pg_statistic where starelid >= 16384; ${restore}`)
    })
    return true
  } catch {
    return false
  }
}

/** A database that is dropped after this test. */
export async function databaseForThisTest(from: 'empty' | 'migrated' = 'migrated'): Promise<TestDatabase> {
  const database = await openTestDatabase(from)
  onTestFinished(() => database.drop())
  return database
}
