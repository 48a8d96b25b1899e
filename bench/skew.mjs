/**
 * Measures loads, checks and reports of a company whose documents are all of one item, with 65,000 batches of it against
 * 6,500, on both engines: no time may grow faster than the rows do.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { load } from '../dist/import/pipeline/load.js'
import { verify } from '../dist/import/pipeline/verify.js'
import { findFiles } from '../dist/import/readers/folder.js'
import { runWhole } from '../dist/kernel/answer/statement.js'
import { WHOLE } from '../dist/kernel/report/rights.js'
import { reports } from '../dist/reports/index.js'
import { skewedCompany, skewedFiles } from './lib/skewed.mjs'
import { seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */
/**
 * @typedef {object} Measured
 * @property {Record<string, number>} times seconds of each load, check and report, by its name
 * @property {Record<string, () => Promise<number>>} reads computes a report, or checks the books
 * @property {() => Promise<void>} close
 */

/** Times below this at full size are left out: their ratio says nothing. */
const LEAST_SECONDS = 0.1
/** How many times the rows of the small company the large one has. */
const GROWTH = 10
/** The work with the worst ratio is measured again this many times: the worst of fifty is mostly chance at first. */
const AGAIN = 12
const values = {
  ...{
    from_date: '2026-01-01',
    to_date: '2026-06-30',
    date: '2026-06-30',
    sku: 'FG1',
    warehouse: 'Plant',
    batch: 'B7',
  },
  ...{ batch_no: 'B7', order_no: 'SO7', pono: 'PO7', vendor_code: 'V1' },
}

/** @param {Bench} bench */
export async function run(bench) {
  const sizes = [6_500, 6_500 * GROWTH].map((batches) => Math.round(batches * bench.scale))
  /** @type {string[]} */
  const folders = []
  for (const batches of sizes) folders.push(await writeFiles(bench, batches))
  for (const engine of /** @type {const} */ (['server', 'embedded'])) {
    /** @type {Measured[]} */
    const measured = []
    for (const [i, folder] of folders.entries()) {
      bench.progress(`${engine}: ${sizes[i]} batches of one item`)
      const target =
        engine === 'server'
          ? { engine, url: await bench.newDatabase() }
          : { engine, directory: join(bench.folder, `skew-data-${i}`) }
      measured.push(await measure(bench, target, folder))
    }
    const [small, large] = /** @type {[Measured, Measured]} */ (measured)
    const growth = (/** @type {string} */ what) => (large.times[what] ?? 0) / (small.times[what] ?? 1)
    const worst = (/** @type {string[]} */ names) =>
      names
        .filter((what) => (large.times[what] ?? 0) > LEAST_SECONDS * bench.scale)
        .reduce((a, b) => (growth(b) > growth(a) ? b : a))
    // A short run finds a quiet moment of the machine more easily than a long one, so both companies get the same time.
    const compare = async (/** @type {string} */ what) => {
      let sum = 0
      for (let i = 0; i < GROWTH; i++) sum += (await small.reads[what]?.()) ?? 0
      small.times[what] = Math.min(small.times[what] ?? Number.POSITIVE_INFINITY, sum / GROWTH)
      large.times[what] = Math.min(large.times[what] ?? Number.POSITIVE_INFINITY, (await large.reads[what]?.()) ?? 0)
    }
    bench.progress('verify and reports of both in turns')
    for (const what of Object.keys(large.reads)) for (let turn = 0; turn < 2; turn++) await compare(what)
    for (let i = 0; i < AGAIN; i++) await compare(worst(Object.keys(large.reads)))
    for (const { close } of measured) await close()
    const all = Object.keys(large.times)
    for (const what of all)
      bench.progress(
        `${what}: ${small.times[what]?.toFixed(3)} s, ${large.times[what]?.toFixed(3)} s, ${growth(what).toFixed(1)} times`,
      )
    const most = worst(all)
    bench.progress(`the worst is ${most}`)
    bench.figure(engine === 'server' ? 'skew' : 'embedded_skew', large.times[most] ?? 0, 's', small.times[most] ?? 0)
  }
}

/** @param {Bench} bench @param {number} batches */
async function writeFiles(bench, batches) {
  bench.progress(`writing a company with ${batches} batches of one item`)
  const url = await bench.newDatabase()
  const { db, close } = await connect({ url })
  await migrate(db)
  await db.unsafe(skewedCompany({ batches, customers: Math.round(batches / 3.25), orders: Math.round(batches / 0.65) }))
  await close()
  const folder = join(bench.folder, `skew-${batches}`)
  mkdirSync(folder)
  for (const [entity, query] of Object.entries(skewedFiles))
    execFileSync('psql', [
      ...[url, '-Xq', '-v', 'ON_ERROR_STOP=1'],
      ...['-c', `\\copy (${query.replace(/\s+/g, ' ')}) to '${join(folder, `${entity}.csv`)}' csv header`],
    ])
  return folder
}

/**
 * @param {Bench} bench @param {import('../dist/db/connect.js').Target} target @param {string} folder
 * @returns {Promise<Measured>}
 */
async function measure(bench, target, folder) {
  const database = await connect(target)
  try {
    await migrate(database.db)
    /** @type {Record<string, number>} */
    const times = {}
    const attempt = () =>
      seconds(async () => {
        const { committed, errors } = await load(database, findFiles(folder), { incremental: true })
        if (!committed) throw new Error(JSON.stringify(errors.first.slice(0, 3)))
      })
    times['first load'] = await attempt()
    for (const [entity, from, to] of /** @type {const} */ ([
      ['stock_movements', 'MI7,', 'MI7-changed,'],
      ['batches', 'FG1,B7,', 'FG1,B7-changed,'],
      ['items', 'Ghee', 'Butter'],
      ['sales_orders', 'SO7,Online', 'SO7,Offline'],
      ['invoices', '2026-05-01', '2026-05-02'],
    ])) {
      const file = join(folder, `${entity}.csv`)
      const before = readFileSync(file, 'utf8')
      writeFileSync(file, before.replace(from, to))
      bench.progress(`a change of ${entity}`)
      try {
        times[`load of a changed row of ${entity}`] = await attempt()
      } finally {
        writeFileSync(file, before)
      }
    }
    /** @type {Measured['reads']} */
    const reads = { verify: () => seconds(() => verify(database, { rebuild: false })) }
    for (const report of reports)
      for (const [name, request] of requestsOf(report))
        reads[`${report.id} ${name}`] = () => wholeSeconds(database.db, report, request)
    return { times, reads, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * A request for each combination of a report's required choices.
 * @param {import('../dist/kernel/report/report.js').Report} report
 * @returns {[string, Record<string, unknown>][]}
 */
function requestsOf(report) {
  /** @type {[string, Record<string, unknown>][]} */
  let requests = [['', {}]]
  for (const [name, { type, example, required, read }] of Object.entries(report.request)) {
    if (!required) continue
    const known = /** @type {Record<string, string>} */ (values)[name]
    const choices = known !== undefined ? [known] : type.kind === 'word' ? type.words : [example]
    requests = requests.flatMap(([label, request]) =>
      choices.map(
        (choice) =>
          /** @type {[string, Record<string, unknown>]} */ ([
            choices.length > 1 ? `${label} ${choice}` : label,
            { ...request, [name]: read(choice) },
          ]),
      ),
    )
  }
  return requests
}

/**
 * @param {import('../dist/db/connect.js').Db} db @param {import('../dist/kernel/report/report.js').Report} report
 * @param {Record<string, unknown>} request
 */
const wholeSeconds = (db, report, request) =>
  seconds(async () => {
    for await (const _ of runWhole(db, report, /** @type {never} */ (request), WHOLE));
  })
