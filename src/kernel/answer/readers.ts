/** Chooses the database that a report is read from: a replica that has the requested version, else the primary. */
import type { Db } from '../../db/connect.js'
import { Problem } from '../../errors.js'
import { type MISSES, replicaMisses, reportReads } from '../../metrics/metrics.js'
import { hasState } from '../../sqlstate.js'
import type { Replicas } from '../../store/replicas.js'
import { isDiskFailure } from '../../store/snapshots.js'
import { OtherSchema } from '../../store/versions.js'
import { type EditionAsked, Outdated } from './editions.js'

/** Reads from a database. On a replica, it must throw `Outdated` unless the rows have the requested version. */
type Read<T> = (db: Db, onReplica: boolean) => Promise<T>

export class Readers {
  readonly #primary: Db
  readonly #replicas: Replicas | undefined
  readonly #onError: (error: unknown) => void

  /** `onError` is called for failures of replicas, which no caller sees. */
  constructor(primary: Db, replicas: Replicas | undefined, onError: (error: unknown) => void) {
    this.#primary = primary
    this.#replicas = replicas
    this.#onError = onError
  }

  /** Reads from one database after the other until one has the version; the last one is the primary. */
  async run<T>({ by }: EditionAsked, signal: AbortSignal, read: Read<T>): Promise<T> {
    for (const replica of this.#replicas?.having(by.id) ?? []) {
      const { name } = replica.server
      try {
        const result = await replica.run((db) => read(db, true))
        reportReads.add({ database: name })
        return result
      } catch (error) {
        signal.throwIfAborted()
        const reason = reasonOf(error)
        if (reason === undefined) throw error
        replicaMisses.add({ replica: name, reason })
        if (reason !== 'busy') this.#replicas?.leaveOut(replica)
        if (reason === 'failed') this.#onError(new Error(`could not read a report from ${name}`, { cause: error }))
      }
    }
    const result = await read(this.#primary, false)
    reportReads.add({ database: 'primary' })
    return result
  }
}

/** Why to try the next database; undefined if the read would fail there too, as a timeout would. */
function reasonOf(error: unknown): (typeof MISSES)[number] | undefined {
  const { code } = error as { code?: string }
  // A replica may not have replayed a migration yet.
  if (error instanceof Outdated || error instanceof OtherSchema) return 'version'
  if (code === 'CONNECTIONS_LEASED') return 'busy'
  return hasState(error, 'query_canceled') || error instanceof Problem || isDiskFailure(error) ? undefined : 'failed'
}
