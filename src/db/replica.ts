/** A streaming replica. Its connections are opened on demand, so that a replica that is down delays nothing. */
import { type Limits, openServer, QUICK_MS } from './connect.js'
import { type Db, makeDb } from './db.js'
import { Pool } from './pool.js'
import { readServerUrl } from './url.js'

export interface ReplicaServer {
  /** Its name in metrics and public responses, which show no address. */
  readonly name: string
  /** Its name for operators, without a password. */
  readonly description: string
  /** For reports. */
  readonly db: Db
  /** For short statements, one at a time. */
  readonly quick: Db
  /** Closes all connections at once; their statements fail. */
  drop(reason: Error): void
  close(): Promise<void>
}

export const replicaName = (position: number): string => `replica-${position + 1}`

/** A read waits no longer for a connection of a replica: another database may have a free one. */
export function openReplicas(urls: readonly string[], max: number, limits?: Limits): ReplicaServer[] {
  return urls.map((url, i) => {
    const name = replicaName(i)
    const server = readServerUrl(url)
    const open = () =>
      openServer(server, {
        connectTimeoutMs: QUICK_MS,
        startup: limits && { statement_timeout: String(limits.statement), lock_timeout: String(limits.lock) },
      })
    const pool = new Pool({ name, open, max, waitMs: QUICK_MS })
    const quickPool = new Pool({ open, max: 1, waitMs: QUICK_MS })
    return {
      ...{ name, description: server.description },
      db: makeDb(() => pool.lease()),
      quick: makeDb(() => quickPool.lease()),
      drop: (reason) => {
        for (const each of [pool, quickPool]) each.drop(reason)
      },
      close: async () => void (await Promise.all([pool.close(), quickPool.close()])),
    }
  })
}
