/**
 * Measures what the history costs: loads and space against the same database without it, and a report as known against hand-written SQL
 * over the same movements as they are now.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { entities } from '../dist/import/entities.js'
import { load } from '../dist/import/pipeline/load.js'
import { findFiles } from '../dist/import/readers/folder.js'
import { company, files, mustLoad } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { inTurns, median, seconds } from './lib/time.mjs'
import { assertEqual } from './stock.mjs'

/** One movement in this many changes. */
const CHANGED = 100
const TURNS = 3
const path = '/v1/inventory/fg-stock-status'
const month = { from: '2026-06-01', to: '2026-06-30' }

/** @typedef {import('../dist/db/connect.js').Database} Database */

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  await wholeLoad(bench)
  const { url } = await company(bench)
  await space(bench, url)
  await changedRows(bench, url)
  await changes(bench, url)
}

/** As if there were no history: no versions of rows, no triggers, no tables of the past. @param {Database} database */
async function removeHistory({ db }) {
  await db.unsafe('drop schema millbook_as_known cascade')
  for (const { table } of entities) {
    for (const trigger of ['stamp', 'keep_changed', 'keep_removed'])
      await db.unsafe(`drop trigger ${trigger} on ${table}`)
    await db.unsafe(`alter table ${table} drop column known_from`)
    await db.unsafe(`drop table past_${table}`)
  }
}

/** @param {import('./run.mjs').Bench} bench */
async function wholeLoad(bench) {
  const { documents, ledger } = await files(bench)
  const folder = join(bench.folder, 'history-whole')
  mkdirSync(folder)
  for (const from of [documents, ledger])
    for (const file of readdirSync(from)) symlinkSync(join(from, file), join(folder, file))
  /** @param {boolean} keeps */
  const loading = async (keeps) => {
    const database = await connect({ url: await bench.newDatabase() })
    await migrate(database.db)
    if (!keeps) await removeHistory(database)
    await bench.settle()
    bench.progress(`loading all files ${keeps ? 'with' : 'without'} a history`)
    const taken = await seconds(() => mustLoad(database, folder))
    await database.close()
    return taken
  }
  const [ours = 0, without = 0] = await inTurns(3, [() => loading(true), () => loading(false)])
  bench.figure('history_load', ours, 's', without)
}

/** @param {import('./run.mjs').Bench} bench @param {string} url */
async function space(bench, url) {
  bench.progress('space, and reports of the present, with and without a history')
  /** @param {boolean} keeps */
  const copy = async (keeps) => {
    const own = await bench.newDatabase(url)
    const database = await connect({ url: own })
    if (!keeps) await removeHistory(database)
    await database.db.unsafe('vacuum full analyze') // without rows that a removed column left wide
    const [{ bytes = 0 } = {}] = await database.db`
      select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r'`
    await database.close()
    return { url: own, bytes: Number(bytes) }
  }
  const [kept, without] = [await copy(true), await copy(false)]
  bench.figure('history_space', kept.bytes, 'bytes', without.bytes)
  /** The same statement over the same rows: only the column of versions differs. @param {string} url */
  const present = async (url) =>
    psql(url, bench.folder, [withValues('fg-stock-status.raw', month)], { times: 1 }).seconds
  const [ours = 0, bare = 0] = await inTurns(7, [() => present(kept.url), () => present(without.url)])
  bench.figure('history_present_month', ours, 's', bare)
}

/** @param {import('./run.mjs').Bench} bench @param {string} url */
async function changedRows(bench, url) {
  const { ledger } = await files(bench)
  const [head = '', ...rows] = readFileSync(join(ledger, 'stock_movements.csv'), 'utf8').trimEnd().split('\n')
  const value = head.split(',').indexOf('val_tax')
  /** Files in which other values of the same movements changed. @param {number} by */
  const correction = (by) => {
    const folder = join(bench.folder, `history-correction-${by}`)
    mkdirSync(folder)
    const changed = rows
      .filter((_, i) => i % CHANGED === 0)
      .map((row) =>
        row
          .split(',')
          .map((cell, i) => (i === value ? (Number(cell) + by).toFixed(4) : cell))
          .join(','),
      )
    writeFileSync(join(folder, 'stock_movements.csv'), [head, ...changed, ''].join('\n'))
    return folder
  }
  const folders = Array.from({ length: TURNS }, (_, i) => correction(i + 1))
  const databases = await Promise.all([true, false].map(async () => connect({ url: await bench.newDatabase(url) })))
  const [, without] = /** @type {[Database, Database]} */ (databases)
  await removeHistory(without)
  for (const { db } of databases) await db.unsafe('vacuum analyze')
  const times = databases.map(() => /** @type {number[]} */ ([]))
  for (const [turn, folder] of folders.entries())
    for (const [i, database] of databases.entries()) {
      await bench.settle()
      bench.progress(`loading ${CHANGED === 100 ? '1 %' : 'some'} changed movements, ${turn + 1} of ${TURNS}`)
      times[i]?.push(
        await seconds(async () => {
          const { committed, errors } = await load(database, findFiles(folder))
          if (!committed) throw new Error(JSON.stringify(errors.first.slice(0, 3)))
        }),
      )
    }
  const [ours = [], bare = []] = times
  bench.figure('history_load_changed_rows', median(ours), 's', median(bare))
  for (const { close } of databases) await close()
}

/** After a load that changed 1 % of the movements. @param {import('./run.mjs').Bench} bench @param {string} original */
async function changes(bench, original) {
  const url = await bench.newDatabase(original)
  const database = await connect({ url })
  const [before] = await database.db`select version::int as version from data_version`
  await mustLoad(database, join(bench.folder, 'history-correction-1'))
  await database.db.unsafe('vacuum analyze')
  const service = await serve(['--database', url], { snapshots: bench.folder })
  try {
    const body = (/** @type {string} */ from) => ({ type: 'FG', tax: 0, from_date: from, to_date: month.to })
    const query = { as_known: String(before?.['version']) }
    bench.progress('stock status as known before the last load')
    await call({ ...service, path: `${path}?as_known=${query.as_known}`, body: body('2026-06-09') })
    const times = []
    // Each request asks for another range, because an answer as known is kept.
    for (let day = 1; day <= 5; day++)
      times.push(
        (await call({ ...service, path: `${path}?as_known=${query.as_known}`, body: body(`2026-06-0${day}`) })).seconds,
      )
    const byHand = psql(url, bench.folder, [withValues('fg-stock-status.raw', month)], { times: 2 })
    bench.figure('history_as_known_month', median(times), 's', byHand.seconds)
    const then = psql(original, bench.folder, [withValues('fg-stock-status.raw', month)], { times: 1 })
    const { json } = await call(
      { ...service, path: `${path}?as_known=${query.as_known}`, body: body(month.from) },
      { parse: true },
    )
    assertEqual(
      'as known',
      then.records,
      json.data.map((/** @type {unknown} */ record) => JSON.stringify(record)),
    )
    bench.progress('what the last load changed')
    const told = await call({ ...service, path: '/v1/history/changes', body: {} })
    bench.figure('history_changes_page', told.seconds, 's', 2)
  } finally {
    await service.stop()
    await database.close()
  }
}
