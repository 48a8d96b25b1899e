/** A separate PostgreSQL server for a test, with streaming replicas. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Postgres, startPostgres } from '../../scripts/postgres.mjs'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { openReplicas } from '../../src/db/replica.js'
import type { TestDatabase } from './database.js'
import { type Service, startService } from './service.js'

export interface Cluster {
  readonly primary: Postgres
  readonly replicas: readonly Postgres[]
  /** A new database with the schema, replicated too. */
  database(name: string): Promise<TestDatabase>
  /** A service on a database, which reads from the replicas. */
  service(database: TestDatabase, options?: Parameters<typeof startService>[0]): Promise<Service>
  stop(): Promise<void>
}

const settings = { fsync: 'off', max_connections: 100, hot_standby_feedback: 'on' }

export async function startCluster(count: number): Promise<Cluster> {
  const primary = await startPostgres({ settings })
  const replicas = await Promise.all(
    Array.from({ length: count }, () => startPostgres({ settings, replicaOf: primary.url })),
  )
  return {
    ...{ primary, replicas },
    async database(name) {
      await run(primary, 'postgres', `create database ${name} template template0`)
      const target = { url: `${primary.url}${name}` } as const
      const database = await connect(target)
      await migrate(database.db)
      return { ...database, target, drop: () => database.close() }
    },
    service: (database, options) =>
      startService({ ...options, replicas: openReplicas(urlsOf(replicas, database), 4) }, database),
    stop: async () => {
      for (const server of [...replicas, primary]) await server.stop()
    },
  }
}

/** The addresses of a database on replicas. */
export const urlsOf = (replicas: readonly Postgres[], { target }: TestDatabase): string[] =>
  replicas.map(({ url }) => url + new URL((target as { url: string }).url).pathname.slice(1))

/** Runs a statement on one server. */
export async function run(server: Postgres, name: string, statement: string): Promise<Record<string, unknown>[]> {
  const { db, close } = await connect({ url: server.url + name })
  try {
    return await db.unsafe(statement)
  } finally {
    await close()
  }
}

export const pause = (server: Postgres) => run(server, 'postgres', 'select pg_wal_replay_pause()')
export const resume = (server: Postgres) => run(server, 'postgres', 'select pg_wal_replay_resume()')

/** The states of the replicas, from /readyz. */
export async function statesOf({ call }: Service): Promise<string[]> {
  const response = await call({ path: '/readyz', token: null })
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json().replicas.map(({ state }: { state: string }) => state)
}

export async function untilStates(service: Service, ...states: string[]): Promise<void> {
  const until = Date.now() + 60_000
  for (let found = await statesOf(service); found.join() !== states.join(); found = await statesOf(service)) {
    if (Date.now() > until) throw new Error(`the replicas are ${found.join()}, not ${states.join()}`)
    await sleep(20)
  }
}
