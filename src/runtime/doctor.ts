/** Checks an installation: each check reports its finding and, for a problem, the remedy. */
import { X509Certificate } from 'node:crypto'
import { accessSync, constants, readFileSync, statfsSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { APP_PASSWORDS, CONSOLE } from '../access/clients.js'
import { readNodes } from '../db/cluster/nodes.js'
import { connect, type Database, type Db, type Target } from '../db/connect.js'
import { databaseIn } from '../db/embedded/permissions.js'
import { checkSchema } from '../db/migrate.js'
import { replicaName } from '../db/replica.js'
import { MillbookError } from '../errors.js'
import { readPair } from '../http/tls.js'
import { reports } from '../reports/index.js'
import { hasState } from '../sqlstate.js'
import { readHistory } from '../store/history.js'
import { readReplica } from '../store/replicas.js'
import { check } from '../surfaces/sql/access.js'
import type { ServeSettings } from './settings.js'
import { connectionsOfEach } from './shares.js'

export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  /** The remedy of a warning or a problem. */
  readonly advice?: string
}

export interface Checked {
  readonly target: Target
  readonly settings: ServeSettings
}

const OLDEST_NODE = 20
const RECOMMENDED_NODE = 24
const GIB = 2 ** 30
/** The limit of the snapshot folder. */
const SNAPSHOT_GIB = 2
const DAY_MS = 86_400_000
const EXPIRES_SOON_DAYS = 21

const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
const warning = (check: string, found: string, advice: string): Finding => ({ check, state: 'warning', found, advice })
const problem = (check: string, found: string, advice: string): Finding => ({ check, state: 'problem', found, advice })

export async function* examine(checked: Checked): AsyncGenerator<Finding> {
  yield checkNode()
  yield* checkSnapshots(checked.settings)
  yield* checkCertificate(checked.settings)
  yield* checkDirectory(checked.target)
  yield* checkDatabase(checked)
}

function checkNode(): Finding {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < OLDEST_NODE) return problem('node', process.version, `install Node ${RECOMMENDED_NODE}`)
  if (major < RECOMMENDED_NODE)
    return warning(
      'node',
      process.version,
      `${major === OLDEST_NODE ? 'the Node project no longer supports this version' : 'support for this version ends earlier'}: install Node ${RECOMMENDED_NODE}`,
    )
  return ok('node', process.version)
}

function* checkSnapshots({ snapshotsIn }: ServeSettings): Generator<Finding> {
  try {
    accessSync(snapshotsIn, constants.W_OK | constants.X_OK)
  } catch {
    yield problem('snapshots', `this user cannot write to ${snapshotsIn}`, 'name another directory with --snapshots-in')
    return
  }
  const free = freeGib(snapshotsIn)
  const found = `${snapshotsIn} has ${free.toFixed(1)} GiB free`
  yield free < SNAPSHOT_GIB
    ? warning(
        'snapshots',
        found,
        `computed reports take up to ${SNAPSHOT_GIB} GiB: free some space, or name another directory with --snapshots-in`,
      )
    : ok('snapshots', found)
}

const freeGib = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return (bavail * bsize) / GIB
}

function* checkCertificate({ tls, host }: ServeSettings): Generator<Finding> {
  if (tls === undefined) {
    const local = /^(127\.|localhost$|::1$)/.test(host)
    yield local
      ? ok('tls', 'the service listens on this machine only')
      : warning(
          'tls',
          `the service listens on ${host} without TLS`,
          'give --tls-cert and --tls-key, or put a proxy with HTTPS in front',
        )
    return
  }
  try {
    readPair(tls)
  } catch (error) {
    yield problem('tls', (error as Error).message, 'the service cannot start with these files: name others')
    return
  }
  const ends = Date.parse(new X509Certificate(readFileSync(tls.cert)).validTo)
  const days = Math.floor((ends - Date.now()) / DAY_MS)
  const found = `${tls.cert} is valid until ${new Date(ends).toISOString().slice(0, 10)}`
  if (days < 0) yield problem('tls', found, 'renew it: clients refuse it')
  else if (days < EXPIRES_SOON_DAYS)
    yield warning('tls', found, `renew it within ${days} days; the service loads the new file without a restart`)
  else yield ok('tls', found)
  if ((statSync(tls.key).mode & 0o077) !== 0)
    yield warning('tls key', `others can read ${tls.key}`, `chmod 600 ${tls.key}`)
}

function* checkDirectory(target: Target): Generator<Finding> {
  if ('url' in target) return
  const directory = resolve(target.directory)
  const found = databaseIn(directory)
  if (found === 'unreadable') {
    yield problem(
      'data directory',
      `this user may not read the database in ${directory}`,
      'run millbook doctor as the owner of the directory',
    )
    return
  }
  if (found === 'missing') {
    yield problem(
      'data directory',
      `there is no database in ${directory}`,
      `create one with millbook migrate --data ${target.directory}, or name another directory`,
    )
    return
  }
  const mode = statSync(directory).mode & 0o777
  yield (mode & 0o077) === 0
    ? ok('data directory', `${directory} is readable by its owner only`)
    : problem('data directory', `others can open ${directory}: mode ${mode.toString(8)}`, `chmod 700 ${directory}`)
  const free = freeGib(directory)
  yield free < 1
    ? problem(
        'disk',
        `${directory} has ${free.toFixed(1)} GiB free`,
        'free some space: a load needs room for its rows and the write-ahead log',
      )
    : ok('disk', `${directory} has ${free.toFixed(1)} GiB free`)
  if (!isAbsolute(target.directory))
    yield warning(
      'path of the data',
      `${target.directory} is relative to where a command is started`,
      'give an absolute path in MILLBOOK_DATA',
    )
}

async function* checkDatabase({ target, settings }: Checked): AsyncGenerator<Finding> {
  if ('directory' in target && databaseIn(target.directory) !== 'there') return
  let database: Database
  try {
    database = await connect(target, { max: 1 })
  } catch (error) {
    yield problem('database', (error as Error).message, 'check that the server runs, its address and the password')
    return
  }
  const { db, description } = database
  try {
    const start = performance.now()
    const [about] = await db<{ version: string; skew: number; most: number }[]>`
      select current_setting('server_version') as version, current_setting('max_connections')::int as most,
             extract(epoch from clock_timestamp())::float8 as skew`
    const ms = performance.now() - start
    yield ok('database', `${description}, version ${about?.version}, answers in ${ms.toFixed(1)} ms`)
    yield checkClock((about?.skew ?? 0) * 1000 - Date.now())
    try {
      await checkSchema(db)
      yield ok('schema', 'the database has the schema of this program')
    } catch (error) {
      yield problem('schema', (error as Error).message, adviceOnSchema(error as Error))
      return
    }
    if ('url' in target) {
      yield* checkRights(db)
      yield checkConnections(settings.workers, about?.most ?? 0)
      yield* checkSlots(db)
      yield* checkSqlAccess(db)
      const { id } = await readReplica(db)
      for (const [i, url] of settings.readFrom.entries()) yield* checkReplica(replicaName(i), url, id, settings.workers)
    }
    yield* checkNodes(database)
    yield* checkData(db)
  } catch (error) {
    yield problem('database', (error as Error).message, 'mend this error, then run millbook doctor again')
  } finally {
    await database.close()
  }
}

function adviceOnSchema(error: Error): string {
  if (hasState(error, 'insufficient_privilege'))
    return 'run millbook migrate as the owner of the database, which grants the roles their rights, and use one of the logins in docs/hardening.md'
  if (!(error instanceof MillbookError)) return 'mend this error, then run millbook doctor again'
  return error.message.includes('run millbook migrate')
    ? 'make a backup, then run millbook migrate'
    : 'install the version of Millbook that fits this database'
}

const MOST_SKEW_MS = 2000

function checkClock(skewMs: number): Finding {
  const found = `the clocks of this machine and of the database differ by ${(Math.abs(skewMs) / 1000).toFixed(1)} s`
  return Math.abs(skewMs) > MOST_SKEW_MS
    ? warning('clock', found, 'synchronise both, for example with chrony: tokens expire by the clock of the database')
    : ok('clock', found)
}

/** Which commands the login has the rights for. */
async function* checkRights(db: Db): AsyncGenerator<Finding> {
  const [may] = await db<{ login: string; serve: boolean; load: boolean; own: boolean; super: boolean }[]>`
    select current_user::text as login, has_table_privilege('api_token', 'select, insert') as serve,
           has_table_privilege('item', 'insert') as load,
           pg_has_role((select relowner from pg_class where oid = 'item'::regclass), 'usage') as own,
           (select rolsuper from pg_roles where rolname = current_user) as super`
  if (may === undefined) return
  const uses = [may.serve && 'serve', may.load && 'import and verify', may.own && 'migrate'].filter(Boolean)
  const found = `${may.login} may ${uses.join(', ') || 'do nothing here'}`
  if (may.super || may.own)
    yield warning(
      'rights',
      `${found}${may.super ? ', and is a superuser' : ''}`,
      'a service needs fewer rights: docs/hardening.md shows the logins to create',
    )
  else if (uses.length === 0) yield problem('rights', found, 'use one of the logins in docs/hardening.md')
  else yield ok('rights', found)
}

function checkConnections(workers: number, most: number, of = ''): Finding {
  const { max, quick } = connectionsOfEach(workers)
  const needed = (workers + 1) * (max + quick + 1)
  const check = `${of} connections`.trim()
  const found = `${workers} workers use up to ${needed} of the ${most} connections that the server allows`
  return needed > most - 3 ? problem(check, found, 'raise max_connections, or use fewer --workers') : ok(check, found)
}

/** The workers of a cluster: without one of them, no report can be computed, and no load commits. */
async function* checkNodes({ db, engine }: Database): AsyncGenerator<Finding> {
  if (engine.name !== 'cluster') return
  const nodes = await readNodes(db)
  const lost = nodes.filter(({ answers }) => !answers).map(({ name }) => name)
  yield lost.length > 0
    ? problem(
        'nodes',
        `the coordinator cannot connect to ${lost.join(' and ')}, of ${nodes.length} workers`,
        'start the server there: until then reports that are not in memory get 503, and loads fail',
      )
    : ok('nodes', `the coordinator can connect to its ${nodes.length} workers`)
}

async function* checkSqlAccess(db: Db): AsyncGenerator<Finding> {
  const access = await check(db, reports)
  if (access === undefined) return
  for (const { found, advice } of access.flaws) yield problem('sql access', found, advice)
  if (access.flaws.length === 0) yield ok('sql access', access.found)
}

/** A replication slot whose replica is away keeps the write-ahead log, and the rows that the replica last asked to keep. */
async function* checkSlots(db: Db): AsyncGenerator<Finding> {
  const slots = await db<{ name: string; kept: string; holds: boolean }[]>`
    select slot_name::text as name, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) as kept,
           coalesce(xmin, catalog_xmin) is not null as holds
      from (select * from pg_replication_slots where not active and restart_lsn is not null and not pg_is_in_recovery()) s
     order by slot_name`
  for (const { name, kept, holds } of slots)
    yield warning(
      'replication slot',
      `no replica uses the slot ${name}; it keeps ${kept} of the write-ahead log${holds ? ', and rows that vacuum would remove' : ''}`,
      `start its replica, or run select pg_drop_replication_slot('${name}') on the primary; max_slot_wal_keep_size limits the log that slots keep`,
    )
}

/** `id` identifies the primary's version of the data. */
async function* checkReplica(check: string, url: string, id: string, workers: number): AsyncGenerator<Finding> {
  let replica: Database | undefined
  try {
    replica = await connect({ url }, { max: 1 })
    const { db, description } = replica
    const about = await readReplica(db)
    const [has] = await db<{ most: number; feedback: boolean }[]>`
      select current_setting('max_connections')::int as most, current_setting('hot_standby_feedback')::bool as feedback`
    if (!about.standby)
      yield problem(check, `${description} is not a streaming replica`, 'leave it out of --read-from, or make it one')
    else if (about.id === id) yield ok(check, `${description} has the present data`)
    else
      yield about.paused
        ? warning(
            check,
            `${description} is behind, and its replay is paused`,
            'run select pg_wal_replay_resume() there',
          )
        : warning(
            check,
            `${description} is behind: it lacks the last load`,
            'look at pg_stat_replication on the primary',
          )
    yield checkConnections(workers, has?.most ?? 0, check)
    if (about.standby && has?.feedback === false)
      yield warning(
        check,
        `hot_standby_feedback is off on ${description}`,
        'set it to on there: without it, maintenance on the primary cancels long reports or delays the replica',
      )
  } catch (error) {
    yield problem(
      check,
      (error as Error).message,
      'check that the server runs, its address and the password; until then the service reads from the primary',
    )
  } finally {
    await replica?.close()
  }
}

/** How far back reports can be asked as they were known, and what that takes. */
async function* checkHistory(db: Db): AsyncGenerator<Finding> {
  const [has] = await db<{ history: boolean }[]>`select to_regnamespace('millbook_as_known') is not null as history`
  if (!has?.history) return // a cluster keeps none
  const { oldest, bytes, presentBytes } = await readHistory(db)
  const mib = (of: number) => `${(of / 2 ** 20).toFixed(1)} MiB`
  const found = `reports can be asked of versions from ${oldest} on; the past takes ${mib(bytes)}, the present rows ${mib(presentBytes)}`
  yield bytes > presentBytes
    ? warning(
        'history',
        found,
        'look at millbook loads for loads that change many rows; serve with fewer --history-days to keep less',
      )
    : ok('history', found)
}

async function* checkData(db: Db): AsyncGenerator<Finding> {
  const [data] = await db<{ version: number; age: number | null; seesClients: boolean }[]>`
    select version::float8 as version, extract(epoch from now() - committed_at)::float8 / 86400 as age,
           has_table_privilege('api_client', 'select') as "seesClients"
      from data_version`
  if (data === undefined) return
  if (data.version === 0) yield warning('data', 'there is no data yet', 'load it with millbook import')
  else yield ok('data', `version ${data.version}, changed ${(data.age ?? 0).toFixed(1)} days ago`)
  if (data.version > 0) yield* checkHistory(db)
  if (!data.seesClients) return
  const [{ n } = { n: 0 }] = await db<{ n: number }[]>`
    select count(*)::int as n from api_client where disabled_at is null and client_id not in (${CONSOLE}, ${APP_PASSWORDS})`
  yield n === 0
    ? warning('clients', 'there is no active client', 'create one with millbook client create')
    : ok('clients', `${n} can sign in`)
}
