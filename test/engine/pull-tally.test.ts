/** Tally's XML export with the mapping that ships: documents, movements and their cost, end to end. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sheetsOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { inLongTier } from '../setup/tier.js'

const EXPORT = new URL('../fixtures/tally/DayBook.xml', import.meta.url)
const MAPPING = new URL('../../connectors/spreadsheets/tally.yaml', import.meta.url)

const folder = (): string => {
  const path = folderOf({})
  cpSync(MAPPING, join(path, 'mapping.yaml'))
  cpSync(EXPORT, join(path, 'DayBook.xml'))
  return path
}

it('loads purchases, production, transfers, sales and returns of an export, each once and at cost', async () => {
  const database = await databaseForThisTest()
  const { db } = database
  const first = await pull(database, sheetsOrigin(folder(), undefined))
  expect([first.errors.first, first.warnings.first]).toEqual([[], []])
  expect(await db`select name, currency from account`).toEqual([{ name: 'Rao & Sons Foods', currency: 'INR' }])
  expect(await db`select sku, type::text, unit from item order by sku`).toEqual([
    { sku: 'Ghee 1 L "Gold"', type: 'FG', unit: 'Nos' },
    { sku: 'Milk', type: 'MAT', unit: 'Kgs' },
    { sku: 'Tin 1 L', type: 'MAT', unit: 'Nos' },
  ])
  expect(await db`select code, name, address1, state, gstn from vendor`).toEqual([
    {
      code: 'Delhi Dairy',
      name: 'Delhi Dairy',
      address1: '14 Mill Road, Near the bridge',
      state: 'Delhi',
      gstn: '07AAACD1234A1Z5',
    },
  ])
  // The purchase that only bills a receipt note, and the cancelled sale, bring no goods.
  expect(await db`select po_no, po_date::text, taxable_amt::text from purchase_order order by po_no`).toEqual([
    { po_no: 'Purchase/P-1/2026-27', po_date: '2026-04-02', taxable_amt: '8400.00' },
    { po_no: 'Receipt Note/RN-1/2026-27', po_date: '2026-04-05', taxable_amt: '1100.00' },
  ])
  expect(
    await db`select i.invoice_no, i.kind::text, i.sub_total::text as sum, l.qty::text, l.rate::text, l.order_no
               from invoice i join invoice_line l on l.invoice_no = i.invoice_no order by 1`,
  ).toEqual([
    {
      invoice_no: 'Credit Note/C-1/2026-27',
      kind: 'CREDIT NOTE',
      sum: '-1000.00',
      qty: '-2.0000',
      rate: '500.000000',
      order_no: null,
    },
    {
      invoice_no: 'GST Sales/S-1/2026-27',
      kind: 'INVOICE',
      sum: '6000.00',
      qty: '12.0000',
      rate: '500.000000',
      order_no: null,
    },
    {
      invoice_no: 'GST Sales/S-2/2026-27',
      kind: 'INVOICE',
      sum: '2000.00',
      qty: '4.0000',
      rate: '500.000000',
      order_no: 'DN-1',
    },
  ])
  expect(
    await db`select m.kind::text, i.sku, w.location as warehouse, m.qty::text, m.val::text
               from stock_movement m join item i on i.id = m.item_id join warehouse w on w.id = m.warehouse_id
              order by m.movement_date, m.movement_no, m.kind`,
  ).toEqual(
    [
      ['other_receipt', 'Ghee 1 L "Gold"', 'Main Location', '10', '4000'],
      ['other_receipt', 'Milk', 'Main Location', '100', '4000'],
      ['other_receipt', 'Tin 1 L', 'Main Location', '50', '500'],
      ['purchase_receipt', 'Milk', 'Main Location', '200', '8400'],
      ['purchase_receipt', 'Tin 1 L', 'Main Location', '100', '1100'],
      ['consumption', 'Milk', 'Main Location', '150', '6200'],
      ['consumption', 'Tin 1 L', 'Main Location', '30', '320'],
      ['production_receipt', 'Ghee 1 L "Gold"', 'Main Location', '30', '6520'],
      ['transfer_out', 'Ghee 1 L "Gold"', 'Main Location', '5', '1315'],
      ['transfer_in', 'Ghee 1 L "Gold"', 'Shop', '5', '1315'],
      // 40 pieces for 10,520: 263 each, not the price of 500.
      ['issue', 'Ghee 1 L "Gold"', 'Main Location', '12', '3156'],
      ['issue', 'Ghee 1 L "Gold"', 'Shop', '4', '1052'],
      ['sales_return', 'Ghee 1 L "Gold"', 'Main Location', '2', '526'],
      ['vendor_return', 'Milk', 'Main Location', '10', '413.3333'],
    ].map(([kind, sku, warehouse, qty = '', val = '']) => ({
      ...{ kind, sku, warehouse, qty: `${qty}.0000`, val: val.includes('.') ? val : `${val}.0000` },
    })),
  )
  expect(first.account?.unread).toEqual([
    ...['units', 'vouchers', 'ledger lines', 'stock groups', 'voucher types'].map((name) => `DayBook.xml[${name}]`),
  ])
})

inLongTier('the same export in UTF-16 changes nothing; a voucher whose cost is not known is refused', async () => {
  const database = await databaseForThisTest()
  const path = folder()
  await pull(database, sheetsOrigin(path, undefined))
  const text = readFileSync(EXPORT, 'utf8')
  for (const mark of ['\uFEFF', '']) {
    writeFileSync(join(path, 'DayBook.xml'), Buffer.from(mark + text, 'utf16le'))
    const again = await pull(database, sheetsOrigin(path, undefined))
    expect([again.errors.first, again.dataVersion]).toEqual([[], 1])
  }
  // Without its opening stock, more of an item goes out than came in.
  writeFileSync(
    join(path, 'DayBook.xml'),
    text.replaceAll(/<OPENINGBALANCE>.*?<\/OPENINGBALANCE>/g, '').replaceAll(' 30 Nos', ' 3 Nos'),
  )
  const lost = await pull(database, sheetsOrigin(path, undefined), { allowEmpty: ['stock_movements'] })
  expect(lost.committed).toBe(false)
  expect(lost.errors.first.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(
      /^the cell is not known: the file must have the opening stock and all vouchers before this one/,
    ),
  )
})
