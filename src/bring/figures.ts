/** Figures of the whole books that show people whether their files were read correctly. Computed inside the load's transaction. */
import type { Queryable } from '../db/connect.js'
import { kinds } from '../ledger/kinds.js'

export interface Figures {
  items: number
  customers: number
  /** The value of all stock without tax, and the last day with a movement. */
  stock_value: string
  last_movement: string | null
  /** Amounts before tax, in the account's currency, without cancelled documents. */
  sales_orders: string
  invoices: string
  purchase_orders: string
}

const kindsThat = (sign: 1 | -1): string[] =>
  Object.entries(kinds).flatMap(([kind, { stock }]) => (stock === sign ? kind : []))

export async function readFigures(db: Queryable): Promise<Figures> {
  const [row] = await db<Figures[]>`
    select (select count(*)::int from item) as items,
           (select count(*)::int from customer) as customers,
           (select (coalesce(sum(val) filter (where kind::text = any (${kindsThat(1)})), 0)
                    - coalesce(sum(val) filter (where kind::text = any (${kindsThat(-1)})), 0))::numeric(30, 2)::text
              from stock_movement) as stock_value,
           (select max(movement_date)::text from stock_movement) as last_movement,
           (select coalesce(sum(taxable_amt), 0)::numeric(30, 2)::text from sales_order where state <> 'CANCELLED') as sales_orders,
           (select coalesce(sum(sub_total), 0)::numeric(30, 2)::text from invoice where status <> 'Cancelled') as invoices,
           (select coalesce(sum(taxable_amt), 0)::numeric(30, 2)::text from purchase_order where state <> 'CANCELLED') as purchase_orders`
  if (row === undefined) throw new Error('the database returned no row')
  return row
}
