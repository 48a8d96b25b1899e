/** Measures loading a whole company again after one movement changed, against its first load, on both engines. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { load } from '../dist/import/pipeline/load.js'
import { findFiles } from '../dist/import/readers/folder.js'
import { files } from './lib/company.mjs'
import { seconds } from './lib/time.mjs'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const url = await bench.newDatabase()
  await measure(bench, 'load_one_changed_row', { url })
  const directory = join(bench.folder, 'incremental-data')
  await measure(bench, 'embedded_load_one_changed_row', { directory })
}

/**
 * @param {import('./run.mjs').Bench} bench @param {string} name
 * @param {import('../dist/db/connect.js').Target} target
 */
async function measure(bench, name, target) {
  const { documents, ledger } = await files(bench)
  const folder = join(bench.folder, name)
  mkdirSync(folder)
  for (const from of [documents, ledger])
    for (const file of readdirSync(from)) copyFileSync(join(from, file), join(folder, file))
  const database = await connect(target)
  await migrate(database.db)
  const attempt = () =>
    seconds(async () => {
      const { committed, errors } = await load(database, findFiles(folder), { incremental: true })
      if (!committed) throw new Error(JSON.stringify(errors.first.slice(0, 3)))
    })
  bench.progress(`${database.engine.name}: the first load`)
  const first = await attempt()
  const file = join(folder, 'stock_movements.csv')
  // The value of a movement in the middle of the file.
  const lines = readFileSync(file, 'utf8').split('\n')
  const middle = Math.floor(lines.length / 2)
  const value = lines[0]?.split(',').indexOf('val_tax') ?? 0
  lines[middle] =
    lines[middle]
      ?.split(',')
      .map((cell, i) => (i === value ? String(Number(cell) + 1) : cell))
      .join(',') ?? ''
  writeFileSync(file, lines.join('\n'))
  await bench.settle()
  bench.progress(`${database.engine.name}: the load of one changed row`)
  const again = await attempt()
  await database.close()
  bench.figure(name, again, 's', first)
}
