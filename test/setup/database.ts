/** A separate database for each test file, on the engine of the run. */
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { connect, type Database, type Db, type Target } from '../../src/db/connect.js'
import { lockFile } from '../../src/db/embedded/open.js'
import { loadSample, type SampleOptions } from '../../src/demo/sample.js'
import { copyOnNodes, createOnNodes, hasDatabase, makeTemplate } from './citus.js'
import { engine } from './engine.js'

export { engine }

export interface TestTarget {
  target: Target
  /** Command-line flags that select the database. */
  flags: string[]
  drop(): Promise<void>
}

/** A copy of a prepared database: one without any table, one with the schema and no data, or one that a test has prepared. */
export async function makeTarget(from: 'empty' | 'migrated' | { template: string }, on = engine): Promise<TestTarget> {
  if (on === 'embedded') {
    const templates = inject('embeddedTemplates')
    const directory = mkdtempSync(join(templates, 'db-')) // removed with the templates at the end of the run
    const template = typeof from === 'string' ? from : from.template
    cpSync(join(templates, template, 'database'), join(directory, 'database'), { recursive: true })
    return {
      target: { directory },
      flags: ['--data', directory],
      drop: async () => rmSync(directory, { recursive: true, force: true }),
    }
  }
  if (on === 'cluster') {
    const { url, drop } = await (from === 'empty'
      ? createOnNodes(`test_${randomBytes(6).toString('hex')}`)
      : copyOnNodes(from === 'migrated' ? inject('clusterTemplate') : from.template))
    return { target: { url }, flags: ['--database', url], drop }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = from === 'empty' ? 'template0' : from === 'migrated' ? 'millbook_migrated' : from.template
  await admin(`create database ${name} template ${template}`)
  const url = `${inject('serverUrl')}${name}`
  return {
    target: { url },
    flags: ['--database', url],
    drop: () => admin(`drop database ${name} with (force)`),
  }
}

const admin = (statement: string): Promise<void> => onServer(async (db) => void (await db.unsafe(statement)))

async function onServer<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const database = await connect({ url: `${inject('serverUrl')}postgres` })
  try {
    return await work(database.db)
  } finally {
    await database.close()
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
      if (from === 'migrated' && engine !== 'cluster' && (await emptied(database)))
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

/** Open, migrated and empty databases for later tests: opening one takes more than a second embedded, and 0.2 seconds on a server. */
const spare: Opened[] = []
/** The schema of a new migrated database, and a statement that restores its rows. */
let first: { schema: string; restore: string } | undefined

async function open(from: 'empty' | 'migrated'): Promise<Opened> {
  const { target, drop } = await makeTarget(from)
  const database = await connect(target)
  if (from === 'migrated' && engine !== 'cluster') first ??= await lookAt(database)
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
      `insert into ${table} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${table}, ${rows});`,
    )
  }
  return inserts.join('\n')
}

const tables = async (db: Db): Promise<string[]> =>
  (
    await db<{ name: string }[]>`
      select oid::regclass::text as name from pg_class where relkind = 'r' and oid >= 16384 order by oid`
  ).map(({ name }) => name)

/** A checksum that changes with every table, column, index, trigger, function, right and setting that is added, removed or changed. */
async function schemaOf(db: Db): Promise<string> {
  const [row] = await db<{ sum: string }[]>`
    select md5(string_agg(part, ' ' order by part)) as sum from (
      select concat_ws('.', c.oid, relname, relacl, attnum, attname, attacl) as part
        from pg_class c left join pg_attribute on attrelid = c.oid
       where c.oid >= 16384 and relkind <> 't' and relpersistence = 'p'
      union all select concat_ws('.', oid, tgname, tgenabled) from pg_trigger
      union all select concat_ws('.', oid, conname, convalidated) from pg_constraint
      union all select concat_ws('.', oid, proname, proacl, md5(prosrc)) from pg_proc where oid >= 16384
      union all select concat_ws('.', oid, nspname, nspacl) from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
      union all select concat_ws('.', oid, defaclacl) from pg_default_acl
      union all select concat_ws('.', datdba, datacl) from pg_database where datname = current_database()
      union all select concat_ws('.', 'set', setrole, setconfig) from pg_db_role_setting
       where setdatabase = (select oid from pg_database where datname = current_database())) s`
  return row?.sum ?? ''
}

/**
 * Restores the rows of a new database; false if the schema changed, another session holds a lock, or the database does not answer:
 * then it is not reused.
 */
async function emptied({ db, quick }: Database): Promise<boolean> {
  try {
    if (first === undefined || (await schemaOf(db)) !== first.schema) return false
    await quick`select`
    const { restore } = first
    const used = await usedTables(db)
    return await db.begin(async (tx) => {
      await tx.unsafe(`set local session_replication_role = replica; set local lock_timeout = '1s'`) // without triggers
      const [held] = await tx`
        select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
      if (held !== undefined) return false
      if (used.length > 0) await tx.unsafe(`truncate ${used.join()} restart identity cascade`)
      await tx.unsafe(`delete from pg_statistic where starelid >= 16384; ${restore}`)
      return true
    })
  } catch {
    return false
  }
}

/** Tables that have a page, and so may have had rows: truncating a table takes a millisecond. */
const usedTables = async (db: Db): Promise<string[]> =>
  (
    await db<{ name: string }[]>`
      select oid::regclass::text as name from pg_class
       where relkind = 'r' and oid >= 16384 and pg_relation_size(oid) > 0 order by oid`
  ).map(({ name }) => name)

/**
 * A new database with the sample company. The run loads each sample once, and copies it for later tests; the version of the data
 * is 1, as after a load.
 */
export async function openSample(options: SampleOptions): Promise<TestDatabase> {
  const sorted = JSON.stringify(Object.entries(options).sort())
  const name = `sample_${createHash('md5').update(sorted).digest('hex').slice(0, 12)}`
  return openPrepared(name, async (database) => void (await loadSample(database, options)))
}

/** A new database as `fill` makes it. The run fills the first one of this name, and copies it for later tests. */
export async function openPrepared(name: string, fill: (database: Database) => Promise<void>): Promise<TestDatabase> {
  const { target, drop } = await makeTarget({ template: await prepared(name, fill) })
  const database = await connect(target)
  return { ...database, target, drop: () => database.close().then(drop) }
}

/** The name of a prepared database; the first test that needs it makes it. */
async function prepared(name: string, fillDatabase: (database: Database) => Promise<void>): Promise<string> {
  const fill = async (target: Target) => {
    const database = await connect(target)
    await fillDatabase(database)
    if (engine === 'server') await database.db.unsafe('vacuum analyze')
    await database.close()
  }
  if (engine === 'embedded') {
    const templates = inject('embeddedTemplates')
    const unlock = await lockFile(join(templates, 'samples'), `${name}.lock`, () => {})
    try {
      if (existsSync(join(templates, name))) return name
      const { target } = await makeTarget('migrated')
      const { directory } = target as { directory: string }
      await fill(target)
      renameSync(directory, join(templates, name))
    } finally {
      await unlock()
    }
  } else if (engine === 'cluster') {
    // Samples of another run are of other code.
    const ofRun = `${inject('clusterTemplate')}_${name}`
    const unlock = await lockFile(join(inject('embeddedTemplates'), 'samples'), `${ofRun}.lock`, () => {})
    try {
      if (await hasDatabase(ofRun)) return ofRun
      const { target } = await makeTarget('migrated')
      await fill(target)
      await makeTemplate((target as { url: string }).url, ofRun)
    } finally {
      await unlock()
    }
    return ofRun
  } else
    await onServer(async (db) => {
      await db.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(hashtext(${name}))`
        if ((await tx`select from pg_database where datname = ${name}`).length > 0) return
        const { target } = await makeTarget('migrated')
        const { url } = target as { url: string }
        await fill(target)
        await admin(`alter database ${new URL(url).pathname.slice(1)} rename to ${name}`)
      })
    })
  return name
}

/** A database that is dropped after this test. */
export async function databaseForThisTest(from: 'empty' | 'migrated' = 'migrated'): Promise<TestDatabase> {
  const database = await openTestDatabase(from)
  onTestFinished(() => database.drop())
  return database
}
