/** A document with a rejected row is rejected as a whole: each kind of document, each kind of its rows. */
import { expect } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import type { RejectedRow } from '../../src/import/pipeline/rejects.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { inLongTier, sameOnBoth } from '../setup/tier.js'

/** Rows behind those of `good`; the word BAD makes a row wrong. */
type Rows = Readonly<Record<string, readonly string[]>>

const TAXES: Rows = {
  purchase_order_taxes: ['po_no,line_no,name,rate,amount'],
  goods_receipt_taxes: ['grn_no,po_no,line_no,name,rate,amount'],
  sales_order_taxes: ['order_no,line_no,name,rate,amount'],
  invoice_taxes: ['invoice_no,line_no,name,rate,amount'],
}

const orders = (second: string) => ({
  purchase_orders: ['PO2,2024-03-01,2024-03-05,V1,Plant,10,0,10'],
  purchase_order_items: ['PO2,1,RM1,2,2,4,0,4', second],
})
const receipts = (second: string) => ({
  ...orders('PO2,2,RM1,3,2,6,0,6'),
  goods_receipts: ['G2,PO2,2024-03-04,Plant'],
  goods_receipt_items: ['G2,PO2,1,1,2,2,0,2,4,0,4', second],
})
const sales = (second: string) => ({
  sales_orders: ['SO2,Online,2024-03-06,C1,Plant,20,0,20'],
  sales_order_items: ['SO2,1,FG1,1,10,10,10,0,10', second],
})
const invoices = (second: string) => ({
  invoices: ['I2,SO1,2024-03-08 09:30:00,2024-04-07,20,0,20,20'],
  invoice_items: ['I2,SO1,1,1,1,10,10,0,0,,,,,10', second],
})
/** A tax of a whole document. */
const tax = (entity: string, row: string) => ({ [entity]: [row] })

const CASES: readonly (readonly [what: string, rows: Rows, rejected: readonly string[], reason: string])[] = [
  [
    'purchase order: a line',
    orders('PO2,2,RM1,BAD,2,6,0,6'),
    ['purchase_orders PO2', 'purchase_order_items PO2 1', 'purchase_order_items PO2 2'],
    'line 2 of purchase order PO2 was rejected',
  ],
  [
    'purchase order: a tax',
    { ...orders('PO2,2,RM1,3,2,6,0,6'), ...tax('purchase_order_taxes', 'PO2,1,Cess,BAD,0') },
    [
      'purchase_orders PO2',
      'purchase_order_items PO2 1',
      'purchase_order_items PO2 2',
      'purchase_order_taxes PO2 1 Cess',
    ],
    'tax Cess of purchase order PO2 was rejected',
  ],
  [
    'goods receipt: a line',
    receipts('G2,PO2,2,2,BAD,3,0,2,6,0,6'),
    ['goods_receipts G2', 'goods_receipt_items G2 1', 'goods_receipt_items G2 2'],
    'line 2 of goods receipt G2 was rejected',
  ],
  [
    'goods receipt: a tax',
    { ...receipts('G2,PO2,2,2,3,3,0,2,6,0,6'), ...tax('goods_receipt_taxes', 'G2,PO2,1,Cess,BAD,0') },
    [
      ...['goods_receipts G2', 'goods_receipt_items G2 1', 'goods_receipt_items G2 2'],
      'goods_receipt_taxes G2 PO2 1 Cess',
    ],
    'tax Cess of goods receipt G2 was rejected',
  ],
  [
    'sales order: a line',
    sales('SO2,2,FG1,BAD,10,10,10,0,10'),
    ['sales_orders SO2', 'sales_order_items SO2 1', 'sales_order_items SO2 2'],
    'line 2 of sales order SO2 was rejected',
  ],
  [
    'sales order: a tax',
    { ...sales('SO2,2,FG1,1,10,10,10,0,10'), ...tax('sales_order_taxes', 'SO2,1,Cess,BAD,0') },
    ['sales_orders SO2', 'sales_order_items SO2 1', 'sales_order_items SO2 2', 'sales_order_taxes SO2 1 Cess'],
    'tax Cess of sales order SO2 was rejected',
  ],
  [
    'invoice: a tax',
    { ...invoices('I2,SO1,2,1,1,10,10,0,0,,,,,10'), ...tax('invoice_taxes', 'I2,1,Cess,BAD,0') },
    ['invoices I2', 'invoice_items I2 1', 'invoice_items I2 2', 'invoice_taxes I2 1 Cess'],
    'tax Cess of invoice I2 was rejected',
  ],
  [
    'return: an order line',
    {
      sales_orders: ['SO2,Online,2024-03-06,C1,Plant,20,0,20'],
      sales_order_items: ['SO2,1,FG1,1,10,10,10,0,10', 'SO2,2,FG1,1,10,10,10,0,10'],
      returns: ['SO2,R2,1,2024-03-09,RTO,1,0,10,0', 'SO2,R2,2,2024-03-09,RTO,BAD,0,10,0'],
    },
    ['returns SO2 R2 1', 'returns SO2 R2 2'],
    'order line 2 of return R2 was rejected',
  ],
  [
    'combo: a component',
    { items: ['CMB2,Box 2,COMBO,,PCS,'], combos: ['CMB2,FG1,2', 'CMB2,RM1,BAD'] },
    ['combos CMB2 FG1', 'combos CMB2 RM1'],
    'component RM1 of combo CMB2 was rejected',
  ],
]

for (const [at, [what, rows, expected, reason]] of CASES.entries())
  (at % 3 === 2 ? sameOnBoth : inLongTier)(what, async () => {
    const database = await databaseForThisTest()
    const texts: Record<string, string> = { ...good }
    for (const [entity, own] of Object.entries(rows)) {
      const file = `${entity}.csv`
      texts[file] = `${texts[file] ?? `${TAXES[entity]?.[0]}\n`}${own.join('\n')}\n`
    }
    let rejected: readonly RejectedRow[] = []
    const write = async (found: readonly RejectedRow[]) => {
      rejected = found
    }
    const result = await load(database, findFiles(folderOf(texts)), { reject: { most: 20, write } })
    expect(result.errors).toEqual({ count: 0, first: [] })
    expect(result.committed).toBe(true)
    expect(rejected.map(({ entity, key }) => [entity, ...Object.values(key)].join(' ')).toSorted()).toEqual(
      [...expected].toSorted(),
    )
    const reasons = rejected.flatMap((row) => row.reasons.map(({ message }) => message))
    expect(reasons.filter((message) => message === reason)).toHaveLength(expected.length - 1)
  })
