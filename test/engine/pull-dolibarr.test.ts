/** The connector for Dolibarr: Millbook's figures equal Dolibarr's. */
import mysql from 'mysql2/promise'
import { expect, onTestFinished } from 'vitest'
import { findMariadb } from '../../scripts/test-needs.mjs'
import { isOddity, verify } from '../../src/import/pipeline/verify.js'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { databaseForThisTest } from '../setup/database.js'
import { COMPANY, TABLES } from '../setup/dolibarr.js'
import { compare, itsFigures } from '../setup/dolibarr-figures.js'
import { startMariadb } from '../setup/mariadb.js'
import { ledger } from '../setup/pulled.js'
import { inLongTier } from '../setup/tier.js'

/** The URL of a Dolibarr database, which the test only reads; its first company has the base currency of the settings. */
const SOURCE = process.env['MILLBOOK_DOLIBARR_URL']
const TIME_ZONE = process.env['MILLBOOK_DOLIBARR_TIME_ZONE'] ?? 'Europe/Paris'

async function connected(url: string) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const socketPath = searchParams.get('socket')
  return mysql.createConnection({
    ...(socketPath === null ? { host: hostname, port: Number(port || 3306) } : { socketPath }),
    ...{ user: decodeURIComponent(username), password: decodeURIComponent(password), database: pathname.slice(1) },
    typeCast: (field) => field.string(),
  })
}

inLongTier(
  'stock, lots, values, orders, invoices, receipts and productions equal those of a Dolibarr',
  async (context) => {
    if (SOURCE === undefined) return context.skip('MILLBOOK_DOLIBARR_URL names no database of a Dolibarr')
    const dolibarr = await connected(SOURCE)
    try {
      const database = await databaseForThisTest()
      const origin = databaseOrigin('dolibarr', SOURCE, { time_zone: TIME_ZONE })
      const first = await pull(database, origin)
      expect([first.errors, first.committed]).toEqual([{ count: 0, first: [] }, true])
      const its = await itsFigures(async (query) => (await dolibarr.query(query))[0] as Record<string, string | null>[])
      expect(Object.keys(its.stock).length).toBeGreaterThan(0)
      await compare(database.db, its)
      expect((await verify(database, { rebuild: false })).filter((finding) => !isOddity(finding))).toEqual([])
      expect((await pull(database, origin)).dataVersion).toBe(1)
    } finally {
      await dolibarr.end()
    }
  },
)

inLongTier(
  'a small company of our own arrives, at first and after a change, a deletion and a back-dated receipt',
  async (context) => {
    if (findMariadb() === undefined) return context.skip('MariaDB is not installed')
    const server = await startMariadb()
    onTestFinished(() => server.stop())
    await server.run('mysql', 'create database bakery character set utf8mb4 collate utf8mb4_unicode_ci')
    await server.run('bakery', TABLES)
    await server.run('bakery', COMPANY)
    const ask = (query: string) => server.run('bakery', query)
    const database = await databaseForThisTest()
    const { db } = database
    const origin = databaseOrigin('dolibarr', server.url('bakery'), { time_zone: TIME_ZONE })

    const first = await pull(database, origin)
    expect(first.errors).toEqual({ count: 0, first: [] })
    await compare(db, await itsFigures(ask))
    expect((await verify(database, { rebuild: false })).filter((finding) => !isOddity(finding))).toEqual([])
    expect((await pull(database, origin)).dataVersion).toBe(1)

    expect(await db`select name, currency from account`).toEqual([{ name: 'Bakery', currency: 'EUR' }])
    expect(await db`select sku, type::text, unit from item order by sku`).toEqual([
      { sku: 'BAKING', type: 'SRV', unit: 'p' },
      { sku: 'BREAD', type: 'FG', unit: 'p' },
      { sku: 'FLOUR', type: 'MAT', unit: 'kg' },
      { sku: 'KIT', type: 'COMBO', unit: 'p' },
      { sku: 'SALT', type: 'FG', unit: 'kg' },
    ])
    expect(
      (
        await db`
        select movement_no, kind::text, order_no, order_line_no, work_order_no, po_no, grn_no, batch_no, val::text
          from stock_movement order by length(movement_no), movement_no`
      ).map((row) =>
        Object.values(row)
          .map((value) => value ?? '-')
          .join(' '),
      ),
    ).toEqual([
      '1 purchase_receipt - - - PO1 RCP1 - 100.0000',
      '2 purchase_receipt - - - PO1 PO1/20260203 - 200.0000',
      '3 consumption - - MO1 - - - 60.0000', // at the average of both receipts
      '4 production_receipt - - MO1 - - A-1 80.0000',
      '5 issue SO1 1 - - - A-1 16.0000',
      '6 internal_issue - - - - - - 0.0000', // the kit itself
      '7 issue SO1 2 - - - A-1 4.0000', // its parts
      '8 issue SO1 2 - - - - 2.0000',
      '9 internal_issue - - - - - A-1 10.0000', // a cancelled shipment
      '10 other_receipt - - - - - A-1 10.0000',
      '11 transfer_out - - - - - - 15.0000',
      '12 transfer_in - - - - - - 15.0000',
      '13 shortage - - - - - - 0.7500',
      'OPEN/3/1 other_receipt - - - - - - 50.0000',
    ])
    expect(await db`select movement_date::text from stock_movement where movement_no = 'OPEN/3/1'`).toEqual([
      { movement_date: '2026-01-01' },
    ])
    expect(
      await db`select order_no, state::text, exchange_rate::text, exp_dispatch_date from sales_order order by order_no`,
    ).toMatchObject([
      { order_no: 'SO1', state: 'OPEN', exchange_rate: null, exp_dispatch_date: null },
      { order_no: 'SO2', state: 'OPEN', exchange_rate: '0.800000000000' },
      { order_no: 'SO4', state: 'CANCELLED' },
    ])
    expect(
      await db`
      select l.invoice_no, i.kind::text, i.credit_for, l.order_no, l.order_line_no, l.qty::text, l.rate::text
        from invoice_line l join invoice i using (invoice_no) where l.item_id is not null order by 1`,
    ).toEqual([
      {
        invoice_no: 'CN1',
        kind: 'CREDIT NOTE',
        credit_for: 'IN1',
        order_no: null,
        order_line_no: null,
        qty: '-2.0000',
        rate: '4.500000',
      },
      {
        invoice_no: 'IN1',
        kind: 'INVOICE',
        credit_for: null,
        order_no: 'SO1',
        order_line_no: 1,
        qty: '8.0000',
        rate: '4.500000',
      },
    ])

    await ask(`
    update llx_commande set ref_client = 'CHANGED' where ref = 'SO1';
    delete from llx_facturedet where fk_facture = 3;
    delete from llx_facture where ref = 'IN3';
    insert into llx_stock_mouvement (rowid, datem, fk_product, fk_entrepot, value, price, type_mouvement, origintype) values (14, '2026-01-15', 1, 1, 10, 1.5, 0, '');
    update llx_product_stock set reel = 160 where rowid = 1`)
    const changed = await pull(database, origin)
    expect([changed.errors.first, changed.dataVersion]).toEqual([[], 2])
    expect(changed.entities).toMatchObject({
      sales_orders: { new: 0, changed: 1, removed: 0 },
      invoices: { new: 0, changed: 0, removed: 1 },
      stock_movements: { new: 1, changed: 0, removed: 0 },
    })
    await compare(db, await itsFigures(ask))
    expect(await ledger(db, `i.sku`, 'm.val')).toMatchObject({ FLOUR: '254.2500', SALT: '48.0000' })
  },
)
