/** What real books contain and is worth a look, but no reason to refuse a load. */
import type { Queryable } from '../db/connect.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { signed } from '../ledger/figures.js'

export const SHOWN = 100

export interface Warnings {
  count: number
  first: string[]
}

interface Warning {
  /** Looked for when one of these entities is part of the load, among the rows that it brought. */
  entities: readonly string[]
  /** Rows with one column, `warning`; `staged` is true of what the load brought, by the number of a document `d`. */
  query: (staged: (column: string) => Sql) => Sql
}

/** A document whose amount is not what its parts add up to. */
const parts = (entity: string, table: string, no: string, amount: string, sum: string): Warning => ({
  entities: [entity],
  query: (staged) => sql`
    select ${raw(`'${table} ' || d.${no} || ': ${amount} is ' || d.${amount} || ', its parts add up to ' || (${sum})`)} as warning
      from ${raw(table)} d where d.${raw(amount)} <> ${raw(sum)} and ${staged(no)} order by d.${raw(no)}`,
})

/** A document whose amount is not the sum of its lines. */
const lines = (entities: [string, string], table: string, no: string, amount: string, column: string): Warning => ({
  entities,
  query: (staged) => sql`
    select ${raw(`'${table} ' || d.${no} || ': ${amount} is ' || d.${amount} || ', its lines add up to ' || l.sum`)} as warning
      from ${raw(table)} d
      join (select d.${raw(no)}, sum(d.${raw(column)}) from ${raw(table)}_line d where ${staged(no)} group by 1) l using (${raw(no)})
     where d.${raw(amount)} <> l.sum order by d.${raw(no)}`,
})

const orderTotal = 'd.taxable_amt + d.tax_amt + d.shipping_amt + d.adjustment_amt'

const warnings: Warning[] = [
  {
    entities: ['stock_movements'],
    query: () => sql`
      select 'stock of ' || i.sku || ' in ' || w.location || ' goes to ' || n.balance || ' on ' || n.day as warning
        from (select distinct on (item_id, warehouse_id) item_id, warehouse_id, day, balance
                from (select item_id, warehouse_id, movement_date as day,
                             sum(moved) over (partition by item_id, warehouse_id order by movement_date) as balance
                        from (select m.item_id, m.warehouse_id, m.movement_date, sum(${signed('stock', 'qty')}) as moved
                                from stock_movement m where m.item_id in (select t.item_id from millbook_staging.touched t)
                               group by 1, 2, 3) d) b
               where balance < 0 order by item_id, warehouse_id, day) n
        join item i on i.id = n.item_id join warehouse w on w.id = n.warehouse_id
       order by i.sku, w.location`,
  },
  {
    entities: ['stock_movements'],
    query: () => sql`
      select 'more of ' || i.sku || ' in ' || w.location || ' is released than was held: ' || h.held as warning
        from (select m.item_id, m.warehouse_id, sum(${signed('held', 'qty')}) as held
                from stock_movement m where m.item_id in (select t.item_id from millbook_staging.touched t)
               group by 1, 2) h
        join item i on i.id = h.item_id join warehouse w on w.id = h.warehouse_id
       where h.held < 0 order by i.sku, w.location`,
  },
  {
    entities: ['purchase_order_items', 'goods_receipt_items'],
    query: (staged) => sql`
      select 'purchase order ' || d.po_no || ' line ' || d.line_no || ': received ' || r.received_qty || ' of ' || d.qty
             || ' ordered' as warning
        from purchase_order_line d
        join purchase_order_line_received r on r.po_no = d.po_no and r.line_no = d.line_no
       where r.received_qty > d.qty and ${staged('po_no')} order by d.po_no, d.line_no`,
  },
  parts('purchase_orders', 'purchase_order', 'po_no', 'total_amt', orderTotal),
  parts('sales_orders', 'sales_order', 'order_no', 'total_amt', orderTotal),
  parts('invoices', 'invoice', 'invoice_no', 'total_amt', 'd.sub_total + d.total_tax + d.shipping + d.adjustment'),
  parts('invoices', 'invoice', 'invoice_no', 'final_amt', 'd.total_amt + d.round_amt'),
  lines(['purchase_orders', 'purchase_order_items'], 'purchase_order', 'po_no', 'taxable_amt', 'taxable_amt'),
  lines(['sales_orders', 'sales_order_items'], 'sales_order', 'order_no', 'taxable_amt', 'taxable_amt'),
  lines(['invoices', 'invoice_items'], 'invoice', 'invoice_no', 'sub_total', 'taxable_value'),
]

export async function findWarnings(tx: Queryable, loaded: ReadonlySet<string>): Promise<Warnings> {
  const found: Warnings = { count: 0, first: [] }
  for (const { entities, query } of warnings) {
    const part = entities.filter((entity) => loaded.has(entity))
    if (part.length === 0) continue
    const statement = query((column) => {
      const among = part.map(
        (entity) => sql`d.${raw(column)} in (select s.${raw(column)} from millbook_staging.${raw(entity)} s)`,
      )
      return sql`(${join(among, ' or ')})`
    })
    const rows = await tx.unsafe<{ warning: string; total: string }[]>(
      `select warning, count(*) over () as total from (${statement.text}) w limit ${SHOWN}`,
      statement.values as never[],
    )
    found.count += Number(rows[0]?.total ?? 0)
    found.first.push(...rows.slice(0, SHOWN - found.first.length).map((row) => row.warning))
  }
  return found
}
