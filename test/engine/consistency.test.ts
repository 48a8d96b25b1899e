/** Documents, masters and the ledger: loads refuse contradictions and warn of disagreements, and verify finds both. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { checks, type Finding, find, findAll, verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { booksForThisTest, DEPOT, files, openBooks } from '../setup/books.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { KEY } from '../setup/good-files.js'
import { lineOf } from '../setup/problem-lines.js'
import { inLongTier, long, someOf } from '../setup/tier.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openBooks()
})
afterAll(() => database.drop())

it('the unchanged books have no contradiction', async () => {
  expect(await verify(database, { rebuild: false })).toEqual([])
})

/** The errors and warnings of a load that is not committed. */
async function attempt(rows: Record<string, string[]>, replace: string[] = []) {
  const { errors, warnings, dataVersion } = await load(database, findFiles(folderOf(files(rows))), {
    replace,
    dryRun: true,
  })
  expect(dataVersion).toBe(2)
  return { errors: errors.first.map(lineOf), warnings: warnings.first }
}

const mv = (no: string, kind: string, rest: string) => `${no},2024-03-10,${kind},${rest}`

const contradicting: [string, Record<string, string[]>, string[], string[]?][] = [
  [
    'a combo that becomes something else',
    { items: ['CMB1,Box,FG,,PCS,'] },
    [
      'items.csv:2: type = "FG": CMB1 has FG1 inside, and is of type FG, not COMBO',
      'items.csv:2: type = "FG": CMB1 has SFG1 inside, and is of type FG, not COMBO',
      'items.csv:2: type = "FG": movement M10 (issue) is of SFG1, and line 1 of order SO2 is for CMB1',
      'items.csv:2: type = "FG": movement M9 (issue) is of FG1, and line 1 of order SO2 is for CMB1',
    ],
  ],
  [
    'contents of an item that is no combo',
    { combos: ['CMB1,FG1,2', 'FG2,RM1,1'] },
    ['combos.csv:3: combo = "FG2": FG2 has RM1 inside, and is of type FG, not COMBO'],
  ],
  [
    'a combo inside itself',
    { combos: ['CMB1,CMB1,1'] },
    ['combos.csv:2: component = "CMB1": expected another item than the combo'],
  ],
  [
    'a combo inside a combo that is inside it',
    { combos: ['CMB1,CMB2,1'] },
    ['combos.csv:2: component = "CMB2": CMB1 contains CMB2, which contains CMB1 in its turn'],
  ],
  [
    'a product that its component needs',
    { bom: ['SFG1,FG2,1'] },
    ['bom.csv:2: component = "FG2": SFG1 needs FG2, which needs SFG1 in its turn'],
  ],
  [
    'a product that a component of its component needs',
    { bom: ['FG2,RM1,1', 'RM1,FG2,1'] },
    [
      'bom.csv:2: component = "RM1": FG2 needs RM1, which needs FG2 in its turn',
      'bom.csv:3: component = "FG2": RM1 needs FG2, which needs RM1 in its turn',
    ],
  ],
  [
    'a product that a combo of its bill contains',
    { bom: ['FG2,CMB2,1'], combos: ['CMB2,FG2,1'] },
    [
      'bom.csv:2: component = "CMB2": FG2 needs CMB2, which needs FG2 in its turn',
      'combos.csv:2: component = "FG2": CMB2 contains FG2, which contains CMB2 in its turn',
    ],
  ],
  [
    'a produced batch that becomes a manual one',
    { batches: ['FG1,B1,MANUAL,,,,'] },
    [
      'batches.csv:2: source = "MANUAL": row 1 is consumption of batch B1 of FG1, which is MANUAL, not PRODUCED',
      'batches.csv:2: source = "MANUAL": row 2 is consumption of batch B1 of FG1, which is MANUAL, not PRODUCED',
      'batches.csv:2: source = "MANUAL": movement M2 is consumption for batch B1 of FG1, which is MANUAL, not PRODUCED',
      'batches.csv:2: source = "MANUAL": movement M3 produces batch B1 of FG1, which is MANUAL, not PRODUCED',
    ],
  ],
  [
    'a bought batch that becomes a produced one',
    { batches: ['RM1,L1,PRODUCED,2024-03-05,Plant,7,0'] },
    ['batches.csv:2: source = "PRODUCED": movement M7 buys batch L1 of RM1, which is PRODUCED'],
  ],
  [
    'consumption of a batch that was not produced',
    { consumption: ['FG2,B2,1,,Taxes,0,1,0'] },
    ['consumption.csv:2: batch_no = "B2": row 1 is consumption of batch B2 of FG2, which is MANUAL, not PRODUCED'],
  ],
  [
    'a consumption for a batch that was not produced',
    { stock_movements: [mv('M20', 'consumption', 'RM1,Plant,,1,1,1,,,FG2,B2,,,')] },
    [
      'stock_movements.csv:2: for_batch_no = "B2": movement M20 is consumption for batch B2 of FG2, which is MANUAL, not PRODUCED',
    ],
  ],
  [
    'the production of a batch that was not produced',
    { stock_movements: [mv('M20', 'production_receipt', 'FG2,Plant,B2,1,1,1,,,,,,,')] },
    ['stock_movements.csv:2: batch_no = "B2": movement M20 produces batch B2 of FG2, which is MANUAL, not PRODUCED'],
  ],
  [
    'the purchase of a batch that was produced',
    { stock_movements: [mv('M20', 'purchase_receipt', 'FG1,Plant,B1,1,1,1,,,,,,,')] },
    ['stock_movements.csv:2: batch_no = "B1": movement M20 buys batch B1 of FG1, which is PRODUCED'],
  ],
  [
    'stock of a service',
    { stock_movements: [mv('M20', 'other_receipt', 'SRV1,Plant,,1,1,1,,,,,,,')] },
    ['stock_movements.csv:2: sku = "SRV1": movement M20 is of SRV1, a service, and services have no stock'],
  ],
  [
    'an item with stock that becomes a service',
    { items: ['FG2,Paneer,SRV,,KG,'] },
    ['items.csv:2: type = "SRV": movement M6 is of FG2, a service, and services have no stock'],
  ],
  [
    'an issue of another item than was ordered',
    { stock_movements: [mv('M20', 'issue', 'RM1,Plant,,1,1,1,SO1,1,,,,,')] },
    ['stock_movements.csv:2: sku = "RM1": movement M20 (issue) is of RM1, and line 1 of order SO1 is for FG1'],
  ],
  [
    'a return of an item that is not in the combo',
    { stock_movements: [mv('M20', 'sales_return', 'RM1,Plant,,1,1,1,SO2,1,,,,,')] },
    [
      'stock_movements.csv:2: sku = "RM1": movement M20 (sales_return) is of RM1, and line 1 of order SO2 is for CMB1, which does not contain it',
    ],
  ],
  [
    'an order line that changes its item after it was issued',
    { sales_order_items: ['SO1,1,FG2,2,10,10,20,2.4,22.4'] },
    [
      'sales_order_items.csv:2: sku = "FG2": movement M4 (issue) is of FG1, and line 1 of order SO1 is for FG2',
      'sales_order_items.csv:2: sku = "FG2": movement M5 (sales_return) is of FG1, and line 1 of order SO1 is for FG2',
    ],
  ],
  [
    'an order line and an issue that are loaded together and do not match',
    {
      sales_order_items: ['SO2,1,FG2,2,10,10,20,0,20'],
      stock_movements: [
        'M9,2024-03-06,issue,FG1,Plant,,4,4,4,SO2,1,,,,,',
        'M10,2024-03-06,issue,FG2,Plant,,2,2,2,SO2,1,,,,,',
      ],
    },
    ['stock_movements.csv:2: sku = "FG1": movement M9 (issue) is of FG1, and line 1 of order SO2 is for FG2'],
  ],
  [
    'a combo that loses an item already issued for it',
    { combos: ['CMB2,CMB1,3', 'CMB1,FG1,2'] },
    [
      'combos.csv:1: combo: movement M10 (issue) is of SFG1, and line 1 of order SO2 is for CMB1, which does not contain it',
    ],
    ['combos'],
  ],
  [
    'a purchase of another item than its receipt has',
    { stock_movements: [mv('M20', 'purchase_receipt', 'FG1,Plant,,1,1,1,,,,,PO1,G1,')] },
    ['stock_movements.csv:2: sku = "FG1": movement M20 is of FG1, and receipt G1 of order PO1 has no line for it'],
  ],
  [
    'a purchase in another warehouse than its receipt',
    { stock_movements: [mv('M20', 'purchase_receipt', 'RM1,Depot,,1,1,1,,,,,PO1,G1,')] },
    [
      'stock_movements.csv:2: warehouse = "Depot": movement M20 is in Depot, and receipt G1 of order PO1 came in at Plant',
    ],
  ],
  [
    'a receipt that changes its warehouse after its goods came in',
    { goods_receipts: ['G1,PO1,2024-03-04,Depot'] },
    [
      'goods_receipts.csv:2: warehouse = "Depot": movement M1 is in Plant, and receipt G1 of order PO1 came in at Depot',
    ],
  ],
  [
    'a receipt whose warehouse swaps its name with another',
    { warehouses: [`${KEY},Depot`, `${DEPOT},Plant`], goods_receipts: ['G1,PO1,2024-03-04,Plant'] },
    [
      'goods_receipts.csv:2: warehouse = "Plant": movement M1 is in Depot, and receipt G1 of order PO1 came in at Plant',
    ],
  ],
  [
    'a line of a receipt that changes to another line of the order',
    {
      purchase_order_items: ['PO1,2,FG2,1,0,0,0,0'],
      goods_receipt_items: ['G1,PO1,1,2,5,4,1,2,8,0.96,8.96'],
    },
    [
      'goods_receipt_items.csv:2: po_line_no = "2": movement M1 is of RM1, and receipt G1 of order PO1 has no line for it',
    ],
  ],
  [
    'a line that a receipt loses',
    { goods_receipt_items: ['G2,PO2,1,1,5,5,0,2,10,0,10'] },
    ['goods_receipt_items.csv:1: po_line_no: movement M1 is of RM1, and receipt G1 of order PO1 has no line for it'],
    ['goods_receipt_items'],
  ],
  [
    'a line of a purchase order that changes its item after it was received',
    { purchase_order_items: ['PO2,1,FG1,5,2,10,0,10'] },
    ['purchase_order_items.csv:2: sku = "FG1": movement M6 is of FG2, and receipt G2 of order PO2 has no line for it'],
  ],
  [
    'a receipt with a second order',
    { goods_receipts: ['G1,PO2,2024-03-04,Plant'] },
    ['goods_receipts.csv:2: po_no = "PO2": receipt G1 has two orders, PO1 and PO2'],
  ],
  [
    'a location that another warehouse has',
    { warehouses: [`${DEPOT.replace('1', 'e')},Plant`] },
    ['warehouses.csv:2: location = "Plant": expected a name that no other warehouse has'],
  ],
  [
    'a location that two warehouses are given',
    { warehouses: [`${KEY},Mill`, `${DEPOT},Mill`] },
    ['warehouses.csv:3: location = "Mill": expected a name that no other warehouse has'],
  ],
]

it.each(someOf(contradicting, 2))('%s is refused', async (_name, rows, expected, replace) => {
  expect((await attempt(rows, replace)).errors).toEqual(expected)
})

describe('changes without a contradiction are loaded', () => {
  const loaded: [string, Record<string, string[]>, string[]?][] = [
    ['a new type of an item that nothing depends on', { items: ['FG1,Ghee,SFG,,JAR,'] }],
    ['a combo that gets more contents', { combos: ['CMB1,RM1,1'] }],
    ['a combo that is issued whole', { stock_movements: [mv('M20', 'issue', 'CMB1,Plant,,1,1,1,SO2,1,,,,,')] }],
    ['a batch that nothing was produced into', { batches: ['FG2,B2,PROCURED,,,,'] }],
    ['two warehouses that swap their names', { warehouses: [`${KEY},Depot`, `${DEPOT},Plant`] }],
    ['a name that another warehouse gives up', { warehouses: [`${KEY},Depot`, `${DEPOT},Store`] }],
    [
      'a line and its movements that change together',
      {
        purchase_order_items: ['PO2,1,RM1,5,2,10,0,10'],
        stock_movements: ['M6,2024-03-04,purchase_receipt,RM1,Depot,,5,10,10,,,,,PO2,G2,'],
      },
    ],
  ]
  it.each(loaded)('%s', async (_name, rows, replace) => {
    expect((await attempt(rows, replace)).errors).toEqual([])
  })

  it('two warehouses that swap names have each other’s name in the database', async () => {
    const own = await databaseForThisTest()
    const load2 = async (warehouses: string[]) => load(own, findFiles(folderOf(files({ warehouses }))))
    await load2([`${KEY},Plant`, `${DEPOT},Depot`])
    const before = await own.db`select id, key from warehouse order by key`
    const { entities } = await load2([`${KEY},Depot`, `${DEPOT},Plant`])
    expect(entities).toEqual({ warehouses: { new: 0, changed: 2, same: 0, removed: 0 } })
    const after = await own.db`select id, key, location from warehouse order by key`
    expect([...after]).toEqual(before.map((row, i) => ({ ...row, location: ['Depot', 'Plant'][i] })))
  })
})

describe('documents that move to another order', () => {
  const receipts = {
    goods_receipts: ['G1,PO2,2024-03-04,Plant', 'G2,PO2,2024-03-04,Depot'],
    goods_receipt_items: ['G1,PO2,1,3,5,4,1,2,8,0.96,8.96', 'G2,PO2,1,1,5,5,0,2,10,0,10', 'G2,PO2,2,2,1,1,0,0,0,0,0'],
    purchase_order_items: ['PO2,3,RM1,5,0,0,0,0'],
  }
  const both = ['goods_receipts', 'goods_receipt_items']

  it('a receipt can under --replace, together with its movements', async () => {
    const own = await booksForThisTest()
    const stock_movements = ['M1,2024-03-04,purchase_receipt,RM1,Plant,,4,8,8.96,,,,,PO2,G1,']
    const result = await load(own, findFiles(folderOf(files({ ...receipts, stock_movements }))), { replace: both })
    expect([result.errors.first.map(lineOf), result.warnings.first]).toEqual([[], []])
    expect(result.entities).toMatchObject({
      goods_receipts: { new: 1, changed: 0, same: 1, removed: 1 },
      goods_receipt_items: { new: 1, changed: 0, same: 2, removed: 1 },
    })
    expect([...(await own.db`select po_no, grn_no from goods_receipt order by grn_no`)]).toEqual([
      { po_no: 'PO2', grn_no: 'G1' },
      { po_no: 'PO2', grn_no: 'G2' },
    ])
    expect(await verify(own, { rebuild: false })).toEqual([])
  })

  it('a receipt cannot while the ledger names the old order', async () => {
    expect((await attempt(receipts, both)).errors).toEqual([
      'goods_receipts.csv:1: grn_no, po_no = "G1 PO1": movement M1 refers to it, so it cannot be removed',
    ])
  })

  it('a receipt cannot while its lines stay, or while only its lines are replaced', async () => {
    expect((await attempt(receipts, ['goods_receipts'])).errors).toEqual([
      'goods_receipts.csv:1: grn_no = "G1": is no longer among the rows, but goods_receipt_items G1 1 uses it; remove that row too, or keep this one',
    ])
    expect((await attempt(receipts, ['goods_receipt_items'])).errors).toContain(
      'goods_receipts.csv:2: po_no = "PO2": receipt G1 has two orders, PO1 and PO2',
    )
  })

  it('an invoice can under --replace', async () => {
    const invoices = ['I1,SO2,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4']
    const invoice_items = ['I1,SO2,1,1,2,10,20,12,2.4,,,,,22.4']
    expect(await attempt({ invoices, invoice_items }, ['invoices', 'invoice_items'])).toEqual({
      errors: [],
      warnings: [],
    })
  })
})

const disagreeing: [string, Record<string, string[]>, string[], string[]?][] = [
  [
    'stock that goes negative',
    { stock_movements: [mv('M20', 'trash', 'FG2,Depot,,6,0,0,,,,,,,')] },
    ['stock of FG2 in Depot is -1.0000 on 2024-03-10'],
  ],
  [
    'stock that is negative in a month between',
    { stock_movements: ['M20,2024-01-31,trash,FG2,Depot,,1,0,0,,,,,,,'] },
    ['stock of FG2 in Depot is -1.0000 on 2024-01-31'],
  ],
  [
    'releases above the held stock',
    {
      stock_movements: [mv('M20', 'hold', 'FG2,Depot,,2,0,0,,,,,,,'), mv('M21', 'release', 'FG2,Depot,,3,0,0,,,,,,,')],
    },
    ['held stock of FG2 in Depot is -1.0000 on 2024-03-10'],
  ],
  [
    'holds above the stock',
    { stock_movements: [mv('M20', 'hold', 'FG2,Depot,,5.0001,0,0,,,,,,,')] },
    ['5.0001 of FG2 in Depot is held at the end, but only 5.0000 is in stock'],
  ],
  [
    'a receipt that accepted more than came in',
    { goods_receipt_items: ['G1,PO1,1,1,5,5,0,2,10,0,10'] },
    ['receipt G1 of order PO1: 5.0000 of RM1 accepted, in the ledger 4.0000'],
  ],
  [
    'a movement that leaves its receipt',
    { stock_movements: ['M6,2024-03-04,purchase_receipt,FG2,Depot,B2,5,10,10,,,,,,,'] },
    ['receipt G2 of order PO2: 5.0000 of FG2 accepted, in the ledger 0.0000'],
  ],
  [
    'a service that was received and becomes goods',
    { items: ['SRV1,Freight,FG,,TRIP,'] },
    ['receipt G2 of order PO2: 1.0000 of SRV1 accepted, in the ledger 0.0000'],
  ],
  [
    'a return without goods',
    { returns: ['SO1,R2,1,2024-03-11,RTV,0.5,0,0,0'] },
    ['line 1 of order SO1: 0.5000 of FG1 came back usable on 2024-03-11, in the ledger 0.0000'],
  ],
  [
    'goods on another day than their return',
    { stock_movements: ['M5,2024-03-12,sales_return,FG1,Plant,B1,1,1.2,1.35,SO1,1,,,,,'] },
    [
      'line 1 of order SO1: 1.0000 of FG1 came back usable on 2024-03-09, in the ledger 0.0000',
      'line 1 of order SO1: 0.0000 of FG1 came back usable on 2024-03-12, in the ledger 1.0000',
    ],
  ],
  [
    'half a combo that comes back for a whole one',
    {
      returns: ['SO2,R2,1,2024-03-10,RTV,1,0,0,0'],
      stock_movements: [mv('M20', 'sales_return', 'FG1,Plant,,2,2,2,SO2,1,,,,,')],
    },
    ['line 1 of order SO2: 1.0000 of SFG1 came back usable on 2024-03-10, in the ledger 0.0000'],
  ],
  [
    'a combo that comes back whole, and one that comes back in parts',
    {
      returns: ['SO2,R2,1,2024-03-10,RTV,2,0,0,0'],
      stock_movements: [
        mv('M20', 'sales_return', 'FG1,Plant,,2,2,2,SO2,1,,,,,'),
        mv('M21', 'sales_return', 'SFG1,Plant,,1,2,2,SO2,1,,,,,'),
        mv('M22', 'sales_return', 'CMB1,Plant,,1,2,2,SO2,1,,,,,'),
      ],
    },
    [],
  ],
  [
    'a batch that used more than was taken',
    { consumption: ['FG1,B1,1,RM1,,3.5,6,0.72'] },
    [
      'batch B1 of FG1: 3.5000 of RM1 used for 6.0000 (with tax 6.7200), in the ledger 3.0000 for 6.0000 (with tax 6.7200)',
    ],
  ],
  [
    'a batch that used for another value',
    { consumption: ['FG1,B1,1,RM1,,3,6.01,0.71'] },
    [
      'batch B1 of FG1: 3.0000 of RM1 used for 6.0100 (with tax 6.7200), in the ledger 3.0000 for 6.0000 (with tax 6.7200)',
    ],
  ],
  [
    'a batch that used at another tax, and a material it does not name',
    {
      stock_movements: [
        'M2,2024-03-05,consumption,RM1,Plant,,3,6,6.73,,,FG1,B1,,,',
        mv('M20', 'consumption', 'SFG1,Plant,,1,1,1,,,FG1,B1,,,'),
      ],
    },
    [
      'batch B1 of FG1: 3.0000 of RM1 used for 6.0000 (with tax 6.7200), in the ledger 3.0000 for 6.0000 (with tax 6.7300)',
      'batch B1 of FG1: 0.0000 of SFG1 used for 0.0000 (with tax 0.0000), in the ledger 1.0000 for 1.0000 (with tax 1.0000)',
    ],
  ],
  [
    'a batch of which more came in than was made',
    { stock_movements: [mv('M20', 'production_receipt', 'FG1,Plant,B1,0.0001,1,1,,,,,,,')] },
    ['batch B1 of FG1: 9.0000 made, in the ledger 9.0001 received'],
  ],
  [
    'a line of which more was issued than ordered, and more invoiced than issued',
    {
      sales_order_items: ['SO1,1,FG1,1.5,10,10,20,2.4,22.4'],
      invoice_items: ['I1,SO1,1,1,3,10,20,12,2.4,,,,,22.4'],
    },
    [
      'line 1 of order SO1: 1.5000 ordered, in the ledger 2.0000 issued',
      'line 1 of order SO1: 3.0000 invoiced, in the ledger 2.0000 issued',
    ],
  ],
  [
    'combos of which more were issued than ordered: whole ones, in parts or packed',
    {
      stock_movements: [
        mv('M20', 'issue', 'SFG1,Plant,,3,1,1,SO2,1,,,,,'),
        mv('M21', 'issue', 'FG1,Plant,,1.9999,1,1,SO2,1,,,,,'),
        mv('M22', 'other_receipt', 'CMB1,Plant,,1,1,1,,,,,,,'),
        mv('M23', 'issue', 'CMB1,Plant,,1,1,1,SO2,1,,,,,'),
      ],
    },
    ['line 1 of order SO2: 2.0000 ordered, in the ledger 3.0000 issued'],
  ],
  [
    'a combo that has more inside than was issued for it',
    {
      combos: ['CMB1,SFG1,1.5'],
      invoices: ['I2,SO2,2024-03-07 09:30:00,2024-04-07,20,0,20,20'],
      invoice_items: ['I2,SO2,1,1,2,10,20,12,0,,,,,20'],
    },
    ['line 1 of order SO2: 2.0000 invoiced, in the ledger 1.0000 issued'],
  ],
]

it.each(someOf(disagreeing, 2))('a load warns of %s', async (_name, rows, expected, replace) => {
  const { errors, warnings } = await attempt(rows, replace)
  expect(errors).toEqual([])
  expect(warnings.filter((line) => !/add up to/.test(line))).toEqual(expected)
})

it('a load does not warn of a service, of a line that goes back, or of an invoice before its issue', async () => {
  const { errors, warnings } = await attempt({
    purchase_orders: ['PO9,2024-03-01,2024-03-05,V1,Plant,-25,0,-25'],
    purchase_order_items: ['PO9,1,RM1,-12.5,2,-25,0,-25'],
    sales_orders: ['SO9,Online,2024-03-06,C1,Plant,30,0,30'],
    sales_order_items: [
      'SO9,1,FG1,-2,10,10,-20,0,-20',
      'SO9,2,SRV1,1,10,10,10,0,10',
      'SO9,3,FG1,2,10,10,20,0,20',
      'SO9,4,CMB1,2,10,10,20,0,20',
    ],
    invoices: ['I9,SO9,2024-03-07 09:30:00,2024-04-07,50,0,50,50'],
    invoice_items: ['I9,SO9,1,2,1,10,10,0,0,,,,,10', 'I9,SO9,2,3,2,10,20,0,0,,,,,20', 'I9,SO9,3,4,2,10,20,0,0,,,,,20'],
  })
  expect(errors).toEqual([])
  expect(warnings).toEqual([])
})

inLongTier('a first load of only the ledger gives the same warnings as a load that adds to it', async () => {
  const { database: first, ledger } = await onlyDocuments()
  const { database: second } = await onlyDocuments()
  const told = async (to: TestDatabase, rows: string[]) => {
    const { errors, warnings } = await load(to, findFiles(folderOf(files({ stock_movements: rows }))))
    expect(errors.first).toEqual([])
    return warnings.first
  }
  await told(second, ['M0,2024-01-01,other_receipt,RM1,Plant,,1,1,1,,,,,,,'])
  const warnings = await told(first, ledger)
  expect(warnings).toEqual(await told(second, ledger))
  expect(warnings.filter((line) => line.startsWith('line '))).toEqual([
    'line 1 of order SO3: 2.0000 ordered, in the ledger 3.0000 issued',
    'line 1 of order SO5: 2.0000 ordered, in the ledger 3.0000 issued',
    'line 2 of order SO3: 2.0000 invoiced, in the ledger 1.0000 issued',
    'line 1 of order SO4: 2.0000 invoiced, in the ledger 1.0000 issued',
  ])
})

/** Orders of a product and of combos with invoices, some of them cancelled; the ledger is loaded later. */
async function onlyDocuments(): Promise<{ database: TestDatabase; ledger: string[] }> {
  const database = await databaseForThisTest()
  const lines = (...of: string[]) => of.map((line) => `${line},10,10,20,0,20`)
  const documents = files({
    warehouses: [`${KEY},Plant`],
    items: ['FG1,Ghee,FG,,PCS,', 'SFG1,Curd,SFG,,KG,', 'CMB1,Box,COMBO,,PCS,', 'RM1,Milk,MAT,RAW,KG,'],
    combos: ['CMB1,FG1,2', 'CMB1,SFG1,1'],
    customers: ['C1,Pune Retail'],
    sales_orders: ['SO3', 'SO4', 'SO5', 'SO6', 'SO7'].map((no) => `${no},Online,2024-03-06,C1,Plant,20,0,20`),
    sales_order_items: lines(
      'SO3,1,FG1,2',
      'SO3,2,FG1,2',
      'SO4,1,CMB1,2',
      'SO5,1,CMB1,2',
      'SO6,1,FG1,2',
      'SO7,1,FG1,2',
    ),
  })
  const { errors } = await load(database, findFiles(folderOf(documents)))
  expect(errors.first.map(lineOf)).toEqual([])
  const invoice = (no: string, order: string, line: number, status: string) => [
    `insert into invoice (invoice_no, order_no, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt, status)
     values ('${no}', '${order}', '2024-03-07', '2024-04-07', 20, 0, 20, 20, '${status}')`,
    `insert into invoice_line (order_no, invoice_no, line_no, order_line_no, qty, rate, taxable_value, total_value)
     values ('${order}', '${no}', 1, ${line}, 2, 10, 20, 20)`,
  ]
  for (const statement of [
    ...[...invoice('I1', 'SO3', 2, 'Submitted'), ...invoice('I2', 'SO4', 1, 'Submitted')],
    ...[...invoice('I3', 'SO7', 1, 'Cancelled'), ...invoice('I4', 'SO6', 1, 'Submitted')], // nothing was issued for SO6
  ])
    await database.db.unsafe(statement)
  const ledger = [
    'M1,2024-03-01,other_receipt,FG1,Plant,,100,1,1,,,,,,,',
    'M2,2024-03-01,other_receipt,SFG1,Plant,,100,1,1,,,,,,,',
    'M3,2024-03-01,other_receipt,CMB1,Plant,,100,1,1,,,,,,,',
    mv('M4', 'issue', 'FG1,Plant,,1,1,1,SO3,1,,,,,'),
    mv('M5', 'issue', 'FG1,Plant,,2,1,1,SO3,1,,,,,'),
    mv('M6', 'issue', 'FG1,Plant,,1,1,1,SO3,2,,,,,'),
    mv('M7', 'issue', 'FG1,Plant,,3.9999,1,1,SO4,1,,,,,'),
    mv('M8', 'issue', 'SFG1,Plant,,5,1,1,SO4,1,,,,,'),
    mv('M9', 'issue', 'CMB1,Plant,,1,1,1,SO5,1,,,,,'),
    mv('N1', 'issue', 'FG1,Plant,,4,1,1,SO5,1,,,,,'),
    mv('N2', 'issue', 'SFG1,Plant,,2,1,1,SO5,1,,,,,'),
    mv('N3', 'issue', 'FG1,Plant,,1,1,1,SO7,1,,,,,'),
  ]
  return { database, ledger }
}

describe('verify', () => {
  const ofItem = (sku: string) => `(select id from item where sku = '${sku}')`
  const ofPlace = (location: string) => `(select id from warehouse where location = '${location}')`
  const set = (change: string, no: string) => `update stock_movement set ${change} where movement_no = '${no}'`
  /** A check, a statement that makes it fail without the loader, and the examples that verify finds. */
  const converted = (of: string) => `${of} differ from their documents after conversion (currency, unit, taxes)`
  const inDollars = (table: string, document: string) =>
    `update ${table} set currency = 'USD', exchange_rate = 2 where ${document}`
  const sabotage: [string, string, string[]][] = [
    [converted('purchase_orders'), inDollars('purchase_order', `po_no = 'PO1'`), ['PO1']],
    [converted('purchase_order_items'), inDollars('purchase_order', `po_no = 'PO1'`), ['PO1 1']],
    [converted('goods_receipt_items'), inDollars('purchase_order', `po_no = 'PO1'`), ['PO1 G1 1']],
    [converted('sales_orders'), inDollars('sales_order', `order_no = 'SO1'`), ['SO1']],
    [converted('sales_order_items'), inDollars('sales_order', `order_no = 'SO1'`), ['SO1 1']],
    [converted('returns'), inDollars('sales_order', `order_no = 'SO1'`), ['SO1 R1 1']],
    [converted('invoices'), inDollars('invoice', `invoice_no = 'I1'`), ['I1']],
    [
      converted('invoice_items'),
      `insert into invoice_tax (invoice_no, line_no, name, amount) values ('I1', 0, 'Cess', 1)`,
      ['I1 1'],
    ],
    [
      converted('stock_movements'),
      `${set(`unit = 'CASE'`, 'M1')}; insert into item_unit values (${ofItem('RM1')}, 'CASE', 12, 1)`,
      ['M1'],
    ],
    ['a movement’s batch_no is not in batches', set(`batch_no = 'B9'`, 'M4'), ['M4: B9']],
    ['a movement’s order_no is not in sales_order_items', set('order_line_no = 9', 'M4'), ['M4: SO1 9']],
    [
      'a movement’s invoice_no is not in invoice_items',
      set(`order_no = null, order_line_no = null, invoice_no = 'I9', invoice_line_no = 1`, 'M4'),
      ['M4: I9 1'],
    ],
    ['a movement’s for_batch_no is not in batches', set(`for_batch_no = 'B9'`, 'M2'), ['M2: B9']],
    ['a movement’s work_order_no is not in work_orders', set(`work_order_no = 'WO9'`, 'M2'), ['M2: WO9']],
    ['a movement’s grn_no is not in goods_receipts', set(`grn_no = 'G9'`, 'M1'), ['M1: G9 PO1']],
    [
      'an item’s stock unit is listed with a factor other than 1',
      `insert into item_unit select id, unit, 12, 1 from item where sku = 'FG1'`,
      ['JAR is the stock unit of item FG1: its factor and divisor must be equal'],
    ],
    [
      'a product is a component of itself, directly or through other items',
      `insert into bom_line values (${ofItem('RM1')}, ${ofItem('FG2')}, 1)`,
      [
        'FG2 needs SFG1, which needs FG2 in its turn',
        'RM1 needs FG2, which needs RM1 in its turn',
        'SFG1 needs RM1, which needs SFG1 in its turn',
      ],
    ],
    [
      'two rows of a bill of materials hold on the same day',
      `insert into bom_line (product_id, component_id, qty, valid_from) values (${ofItem('FG1')}, ${ofItem('RM1')}, 1, '2024-01-01')`,
      ['FG1 has RM1 twice on the same day'],
    ],
    [
      'an item that is no combo has items inside',
      `update item set type = 'FG' where sku = 'CMB2'`,
      ['CMB2 has CMB1 inside, and is of type FG, not COMBO'],
    ],
    [
      'a combo is inside itself, directly or through other items',
      `insert into combo_line values (${ofItem('CMB1')}, ${ofItem('CMB2')}, 1)`,
      ['CMB1 contains CMB2, which contains CMB1 in its turn', 'CMB2 contains CMB1, which contains CMB2 in its turn'],
    ],
    [
      'a purchase order has a rate though it is in the account’s currency, or none though it is in another',
      `${inDollars('purchase_order', `po_no = 'PO1'`)}; update account set currency = 'USD'`,
      ['purchase order PO1 is in USD, the account’s currency, and has the exchange_rate 2'],
    ],
    [
      'a line of a purchase order has a unit that its item does not have',
      `update purchase_order_line set unit = 'PALLET' where po_no = 'PO1'`,
      ['line 1 of purchase order PO1 is in PALLET, which is no unit of item RM1'],
    ],
    [
      'a goods receipt has two orders',
      `insert into goods_receipt select 'PO2', grn_no, receipt_date, warehouse_id from goods_receipt where grn_no = 'G1'`,
      ['receipt G1 has two orders, PO1 and PO2'],
    ],
    [
      'a line of a goods receipt has a unit that its item does not have',
      `update goods_receipt_line set unit = 'PALLET' where grn_no = 'G1'`,
      ['line 1 of receipt G1 is in PALLET, which is no unit of item RM1'],
    ],
    [
      'a batch that was not produced has consumption',
      `insert into consumption (item_id, batch_no, line_no, cost_head) values (${ofItem('FG2')}, 'B2', 1, 'Taxes')`,
      ['row 1 is consumption of batch B2 of FG2, which is MANUAL, not PRODUCED'],
    ],
    [
      'a sales order has a rate though it is in the account’s currency, or none though it is in another',
      `update sales_order set currency = 'USD' where order_no = 'SO1'`,
      ['sales order SO1 is in USD, which is not the account’s currency, and has no exchange_rate'],
    ],
    [
      'a line of a sales order has a unit that its item does not have',
      `update sales_order_line set unit = 'PALLET' where order_no = 'SO1'`,
      ['line 1 of order SO1 is in PALLET, which is no unit of item FG1'],
    ],
    [
      'a line of a return has a unit that its item does not have',
      `update sales_return set unit = 'PALLET' where return_no = 'R1'`,
      ['return R1 of order SO1 is in PALLET, which is no unit of item FG1'],
    ],
    [
      'an invoice has a rate though it is in the account’s currency, or none though it is in another',
      `update invoice set exchange_rate = 1.5 where invoice_no = 'I1'`,
      ['invoice I1 is in INR, the account’s currency, and has the exchange_rate 1.5'],
    ],
    [
      'a line of an invoice has a unit that its item does not have',
      `update invoice_line set unit = 'PALLET' where invoice_no = 'I1'`,
      ['line 1 of invoice I1 is in PALLET, which is no unit of item FG1'],
    ],
    ['two movements have the same number', set(`movement_no = 'M3'`, 'M2'), ['M3']],
    [
      'a movement is consumption for a batch that was not produced',
      set(`for_item_id = ${ofItem('FG2')}, for_batch_no = 'B2'`, 'M2'),
      ['movement M2 is consumption for batch B2 of FG2, which is MANUAL, not PRODUCED'],
    ],
    [
      'a movement produces a batch that was not produced',
      set(`kind = 'production_receipt', po_no = null, grn_no = null`, 'M6'),
      ['movement M6 produces batch B2 of FG2, which is MANUAL, not PRODUCED'],
    ],
    [
      'a movement buys a batch that was produced',
      set(`kind = 'purchase_receipt'`, 'M3'),
      ['movement M3 buys batch B1 of FG1, which is PRODUCED'],
    ],
    [
      'a movement has a unit that its item does not have',
      set(`unit = 'PALLET'`, 'M1'),
      ['movement M1 is in PALLET, which is no unit of item RM1'],
    ],
    [
      'a movement is of a service',
      `update item set type = 'SRV' where sku = 'FG2'`,
      ['movement M6 is of FG2, a service, and services have no stock'],
    ],
    [
      'an issue or a return is of another item than its order line',
      `update sales_order_line set item_id = ${ofItem('FG2')} where order_no = 'SO1'`,
      [
        'movement M4 (issue) is of FG1, and line 1 of order SO1 is for FG2',
        'movement M5 (sales_return) is of FG1, and line 1 of order SO1 is for FG2',
      ],
    ],
    [
      'a movement names a goods receipt that has no line for its item',
      `update purchase_order_line set item_id = ${ofItem('FG1')} where po_no = 'PO1'`,
      ['movement M1 is of RM1, and receipt G1 of order PO1 has no line for it'],
    ],
    [
      'a movement names a goods receipt of another warehouse',
      `update goods_receipt set warehouse_id = ${ofPlace('Depot')} where grn_no = 'G1'`,
      ['movement M1 is in Plant, and receipt G1 of order PO1 came in at Depot'],
    ],
    [
      'the kept figures of closed periods differ from the data',
      `insert into closed_period (period, first_day, last_day, version, closed_by, reason, stock_value, sales, margin, purchases)
       values ('2024-03', '2024-03-01', '2024-03-31', 1, 'asha', 'reported', 11.8, 20, 8.8, 8);
       insert into closed_figure select id, 1, 11.8, 20, 8.8, 8 from closed_period;
       insert into closed_figure select id, 2, 31.8, 20, 7, 18 from closed_period`,
      ['2024-03: margin 7.0000 is kept, it is 8.8000'],
    ],
    [
      'what was known of a row does not fit what is known of it now',
      `update item set name = 'X' where sku = 'FG1'; update past_item set known_until = known_until + 1 where sku = 'FG1'`,
      ['items: FG1, known from 1'],
    ],
    [
      'a figure of a closed period is not what its version knew',
      `insert into closed_period (period, first_day, last_day, version, closed_by, reason, stock_value, sales, margin, purchases)
       values ('2024-02', '2024-02-01', '2024-02-29', 1, 'asha', 'reported', 0, 0, 0, 0),
              ('2024-03', '2024-03-01', '2024-03-31', 1, 'asha', 'reported', 11.8, 19, 8.8, 8);
       insert into closed_figure select id, 1, 0, 0, 0, 0 from closed_period`,
      ['2024-03: sales 19.00 in the closing, 20.00 as known at version 1'],
    ],
    [
      'the accepted quantity of a goods receipt differs from the ledger',
      set('qty = 3.9999', 'M1'),
      ['receipt G1 of order PO1: 4.0000 of RM1 accepted, in the ledger 3.9999'],
    ],
    [
      'the ledger received more of a batch than was made',
      `update batch set wastage = 1.0001 where batch_no = 'B1'`,
      ['batch B1 of FG1: 8.9999 made, in the ledger 9.0000 received'],
    ],
    [
      'the consumption of a batch differs from the ledger',
      'update consumption set qty_rej = 1, qty_ret = 0.5, val_ret = 1 where material_id is not null',
      [
        'batch B1 of FG1: 3.5000 of RM1 used for 5.0000 (with tax 5.7200), in the ledger 3.0000 for 6.0000 (with tax 6.7200)',
      ],
    ],
    [
      'the usable quantity that came back on a day differs from the ledger',
      'delete from sales_return',
      ['line 1 of order SO1: 0.0000 of FG1 came back usable on 2024-03-09, in the ledger 1.0000'],
    ],
    [
      'more was issued for an order line than was ordered, or more invoiced than issued',
      'update sales_order_line set qty = 1',
      [
        'line 1 of order SO1: 1.0000 ordered, in the ledger 2.0000 issued',
        'line 1 of order SO2: 1.0000 ordered, in the ledger 2.0000 issued',
      ],
    ],
    [
      'more was issued for an order line than was ordered, or more invoiced than issued',
      'update invoice_line set qty = 2.0001',
      ['line 1 of order SO1: 2.0001 invoiced, in the ledger 2.0000 issued'],
    ],
    [
      'stock or held stock is below zero, or more is held than there is',
      `${set('qty = 100', 'M4')};
       insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, qty, val, val_tax) values
         (${ofItem('FG2')}, 'M20', '2024-03-10', 'release', ${ofPlace('Depot')}, 1, 0, 0),
         (${ofItem('RM1')}, 'M21', '2024-03-10', 'hold', ${ofPlace('Plant')}, 9, 0, 0)`,
      [
        '9.0000 of RM1 in Plant is held at the end, but only 8.0000 is in stock',
        'held stock of FG2 in Depot is -1.0000 on 2024-03-10',
        'stock of FG1 in Plant is -95.0000 on 2024-03-06',
      ],
    ],
    [
      'total_amt of a purchase order is not the sum of its parts',
      `update purchase_order set total_amt = 11.21, currency = 'USD' where po_no = 'PO1'`,
      ['purchase_order PO1: total_amt is 11.21 USD, its parts add up to 11.20'],
    ],
    [
      'taxable_amt of a purchase order is not the sum of its lines',
      `update purchase_order set taxable_amt = 10.01 where po_no = 'PO1'`,
      ['purchase_order PO1: taxable_amt is 10.01, its lines add up to 10.00'],
    ],
    [
      'tax_amt of a purchase order is not the sum of its lines',
      `update purchase_order_line set tax_amt = 1.22 where po_no = 'PO1'`,
      ['purchase_order PO1: tax_amt is 1.20, its lines add up to 1.22'],
    ],
    [
      'total_amt of a line of a purchase order is not its amount with its tax',
      `update purchase_order_line set tax_amt = 1.21 where po_no = 'PO1'`,
      ['line 1 of purchase_order PO1: total_amt is 11.20, amount and tax add up to 11.21'],
    ],
    [
      'the tax of a line of a purchase order is not the sum of its tax rows',
      `insert into purchase_order_tax (po_no, line_no, name, amount) values ('PO1', 1, 'VAT', 1), ('PO1', 1, 'Cess', 0.5)`,
      ['line 1 of purchase_order PO1: tax_amt is 1.20, its tax rows add up to 1.50'],
    ],
    [
      'total_amt of a line of a goods receipt is not its amount with its tax',
      `update goods_receipt_line set total_amt = 9 where grn_no = 'G1'`,
      ['line 1 of goods_receipt G1: total_amt is 9.00, amount and tax add up to 8.96'],
    ],
    [
      'the tax of a line of a goods receipt is not the sum of its tax rows',
      `insert into goods_receipt_tax (po_no, grn_no, line_no, name, amount) values ('PO1', 'G1', 1, 'VAT', 1)`,
      ['line 1 of goods_receipt G1: tax_amt is 0.96, its tax rows add up to 1.00'],
    ],
    [
      'more was received than ordered',
      `update purchase_order_line set qty = 3.5 where po_no = 'PO1'`,
      ['purchase order PO1 line 1: received 4.0000 of 3.5000 ordered'],
    ],
    [
      'total_amt of a sales order is not the sum of its parts',
      `update sales_order set shipping_amt = 1 where order_no = 'SO1'`,
      ['sales_order SO1: total_amt is 22.40, its parts add up to 23.40'],
    ],
    [
      'taxable_amt of a sales order is not the sum of its lines',
      `update sales_order_line set taxable_amt = 19 where order_no = 'SO1'`,
      ['sales_order SO1: taxable_amt is 20.00, its lines add up to 19.00'],
    ],
    [
      'tax_amt of a sales order is not the sum of its lines',
      `update sales_order set tax_amt = 2 where order_no = 'SO1'`,
      ['sales_order SO1: tax_amt is 2.00, its lines add up to 2.40'],
    ],
    [
      'total_amt of a line of a sales order is not its amount with its tax',
      `update sales_order_line set taxable_amt = 19 where order_no = 'SO1'`,
      ['line 1 of sales_order SO1: total_amt is 22.40, amount and tax add up to 21.40'],
    ],
    [
      'the tax of a line of a sales order is not the sum of its tax rows',
      `insert into sales_order_tax (order_no, line_no, name, amount) values ('SO1', 1, 'VAT', 2)`,
      ['line 1 of sales_order SO1: tax_amt is 2.40, its tax rows add up to 2.00'],
    ],
    [
      'total_amt of an invoice is not the sum of its parts',
      `update invoice set adjustment = 1 where invoice_no = 'I1'`,
      ['invoice I1: total_amt is 22.40, its parts add up to 23.40'],
    ],
    [
      'final_amt of an invoice is not the sum of its parts',
      `update invoice set round_amt = -0.4 where invoice_no = 'I1'`,
      ['invoice I1: final_amt is 22.40, its parts add up to 22.00'],
    ],
    [
      'the amount of a credit note is above zero',
      `update invoice set kind = 'CREDIT NOTE' where invoice_no = 'I1'`,
      ['credit note I1: final_amt is 22.40; amounts of a credit note are negative'],
    ],
    [
      'a credit note names a return that does not exist',
      `update invoice set kind = 'CREDIT NOTE', return_no = 'R9' where invoice_no = 'I1'`,
      ['credit note I1: there is no return R9 of order SO1'],
    ],
    [
      'a credit note and a return of the same order line may be one return, which is subtracted twice',
      `update invoice set kind = 'CREDIT NOTE' where invoice_no = 'I1'; update invoice_line set qty = -1 where invoice_no = 'I1'`,
      [
        'credit note I1 and return R1 of order SO1 both take back 1.0000 of line 1; if the credit note is for the return, give it the return_no R1',
      ],
    ],
    [
      'a credit note names an invoice that does not exist',
      `update invoice set kind = 'CREDIT NOTE', credit_for = 'I9' where invoice_no = 'I1'`,
      ['credit note I1: there is no invoice I9'],
    ],
    [
      'sub_total of an invoice is not the sum of its lines',
      `update invoice set sub_total = 21 where invoice_no = 'I1'`,
      ['invoice I1: sub_total is 21.00, its lines add up to 20.00'],
    ],
    [
      'total_tax of an invoice is not the sum of its taxes',
      `update invoice set total_tax = 2 where invoice_no = 'I1'`,
      ['invoice I1: total_tax is 2.00, its taxes add up to 2.40'],
    ],
    [
      'total_value of a line of an invoice is not its amount with its tax',
      `update invoice_line set igst_amt = 2 where invoice_no = 'I1'`,
      ['line 1 of invoice I1: total_value is 22.40, amount and tax add up to 22.00'],
    ],
  ]

  /** The findings of verify, or of some of its checks, after a statement, which is then rolled back. */
  const findingsAfter = async (statement: string, some: typeof checks | undefined = undefined) => {
    const undo = new Error('undo')
    const findings: Finding[] = []
    await database.db
      .begin(async (tx) => {
        await tx.unsafe(statement)
        if (some === undefined) findings.push(...(await findAll(tx)))
        else for (const check of some) findings.push(...(await find(tx, check)))
        throw undo
      })
      .catch((error) => {
        if (error !== undo) throw error
      })
    return findings
  }

  it.each(sabotage)('finds that %s', async (check, statement, examples) => {
    const named = checks.filter((one) => one.check === check)
    expect(await findingsAfter(statement, long ? undefined : named)).toContainEqual({
      ...{ kind: named[0]?.kind, check, count: examples.length, examples },
    })
  })

  it('finds derived tables that differ from the ledger', async () => {
    const wrong = `insert into stock_closing select id, '2024-04-01', 1, 'hold', 1, 1, 1 from item;
                   insert into stock_flow select id, '2024-04-01', 1, 'hold', 1, 1, 1, 0 from item;
                   insert into batch_closing select id, 'B1', '2024-04-01', 1, 1 from item`
    const derived = ['closings', 'sums between closings', 'closings of batches']
    expect(await findingsAfter(wrong)).toEqual(
      derived.map((what) => ({
        ...{ kind: 'derived', check: `${what} differ from the ledger`, count: expect.any(Number), examples: [] },
      })),
    )
  })

  it('--rebuild converts differing documents again; afterwards verify finds nothing', async () => {
    const own = await booksForThisTest()
    const amounts = () => own.db.unsafe('select taxable_amt::text, given from purchase_order_line order by 1')
    await own.db.unsafe(inDollars('purchase_order', `po_no = 'PO1'`))
    const before = await amounts()
    expect(await verify(own, { rebuild: true })).toEqual([])
    expect(await amounts()).not.toEqual(before)
    const [{ id, tables } = {}] = await own.db`select id, tables from data_version`
    expect(tables).toMatchObject({
      purchase_order: id,
      purchase_order_line: id,
      goods_receipt_line: id,
      stock_closing: id,
    })
  })

  it('every check has a sabotage in this file, and is announced before it runs', async () => {
    const names = [...new Set(sabotage.map(([check]) => check))]
    expect(names).toEqual(checks.map(({ check }) => check))
    const told: string[] = []
    await verify(database, { rebuild: false, onCheck: (check, at, of) => told.push(`${at}/${of} ${check}`) })
    const all = ['closings', ...names]
    expect(told).toEqual(all.map((check, i) => `${i + 1}/${all.length} ${check}`))
  })

  it('a cancelled invoice does not count', async () => {
    expect(await findingsAfter(`update invoice_line set qty = 9; update invoice set status = 'Cancelled'`)).toEqual([])
  })

  it('counts all findings and shows ten', async () => {
    const many = `
      insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, qty, val, val_tax)
      select ${ofItem('SRV1')}, 'X' || n, '2024-03-10', 'other_receipt', ${ofPlace('Plant')}, 1, 0, 0
        from generate_series(1, 25) n`
    const finding = (await findingsAfter(many)).find(({ check }) => check === 'a movement is of a service')
    expect(finding).toMatchObject({ kind: 'contradiction', count: 25 })
    expect(finding?.examples).toHaveLength(10)
  })
})

it('a load counts all contradictions and shows a hundred', async () => {
  const stock_movements = Array.from({ length: 250 }, (_, i) =>
    mv(`X${i}`, 'other_receipt', 'SRV1,Plant,,1,1,1,,,,,,,'),
  )
  const { errors } = await load(database, findFiles(folderOf(files({ stock_movements }))))
  expect([errors.count, errors.first.length]).toEqual([250, 100])
  expect(errors.first.at(-1)?.line).toBe(101)
})
