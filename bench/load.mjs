/**
 * Loading: 1M movements of the sample company, closings included, against what the database can do with the same rows
 * at best; and the memory that a file of 10M rows takes.
 */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { writeFiles } from '../dist/demo/files.js'
import { sampleCompany } from '../dist/demo/sample.js'
import { load } from '../dist/import/load.js'
import { findFiles } from '../dist/import/read.js'

/** The sample has about 65,000 movements at scale 1. */
const MOVEMENTS_AT_1 = 65_000
const TODAY = '2026-06-30'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const files = join(bench.folder, 'files')
  const ledger = join(bench.folder, 'ledger')
  const rows = await makeFiles(bench, files, ledger, 1_000_000 * bench.scale)
  const copy = join(bench.folder, 'movements.copy')
  await onPostgres(bench, files, ledger, rows, copy)
  await onEmbedded(bench, files, ledger, rows)
  await memory(bench)
}

/**
 * The sample as files, the ledger's in a folder of its own.
 * @param {import('./run.mjs').Bench} bench
 * @param {string} files
 * @param {string} ledger
 * @param {number} movements
 */
async function makeFiles({ tell }, files, ledger, movements) {
  tell(`writing a sample company with ${movements.toLocaleString('en')} movements`)
  const sample = sampleCompany({ today: TODAY, scale: movements / MOVEMENTS_AT_1 })
  const counts = await writeFiles(sample, files, () => {})
  mkdirSync(ledger)
  renameSync(join(files, 'stock_movements.csv'), join(ledger, 'stock_movements.csv'))
  return counts['stock_movements'] ?? 0
}

/** @param {() => Promise<unknown>} work */
async function seconds(work) {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

/** @param {import('../dist/db/connect.js').Database} database @param {string} folder */
async function mustLoad(database, folder) {
  const { committed, errors } = await load(database, findFiles(folder))
  if (!committed) throw new Error(JSON.stringify(errors.first.slice(0, 3)))
}

/**
 * @param {import('./run.mjs').Bench} bench
 * @param {string} files
 * @param {string} ledger
 * @param {number} rows
 * @param {string} copy
 */
async function onPostgres(bench, files, ledger, rows, copy) {
  const ours = await connect({ engine: 'server', url: await bench.newDatabase() })
  const bare = await connect({ engine: 'server', url: await bench.newDatabase() })
  for (const database of [ours, bare]) {
    await migrate(database.db)
    await mustLoad(database, files)
  }
  bench.tell('PostgreSQL: loading the movements')
  const loading = await seconds(() => mustLoad(ours, ledger))
  // The same rows as the table has them, in the order of the file.
  const out = await ours.db.unsafe('copy (select * from stock_movement order by movement_no) to stdout').readable()
  await pipeline(out, createWriteStream(copy))
  bench.tell('PostgreSQL: a bare COPY of the same rows into the same table')
  const copying = await seconds(() =>
    bare.db.begin(async (tx) => {
      const into = await tx.unsafe('copy stock_movement from stdin').writable()
      for await (const piece of createReadStream(copy, { highWaterMark: 1 << 20 }))
        await new Promise((resolve, reject) =>
          into.write(piece, (error) => (error ? reject(error) : resolve(undefined))),
        )
      into.end()
      await setImmediate() // the driver takes the next statement only once it has sent the end
      await tx`select 1`
    }),
  )
  const [there] = await bare.db`select count(*)::int as n from stock_movement`
  if (there?.n !== rows) throw new Error(`the bare COPY brought ${there?.n} of ${rows} rows`)
  bench.figure('load_movements_postgres', rows / loading, 'rows/s', rows / copying)
  await ours.close()
  await bare.close()
}

/**
 * @param {import('./run.mjs').Bench} bench
 * @param {string} files
 * @param {string} ledger
 * @param {number} rows
 */
async function onEmbedded(bench, files, ledger, rows) {
  const directory = join(bench.folder, 'embedded')
  const database = await connect({ engine: 'embedded', directory })
  await migrate(database.db)
  await mustLoad(database, files)
  bench.tell('embedded: loading the movements')
  const loading = await seconds(() => mustLoad(database, ledger))
  bench.tell('embedded: plain inserts of some of the same rows into the same table')
  const some = await database.db`select * from stock_movement order by movement_no limit 50000`
  await database.db.unsafe('truncate stock_movement')
  const inserting = await seconds(() =>
    database.db.begin(async (tx) => {
      for (let i = 0; i < some.length; i += 500) await tx`insert into stock_movement ${tx(some.slice(i, i + 500))}`
    }),
  )
  bench.figure('load_movements_embedded', rows / loading, 'rows/s', some.length / inserting)
  await database.close()
}

/**
 * What the import command takes at most, for a file of 10M rows on PostgreSQL; the baseline is the limit.
 * @param {import('./run.mjs').Bench} bench
 */
async function memory(bench) {
  const folder = join(bench.folder, 'large')
  const rows = Math.round(10_000_000 * bench.scale)
  bench.tell(`writing a file of ${rows.toLocaleString('en')} movements`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'warehouses.csv'), `key,location\n${'0123456789abcdef'.repeat(2)},Plant\n`)
  const items = Array.from({ length: 1000 }, (_, i) => `FG-${i},Item ${i},FG,PCS`)
  writeFileSync(join(folder, 'items.csv'), `sku,name,type,unit\n${items.join('\n')}\n`)
  await pipeline(manyMovements(rows), createWriteStream(join(folder, 'stock_movements.csv')))
  const url = await bench.newDatabase()
  const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
  bench.tell('importing it')
  const child = spawn(process.execPath, [program, 'import', folder, '--database', url, '--json'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peak = 0
  while (child.exitCode === null) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    } catch {
      // gone, or a system without /proc
    }
    await sleep(100)
  }
  if (child.exitCode !== 0) throw new Error('the import failed')
  bench.figure('import_memory', peak, 'MB', 400)
}

/** @param {number} rows */
function* manyMovements(rows) {
  let text = 'movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n'
  for (let i = 0; i < rows; i++) {
    const date = new Date(Date.UTC(2024, 0, 1) + Math.floor((i / rows) * 900) * 86_400_000).toISOString().slice(0, 10)
    text += `MV-${i},${date},${i % 2 === 0 ? 'other_receipt' : 'trash'},FG-${(i >> 1) % 1000},Plant,${1 + (i % 7)},12.5,14\n`
    if (text.length > 1 << 16) {
      yield text
      text = ''
    }
  }
  yield text
}
