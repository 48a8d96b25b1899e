/** The connector for Tryton, on a company that Tryton itself filled: Millbook's figures equal Tryton's. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { connect, type Db } from '../../src/db/connect.js'
import { isOddity, verify } from '../../src/import/pipeline/verify.js'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { engine, makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { amounts, byKey, ledger, type Row, reported } from '../setup/pulled.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier } from '../setup/tier.js'
import { type Figures, fillTryton, installTryton } from '../setup/tryton.js'

const CONNECTOR = fileURLToPath(new URL('../../connectors/tryton', import.meta.url))
async function compare(service: Service, its: Figures): Promise<void> {
  const { db } = service
  const today = new Date().toISOString().slice(0, 10)
  const range = { from_date: '2000-01-01', to_date: today }
  expect(await ledger(db, `i.sku || ' in ' || w.location`, 'm.qty')).toEqual(its.stock)
  expect(await ledger(db, `i.sku || ' ' || m.batch_no || ' in ' || w.location`, 'm.qty')).toEqual(its.lots)

  const finished = await reported(service, '/v1/inventory/fg-stock-status', { type: 'ALL', tax: '0', ...range })
  const closing = finished.map((row: Row) => [`${row['Product_sku']} in ${row['warehouse']}`, row['Closing_qty']])
  const materials = await reported(service, '/v1/inventory/mat-stock-status', { type: 'RAW', ...range })
  const raw = materials.map((row: Row) => [row['MaterialCode'], row['Closing_qty']])
  const perItem: Record<string, number> = {}
  for (const [place, qty] of Object.entries(its.stock)) {
    const [sku] = place.split(' in ') as [string]
    perItem[sku] = (perItem[sku] ?? 0) + Number(qty)
  }
  expect([finished.length, raw.length]).toEqual([expect.any(Number), 3])
  for (const [place, qty] of closing) expect([place, qty]).toEqual([place, its.stock[place as string] ?? '0.0000'])
  for (const [sku, qty] of raw) expect([sku, qty]).toEqual([sku, perItem[sku as string]?.toFixed(4)])
  const shown = new Set([...closing.map(([place]) => place?.split(' in ')[0]), ...raw.map(([sku]) => sku)])
  expect([...shown].sort()).toEqual(Object.keys(perItem).sort())

  // Tryton rounds average costs to four digits, so its values differ by the rounding of each unit.
  const worth = await ledger(db, 'i.sku', 'm.val')
  for (const [sku, value] of Object.entries(its.worth))
    expect([sku, Math.abs(Number(worth[sku] ?? 0) - Number(value)) <= 0.01 + 0.0002 * (perItem[sku] ?? 0)]).toEqual([
      sku,
      true,
    ])

  const orders = (await reported(service, '/v1/sales-orders', range)).filter(
    (row: Row) => row['order_status'] !== 'CANCELLED',
  )
  const ours = Object.fromEntries(
    orders.map((row: Row) => [row['order_no'], amounts(row, ['taxable_amt', 'tax_amt', 'total_amt'])]),
  )
  const back: Row[] = await db`
    select return_no as key, concat_ws(' ', -sum(taxable_amt), -sum(tax_amt), -sum(taxable_amt + tax_amt), 'EUR') as value
      from sales_return group by 1 having sum(taxable_amt) <> 0`
  expect({ ...ours, ...byKey(back) }).toEqual(its.sales)

  const purchases = (await reported(service, '/v1/purchase-orders/list', range)).filter(
    (row: Row) => row['po_status'] !== 'CANCELLED',
  )
  expect(
    Object.fromEntries(
      purchases.map((row: Row) => [row['pono'], amounts(row, ['taxable_amt', 'tax_amt', 'total_amt'])]),
    ),
  ).toEqual(its.purchases)

  const invoices = await reported(service, '/v1/sales/invoices', range)
  expect(
    Object.fromEntries(
      invoices.map((row: Row) => [row['invoice_no'], amounts(row, ['sub_total', 'total_tax', 'final_amt'])]),
    ),
  ).toEqual(its.invoices)
}

/** The terms of suppliers, numbers of GS1, shelf lives, and the two sides of transfers. */
async function compareTerms(db: Db, url: string): Promise<void> {
  const tryton = await connect({ url }, { max: 1 })
  const [dollar] = await tryton.db`
    select round(24 / 12.0 * max(r.rate) filter (where c.code = 'EUR') / max(r.rate) filter (where c.code = 'USD'), 6)::text as price
      from currency_currency_rate r join currency_currency c on c.id = r.currency`
  await tryton.close()
  expect(
    await db`select i.sku, v.name, t.lead_days, t.min_qty::text, t.multiple, t.price::text
               from item_vendor t join item i on i.id = t.item_id join vendor v on v.code = t.vendor_code order by i.sku, v.name`,
  ).toEqual(
    [
      { sku: 'BOX', name: 'Box "Factory"', lead_days: 0, min_qty: null, price: null },
      { sku: 'JAM', name: 'Box "Factory"', lead_days: 10, min_qty: null, price: dollar?.['price'] },
      { sku: 'JAM', name: 'Mill & Sons', lead_days: 6, min_qty: '24.0000', price: '3.000000' },
    ].map((terms) => ({ ...terms, multiple: null })),
  )
  expect(
    await db`select sku, gtin, shelf_life_days from item where gtin is not null or shelf_life_days is not null order by sku`,
  ).toEqual([
    { sku: 'BOX', gtin: '4006381333931', shelf_life_days: null },
    { sku: 'SUGAR', gtin: null, shelf_life_days: 400 },
  ])
  const transfers = await db`
    select transfer_no, item_id, sum(case kind when 'transfer_in' then qty else -qty end)::int as rest, count(*)::int as sides
      from stock_movement where kind in ('transfer_in', 'transfer_out') group by 1, 2`
  expect(transfers.length).toBeGreaterThan(2)
  for (const { transfer_no, rest, sides } of transfers)
    expect([transfer_no, rest, Number(sides) % 2]).toEqual([expect.stringMatching(/./), 0, 0])
}

inLongTier(
  'stock, sales and purchases equal those of Tryton, at first and after a change, a deletion and a back-dated document',
  async (context) => {
    if (engine !== 'server') return context.skip('a Tryton is filled once, for both engines')
    const folder = await installTryton().catch((error: Error) => error)
    if (folder instanceof Error) return context.skip(folder.message)
    const tryton = await fillTryton(folder)
    const service = await startService()
    const { database, db } = service
    const small = await makeTarget('migrated', 'embedded')
    const embedded = await connect(small.target)
    try {
      const origin = databaseOrigin('tryton', tryton.url, {})
      const first = await pull(database, origin)
      expect([first.errors, first.committed]).toEqual([{ count: 0, first: [] }, true])
      await compare(service, await tryton.figures())
      await compareTerms(db, tryton.url)
      expect((await verify(database, { rebuild: false })).filter((finding) => !isOddity(finding))).toEqual([])
      expect((await pull(database, origin)).dataVersion).toBe(1)
      expect((await pull(embedded, origin)).entities).toEqual(first.entities)

      await tryton.change()
      // A source whose connection breaks in the middle changes nothing.
      const broken = join(tempFolder(), 'tryton')
      cpSync(CONNECTOR, broken, { recursive: true })
      writeFileSync(
        join(broken, 'customers.sql'),
        'select p.code, p.name from party p, generate_series(1, 100000) i where i < 90000 or pg_terminate_backend(pg_backend_pid())',
      )
      await expect(pull(database, databaseOrigin(broken, tryton.url, {}))).rejects.toThrow(/cannot be read/)
      await expect(pull(database, databaseOrigin('tryton', tryton.url, { company: 'Nobody' }))).rejects.toThrow(
        /^the source has no rows of account, .*--allow-empty account$/,
      )
      const [{ version } = {}] = await db`select version::int from data_version`
      expect(version).toBe(1)

      for (const one of [embedded, database]) {
        const { errors, entities, dataVersion } = await pull(one, origin)
        expect([errors.first, dataVersion]).toEqual([[], 2])
        expect(entities).toMatchObject({
          sales_orders: { new: 0, changed: 1, removed: 1 },
          purchase_orders: { new: 1, changed: 0, removed: 0 },
          goods_receipts: { new: 1, changed: 0, removed: 0 },
        })
        expect((await pull(one, origin)).dataVersion).toBe(2)
      }
      const figures = await tryton.figures()
      await compare(service, figures)
      expect(await ledger(embedded.db, `i.sku || ' in ' || w.location`, 'm.qty')).toEqual(figures.stock)
    } finally {
      await embedded.close()
      await small.drop()
      await service.close()
      await tryton.drop()
    }
  },
)
