/** A Citus cluster, which has no snapshot over its nodes: a version on every shard shows that all shards have the same load. */
import { MillbookError, Problem } from '../../errors.js'
import { isConnectionFailure } from '../../sqlstate.js'
import { analyze } from '../analyze.js'
import type { Queryable } from '../db.js'
import type { Engine } from '../engine.js'
import { openSnapshot, server } from '../server.js'
import { identifier, join, literal, sql } from '../sql.js'
import { openWork } from './work.js'

/** A load takes this lock around its commit, and reports share it while they read. Any number that no other lock uses. */
const COMMIT_LOCK = 7_461_203_121

export const cluster: Engine = {
  ...server,
  name: 'cluster',
  // A cluster cannot compute a single page alone (docs/decisions/0031).
  computesPages: false,
  // Distributed tables have no triggers.
  keepsHistory: false,
  inVersion: (db, settings, work) =>
    db.begin(
      `isolation level read committed read only; set local lock_timeout = 0${settings && `; ${settings}`}`,
      async (tx) => {
        await keepVersion(tx)
        const agree = await shardsAgree(tx).catch((error) => {
          throw isConnectionFailure(error) ? unavailable('does not respond', error) : error
        })
        if (!agree) throw unavailable('is still completing the last load')
        return await work(tx)
      },
    ),
  /** Each node has its own snapshot: all are taken while no load commits, over one connection to each node. */
  openSnapshot: (db) =>
    db.begin(async (lock) => {
      await keepVersion(lock)
      const snapshot = await openSnapshot(db)
      await snapshot.tx.unsafe('set local citus.max_adaptive_executor_pool_size = 1')
      if (await shardsAgree(snapshot.tx)) return snapshot
      await snapshot.end()
      throw new MillbookError('a node of the cluster is still completing the last load: try again in a minute')
    }),
  // Shards do not know the names of a subquery's columns.
  selectRows: (table, columns) => {
    const members = columns.map((column) => sql`${literal(column)}, ${identifier(column)}`)
    return sql`select json_build_object(${join(members, ', ')})::text from ${identifier(table)}`
  },
  // A load must know all of its rows before it can copy the stored rows that matter.
  mergesWhileReading: false,
  openWork,
  checking: '', // it creates tables
  /** Waits for running reports, and keeps others waiting until the commit. */
  async guardCommit(tx) {
    await tx`select pg_advisory_xact_lock(${COMMIT_LOCK})`
    const [version] = await tx<{ id: string }[]>`select id from data_version`
    await tx`update item_shard_version set id = ${version?.id ?? ''}`
    await tx`update document_shard_version set id = ${version?.id ?? ''}`
  },
  /** Collects statistics for the planners of the nodes; the load has collected them only for its local tables. */
  async analyzeAfterLoad(db, tables) {
    for (const [table, columns] of tables) await analyze(db, table, columns)
  },
}

const unavailable = (state: string, cause?: unknown) =>
  new Problem('unavailable', {
    detail: `A node of the database cluster ${state}; try again in a minute.`,
    headers: { 'retry-after': '60' },
    cause,
  })

/** Until the transaction ends, no load commits. */
const keepVersion = async (tx: Queryable): Promise<void> =>
  void (await tx`select pg_advisory_xact_lock_shared(${COMMIT_LOCK})`)

/** Whether every shard has the version: a node that was lost may lack a part of the last load until it is back for a minute. */
async function shardsAgree(tx: Queryable): Promise<boolean> {
  const [version] = await tx<{ id: string }[]>`select id from data_version`
  for (const table of [sql`item_shard_version`, sql`document_shard_version`]) {
    const [shards] = await tx<{ same: boolean }[]>`select bool_and(id = ${version?.id ?? ''}) as same from ${table}`
    if (shards?.same !== true) return false
  }
  return true
}
