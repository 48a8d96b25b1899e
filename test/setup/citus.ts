/**
 * A Citus cluster that a developer has set up (docs/scaling.md): MILLBOOK_CITUS_URL is the URL of a database on its coordinator
 * in which the worker nodes are added, for a user who may create databases and the extension on every node.
 */
import { randomBytes } from 'node:crypto'
import { type TestContext, it as test } from 'vitest'
import { distribute } from '../../src/db/cluster/distribute.js'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import type { TestDatabase } from './database.js'
import { long } from './tier.js'

const given = process.env['MILLBOOK_CITUS_URL']
export const clusterIsGiven = given !== undefined

/** A test on a cluster, in the long tier. */
export const onCluster = (name: string, work: (context: TestContext) => unknown) =>
  test(name, (context) => {
    if (!long) context.skip('in the long tier only')
    if (given === undefined) context.skip('MILLBOOK_CITUS_URL names no Citus cluster to test on')
    return work(context)
  })

/** Runs statements on one database. */
export async function runOn<R extends object>(url: string, ...statements: string[]): Promise<R[]> {
  const { db, close } = await connect({ url }, { max: 1 })
  try {
    let rows: R[] = []
    for (const statement of statements) rows = await db.unsafe<R[]>(statement)
    return rows
  } finally {
    await close()
  }
}

export interface ClusterDatabase extends TestDatabase {
  /** The URLs of the same database on the worker nodes. */
  readonly workers: readonly string[]
}

const at = (host: string, port: number | string, name: string): string => {
  const url = new URL(given as string)
  url.hostname = host
  url.port = String(port)
  url.pathname = `/${name}`
  return url.href
}

const nodes = () =>
  runOn<{ host: string; port: number; worker: boolean }>(
    given as string,
    `select nodename as host, nodeport as port, groupid <> 0 as worker from pg_dist_node where isactive order by groupid`,
  )

/** A new database on the coordinator's server alone, with the schema unless it must be empty. */
export async function serverDatabase(from: 'empty' | 'migrated' = 'migrated'): Promise<TestDatabase> {
  const { hostname, port } = new URL(given as string)
  const name = newName()
  await runOn(given as string, `create database ${name} template template0`)
  const url = at(hostname, port, name)
  return await opened(url, () => runOn(given as string, `drop database ${name} with (force)`), from === 'migrated')
}

/** A new distributed database; `before` fills it before it is distributed. */
export async function clusterDatabase(before = async (_: TestDatabase) => {}): Promise<ClusterDatabase> {
  const made = await createOnNodes(newName())
  const plain = await opened(made.url, async () => {}, true)
  await before(plain)
  await distribute(plain)
  await plain.close()
  return { ...(await opened(made.url, made.drop, false)), workers: made.workers }
}

interface OnNodes {
  readonly url: string
  /** The URLs of the same database on the worker nodes. */
  readonly workers: readonly string[]
  drop(): Promise<void>
}

const newName = () => `test_${randomBytes(6).toString('hex')}`

/** A new database that the nodes of the cluster share, without a schema. */
export async function createOnNodes(name: string): Promise<OnNodes> {
  const all = await nodes()
  for (const { host, port } of all) {
    await runOn(at(host, port, 'postgres'), `create database ${name} template template0`)
    await runOn(at(host, port, name), 'create extension citus')
  }
  const made = onNodes(name, all)
  const [coordinator, ...workers] = all
  await runOn(
    made.url,
    `select citus_set_coordinator_host('${coordinator?.host}', ${coordinator?.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  )
  return made
}

/** A copy of a prepared database on every node, in a fraction of the time in which tables are distributed. */
export async function copyOnNodes(template: string): Promise<OnNodes> {
  const [name, all] = [newName(), await nodes()]
  for (const { host, port } of all)
    await runOn(at(host, port, 'postgres'), `create database ${name} template ${template}`)
  return onNodes(name, all)
}

/** Makes a database a template of this name: nobody connects to it any more. */
export async function makeTemplate(url: string, template: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  for (const { host, port } of await nodes())
    await runOn(
      at(host, port, 'postgres'),
      `alter database ${name} allow_connections false`,
      // Citus watches each database by a process.
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
      `alter database ${name} rename to ${template}`,
    )
}

export const hasDatabase = async (name: string): Promise<boolean> =>
  (await runOn(given as string, `select from pg_database where datname = '${name}'`)).length > 0

/** Drops the databases whose names begin like this. */
export async function dropTemplates(prefix: string): Promise<void> {
  const found = await runOn<{ name: string }>(
    given as string,
    `select datname as name from pg_database where starts_with(datname, '${prefix}')`,
  )
  for (const { name } of found) await dropOnNodes(name)
}

async function dropOnNodes(name: string, all?: Awaited<ReturnType<typeof nodes>>): Promise<void> {
  for (const { host, port } of (all ?? (await nodes())).toReversed())
    await runOn(at(host, port, 'postgres'), `drop database if exists ${name} with (force)`)
}

function onNodes(name: string, all: Awaited<ReturnType<typeof nodes>>): OnNodes {
  const [coordinator, ...workers] = all
  if (coordinator === undefined || coordinator.worker)
    throw new Error('the cluster of MILLBOOK_CITUS_URL has no coordinator among its nodes')
  return {
    url: at(coordinator.host, coordinator.port, name),
    workers: workers.map(({ host, port }) => at(host, port, name)),
    drop: () => dropOnNodes(name, all),
  }
}

async function opened(url: string, drop: () => Promise<unknown>, isNew: boolean): Promise<TestDatabase> {
  const target = { url } as const
  const database = await connect(target)
  if (isNew) await migrate(database.db)
  return {
    ...database,
    target,
    drop: async () => {
      await database.close()
      await drop()
    },
  }
}
