/** Period closings: derived from the ledger, updated in the transaction of a load, and verified against the ledger. */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { batchFlows, updateBatchFlows } from './batch-flows.js'
import { type Measure, moves, signed } from './figures.js'
import { starts, updateStarts } from './starts.js'

/** The tables that are derived from the ledger, with the columns that plans depend on. */
export const derivedTables = {
  stock_month: ['item_id', 'month', 'warehouse_id', 'batch_no', 'kind'],
  stock_closing: ['item_id', 'month', 'warehouse_id', 'batch_no'],
  stock_start: ['item_id', 'warehouse_id', 'month'],
  batch_flow: ['item_id', 'batch_no', 'month'],
} as const

const measures: Measure[] = ['qty', 'val', 'val_tax']
const names = [...measures, ...measures.map((measure) => `held_${measure}`)]
const balanceNames = raw(names.join(', '))

/** The first day of a day's month. Without the cast, PostgreSQL would convert through the time zone, which is slow. */
const monthOf = (day: string) => raw(`date_trunc('month', ${day}::timestamp)::date`)

/** Sums per month, from the ledger; `where` limits the movements `m`. */
const monthsOf = (where: Sql) => sql`
  select m.item_id, ${monthOf('m.movement_date')} as month, m.warehouse_id, coalesce(m.batch_no, '') as batch_no, m.kind,
         sum_of_few(m.qty) as qty, sum_of_few(m.val) as val, sum_of_few(m.val_tax) as val_tax,
         coalesce(sum_of_few(m.transfer_charge) filter (where m.kind in ('transfer_in', 'transfer_out')), 0.0000)
           as transfer_charge
    from stock_movement m where ${where}
   group by 1, 2, 3, 4, 5`

/**
 * Balances at the end of each month up to the ledger's last, from `stock_month`; `where` limits its rows `m`. A balance holds
 * from its month until the month before the next movement. The rows of a month are peers of the window, so each has the
 * balance at its end, and the last one is taken; adding them up first is slower (docs/decisions/0008).
 */
const closingsOf = (where: Sql) => sql`
  select c.item_id,
         generate_series(c.month::timestamp, coalesce(c.next - interval '1 month', (select max(month) from stock_month)),
                         interval '1 month')::date as month,
         c.warehouse_id, c.batch_no, ${balanceNames}
    from (select m.item_id, m.month, m.warehouse_id, m.batch_no, lead(m.month) over cell as next,
                 ${join(
                   (['stock', 'held'] as const).flatMap((effect) =>
                     measures.map((measure) => {
                       const sum = sql`sum(${signed(effect, measure)}) filter (where ${moves(effect)}) over cell`
                       return sql`coalesce(${sum}, 0) as ${raw(effect === 'held' ? `held_${measure}` : measure)}`
                     }),
                   ),
                   ', ',
                 )}
            from stock_month m where ${where}
          window cell as (partition by m.item_id, m.warehouse_id, m.batch_no order by m.month)) c
   where c.next is distinct from c.month and (${raw(names.map((name) => `${name} <> 0`).join(' or '))})`

/** Updates the closings after movements were written; `touched` has each item and month with a new, lost or changed one. */
export async function updateClosings(tx: Queryable, touched: Sql): Promise<void> {
  const [before] = await query<{ last: string | null }>(tx, sql`select max(month)::text as last from stock_month`)
  await query(tx, sql`delete from stock_month s using ${touched} t where s.item_id = t.item_id and s.month = t.month`)
  await query(
    tx,
    sql`insert into stock_month ${monthsOf(sql`
      exists (select from ${touched} t where t.item_id = m.item_id and t.month = ${monthOf('m.movement_date')})`)}`,
  )
  const [after] = await query<{ last: string | null }>(tx, sql`select max(month)::text as last from stock_month`)
  await updateStarts(tx, touched)
  await updateBatchFlows(tx, sql`(select t.item_id, min(t.month) as month from ${touched} t group by 1)`)
  const items = sql`(select t.item_id from ${touched} t)`
  // An item's balances change from its first touched month on, or from the month after the ledger's last one so far.
  const from = sql`(select t.item_id, least(min(t.month), ${before?.last ?? null}::date + interval '1 month')::date as month
                      from ${touched} t group by 1)`
  await query(tx, sql`delete from stock_closing c using ${from} f where c.item_id = f.item_id and c.month >= f.month`)
  await query(
    tx,
    sql`insert into stock_closing
        select c.* from (${closingsOf(sql`m.item_id in ${items}`)}) c
          join ${from} f on f.item_id = c.item_id and c.month >= f.month`,
  )

  // If the last month of the ledger has changed, the balances of all other items must end there too.
  const last = after?.last ?? null
  if (before?.last == null || before.last === last) return
  await query(tx, sql`delete from stock_closing where month > ${last}::date or ${last}::date is null`)
  if (last !== null && last > before.last)
    await query(
      tx,
      sql`
      insert into stock_closing (item_id, month, warehouse_id, batch_no, ${balanceNames})
      select c.item_id, g.month::date, c.warehouse_id, c.batch_no, ${balanceNames}
        from stock_closing c
       cross join generate_series(${before.last}::date + interval '1 month', ${last}::date, interval '1 month') g(month)
       where c.month = ${before.last}::date and c.item_id not in ${items}`,
    )
}

/** A report reads a few months of all items, so the rows of a month are stored together. */
const byMonth = raw('order by month, item_id')

/** Deletes the derived tables' rows and derives them again. */
export async function rebuildClosings(tx: Queryable): Promise<void> {
  // Truncate would lock readers out.
  await tx.unsafe('delete from stock_month; delete from stock_closing; delete from stock_start; delete from batch_flow')
  await query(tx, sql`insert into stock_month ${monthsOf(raw('true'))} ${byMonth}`)
  await query(tx, sql`insert into stock_closing ${closingsOf(raw('true'))} ${byMonth}`)
  await query(tx, sql`insert into stock_start ${starts}`)
  await query(tx, sql`insert into batch_flow ${batchFlows}`)
}

/** How many rows of each derived table differ from the ledger. */
export async function checkClosings(
  db: Queryable,
): Promise<{ months: number; closings: number; starts: number; batchFlows: number }> {
  const differences = async (table: string, derived: Sql) => {
    const [row] = await query<{ n: number }>(
      db,
      sql`select count(*)::int as n from (
        (select * from ${raw(table)} except all ${derived}) union all (${derived} except all select * from ${raw(table)})) d`,
    )
    return row?.n ?? 0
  }
  return {
    months: await differences('stock_month', sql`(${monthsOf(raw('true'))})`),
    closings: await differences('stock_closing', sql`(${closingsOf(raw('true'))})`),
    starts: await differences('stock_start', sql`(${starts})`),
    batchFlows: await differences('batch_flow', sql`(${batchFlows})`),
  }
}
