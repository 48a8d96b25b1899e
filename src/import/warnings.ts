/**
 * What real books contain and is worth a look, but no reason to refuse a load: where documents and the ledger disagree, and
 * documents that do not add up.
 */
import type { Queryable } from '../db/connect.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { touchedOf } from './agreement.js'
import { type Loading, stagedRows } from './changes.js'

export const SHOWN = 100

export interface Warnings {
  count: number
  first: string[]
}

interface Warning {
  /** Looked for when one of these entities is part of the load, among the rows that it brought. */
  entities: readonly string[]
  /** Rows of one text; `staged` is true of what the load brought, by the number of a document `d`. */
  query: (staged: (column: string) => Sql) => Sql
}

/** A document whose amount is not what its parts add up to. */
const parts = (entity: string, table: string, no: string, amount: string, sum: string): Warning => ({
  entities: [entity],
  query: (staged) => sql`
    select ${raw(`'${table} ' || d.${no} || ': ${amount} is ' || d.${amount} || ', its parts add up to ' || (${sum})`)}
      from ${raw(table)} d where d.${raw(amount)} <> ${raw(sum)} and ${staged(no)} order by d.${raw(no)}`,
})

/** A document whose amount is not the sum of its lines; the last of its key's columns is its number. */
const lines = (entities: [string, string], table: string, key: string[], amount: string, column: string): Warning => {
  const no = key.at(-1) as string
  const text = `'${table} ' || d.${no} || ': ${amount} is ' || d.${amount} || ', its lines add up to ' || sum(x.${column})`
  return {
    entities,
    query: (staged) => sql`
      select ${raw(text)}
        from ${raw(table)} d join ${raw(table)}_line x on ${raw(key.map((name) => `x.${name} = d.${name}`).join(' and '))}
       where ${staged(no)} group by d.${raw(no)}, d.${raw(amount)} having d.${raw(amount)} <> sum(x.${raw(column)})
       order by d.${raw(no)}`,
  }
}

const orderTotal = 'd.taxable_amt + d.tax_amt + d.shipping_amt + d.adjustment_amt'

const warnings: Warning[] = [
  {
    entities: ['purchase_order_items', 'goods_receipt_items'],
    query: (staged) => sql`
      select 'purchase order ' || d.po_no || ' line ' || d.line_no || ': received ' || r.received_qty || ' of ' || d.qty
             || ' ordered'
        from purchase_order_line d
        join purchase_order_line_received r on r.po_no = d.po_no and r.line_no = d.line_no
       where r.received_qty > d.qty and ${staged('po_no')} order by d.po_no, d.line_no`,
  },
  parts('purchase_orders', 'purchase_order', 'po_no', 'total_amt', orderTotal),
  parts('sales_orders', 'sales_order', 'order_no', 'total_amt', orderTotal),
  parts('invoices', 'invoice', 'invoice_no', 'total_amt', 'd.sub_total + d.total_tax + d.shipping + d.adjustment'),
  parts('invoices', 'invoice', 'invoice_no', 'final_amt', 'd.total_amt + d.round_amt'),
  lines(['purchase_orders', 'purchase_order_items'], 'purchase_order', ['po_no'], 'taxable_amt', 'taxable_amt'),
  lines(['sales_orders', 'sales_order_items'], 'sales_order', ['order_no'], 'taxable_amt', 'taxable_amt'),
  lines(['invoices', 'invoice_items'], 'invoice', ['order_no', 'invoice_no'], 'sub_total', 'taxable_value'),
]

export async function findWarnings(tx: Queryable, loading: Loading): Promise<Warnings> {
  const found: Warnings = { count: 0, first: [] }
  for (const statement of [...(await touchedOf(tx, loading)), ...withinDocuments(loading)]) {
    const rows = await tx.unsafe<{ warning: string; total: string }[]>(
      `select warning, count(*) over () as total from (${statement.text}) w(warning) limit ${SHOWN}`,
      statement.values as never[],
    )
    found.count += Number(rows[0]?.total ?? 0)
    found.first.push(...rows.slice(0, SHOWN - found.first.length).map((row) => row.warning))
  }
  return found
}

const withinDocuments = ({ loaded }: Loading): Sql[] =>
  warnings.flatMap(({ entities, query }) => {
    const part = entities.filter((entity) => loaded.has(entity))
    if (part.length === 0) return []
    const brought = (column: string) => part.map((entity) => sql`select s.${raw(column)} from ${stagedRows(entity)} s`)
    return query((column) => sql`d.${raw(column)} in (${join(brought(column), ' union all ')})`)
  })
