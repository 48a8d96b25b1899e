/**
 * The connector for SAP Business One, which no SQL Server has run: its queries are in the SQL that SQL Server and PostgreSQL have in common,
 * so PostgreSQL runs them on tables with the documented columns.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { readConnector } from '../../src/pull/connector.js'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { withParameters } from '../../src/pull/sql-text.js'
import { databaseForThisTest, makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { ledger } from '../setup/pulled.js'
import { COMPANY, TABLES } from '../setup/sap-business-one.js'

const SHIPPED = fileURLToPath(new URL('../../connectors/sap-business-one', import.meta.url))

/** The tables on a PostgreSQL server. */
async function tables() {
  const { target, drop } = await makeTarget('empty', 'server')
  if (!('url' in target)) throw new Error('not a server')
  const { db, close } = await connect(target)
  onTestFinished(async () => {
    await close()
    await drop()
  })
  await db.unsafe(TABLES)
  return { db, url: target.url }
}

/** The same queries, declared as PostgreSQL's. */
function forPostgres(): string {
  const folder = join(tempFolder(), 'sap-business-one')
  cpSync(SHIPPED, folder, { recursive: true })
  const file = join(folder, 'connector.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"sqlserver"', '"postgres"'))
  return folder
}

it('every query runs on empty tables with the documented columns', async () => {
  const { db } = await tables()
  const { dialect, queries } = readConnector('sap-business-one')
  expect([dialect, queries.length]).toEqual(['sqlserver', 22])
  for (const { entity, text } of queries) {
    const query = withParameters(text, { time_zone: `N'Europe/Berlin'` }, dialect)
    const columns = await db.unsafe(`select * from (${query}) q limit 0`)
    expect(columns).toHaveLength(0)
    for (const word of [
      /\|\|/,
      /::/,
      /\blimit\b/i,
      /\bgreatest\b|\bleast\b/i,
      /\blateral\b/i,
      /\bdate_trunc\b/i,
      /\btrue\b|\bfalse\b/i,
    ])
      expect([entity.name, query.replaceAll(/--[^\n]*/g, '')]).not.toEqual([entity.name, expect.stringMatching(word)])
  }
})

it('a small company arrives with its documents, units, batches and the values of its warehouse journal', async () => {
  const { db: source, url } = await tables()
  await source.unsafe(COMPANY)
  const database = await databaseForThisTest()
  const { db } = database
  const origin = databaseOrigin(forPostgres(), url, { time_zone: 'Europe/Berlin' })

  const first = await pull(database, origin)
  expect([first.errors, first.warnings.first.map(String)]).toEqual([{ count: 0, first: [] }, []])
  expect((await pull(database, origin)).dataVersion).toBe(1)
  expect(await verify(database, { rebuild: false })).toEqual([])

  expect(await ledger(db, `i.sku || ' in ' || w.location`, 'm.qty')).toEqual({
    'FLOUR in Bakery': '88.5000',
    'BREAD in Bakery': '13.0000',
    'BREAD in Shop': '2.0000',
  })
  expect(await ledger(db, `i.sku || ' in ' || w.location`, 'm.val')).toEqual({
    'FLOUR in Bakery': '76.6800', // 81 - 8.1 - 1.22 + 5
    'BREAD in Bakery': '5.2700', // 8.1 - 2.43 - 1.62 + 1.62 + 0.41 - 0.81
    'BREAD in Shop': '0.8100',
  })
  expect(
    await db`select movement_no, kind, order_no, order_line_no, work_order_no, po_no, grn_no, batch_no from stock_movement order by length(movement_no), movement_no`,
  ).toEqual(
    [
      ['1', 'purchase_receipt', null, null, null, '501', '601', null],
      ['2', 'consumption', null, null, '701', null, null, null],
      ['10', 'shortage', null, null, null, null, null, null],
      ['3/B-1', 'production_receipt', null, null, '701', null, null, 'B-1'],
      ['4/B-1', 'issue', '801', 1, null, null, null, 'B-1'],
      ['5/B-1', 'internal_issue', null, null, null, null, null, 'B-1'],
      ['6/B-1', 'other_receipt', null, null, null, null, null, 'B-1'],
      ['7/B-1', 'sales_return', '801', 1, null, null, null, 'B-1'],
      ['8/B-1', 'transfer_out', null, null, null, null, null, 'B-1'],
      ['9/B-1', 'transfer_in', null, null, null, null, null, 'B-1'],
      ['11/value', 'value_increase', null, null, null, null, null, null],
    ].map(([movement_no, kind, order_no, order_line_no, work_order_no, po_no, grn_no, batch_no]) => ({
      ...{ movement_no, kind, order_no, order_line_no, work_order_no, po_no, grn_no, batch_no },
    })),
  )
  expect(
    await db`select order_no, state, taxable_amt::text, total_amt::text, shipping_amt::text from sales_order order by order_no`,
  ).toEqual([
    { order_no: '801', state: 'OPEN', taxable_amt: '30.00', total_amt: '39.00', shipping_amt: '5.00' },
    { order_no: '801#2', state: 'CANCELLED', taxable_amt: '3.00', total_amt: '3.00', shipping_amt: '0.00' },
  ])
  // 100 dollars for 4 bags, less a tenth, at 0.8; the receipt has its own rate.
  expect(
    await db`select taxable_amt::text, qty::text, unit, given ->> 'qty' as given from purchase_order_line`,
  ).toEqual([{ taxable_amt: '72.00', qty: '100.0000', unit: 'BAG', given: '4.0000' }])
  expect(await db`select taxable_amt::text, accepted_qty::text from goods_receipt_line`).toEqual([
    { taxable_amt: '81.00', accepted_qty: '100.0000' },
  ])
  expect(
    await db`select invoice_no, kind::text, status, credit_for, return_no, final_amt::text from invoice order by invoice_no`,
  ).toEqual([
    { invoice_no: '1001', kind: 'INVOICE', status: 'Submitted', credit_for: null, return_no: null, final_amt: '20.40' },
    { invoice_no: '1002', kind: 'INVOICE', status: 'Cancelled', credit_for: null, return_no: null, final_amt: '9.00' },
    {
      invoice_no: 'CN-1001',
      kind: 'CREDIT NOTE',
      status: 'Submitted',
      credit_for: '1001',
      return_no: 'CN-1001',
      final_amt: '-3.40',
    },
  ])
  expect(
    await db`select sku, source, qty::text from batch join item on item.id = batch.item_id order by batch_no`,
  ).toMatchObject([
    { sku: 'BREAD', source: 'PRODUCED', qty: '20.0000' },
    { sku: 'BREAD', source: 'MANUAL', qty: null },
  ])
})
