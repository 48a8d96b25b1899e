/** `millbook migrate --distribute`: distributes the tables of a database over the nodes of its Citus cluster. */
import { readFileSync } from 'node:fs'
import { MillbookError } from '../../errors.js'
import type { Database, Tx } from '../connect.js'
import { lockSchema } from '../migrate.js'
import { clusterViews, copies, isDistributed } from './copies.js'

// The same from src/ and from dist/.
const DISTRIBUTE = readFileSync(new URL('../../../src/db/distribute.sql', import.meta.url), 'utf8')

/** Resolves to the number of worker nodes, and to whether it changed anything. The schema must be this program's. */
export async function distribute({ db, engine }: Pick<Database, 'db' | 'engine'>): Promise<{
  workers: number
  distributed: boolean
}> {
  if (engine.name === 'embedded')
    throw new MillbookError('only a PostgreSQL server can be distributed: name its database with --database URL')
  const result = await db.begin(async (tx) => {
    await tx.unsafe('set local statement_timeout = 0; set local lock_timeout = 0')
    await lockSchema(tx)
    const workers = await workersOf(tx)
    const [known] = await tx<{ there: boolean }[]>`select ${isDistributed} as there`
    if (known?.there) return { workers, distributed: false }
    await refuseClosedPeriods(tx)
    // Tables that refer to reference tables can be distributed only over one connection to each node.
    await tx.unsafe(`set local citus.multi_shard_modify_mode to 'sequential'; set local client_min_messages to warning`)
    for (const { table, rows } of copies)
      await tx.unsafe(`create temporary table copied_${table} on commit drop as ${rows.text}`)
    await tx.unsafe(DISTRIBUTE + clusterViews)
    for (const { table } of copies) await tx.unsafe(`insert into ${table} select * from copied_${table}`)
    return { workers, distributed: true }
  })
  // Rows that the tables had before are on the shards now.
  await db.begin(async (tx) => {
    await tx.unsafe('set local client_min_messages to warning')
    await tx`select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition
              where partmethod in ('h', 'n') and pg_relation_size(logicalrelid) > 0`
  })
  return result
}

/** A cluster has no past, so it could not show a version with which a period was reported. */
async function refuseClosedPeriods(tx: Tx): Promise<void> {
  const closed = await tx<{ period: string }[]>`
    select period from closed_period where reopened_in is null order by first_day, period`
  if (closed.length === 0) return
  const periods = closed.map(({ period }) => period).join(', ')
  throw new MillbookError(
    `a distributed database keeps no past, so these closed periods would lose their figures: ${periods}; reopen them with millbook reopen, and try again`,
    { kind: 'conflict' },
  )
}

/** Throws with instructions unless the database is on the coordinator of a cluster. */
async function workersOf(tx: Tx): Promise<number> {
  const [extension] = await tx`select from pg_extension where extname = 'citus'`
  if (extension === undefined)
    throw new MillbookError(
      'the database has no Citus extension: set up a cluster (docs/scaling.md), run create extension citus in this database on every node, and try again',
    )
  const [nodes] = await tx<{ workers: number; coordinator: boolean }[]>`
    select count(*) filter (where groupid <> 0 and isactive)::int as workers,
           coalesce(bool_or(groupid = 0), false) as coordinator
      from pg_dist_node`
  if (nodes === undefined || nodes.workers === 0)
    throw new MillbookError(
      'the cluster has no worker nodes: add each with select citus_add_node(host, port), and try again',
    )
  if (!nodes.coordinator)
    throw new MillbookError(
      'the cluster does not know its coordinator: run select citus_set_coordinator_host(host, port), and try again',
    )
  return nodes.workers
}
