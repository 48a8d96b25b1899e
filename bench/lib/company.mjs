/** The sample company at the measured sizes; each is loaded once per run, when first needed. */
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../dist/db/connect.js'
import { embedded as engine } from '../../dist/db/embedded/engine.js'
import { migrate } from '../../dist/db/migrate.js'
import { writeFiles } from '../../dist/demo/files.js'
import { sampleCompany } from '../../dist/demo/sample.js'
import { load } from '../../dist/import/pipeline/load.js'
import { findFiles } from '../../dist/import/readers/folder.js'
import { rebuildClosings } from '../../dist/ledger/closings.js'
import { signed } from '../../dist/ledger/figures.js'
import { seconds } from './time.mjs'

/** @typedef {import('../run.mjs').Bench} Bench */

/** The sample has about 62,000 movements at scale 1. */
const MOVEMENTS_AT_1 = 62_000
export const TODAY = '2026-06-30'
/** Days from the sample's first day to TODAY. */
const DAYS = 577
/** How many times the long history repeats the ledger. */
const TIMES = 10

/**
 * @template T
 * @param {(bench: Bench) => Promise<T>} make
 * @returns {(bench: Bench) => Promise<T>}
 */
export function once(make) {
  /** @type {Promise<T> | undefined} */
  let made
  return (bench) => {
    made ??= make(bench)
    return made
  }
}

/** @param {import('../../dist/db/connect.js').Database} database @param {string} folder */
export async function mustLoad(database, folder) {
  const { committed, errors } = await load(database, findFiles(folder))
  if (!committed) throw new Error(JSON.stringify(errors.first.slice(0, 3)))
}

/** Import files with 1M movements; the movements are in a separate folder. */
export const files = once(async ({ folder, scale, progress }) => {
  const documents = join(folder, 'documents')
  const ledger = join(folder, 'ledger')
  const movements = 1_000_000 * scale
  progress(`writing a sample company with ${movements.toLocaleString('en')} movements`)
  const sample = sampleCompany({ today: TODAY, scale: movements / MOVEMENTS_AT_1 })
  const counts = await writeFiles(sample, documents, () => {})
  mkdirSync(ledger)
  renameSync(join(documents, 'stock_movements.csv'), join(ledger, 'stock_movements.csv'))
  return { documents, ledger, rows: counts['stock_movements'] ?? 0 }
})

/** A database with everything but the ledger. */
export const documents = once(async (bench) => {
  const { documents } = await files(bench)
  bench.progress('PostgreSQL: loading everything but the movements')
  const url = await bench.newDatabase()
  const database = await connect({ url })
  await migrate(database.db)
  await mustLoad(database, documents)
  await database.db.unsafe('vacuum analyze')
  await database.close()
  return url
})

/** The company with 1M movements, and the seconds that loading the movements took. */
export const company = once(async (bench) => {
  const { ledger } = await files(bench)
  const url = await bench.newDatabase(await documents(bench))
  await bench.settle()
  bench.progress('PostgreSQL: loading the movements')
  const database = await connect({ url })
  const loading = await seconds(() => mustLoad(database, ledger))
  await database.db.unsafe('vacuum analyze')
  await database.close()
  return { url, loading }
})

/**
 * The same company with ten times the history: copies of the movements before the first day, each followed by writing off
 * the remaining stock. From the first day on, stock and movements are the same.
 */
export const longHistory = once(async (bench) => {
  const url = await bench.newDatabase((await company(bench)).url)
  bench.progress(`PostgreSQL: making the history ${TIMES} times as long`)
  const database = await connect({ url })
  await database.db.begin(async (tx) => {
    // Without triggers: a copy refers to the same rows as its original.
    await tx.unsafe(`set local session_replication_role = replica; set local work_mem = '256MB'`)
    // As on the embedded engine: no other session reads this server meanwhile.
    await engine.derive(tx, ['stock_movement'], Number.POSITIVE_INFINITY, async () => void (await tx.unsafe(REPEATED)))
    await rebuildClosings(tx)
    await tx`update data_version set version = version + 1, committed_at = now()`
  })
  await database.db.unsafe('vacuum analyze')
  const [there] = await database.db`select count(*)::int as movements from stock_movement`
  await database.close()
  bench.progress(`${Number(there?.movements).toLocaleString('en')} movements`)
  return url
})

const COLUMNS = 'item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax'

/** Two movements that clear a balance of either sign, because each quantity must be positive. */
const written = (/** @type {string} */ into, /** @type {string} */ out) => `
  select b.item_id, 'END-' || k || '-${out}-' || kk.kind || '-' || row_number() over (order by b.item_id, b.warehouse_id, b.batch_no, kk.kind),
         date '${TODAY}' - k * ${DAYS}, kk.kind::movement_kind, b.warehouse_id, b.batch_no, kk.qty, kk.val, kk.val_tax
    from balances b
   cross join lateral (select greatest(1, 1 - b.${out}_qty) as qty, greatest(0, -b.${out}_val) as val) more
   cross join lateral (select more.val + greatest(0, b.${out}_val - b.${out}_val_tax) as val_tax) taxed
   cross join lateral (values ('${into}', more.qty, more.val, taxed.val_tax),
     ('${out}', more.qty + b.${out}_qty, more.val + b.${out}_val, taxed.val_tax + b.${out}_val_tax)) kk(kind, qty, val, val_tax)
   cross join generate_series(1, ${TIMES - 1}) k
   where b.${out}_qty <> 0 or b.${out}_val <> 0 or b.${out}_val_tax <> 0`

/** @param {'stock' | 'held'} effect @param {string} name */
const balance = (effect, name) =>
  /** @type {const} */ (['qty', 'val', 'val_tax'])
    .map((of) => `sum(${signed(effect, of).text}) as ${name}_${of}`)
    .join(', ')

const REPEATED = `
  create temporary table balances on commit drop as
  select item_id, warehouse_id, batch_no, ${balance('stock', 'trash')}, ${balance('held', 'release')}
    from stock_movement m group by 1, 2, 3;
  insert into stock_movement (${COLUMNS}, transfer_charge, order_no, order_line_no, for_item_id, for_batch_no, po_no, grn_no)
  select item_id, 'R' || k || '-' || movement_no, movement_date - k * ${DAYS}, kind, warehouse_id, batch_no, qty, val, val_tax,
         transfer_charge, order_no, order_line_no, for_item_id, for_batch_no, po_no, grn_no
    from generate_series(1, ${TIMES - 1}) k cross join stock_movement
   order by 3;
  insert into stock_movement (${COLUMNS}) ${written('other_receipt', 'trash')};
  insert into stock_movement (${COLUMNS}) ${written('hold', 'release')}`

/** Loads on the embedded engine: the fastest counts, because the machine's speed changes by the minute. */
export const LOADS = 3

/**
 * The company with 1M movements in an embedded database, and the seconds that loading the movements took: into a database that
 * has everything else and was just opened, as by `millbook import`.
 */
export const embedded = once(async (bench) => {
  const { documents, ledger } = await files(bench)
  const bare = join(bench.folder, 'embedded-documents')
  const directory = join(bench.folder, 'embedded')
  /** @param {string} directory @param {string} folder */
  const loadInto = async (directory, folder) => {
    const database = await connect({ directory })
    await migrate(database.db)
    const loading = await seconds(() => mustLoad(database, folder))
    await database.close()
    return loading
  }
  bench.progress('embedded: loading everything but the movements')
  await loadInto(bare, documents)
  const loads = []
  for (let i = 1; i <= LOADS; i++) {
    rmSync(directory, { recursive: true, force: true })
    cpSync(bare, directory, { recursive: true })
    await bench.settle()
    bench.progress(`embedded: loading the movements, ${i} of ${LOADS}`)
    const loading = await loadInto(directory, ledger)
    bench.progress(`${loading.toFixed(1)} s`)
    loads.push(loading)
  }
  return { directory, loading: Math.min(...loads) }
})
