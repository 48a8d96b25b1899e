/** The longest report, consumption of materials, with as many records as a benchmark needs. */
import { connect } from '../../dist/db/connect.js'
import { TODAY } from './company.mjs'

export const CONSUMPTION = '/v1/production/material-consumption'

/**
 * A request for at least this many records of consumption, from a day until TODAY, and their exact number.
 * @param {import('../../dist/db/connect.js').Db} db @param {number} records
 */
export async function consumptionSince(db, records) {
  const days = await db`
    select b.batch_date::text as day, sum(count(*)) over (order by b.batch_date desc)::int as total
      from batch b join consumption u using (item_id, batch_no) where b.batch_date <= ${TODAY}
     group by b.batch_date order by b.batch_date desc`
  const { day, total } = days.find(({ total }) => Number(total) >= records) ?? days.at(-1) ?? {}
  return { total, body: { version: 'DETAILED', from_date: day, to_date: TODAY } }
}

/**
 * A copy of the company with a million records of consumption.
 * @param {import('../run.mjs').Bench} bench @param {string} company
 */
export async function withManyConsumptions(bench, company) {
  const url = await bench.newDatabase(company)
  const { db, close } = await connect({ url })
  const [there] = await db`select count(*)::int as rows, max(line_no) as most from consumption`
  const times = Math.ceil((1_000_000 * bench.scale) / Number(there?.rows))
  await db.begin(async (tx) => {
    await tx.unsafe('set local session_replication_role = replica')
    await tx.unsafe(`
      insert into consumption
      select item_id, batch_no, line_no + k * ${there?.most}, material_id, cost_head, description, qty_bom, qty_short, qty_rej,
             qty_ret, val_bom, val_short, val_rej, val_ret, tax_val
        from consumption cross join generate_series(1, ${times}) k`)
  })
  await db.unsafe('vacuum analyze consumption')
  return { url, db, close }
}
