/** Loading: what goes in comes out of every report, once, whole, and only if all of it is right. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockLoads } from '../../src/db/connect.js'
import { load } from '../../src/import/load.js'
import { problemLine } from '../../src/import/problems.js'
import { findFiles } from '../../src/import/read.js'
import { checkClosings } from '../../src/ledger/closings.js'
import { reports } from '../../src/reports/index.js'
import { oracle } from '../oracle/index.js'
import { emptyCompany, item, type Movement, movement, warehouse } from '../setup/company.js'
import { databaseForThisTest } from '../setup/database.js'
import { type Format, folderOf, rowsByEntity, tempFolder, writeFiles } from '../setup/files.js'
import { randomCompany, randomDay, randomRange } from '../setup/random-company.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const formats: Format[] = ['csv', 'jsonl', 'parquet']

describe('the round trip', () => {
  it('files to database to every report equals the oracle, whatever the format', async () => {
    await fc.assert(
      fc.asyncProperty(randomCompany, randomRange, fc.nat(2), async (company, range, shift) => {
        await service.db.unsafe('truncate warehouse, item, vendor, customer, stock_month, stock_closing cascade')
        const folder = tempFolder()
        const rows = rowsByEntity(company)
        // The ledger names batches and orders that these companies do not have as documents.
        rows['stock_movements'] =
          rows['stock_movements']?.filter((row) => !row['order_no'] && !row['for_sku'] && !row['batch_no']) ?? []
        const loaded = new Set(rows['stock_movements'].map((row) => row['movement_no']))
        const stock_movement = company.stock_movement.filter((m) => loaded.has(m.movement_no))
        writeFiles(folder, rows, (name) => formats[(name.length + shift) % 3] as Format)
        const result = await load(service.database, findFiles(folder))
        expect(result.errors.first.map(problemLine)).toEqual([])
        for (const report of reports)
          for (const body of requestsFor(report, range, { vendor_code: ['V1'] })) {
            const answer = await service.call({ path: report.path, body, query: { 'per-page': 5000 } })
            const { poid: _, ...expected } = {
              poid: 0,
              data: oracle[report.id]?.({ ...company, stock_movement }, body),
            }
            const data = answer.json().data.map((row: { poid?: number }) => ('poid' in row ? { ...row, poid: 0 } : row))
            const wanted = expected.data?.map((row) =>
              'poid' in (row as object) ? { ...(row as object), poid: 0 } : row,
            )
            expect({ report: report.id, body, data }).toEqual({ report: report.id, body, data: wanted })
          }
        expect(await checkClosings(service.db)).toEqual({ months: 0, closings: 0 })
        const again = await load(service.database, findFiles(folder))
        expect(again.dataVersion).toBe(result.dataVersion)
        for (const counts of Object.values(again.entities))
          expect(counts).toMatchObject({ new: 0, changed: 0, removed: 0 })
      }),
      { numRuns: 12, endOnFailure: true },
    )
  })
})

describe('the ledger', () => {
  const base = rowsByEntity({
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
    item: [item(1, 'FG1', 'FG'), item(2, 'FG2', 'FG')],
  })
  const days = fc.oneof(randomDay, fc.constantFrom('2023-01-15', '2024-05-02', '2025-07-31'))
  const randomMovement = fc
    .record({
      no: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom('other_receipt', 'trash', 'transfer_in', 'hold', 'release'),
      item_id: fc.constantFrom(1, 2),
      warehouse_id: fc.constantFrom(1, 2),
      movement_date: days,
      qty: fc.integer({ min: 1, max: 5 }).map(String),
      val: fc.integer({ min: 0, max: 9 }).map(String),
    })
    .map(({ no, kind, ...about }) => movement(no, kind, about))

  it('closings equal the ledger after any sequence of loads: back-dated, changed, moved and removed movements', async () => {
    const unique = (list: Movement[]) => [...new Map(list.map((m) => [m.movement_no, m])).values()]
    const loads = fc.array(
      fc.record({ moved: fc.array(randomMovement, { minLength: 1, maxLength: 8 }), replace: fc.boolean() }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    await fc.assert(
      fc.asyncProperty(loads, async (sequence) => {
        await service.db.unsafe('truncate warehouse, item, vendor, customer, stock_month, stock_closing cascade')
        const books = new Map<string, Movement>()
        for (const { moved, replace } of sequence) {
          const folder = tempFolder()
          const company = {
            ...emptyCompany(),
            warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
            item: [item(1, 'FG1', 'FG'), item(2, 'FG2', 'FG')],
          }
          const { stock_movements = [] } = rowsByEntity({ ...company, stock_movement: unique(moved) })
          writeFiles(folder, { ...base, stock_movements }, () => 'csv')
          const result = await load(service.database, findFiles(folder), {
            replace: replace ? ['stock_movements'] : [],
          })
          expect(result.errors.first.map(problemLine)).toEqual([])
          if (replace) books.clear()
          for (const m of unique(moved)) books.set(m.movement_no, m)
          const [{ n } = { n: -1 }] = await service.db`select count(*)::int as n from stock_movement`
          expect(n).toBe(books.size)
          expect(await checkClosings(service.db)).toEqual({ months: 0, closings: 0 })
        }
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })
})

const KEY = '0123456789abcdef0123456789abcdef'
const good: Record<string, string> = {
  'account.csv': 'name,time_zone\nTest Mills,Asia/Kolkata\n',
  'warehouses.csv': `key,location\n${KEY},Plant\n`,
  'items.csv':
    'sku,name,type,material_kind,unit,mrp\nFG1,Ghee,FG,,JAR,10.50\nRM1,Milk,MAT,RAW,L,\nCMB1,Box,COMBO,,PCS,\n',
  'bom.csv': 'product,component,qty\nFG1,RM1,0.0000000001\n',
  'combos.csv': 'combo,component,qty\nCMB1,FG1,2\n',
  'vendors.csv': 'code,name\nV1,Vendor\n',
  'customers.csv': 'code,name\nC1,Customer\n',
  'purchase_orders.csv':
    'po_no,po_date,delivery_date,vendor_code,warehouse,taxable_amt,tax_amt,total_amt\nPO1,2024-02-29,2024-03-05,V1,Plant,10,1.20,11.20\n',
  'purchase_order_items.csv': 'po_no,line_no,sku,qty,rate,taxable_amt,tax_amt,total_amt\nPO1,1,RM1,5,2,10,1.20,11.20\n',
  'approvals.csv':
    'po_no,step,group_name,status,approver,action_at,approvers\nPO1,1,Finance,Approved,Asha,2024-03-01 10:00:00,Asha|Vikram\n',
  'goods_receipts.csv': 'grn_no,po_no,receipt_date,warehouse\nG1,PO1,2024-03-04,Plant\n',
  'goods_receipt_items.csv':
    'grn_no,po_no,line_no,po_line_no,received_qty,accepted_qty,rejected_qty,rate,taxable_amt,tax_amt,total_amt\nG1,PO1,1,1,5,4,1,2,8,0.96,8.96\n',
  'batches.csv': 'sku,batch_no,source,batch_date,warehouse,qty,wastage\nFG1,B1,PRODUCED,2024-03-05,Plant,10,1\n',
  'consumption.csv':
    'sku,batch_no,line_no,material,cost_head,qty_bom,val_bom\nFG1,B1,1,RM1,,3,6\nFG1,B1,2,,Manpower,0,5\n',
  'sales_orders.csv':
    'order_no,order_type,order_date,customer_code,warehouse,taxable_amt,tax_amt,total_amt\nSO1,Online,2024-03-06,C1,Plant,20,2.4,22.4\n',
  'sales_order_items.csv':
    'order_no,line_no,sku,qty,rate,effective_rate,taxable_amt,tax_amt,total_amt\nSO1,1,FG1,2,10,10,20,2.4,22.4\n',
  'returns.csv':
    'order_no,return_no,order_line_no,return_date,kind,usable_qty,unusable_qty,taxable_amt,tax_amt\nSO1,R1,1,2024-03-09,RTO,1,0,10,1.2\n',
  'invoices.csv':
    'invoice_no,order_no,invoice_at,due_date,sub_total,total_tax,total_amt,final_amt\nI1,SO1,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4\n',
  'invoice_items.csv':
    'invoice_no,order_no,line_no,order_line_no,qty,rate,taxable_value,igst_rate,igst_amt,sgst_rate,sgst_amt,cgst_rate,cgst_amt,total_value\nI1,SO1,1,1,2,10,20,12,2.4,,,,,22.4\n',
  'stock_movements.csv':
    'movement_no,movement_date,kind,sku,warehouse,batch_no,qty,val,val_tax,order_no,order_line_no,for_sku,for_batch_no,po_no,grn_no,transfer_charge\n' +
    'M1,2024-03-04,purchase_receipt,RM1,Plant,,4,8,8.96,,,,,PO1,G1,\n' +
    `M2,2024-03-05,consumption,RM1,${KEY},,3,6,6.72,,,FG1,B1,,,\n` +
    'M3,2024-03-05,production_receipt,FG1,Plant,B1,9,11,12,,,,,,,\n' +
    'M4,2024-03-06,issue,FG1,Plant,B1,2,2.4,2.7,SO1,1,,,,,\n',
}

describe('all or nothing', () => {
  beforeAll(() => service.db.unsafe('truncate warehouse, item, vendor, customer, stock_month, stock_closing cascade'))

  it('the good files load, on a new database', async () => {
    const database = await databaseForThisTest()
    const result = await load(database, findFiles(folderOf(good)))
    expect(result.errors.first.map(problemLine)).toEqual([])
    expect(result).toMatchObject({ committed: true, dataVersion: 1, warnings: { count: 0 } })
    expect(Object.keys(result.entities)).toHaveLength(20)
  })

  /** Takes a text out of a file and puts another in. */
  const change = (file: string, from: string, to: string) => ({ [file]: (good[file] as string).replace(from, to) })
  const jsonl = (name: string, line: string) => ({ [`${name}.csv`]: undefined, [`${name}.jsonl`]: line })
  const MV = 'stock_movements.csv'
  const bad: [string, Record<string, string | Buffer | undefined>, string | RegExp][] = [
    // the file
    [
      'an unknown file',
      { 'item.csv': 'sku\n' },
      /^item\.csv: there is no entity item \(did you mean items\?\); there are account, /,
    ],
    [
      'another format',
      { 'items.csv': undefined, 'items.xlsx': 'x' },
      'items.xlsx: an import reads .csv, .jsonl and .parquet files',
    ],
    ['an entity twice', { 'items.jsonl': '' }, 'items.jsonl: items.csv holds the same entity; give it in one file'],
    ['an empty file', { 'items.csv': '' }, 'items.csv: the file is empty; its first line names the columns'],
    [
      'Latin-1',
      { 'vendors.csv': Buffer.from('code,name\nV1,Caf\xe9\n', 'latin1') },
      /^vendors\.csv: after line 1: the file is not UTF-8/,
    ],
    [
      'a quote that never closes',
      { 'vendors.csv': 'code,name\nV1,"Vendor\n' },
      'vendors.csv:2: a quote is opened and never closed',
    ],
    [
      'a quote in a cell',
      { 'vendors.csv': 'code,name\nV1,Ven"dor\n' },
      'vendors.csv:2: a quote stands inside a cell that does not begin with one',
    ],
    [
      'text after a quote',
      { 'vendors.csv': 'code,name\nV1,"Ven"dor\n' },
      'vendors.csv:2: a closing quote is followed by something else than a comma',
    ],
    [
      'a column twice',
      { 'vendors.csv': 'code,name,code\nV1,Vendor,V1\n' },
      'vendors.csv:1: the column code is there twice',
    ],
    ['a column without a name', { 'vendors.csv': 'code,,name\nV1,,Vendor\n' }, 'vendors.csv:1: column 2 has no name'],
    [
      'an unknown column',
      { 'vendors.csv': 'code,Name \nV1,Vendor\n' },
      'vendors.csv:1: Name: there is no such column (did you mean name?)',
    ],
    [
      'an unknown column that is like none',
      { 'vendors.csv': 'code,name,zzzzzzzz\nV1,Vendor,1\n' },
      'vendors.csv:1: zzzzzzzz: there is no such column',
    ],
    [
      'a missing column',
      { 'vendors.csv': 'code\nV1\n' },
      'vendors.csv:1: name: the column is missing: expected text of at most 10000 characters',
    ],
    [
      'more cells than columns',
      { 'vendors.csv': 'code,name\nV1,Vendor,extra\n' },
      'vendors.csv:2: there are more cells than columns',
    ],
    [
      'fewer cells than columns',
      { 'vendors.csv': 'code,name,credit_days\nV1,Vendor\n' },
      'vendors.csv:2: there are fewer cells than columns',
    ],
    ['JSON that is none', jsonl('vendors', '{"code":"V1"'), /^vendors\.jsonl:1: not JSON: /],
    [
      'a JSON line that is no object',
      jsonl('vendors', '{"code":"V1","name":"x"}\n[1]'),
      'vendors.jsonl:2: each line is a JSON object',
    ],
    [
      'an unknown JSON member',
      jsonl('vendors', '{"code":"V1","name":"x","nmae":1}'),
      'vendors.jsonl:1: nmae: there is no such column (did you mean name?)',
    ],
    [
      'a nested JSON value',
      jsonl('vendors', '{"code":"V1","name":{"a":1}}'),
      'vendors.jsonl:1: name = "{\\"a\\":1}": expected text of at most 10000 characters',
    ],
    [
      'a JSON number of 20 digits',
      jsonl('items', '{"sku":"FG1","name":"x","type":"FG","unit":"x","mrp":12345678901234567890}'),
      /^items\.jsonl:1: mrp = .*; write it as a string to keep it exact$/,
    ],
    [
      'a Parquet file that is none',
      { 'vendors.csv': undefined, 'vendors.parquet': 'PAR0' },
      /^vendors\.parquet: not a Parquet file: /,
    ],
    [
      'a wrong header without a row',
      { 'vendors.csv': 'code;name\n' },
      'vendors.csv:1: code;name: there is no such column',
    ],
    [
      'line ends of CR alone',
      { 'vendors.csv': 'code,name\rV1,Vendor\r' },
      'vendors.csv:1: a line ends with CR alone; save the file with LF or CRLF',
    ],
    [
      'a compressed file',
      { 'vendors.csv': undefined, 'vendors.csv.gz': 'x' },
      'vendors.csv.gz: an import reads .csv, .jsonl and .parquet files',
    ],
    [
      'a JSON line without a required member',
      jsonl('vendors', '{"code":"V1","name":"x"}\n{"code":"V2"}'),
      'vendors.jsonl:2: name: is missing: expected text of at most 10000 characters',
    ],
    [
      'a movement in the year 9026',
      change(MV, '2024-03-04', '9026-03-04'),
      'stock_movements.csv:2: movement_date = "9026-03-04": expected a day that is not more than a year ahead',
    ],
    // cells
    [
      'an empty required cell',
      { 'vendors.csv': 'code,name\nV1,\n' },
      'vendors.csv:2: name: is empty: expected text of at most 10000 characters',
    ],
    [
      'an empty quoted required cell',
      { 'vendors.csv': 'code,name\nV1,""\n' },
      'vendors.csv:2: name: is empty: expected text of at most 10000 characters',
    ],
    [
      'a thousands separator',
      change('items.csv', '10.50', '"1,234.50"'),
      'items.csv:2: mrp = "1,234.50": expected a decimal such as 1234.5 with at most 2 fraction digits, 0 or more',
    ],
    [
      'an exponent',
      change('items.csv', '10.50', '1e3'),
      'items.csv:2: mrp = "1e3": expected a decimal such as 1234.5 with at most 2 fraction digits, 0 or more',
    ],
    [
      'too many fraction digits',
      change('items.csv', '10.50', '10.505'),
      /^items\.csv:2: mrp = "10\.505": expected a decimal/,
    ],
    ['a currency sign', change('items.csv', '10.50', '₹10'), /^items\.csv:2: mrp = "₹10": expected a decimal/],
    ['a plus sign', change('items.csv', '10.50', '+10'), /^items\.csv:2: mrp = "\+10": expected a decimal/],
    ['a leading zero', change('items.csv', '10.50', '010'), /^items\.csv:2: mrp = "010": expected a decimal/],
    ['a negative price', change('items.csv', '10.50', '-1'), /^items\.csv:2: mrp = "-1": expected .* 0 or more$/],
    [
      'a price of 30 digits',
      change('items.csv', '10.50', '9'.repeat(30)),
      /^items\.csv:2: mrp = "9{30}": expected a decimal/,
    ],
    [
      'a quantity of nothing',
      change(MV, 'FG1,Plant,B1,9,', 'FG1,Plant,B1,0.0000,'),
      'stock_movements.csv:4: qty = "0.0000": expected a decimal such as 1234.5 with at most 4 fraction digits, more than 0',
    ],
    [
      'a negative quantity',
      change(MV, 'FG1,Plant,B1,9,', 'FG1,Plant,B1,-9,'),
      /^stock_movements\.csv:4: qty = "-9": expected .* more than 0$/,
    ],
    ['a negative value', change(MV, ',9,11,12', ',9,-11,12'), /^stock_movements\.csv:4: val = "-11": expected/],
    [
      'a tax of 101 %',
      { 'items.csv': 'sku,name,type,unit,tax_rate\nFG1,x,FG,x,101\n' },
      /^items\.csv:2: tax_rate = "101": expected .* at most 100$/,
    ],
    [
      'a ratio of 11 digits',
      change('bom.csv', '0.0000000001', '0.00000000001'),
      /^bom\.csv:2: qty = "0\.00000000001": expected .* at most 10 fraction digits/,
    ],
    [
      'an Indian date',
      change(MV, '2024-03-04', '04-03-2024'),
      'stock_movements.csv:2: movement_date = "04-03-2024": expected a calendar date as YYYY-MM-DD',
    ],
    [
      'a day that is not',
      change(MV, '2024-03-04', '2023-02-29'),
      'stock_movements.csv:2: movement_date = "2023-02-29": expected a calendar date as YYYY-MM-DD',
    ],
    [
      'a date with a time',
      change(MV, '2024-03-04', '2024-03-04T00:00:00'),
      /^stock_movements\.csv:2: movement_date = .*: expected a calendar date/,
    ],
    [
      'a time without seconds',
      change('invoices.csv', '09:30:00', '09:30'),
      /^invoices\.csv:2: invoice_at = .*: expected a time of the account's own clock/,
    ],
    ['hour 24', change('invoices.csv', '09:30:00', '24:00:00'), /^invoices\.csv:2: invoice_at/],
    [
      'an unknown kind',
      change(MV, 'production_receipt', 'produced'),
      /^stock_movements\.csv:4: kind = "produced": expected one of production_receipt, purchase_receipt, /,
    ],
    [
      'an unknown type',
      change('items.csv', ',FG,', ',Finished Good,'),
      'items.csv:2: type = "Finished Good": expected one of FG, SFG, COMBO, MAT, SRV',
    ],
    [
      'yes',
      { 'items.csv': 'sku,name,type,unit,active\nFG1,x,FG,x,yes\n' },
      'items.csv:2: active = "yes": expected true or false',
    ],
    [
      'a line number of 0',
      change('purchase_order_items.csv', 'PO1,1,', 'PO1,0,'),
      'purchase_order_items.csv:2: line_no = "0": expected a whole number, 1 or more',
    ],
    [
      'a line number of 1.0',
      change('purchase_order_items.csv', 'PO1,1,', 'PO1,1.0,'),
      'purchase_order_items.csv:2: line_no = "1.0": expected a whole number, 1 or more',
    ],
    [
      'a code with a space at its end',
      { 'vendors.csv': 'code,name\n"V1 ",Vendor\n' },
      'vendors.csv:2: code = "V1 ": expected a code without spaces at its ends',
    ],
    ['a NUL', { 'vendors.csv': 'code,name\nV1,Ven\0dor\n' }, /^vendors\.csv:2: name = .*: expected text/],
    [
      'a key that is none',
      change('warehouses.csv', KEY, 'WH1'),
      'warehouses.csv:2: key = "WH1": expected 32 lowercase hex digits',
    ],
    // rows against each other
    [
      'an unknown time zone',
      change('account.csv', 'Asia/Kolkata', 'Asia/Poona'),
      'account.csv:2: time_zone = "Asia/Poona": expected the name of a time zone, such as Asia/Kolkata',
    ],
    [
      'two accounts',
      { 'account.csv': 'name,time_zone\nA,UTC\nB,UTC\n' },
      'account.csv:3: there is only one row of this',
    ],
    [
      'the same key twice',
      { 'vendors.csv': 'code,name\nV1,a\nV2,b\nV1,c\n' },
      'vendors.csv:4: code = "V1": there is an earlier row with the same code',
    ],
    [
      'the same movement twice',
      change(MV, 'M4,', 'M3,'),
      'stock_movements.csv:5: movement_no = "M3": there is an earlier row with the same movement_no',
    ],
    [
      'two warehouses of one name',
      { 'warehouses.csv': `key,location\n${KEY},Plant\n${KEY.replace('0', 'f')},Plant\n` },
      /location.*already exists/,
    ],
    [
      'a finished good that is raw',
      change('items.csv', 'FG1,Ghee,FG,,', 'FG1,Ghee,FG,RAW,'),
      'items.csv:2: material_kind = "RAW": expected RAW or PCK for a material, and nothing for another type',
    ],
    [
      'a product made of itself',
      change('bom.csv', 'FG1,RM1', 'FG1,FG1'),
      'bom.csv:2: component = "FG1": expected another item than the product',
    ],
    [
      'a combo that is none',
      change('combos.csv', 'CMB1,FG1', 'FG1,RM1'),
      'combos.csv:2: combo = "FG1": expected an item of type COMBO',
    ],
    [
      'a component that is not there',
      change('bom.csv', 'RM1', 'RM9'),
      'bom.csv:2: component = "RM9": there is no such row in items',
    ],
    [
      'an unknown vendor',
      change('purchase_orders.csv', ',V1,', ',V9,'),
      'purchase_orders.csv:2: vendor_code = "V9": there is no such row in vendors',
    ],
    [
      'an unknown customer',
      change('sales_orders.csv', ',C1,', ',C9,'),
      'sales_orders.csv:2: customer_code = "C9": there is no such row in customers',
    ],
    [
      'a movement in an unknown warehouse',
      change(MV, 'FG1,Plant,B1,9', 'FG1,Moon,B1,9'),
      'stock_movements.csv:4: warehouse = "Moon": there is no such row in warehouses',
    ],
    [
      'a movement of an unknown item',
      change(MV, 'FG1,Plant,B1,9', 'FG9,Plant,,9'),
      'stock_movements.csv:4: sku = "FG9": there is no such row in items',
    ],
    [
      'a movement of an unknown batch',
      change(MV, 'FG1,Plant,B1,9', 'FG1,Plant,B9,9'),
      'stock_movements.csv:4: batch_no = "B9": there is no such row in batches (by batch_no, sku)',
    ],
    [
      'an issue against an unknown order line',
      change(MV, 'SO1,1,', 'SO1,7,'),
      'stock_movements.csv:5: order_no = "SO1": there is no such row in sales_order_items (by order_no, order_line_no)',
    ],
    [
      'an issue without an order',
      change(MV, 'SO1,1,', ',,'),
      'stock_movements.csv:5: order_no: expected the sales order for an issue or a sales_return, and nothing for another kind',
    ],
    [
      'an order on a receipt',
      change(MV, '9,11,12,,,', '9,11,12,SO1,1,'),
      /^stock_movements\.csv:4: order_no = "SO1": expected the sales order for an issue/,
    ],
    [
      'consumption for an unknown batch',
      change(MV, ',FG1,B1,,', ',FG1,B7,,'),
      'stock_movements.csv:3: for_batch_no = "B7": there is no such row in batches (by for_batch_no, for_sku)',
    ],
    [
      'consumption for nothing',
      change(MV, ',FG1,B1,,', ',,,,'),
      /^stock_movements\.csv:3: for_sku: expected the produced item for a consumption/,
    ],
    [
      'a receipt of an unknown GRN',
      change(MV, 'PO1,G1', 'PO1,G9'),
      'stock_movements.csv:2: po_no = "PO1": there is no such row in goods_receipts (by po_no, grn_no)',
    ],
    [
      'a transfer charge on a receipt',
      change(MV, ',PO1,G1,', ',PO1,G1,5'),
      'stock_movements.csv:2: transfer_charge = "5": expected 0, unless the kind is transfer_in or transfer_out',
    ],
    [
      'a line of an unknown order',
      change('purchase_order_items.csv', 'PO1,1', 'PO7,1'),
      'purchase_order_items.csv:2: po_no = "PO7": there is no such row in purchase_orders',
    ],
    [
      'an approval without an approver',
      change('approvals.csv', 'Asha,2024-03-01 10:00:00', ',2024-03-01 10:00:00'),
      'approvals.csv:2: approver: expected who decided, or nothing while the status is Pending',
    ],
    [
      'a receipt of other quantities',
      change('goods_receipt_items.csv', ',5,4,1,', ',5,4,2,'),
      'goods_receipt_items.csv:2: received_qty = "5": expected no less than accepted_qty + rejected_qty',
    ],
    [
      'a receipt of an unknown line',
      change('goods_receipt_items.csv', 'PO1,1,1,', 'PO1,1,3,'),
      'goods_receipt_items.csv:2: po_no = "PO1": there is no such row in purchase_order_items (by po_no, po_line_no)',
    ],
    [
      'a batch that wastes more than it makes',
      change('batches.csv', ',10,1', ',10,11'),
      'batches.csv:2: wastage = "11": expected no more than qty',
    ],
    [
      'a produced batch without a date',
      change('batches.csv', '2024-03-05', ''),
      'batches.csv:2: batch_date: expected a value for a produced batch, and nothing for another',
    ],
    [
      'consumption of an unknown batch',
      change('consumption.csv', 'FG1,B1,1', 'FG1,B5,1'),
      'consumption.csv:2: sku = "FG1": there is no such row in batches (by sku, batch_no)',
    ],
    [
      'consumption of two things',
      change('consumption.csv', 'RM1,,3', 'RM1,Taxes,3'),
      'consumption.csv:2: material = "RM1": expected either a material or a cost_head',
    ],
    [
      'a return of nothing',
      change('returns.csv', ',1,0,', ',0,0,'),
      'returns.csv:2: usable_qty = "0": expected a return of more than nothing',
    ],
    [
      'a return of an unknown line',
      change('returns.csv', 'R1,1,', 'R1,5,'),
      'returns.csv:2: order_no = "SO1": there is no such row in sales_order_items (by order_no, order_line_no)',
    ],
    [
      'IGST together with SGST',
      change('invoice_items.csv', ',12,2.4,,,,,', ',12,2.4,6,1.2,6,1.2,'),
      'invoice_items.csv:2: igst_rate = "12": expected either IGST, or SGST and CGST',
    ],
    [
      'SGST without CGST',
      change('invoice_items.csv', ',12,2.4,,,,,', ',,,6,1.2,,,'),
      'invoice_items.csv:2: sgst_amt = "1.2": expected SGST and CGST together, each with rate and amount',
    ],
  ]

  it.each(bad)('%s', async (_name, changes, expected) => {
    const files = Object.fromEntries(
      Object.entries({ ...good, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    const before = await dump()
    const folder = folderOf(files)
    const lines = await Promise.resolve()
      .then(() => load(service.database, findFiles(folder)))
      .then((result) => result.errors.first.map(problemLine))
      .catch((error) => [String(error.message)])
    if (typeof expected === 'string') expect(lines).toEqual(expect.arrayContaining([expected]))
    else expect(lines).toEqual([expect.stringMatching(expected)])
    expect(await dump()).toEqual(before)
  })

  /** How much there is, and which version it has. */
  const dump = async () => {
    const tables = [
      'warehouse',
      'item',
      'vendor',
      'purchase_order',
      'sales_order',
      'stock_movement',
      'batch',
      'stock_month',
    ]
    const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`)
    return (await service.db.unsafe(`select version, (select name from account), ${counts} from data_version`))[0]
  }

  it('counts every error and shows the first hundred', async () => {
    const rows = Array.from({ length: 250 }, (_, i) => `V${i},${i % 2 ? '' : 'name'}`)
    const result = await load(
      service.database,
      findFiles(folderOf({ 'vendors.csv': `code,name\n${rows.join('\n')}\n` })),
    )
    expect(result.errors.count).toBe(125)
    expect(result.errors.first).toHaveLength(100)
    const unknown = Array.from({ length: 250 }, (_, i) => `FG1,RM${i},1`)
    const missing = await load(
      service.database,
      findFiles(folderOf({ ...good, 'bom.csv': `product,component,qty\n${unknown.join('\n')}\n` })),
    )
    expect(missing.errors.count).toBe(249)
    expect(missing.errors.first).toHaveLength(100)
  })

  it('warns of what real books contain, and loads it', async () => {
    const database = await databaseForThisTest()
    const files = {
      ...good,
      ...change(MV, 'FG1,Plant,B1,2,', 'FG1,Plant,B1,200,'),
      'goods_receipt_items.csv': (good['goods_receipt_items.csv'] as string).replace(',5,4,1,', ',50,49,1,'),
      'purchase_orders.csv': (good['purchase_orders.csv'] as string).replace('11.20', '11.00'),
    }
    const result = await load(database, findFiles(folderOf(files)))
    expect(result.committed).toBe(true)
    expect(result.warnings).toEqual({
      count: 3,
      first: [
        'stock of FG1 in Plant goes to -191.0000 on 2024-03-06',
        'purchase order PO1 line 1: received 49.0000 of 5.0000 ordered',
        'purchase_order PO1: total_amt is 11.00, its parts add up to 11.20',
      ],
    })
  })

  it('a dry run does everything but commit', async () => {
    const database = await databaseForThisTest()
    const result = await load(database, findFiles(folderOf(good)), { dryRun: true })
    expect(result).toMatchObject({ committed: false, dataVersion: 0, entities: { items: { new: 3 } } })
    const [row] = await database.db`select (select count(*)::int from item) as items, version::int from data_version`
    expect(row).toEqual({ items: 0, version: 0 })
  })

  it('a changed row replaces the old one; --replace makes the file the whole truth', async () => {
    const database = await databaseForThisTest()
    await load(database, findFiles(folderOf(good)))
    const fewer = { 'vendors.csv': 'code,name,credit_days\nV1,New name,30\nV2,Other,0\n' }
    const changed = await load(database, findFiles(folderOf(fewer)))
    expect(changed.entities).toEqual({ vendors: { new: 1, changed: 1, same: 0, removed: 0 } })
    const replaced = await load(database, findFiles(folderOf(change('vendors.csv', 'Vendor', 'New name'))), {
      replace: ['vendors'],
    })
    expect(replaced.entities).toEqual({ vendors: { new: 0, changed: 1, same: 0, removed: 1 } })
    expect(replaced.dataVersion).toBe(3)
    const used = await load(database, findFiles(folderOf({ 'vendors.csv': 'code,name\nV2,Other\n' })), {
      replace: ['vendors'],
    })
    expect(used.errors.first.map(problemLine)).toEqual([
      expect.stringMatching(/^vendors\.csv:1: rows that the file does not have are still used by purchase_order/),
    ])
    const batches = {
      'batches.csv': 'sku,batch_no,source\nFG1,B7,MANUAL\n',
      'consumption.csv': 'sku,batch_no,line_no,cost_head\nFG1,B7,1,Taxes\n',
    }
    const ledger = await load(database, findFiles(folderOf(batches)), { replace: ['batches', 'consumption'] })
    expect(ledger.errors.first.map(problemLine)).toContain(
      'batches:1: batch_no = "B1": movement M3 in the ledger names it, so it cannot be removed',
    )
    const orders = { 'sales_orders.csv': (good['sales_orders.csv'] as string).replace('SO1', 'SO7') }
    const parents = await load(database, findFiles(folderOf(orders)), { replace: ['sales_orders'] })
    expect(parents.errors.first.map(problemLine)).toEqual([
      expect.stringMatching(/^sales_orders\.csv:1: rows that the file does not have are still used by /),
    ])
    await expect(load(database, findFiles(folderOf(fewer)), { replace: ['items'] })).rejects.toThrow(
      'there is no file for items',
    )
    await expect(load(database, findFiles(folderOf(fewer)), { replace: ['vendor'] })).rejects.toThrow(
      /no entity vendor \(did you mean vendors\?\)/,
    )
  })

  it('two loads at once: the second waits and then sees the first', async () => {
    const database = await databaseForThisTest()
    let waited = 0
    const locked = async <T>(work: () => Promise<T>) => {
      const release = await lockLoads(database.target, () => waited++)
      return await work().finally(release)
    }
    const [one, two] = await Promise.all([
      locked(() => load(database, findFiles(folderOf(good)))),
      locked(() => load(database, findFiles(folderOf(good)))),
    ])
    expect(waited).toBe(1)
    expect([one, two].map((result) => result.dataVersion)).toEqual([1, 1])
    expect([one, two].map((result) => result.entities['items']?.new).sort()).toEqual([0, 3])
  })
})
