/**
 * Measures loading 1M movements with their closings, and a whole company, against the fastest plain way to insert the same
 * rows, and the memory that importing a file of 10M rows takes.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { identifier } from '../dist/db/sql.js'
import { entities } from '../dist/import/entities.js'
import { company, documents, embedded, files, LOADS, mustLoad } from './lib/company.mjs'
import { peakMemory } from './lib/serve.mjs'
import { seconds } from './lib/time.mjs'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  await onPostgres(bench)
  await mixed(bench)
  await onEmbedded(bench)
  await memory(bench)
}

/** @param {import('./run.mjs').Bench} bench */
async function onPostgres(bench) {
  const { rows } = await files(bench)
  const { url, loading } = await company(bench)
  const bare = await bench.newDatabase(await documents(bench))
  // The table's rows, in the order of the import file.
  const file = join(bench.folder, 'movements.copy')
  psqlSeconds(bench, url, [`\\copy (select * from stock_movement order by movement_no) to '${file}'`])
  await bench.settle()
  bench.progress('PostgreSQL: a bare COPY of the same rows into the same table')
  const copying = psqlSeconds(bench, bare, [`\\copy stock_movement from '${file}'`])
  bench.figure('load_movements_postgres', rows / loading, 'rows/s', rows / copying)
}

/**
 * All files at once into an empty database, against psql's \copy of the stored rows into an equal one, without the tables
 * that are derived from them.
 * @param {import('./run.mjs').Bench} bench
 */
async function mixed(bench) {
  const { documents, ledger } = await files(bench)
  const folder = join(bench.folder, 'mixed')
  mkdirSync(folder)
  for (const from of [documents, ledger])
    for (const file of readdirSync(from)) symlinkSync(join(from, file), join(folder, file))
  const url = await migrated(bench)
  const database = await connect({ url })
  await bench.settle()
  bench.progress('PostgreSQL: loading all files at once')
  const loading = await seconds(() => mustLoad(database, folder))
  await database.close()
  const tables = entities.map(({ table }) => table)
  const file = (/** @type {string} */ table) => join(bench.folder, `${table}.copy`)
  psqlSeconds(
    bench,
    url,
    tables.map((table) => `\\copy ${table} to '${file(table)}'`),
  )
  const bare = await migrated(bench)
  psqlSeconds(bench, bare, ['delete from account;'])
  await bench.settle()
  bench.progress('PostgreSQL: \\copy of the same rows into the same tables')
  const copying = psqlSeconds(
    bench,
    bare,
    tables.map((table) => `\\copy ${table} from '${file(table)}'`),
  )
  bench.figure('load_mixed', loading, 's', copying)
}

/** @param {import('./run.mjs').Bench} bench */
async function migrated(bench) {
  const url = await bench.newDatabase()
  const { db, close } = await connect({ url })
  await migrate(db)
  await close()
  return url
}

/**
 * The sum of the times that psql reports.
 * @param {import('./run.mjs').Bench} bench @param {string} url @param {string[]} commands
 */
function psqlSeconds(bench, url, commands) {
  const script = join(bench.folder, 'psql.sql')
  writeFileSync(script, ['\\timing on', ...commands, ''].join('\n'))
  const output = execFileSync('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', script], { encoding: 'utf8' })
  return [...output.matchAll(/Time: ([\d.]+) ms/g)].reduce((sum, [, ms]) => sum + Number(ms), 0) / 1000
}

/** @param {import('./run.mjs').Bench} bench */
async function onEmbedded(bench) {
  const { rows } = await files(bench)
  const { directory, loading } = await embedded(bench)
  const { db, close } = await connect({ directory })
  bench.progress('embedded: plain inserts of 50,000 of the same rows into the same table')
  const some = await db`select * from stock_movement order by movement_no limit 50000`
  class Undo extends Error {}
  let inserting = Number.POSITIVE_INFINITY
  await db
    .begin(async (tx) => {
      for (let time = 0; time < LOADS; time++) {
        await tx.unsafe('truncate stock_movement')
        const took = await seconds(async () => {
          for (let i = 0; i < some.length; i += 500) await insertValues(tx, some.slice(i, i + 500))
        })
        inserting = Math.min(inserting, took)
      }
      throw new Undo()
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error
    })
  bench.figure('load_movements_embedded', rows / loading, 'rows/s', 40_000)
  bench.figure('load_movements_embedded_inserts', rows / loading, 'rows/s', some.length / inserting)
  await close()
}

/**
 * As one would write it first: a statement with a parameter for each value.
 * @param {import('../dist/db/db.js').Tx} tx @param {Record<string, any>[]} rows
 */
async function insertValues(tx, rows) {
  const columns = Object.keys(rows[0] ?? {}).map((name) => identifier(name).text)
  const values = rows.map((_, i) => `(${columns.map((_, j) => `$${i * columns.length + j + 1}`)})`)
  await tx.unsafe(`insert into stock_movement (${columns}) values ${values}`, rows.flatMap(Object.values))
}

/**
 * The peak memory of the import command for a file of 10M rows on PostgreSQL; the baseline is the limit.
 * @param {import('./run.mjs').Bench} bench
 */
async function memory(bench) {
  const folder = join(bench.folder, 'large')
  const rows = Math.round(10_000_000 * bench.scale)
  bench.progress(`writing a file of ${rows.toLocaleString('en')} movements`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'warehouses.csv'), `key,location\n${'0123456789abcdef'.repeat(2)},Plant\n`)
  const items = Array.from({ length: 1000 }, (_, i) => `FG-${i},Item ${i},FG,PCS`)
  writeFileSync(join(folder, 'items.csv'), `sku,name,type,unit\n${items.join('\n')}\n`)
  await pipeline(manyMovements(rows), createWriteStream(join(folder, 'stock_movements.csv')))
  const url = await bench.newDatabase()
  const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
  bench.progress('importing it')
  const child = spawn(process.execPath, [program, 'import', folder, '--database', url, '--json'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peak = 0
  while (child.exitCode === null) {
    try {
      peak = Math.max(peak, peakMemory(Number(child.pid)) || 0)
    } catch {
      // the process has exited
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
