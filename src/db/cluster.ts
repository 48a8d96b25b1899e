/** Citus: the copies of rows that a cluster keeps beside the rows that reports join them with, and the version on every shard. */
import type { Queryable } from './db.js'
import { raw, type Sql, sql } from './sql.js'

/** A load takes this lock around its commit, and reports share it while they read. Any number that nothing else locks. */
const COMMIT_LOCK = 7_461_203_121

export interface Copy {
  readonly table: string
  readonly key: readonly string[]
  /** Selects its rows, where the views of migrations 029 and 031 are: on one server, and in the tables that a load works on. */
  readonly rows: Sql
}

export const copies: readonly Copy[] = [
  { table: 'stocked_item_key', key: ['item_id'], rows: raw('select id as item_id from stocked_item') },
  {
    table: 'order_movement',
    key: ['order_no', 'order_line_no', 'item_id', 'movement_date', 'movement_no'],
    rows: raw('select * from order_movement where order_no is not null'),
  },
  {
    table: 'invoice_movement',
    key: ['invoice_no', 'invoice_line_no', 'item_id', 'movement_date', 'movement_no'],
    rows: raw('select * from invoice_movement where invoice_no is not null'),
  },
  {
    table: 'work_order_movement',
    key: ['work_order_no', 'item_id', 'movement_date', 'movement_no'],
    rows: raw('select * from work_order_movement where work_order_no is not null'),
  },
  {
    table: 'receipt_movement',
    key: ['po_no', 'grn_no', 'item_id', 'movement_date', 'movement_no'],
    rows: raw('select * from receipt_movement where grn_no is not null'),
  },
  {
    table: 'order_invoice_line',
    key: ['order_no', 'order_line_no', 'invoice_no', 'line_no'],
    rows: raw('select * from order_invoice_line where order_no is not null'),
  },
  {
    table: 'invoice_order',
    key: ['invoice_no'],
    rows: raw(`select invoice_no, order_date, po_no, order_customer_code as customer_code
                 from invoice_with_order where order_date is not null`),
  },
  {
    table: 'invoice_line_order',
    key: ['invoice_no', 'line_no'],
    rows: raw(`select invoice_no, line_no, order_item_id as item_id, order_description as description
                 from invoice_line_with_order where order_description is not null`),
  },
]

/** Whether the database is distributed, as an expression: `millbook migrate --distribute` makes the table. */
export const isDistributed: Sql = sql`to_regclass('item_shard_version') is not null`

/** Until the transaction ends, no load commits: all that it reads is of one version, if the shards agree. */
export const shareVersion = async (tx: Queryable): Promise<void> =>
  void (await tx`select pg_advisory_xact_lock_shared(${COMMIT_LOCK})`)

/** Whether every shard has the version: a node that was lost may lack a part of the last load until it is back for a minute. */
export async function shardsAgree(tx: Queryable): Promise<boolean> {
  const [version] = await tx<{ id: string }[]>`select id from data_version`
  for (const table of [sql`item_shard_version`, sql`document_shard_version`]) {
    const [shards] = await tx<{ same: boolean }[]>`select bool_and(id = ${version?.id ?? ''}) as same from ${table}`
    if (shards?.same !== true) return false
  }
  return true
}

/** To be called last in a transaction that changes the version: waits for the reports that are being read. */
export async function commitVersion(tx: Queryable): Promise<void> {
  await tx`select pg_advisory_xact_lock(${COMMIT_LOCK})`
  const [version] = await tx<{ id: string }[]>`select id from data_version`
  await tx`update item_shard_version set id = ${version?.id ?? ''}`
  await tx`update document_shard_version set id = ${version?.id ?? ''}`
}
