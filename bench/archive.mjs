/** Measures what is left of a company with ten years of history when all but the last three are archived. */
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { partition } from '../dist/db/partition.js'
import { writeFiles } from '../dist/demo/files.js'
import { sampleCompany } from '../dist/demo/sample.js'
import { verify } from '../dist/import/pipeline/verify.js'
import { runWhole } from '../dist/kernel/statement.js'
import { ARCHIVE, archive } from '../dist/ledger/archive.js'
import { reports } from '../dist/reports/index.js'
import { mustLoad, TODAY } from './lib/company.mjs'
import { inTurns, seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */
/** @typedef {import('../dist/db/connect.js').Database} Database */

const MONTHS = 120
/** The sample of ten years has about 430,000 movements at scale 1. */
const MOVEMENTS_AT_1 = 430_000
const LAST = 2023

/** @param {Bench} bench */
export async function run(bench) {
  const folder = join(bench.folder, 'ten-years')
  const scale = (1_000_000 * bench.scale) / MOVEMENTS_AT_1
  bench.progress(`writing a sample company of ${MONTHS} months`)
  await writeFiles(sampleCompany({ today: TODAY, scale, months: MONTHS }), folder, () => {})
  const whole = await bench.newDatabase()
  const all = await connect({ engine: 'server', url: whole })
  await migrate(all.db)
  bench.progress('loading it')
  await mustLoad(all, folder)
  bench.progress('a table for each year')
  const partitioning = await seconds(() => partition(all))
  await all.db.unsafe('vacuum (full, analyze)')
  await all.close()
  const database = await connect({ engine: 'server', url: await bench.newDatabase(whole) })
  const plain = await connect({ engine: 'server', url: whole })
  try {
    bench.progress('archiving')
    bench.figure('archive', await seconds(() => archive(database, LAST)), 's', partitioning)
    await database.db.unsafe(`drop schema ${ARCHIVE} cascade`)
    await database.db.unsafe('vacuum (full, analyze)')
    await compare(bench, database, plain)
  } finally {
    await database.close()
    await plain.close()
  }
}

/** @param {Bench} bench @param {Database} database @param {Database} plain */
async function compare(bench, database, plain) {
  const both = (/** @type {(one: Database) => Promise<number>} */ of) => Promise.all([database, plain].map(of))
  const [rows = 0, allRows = 0] = await both(async ({ db }) =>
    Number((await db`select count(*) as rows from stock_movement`)[0]?.['rows']),
  )
  bench.figure('archive_movements', rows, 'rows', allRows)
  const [bytes = 0, allBytes = 0] = await both(async ({ db }) =>
    Number((await db`select pg_database_size(current_database()) as bytes`)[0]?.['bytes']),
  )
  bench.figure('archive_database_size', bytes / 2 ** 20, 'MB', allBytes / 2 ** 20)
  const report = reports.find(({ id }) => id === 'inventory.fg-stock-status')
  if (report === undefined) throw new Error('there is no stock report')
  const asked = { type: 'ALL', tax: 0, from_date: '2026-06-01', to_date: '2026-06-30' }
  const stock = [database, plain].map(({ db }) => () => {
    const compute = async () => {
      for await (const _ of runWhole(db, report, /** @type {never} */ (asked), { hideContacts: false }));
    }
    return seconds(compute)
  })
  await inTurns(2, stock) // first, both plan and read
  const [ours = 0, theirs = 0] = await inTurns(15, stock)
  bench.figure('archive_stock_month', ours * 1000, 'ms', theirs * 1000)
  bench.progress('verifying both')
  const checks = [database, plain].map(
    ({ db }) =>
      () =>
        seconds(() => verify(db, { rebuild: false })),
  )
  const [after = 0, before = 0] = await inTurns(3, checks)
  bench.figure('archive_verify', after, 's', before)
}
