/** Measures a cold trace of the batch that went into the most others, and the same with ten times as many batches and movements. */
import { connect } from '../dist/db/connect.js'
import { cold } from './lib/cold.mjs'
import { company } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { inTurns } from './lib/time.mjs'
import { assertEqual } from './stock.mjs'

const path = '/v1/insight/trace'
const TIMES = 10
/** The days by which each copy is older. */
const DAYS = 577

/** Copies of the ledger, each with batches and documents of its own. */
const OTHERS = `
  insert into batch (item_id, batch_no, source, mfg_date, expiry_date, batch_date, warehouse_id, qty, wastage)
  select item_id, 'R' || k || '-' || batch_no, source, mfg_date, expiry_date, batch_date, warehouse_id, qty, wastage
    from generate_series(1, ${TIMES - 1}) k cross join batch;
  insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax, transfer_charge, order_no,
                              order_line_no, for_item_id, for_batch_no, po_no, grn_no)
  select item_id, 'R' || k || '-' || movement_no, movement_date - k * ${DAYS}, kind, warehouse_id, 'R' || k || '-' || batch_no, qty, val, val_tax,
         transfer_charge, 'R' || k || '-' || order_no, order_line_no, for_item_id, 'R' || k || '-' || for_batch_no, 'R' || k || '-' || po_no,
         'R' || k || '-' || grn_no
    from generate_series(1, ${TIMES - 1}) k cross join stock_movement`

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const short = (await company(bench)).url
  const long = await bench.newDatabase(short)
  bench.progress(`PostgreSQL: making ${TIMES} times as many batches and movements`)
  const [one, ten] = [await connect({ url: short }), await connect({ url: long })]
  await ten.db.begin(async (tx) => {
    await tx.unsafe(`set local session_replication_role = replica; set local statement_timeout = 0`)
    await tx.unsafe(OTHERS)
  })
  await ten.db.unsafe('vacuum analyze')
  const [start] = await one.db`
    select i.sku, m.batch_no, count(distinct m.for_batch_no)::int as into
      from stock_movement m join item i on i.id = m.item_id
     where m.kind = 'consumption' and m.batch_no is not null
     group by i.sku, m.batch_no order by 3 desc, 1, 2 limit 1`
  bench.progress(`from batch ${start?.batch_no} of ${start?.sku}, which went into ${start?.into} batches`)
  const services = [
    await serve(['--database', short], { snapshots: bench.folder }),
    await serve(['--database', long], { snapshots: bench.folder }),
  ]
  try {
    /** @param {string} show */
    const body = (show) => ({ sku: start?.sku, batch_no: start?.batch_no, show })
    let [slowest, single, tenfold] = [0, 0, 0]
    for (const show of ['links', 'batches', 'parties', 'events']) {
      const answers = await Promise.all(services.map((service) => records({ ...service, path, body: body(show) })))
      assertEqual(`trace ${show}`, .../** @type {[string[], string[]]} */ (answers))
      const [of1 = 0, of10 = 0] = await inTurns(
        9,
        [one.db, ten.db].map((db, i) => () => {
          const service = /** @type {import('./lib/serve.mjs').Service} */ (services[i])
          return cold(db, { ...service, path, body: body(show) }, 1)
        }),
      )
      bench.progress(`${show}: ${answers[0]?.length} records in ${(of10 * 1000).toFixed(1)} ms`)
      slowest = Math.max(slowest, of10)
      single += of1
      tenfold += of10
    }
    bench.figure('trace', slowest, 's', 0.1)
    bench.figure('trace_10x', tenfold, 's', single)
  } finally {
    for (const service of services) await service.stop()
    await one.close()
    await ten.close()
  }
}

/** @param {import('./lib/http.mjs').Target} target */
async function records(target) {
  const { json } = await call(target, { parse: true })
  return json.data.map((/** @type {unknown} */ record) => JSON.stringify(record))
}
