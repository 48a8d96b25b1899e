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
  const name = `test_${randomBytes(6).toString('hex')}`
  await runOn(given as string, `create database ${name} template template0`)
  const url = at(hostname, port, name)
  return await opened(url, () => runOn(given as string, `drop database ${name} with (force)`), from === 'migrated')
}

/** A new distributed database; `before` fills it before it is distributed. */
export async function clusterDatabase(before = async (_: TestDatabase) => {}): Promise<ClusterDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const all = await nodes()
  const drop = async () => {
    for (const { host, port } of all.toReversed())
      await runOn(at(host, port, 'postgres'), `drop database if exists ${name} with (force)`)
  }
  for (const { host, port } of all) {
    await runOn(at(host, port, 'postgres'), `create database ${name} template template0`)
    await runOn(at(host, port, name), 'create extension citus')
  }
  const [coordinator] = all.filter(({ worker }) => !worker)
  if (coordinator === undefined) throw new Error('the cluster of MILLBOOK_CITUS_URL has no coordinator among its nodes')
  const url = at(coordinator.host, coordinator.port, name)
  const workers = all.filter(({ worker }) => worker)
  await runOn(
    url,
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  )
  const plain = await opened(url, async () => {}, true)
  await before(plain)
  await distribute(plain)
  await plain.close()
  return { ...(await opened(url, drop, false)), workers: workers.map(({ host, port }) => at(host, port, name)) }
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
