/** The copies of rows that a cluster keeps, each on the node of the rows that reports join it with. */
import { readFileSync } from 'node:fs'
import { raw, type Sql, sql } from '../sql.js'

export interface Copy {
  readonly table: string
  readonly key: readonly string[]
  /** Selects its rows from the views of migrations/: on one server, or on the local tables of a load. */
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

/** The views of a distributed database, in place of the migrations' views. The same path from src/ and from dist/. */
export const clusterViews = readFileSync(new URL('../../../src/db/distribute-views.sql', import.meta.url), 'utf8')

/** Whether the database is distributed, as an expression: `millbook migrate --distribute` creates this table. */
export const isDistributed: Sql = sql`to_regclass('item_shard_version') is not null`
