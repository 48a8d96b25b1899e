/** Companies with extreme ledgers, made by SQL; each is made once per run, when first needed. */
import { connect } from '../../dist/db/connect.js'
import { migrate } from '../../dist/db/migrate.js'
import { rebuildClosings } from '../../dist/ledger/closings.js'
import { once, TODAY } from './company.mjs'

const FIRST_DAY = '2023-07-01'
const DAYS = 1095

/** A number from 0 to n − 1 that depends on two others only. */
const random = (/** @type {string} */ a, /** @type {number} */ b, /** @type {number} */ n) =>
  `((hashint4(${a} * 8 + ${b}) & 65535) * ${n} >> 16)`

/**
 * About one movement per item, warehouse and month: 4,000 items, half of them finished goods and half raw materials, in
 * 8 warehouses. Each of 250,000 batches comes into one warehouse and goes out in three parts over four months, one in five
 * not completely.
 * @param {number} scale 1 for a million movements
 */
const thinBooks = (scale) => `
  insert into warehouse (id, code, location) select n, md5(n::text), 'Depot ' || n from generate_series(1, 8) n;
  insert into item (id, sku, name, type, material_kind, unit)
    select n, 'ITEM-' || n, 'Item ' || n, case n % 2 when 0 then 'FG' else 'MAT' end, case n % 2 when 1 then 'RAW' end, 'PCS'
      from generate_series(1, ${Math.round(4_000 * scale)}) n;
  create temporary table made on commit drop as
    select n, 1 + n % ${Math.round(4_000 * scale)} as item_id, 1 + ${random('n', 0, 8)} as warehouse_id, 'B-' || n as batch_no,
           date '${FIRST_DAY}' + ${random('n', 1, DAYS)} as day
      from generate_series(1, ${Math.round(250_000 * scale)}) n;
  insert into batch (item_id, batch_no, source, mfg_date) select item_id, batch_no, 'MANUAL', day from made;
  insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax)
    select m.item_id, 'MV-' || row_number() over (order by p.day, m.n), p.day, p.kind::movement_kind, m.warehouse_id,
           m.batch_no, p.qty, p.qty * 12.5, p.qty * 14
      from made m
     cross join lateral (values
       (m.day, 'other_receipt', 10), (m.day + 10 + ${random('n', 2, 40)}, 'transfer_out', 3),
       (m.day + 50 + ${random('n', 3, 40)}, 'transfer_out', 4),
       (m.day + 90 + ${random('n', 4, 40)}, 'trash', case n % 5 when 0 then 2 else 3 end)) p(day, kind, qty)
     where p.day <= '${TODAY}' order by p.day`

/**
 * 65,000 batches of one item in one warehouse, each produced, and half of them sold since.
 * @param {number} scale 1 for 65,000 batches
 */
const skewedBooks = (scale) => `
  insert into warehouse (id, code, location) values (1, md5('1'), 'Plant');
  insert into item (id, sku, name, type, unit) values (1, 'ITEM-1', 'Item 1', 'FG', 'PCS');
  create temporary table made on commit drop as
    select n, 'B-' || n as batch_no, date '${FIRST_DAY}' + ${random('n', 1, DAYS)} as day
      from generate_series(1, ${Math.round(65_000 * scale)}) n;
  insert into batch (item_id, batch_no, source, batch_date, warehouse_id, qty, wastage)
    select 1, batch_no, 'PRODUCED', day, 1, 10, 0 from made;
  insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax)
    select 1, 'MV-' || row_number() over (order by p.day, m.n), p.day, p.kind::movement_kind, 1, m.batch_no, p.qty,
           p.qty * 12.5, p.qty * 14
      from made m
     cross join lateral (values
       (m.day, 'production_receipt', 10), (m.day + 10 + ${random('n', 2, 40)}, 'transfer_out', 4),
       (m.day + 50 + ${random('n', 3, 40)}, 'trash', case n % 2 when 0 then 5 else 6 end)) p(day, kind, qty)
     where p.day <= '${TODAY}' order by p.day`

/** @param {(scale: number) => string} books */
const made = (books) =>
  once(async (bench) => {
    const url = await bench.newDatabase()
    const { db, close } = await connect({ url })
    await migrate(db)
    await db.begin(async (tx) => {
      await tx.unsafe(books(bench.scale))
      await tx.unsafe('analyze stock_movement')
      await rebuildClosings(tx)
      await tx`update data_version set version = version + 1, committed_at = now()`
    })
    await db.unsafe('vacuum analyze')
    await close()
    return url
  })

/** About a million movements, each alone in its month and warehouse. */
export const thin = made(thinBooks)

/** 65,000 batches of one item. */
export const skewed = made(skewedBooks)
