/** Measures reports and loads on a ledger with a table for each year, against the same ledger in one table. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { partition } from '../dist/db/partition.js'
import { load } from '../dist/import/pipeline/load.js'
import { findFiles } from '../dist/import/readers/folder.js'
import { runPage, runWhole } from '../dist/kernel/statement.js'
import { reports } from '../dist/reports/index.js'
import { longHistory } from './lib/company.mjs'
import { inTurns, seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */
/** @typedef {import('../dist/db/connect.js').Database} Database */

const MONTH = { from_date: '2026-06-01', to_date: '2026-06-30' }
const YEAR = { from_date: '2025-07-01', to_date: '2026-06-30' }
const VIEW = { hideContacts: false }

/** @param {Bench} bench */
export async function run(bench) {
  const one = await longHistory(bench)
  bench.progress('a table for each year')
  const url = await bench.newDatabase(one)
  const database = await connect({ engine: 'server', url })
  const { years } = await partition(database)
  await database.db.unsafe('vacuum analyze')
  bench.progress(`${years.length} years`)
  const plain = await connect({ engine: 'server', url: one })
  try {
    const [order] =
      await plain.db`select order_no from order_movement where order_no is not null order by 1 desc limit 1`
    const [item] = await plain.db`select sku from item where type = 'FG' order by sku limit 1`
    const [receipt] =
      await plain.db`select po_no from stock_movement where grn_no is not null order by movement_date desc limit 1`
    const [batch] = await plain.db`
      select batch_no from batch
       where source = 'PRODUCED' order by batch_date desc, batch_no limit 1`
    const asked = { order_no: order?.['order_no'], sku: item?.['sku'], pono: receipt?.['po_no'], ...batch }
    bench.progress(JSON.stringify(asked))
    await compare(bench, database, plain, asked)
    await compareLoads(bench, database, plain)
  } finally {
    await database.close()
    await plain.close()
  }
}

/** @param {Bench} bench @param {Database} database @param {Database} plain @param {Record<string, unknown>} about */
async function compare(bench, database, plain, { order_no, sku, pono, batch_no }) {
  /** @type {[string, string, Record<string, unknown>, 'whole' | 'page', number][]} */
  const asked = [
    ['years_stock_month', 'inventory.fg-stock-status', { type: 'ALL', tax: 0, ...MONTH }, 'whole', 15],
    ['years_stock_year', 'inventory.fg-stock-status', { type: 'ALL', tax: 0, ...YEAR }, 'whole', 15],
    ['years_movements', 'inventory.movements', { sku, ...YEAR }, 'whole', 15],
    ['years_order_story', 'sales.order-story', { order_no }, 'whole', 60],
    ['years_purchase_story', 'purchase.order-story', { pono }, 'whole', 60],
    ['years_batch_story', 'production.batch-story', { batch_no }, 'whole', 60],
    ['years_batches', 'production.batches', MONTH, 'whole', 15],
    ['years_order_status', 'sales.order-status', { version: 'WR', ...MONTH }, 'whole', 9],
    ['years_order_page', 'sales.order-status', { version: 'WR', ...MONTH }, 'page', 60],
  ]
  for (const [name, id, request, how, turns] of asked) {
    const report = reports.find((one) => one.id === id)
    if (report === undefined) throw new Error(`there is no report ${id}`)
    const compute = async (/** @type {Database} */ { db }) => {
      if (how === 'page') {
        const [version] = await db`select id from data_version`
        const id = String(version?.['id'])
        const { starts } = await runPage(db, report, /** @type {never} */ (request), VIEW, { skip: 0 }, 20, id)
        if (starts.length !== 20) throw new Error(`${name} is empty`)
        return
      }
      for await (const _ of runWhole(db, report, /** @type {never} */ (request), VIEW));
    }
    bench.progress(name)
    const works = [database, plain].map((one) => () => seconds(() => compute(one)))
    await inTurns(2, works) // first, both plan and read
    const [ours = 0, theirs = 0] = await inTurns(turns, works)
    bench.figure(name, ours * 1000, 'ms', theirs * 1000)
  }
}

/** Loads of one new movement. @param {Bench} bench @param {Database} database @param {Database} plain */
async function compareLoads(bench, database, plain) {
  const [some] = await plain.db`
    select i.sku || ',' || w.location as text from item i, warehouse w where i.type = 'MAT' order by i.sku limit 1`
  let loads = 0
  const works = [database, plain].map((one) => async () => {
    const folder = join(bench.folder, `years-${++loads}`)
    mkdirSync(folder)
    const row = `YEARS-${loads},2026-06-30,other_receipt,${some?.['text']},1,1,1`
    writeFileSync(
      join(folder, 'stock_movements.csv'),
      `movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n${row}\n`,
    )
    return await seconds(async () => {
      const { committed, errors } = await load(one, findFiles(folder))
      if (!committed) throw new Error(JSON.stringify(errors.first))
    })
  })
  bench.progress('loads of one movement')
  const [ours = 0, theirs = 0] = await inTurns(7, works)
  bench.figure('years_load', ours, 's', theirs)
}
