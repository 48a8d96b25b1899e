/** Every wrong input gets a message with file, line, column and value, and nothing is loaded. */

import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { entities } from '../../src/import/entities.js'
import { type LoadOptions, load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { folderOf, parquetRow } from '../setup/files.js'
import { change, good, KEY, MV } from '../setup/good-files.js'
import { lineOf } from '../setup/problem-lines.js'
import { type Service, startService } from '../setup/service.js'
import { long, someOf } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const jsonl = (name: string, line: string) => ({ [`${name}.csv`]: undefined, [`${name}.jsonl`]: line })
type Bad = [name: string, changes: Record<string, string | Buffer | undefined>, expected: string | RegExp]
const bad: Bad[] = [
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
  ['an entity twice', { 'items.jsonl': '' }, 'items.jsonl: items.csv holds the same entity; keep one of the two files'],
  ['an empty file', { 'items.csv': '' }, 'items.csv: the file is empty; its first line names the columns'],
  [
    'Latin-1',
    { 'vendors.csv': Buffer.from('code,name\nV1,Caf\xe9\n', 'latin1') },
    /^vendors\.csv: after line 1: the file is not UTF-8/,
  ],
  [
    'UTF-16',
    { 'vendors.csv': Buffer.from('\uFEFFcode,name\r\nV1,Vendor\r\n', 'utf16le') },
    'vendors.csv: the file is UTF-16; save it as "CSV UTF-8"',
  ],
  [
    'a quote that never closes',
    { 'vendors.csv': 'code,name\nV1,"Vendor\n' },
    'vendors.csv:2: a quote is opened and never closed',
  ],
  [
    'a quote in a cell',
    { 'vendors.csv': 'code,name\nV1,Ven"dor\n' },
    'vendors.csv:2: a cell contains a quote but does not begin with one; quote the whole cell and double the quotes in it',
  ],
  [
    'text after a quote',
    { 'vendors.csv': 'code,name\nV1,"Ven"dor\n' },
    'vendors.csv:2: a closing quote is not followed by a comma or the end of the line',
  ],
  [
    'a column twice',
    { 'vendors.csv': 'code,name,code\nV1,Vendor,V1\n' },
    'vendors.csv:1: the column code appears twice',
  ],
  ['a column without a name', { 'vendors.csv': 'code,,name\nV1,,Vendor\n' }, 'vendors.csv:1: column 2 has no name'],
  [
    'an unknown column',
    { 'vendors.csv': 'code,Name \nV1,Vendor\n' },
    'vendors.csv:1: Name: there is no such column (did you mean name?)',
  ],
  [
    'an unknown column that resembles no other',
    { 'vendors.csv': 'code,name,zzzzzzzz\nV1,Vendor,1\n' },
    'vendors.csv:1: zzzzzzzz: there is no such column',
  ],
  [
    'a missing column',
    { 'vendors.csv': 'code\nV1\n' },
    'vendors.csv:1: name: the column is missing: expected text of at most 500 characters',
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
  ['invalid JSON', jsonl('vendors', '{"code":"V1"'), /^vendors\.jsonl:1: not JSON: /],
  [
    'a JSON line that is not an object',
    jsonl('vendors', '{"code":"V1","name":"x"}\n[1]'),
    'vendors.jsonl:2: the line is not a JSON object',
  ],
  [
    'an unknown JSON member',
    jsonl('vendors', '{"code":"V1","name":"x","nmae":1}'),
    'vendors.jsonl:1: nmae: there is no such column (did you mean name?)',
  ],
  [
    'a nested JSON value',
    jsonl('vendors', '{"code":"V1","name":{"a":1}}'),
    'vendors.jsonl:1: name = "{\\"a\\":1}": expected text of at most 500 characters',
  ],
  [
    'a JSON number of 20 digits',
    jsonl('items', '{"sku":"FG1","name":"x","type":"FG","unit":"x","mrp":12345678901234567890}'),
    /^items\.jsonl:1: mrp = .*; round it, or write it as a string to keep it exact$/,
  ],
  [
    'a JSON list for a single text',
    jsonl('items', '{"sku":"FG1","name":"x","type":"FG","unit":["a","b"]}'),
    /^items\.jsonl:1: unit = .*: expected text/,
  ],
  [
    'a text file named .parquet',
    { 'vendors.csv': undefined, 'vendors.parquet': 'PAR0' },
    /^vendors\.parquet: not a Parquet file: /,
  ],
  [
    'an unsupported Parquet type',
    {
      'vendors.csv': undefined,
      'vendors.parquet': parquetRow({
        code: [{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12, converted_type: 'INTERVAL' }, new Uint8Array(12)],
      }),
    },
    'vendors.parquet: the column code has the type INTERVAL, which an import does not read; write it as text',
  ],
  [
    'a Parquet date with a time of day',
    {
      'goods_receipts.csv': undefined,
      'goods_receipts.parquet': parquetRow({
        receipt_date: [{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, new Date('2024-03-04T10:00:00Z')],
      }),
    },
    'goods_receipts.parquet:1: receipt_date = "2024-03-04 10:00:00": expected a calendar date as YYYY-MM-DD',
  ],
  [
    'a wrong header without a row',
    { 'vendors.csv': 'kode\n' },
    'vendors.csv:1: kode: there is no such column (did you mean code?)',
  ],
  [
    'semicolons',
    { 'vendors.csv': 'code;name\nV1;Vendor\n' },
    'vendors.csv:1: the columns are separated by semicolons; save the file with commas',
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
    'vendors.jsonl:2: name: is missing: expected text of at most 500 characters',
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
    'vendors.csv:2: name: is empty: expected text of at most 500 characters',
  ],
  [
    'an empty quoted required cell',
    { 'vendors.csv': 'code,name\nV1,""\n' },
    'vendors.csv:2: name: is empty: expected text of at most 500 characters',
  ],
  [
    'a thousands separator',
    change('items.csv', '10.50', '"1,234.50"'),
    'items.csv:2: mrp = "1,234.50": expected a decimal such as 1234.5 with at most 6 fraction digits, 0 or more',
  ],
  [
    'an exponent',
    change('items.csv', '10.50', '1e3'),
    'items.csv:2: mrp = "1e3": expected a decimal such as 1234.5 with at most 6 fraction digits, 0 or more',
  ],
  [
    'too many fraction digits',
    change('items.csv', '10.50', '10.5050001'),
    /^items\.csv:2: mrp = "10\.5050001": expected a decimal/,
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
    'a quantity of 0',
    change(MV, 'FG1,Plant,B1,9,', 'FG1,Plant,B1,0.0000,'),
    'stock_movements.csv:4: qty = "0": expected more than 0, and 0 for value_increase and value_decrease',
  ],
  [
    'a negative quantity',
    change(MV, 'FG1,Plant,B1,9,', 'FG1,Plant,B1,-9,'),
    /^stock_movements\.csv:4: qty = "-9": expected .* 0 or more$/,
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
    'a day that does not exist',
    change(MV, '2024-03-04', '2023-02-29'),
    'stock_movements.csv:2: movement_date = "2023-02-29": expected a calendar date as YYYY-MM-DD',
  ],
  [
    'a date with a time',
    change(MV, '2024-03-04', '2024-03-04T10:00:00'),
    /^stock_movements\.csv:2: movement_date = .*: expected a calendar date/,
  ],
  [
    'a time without seconds',
    change('invoices.csv', '09:30:00', '09:30'),
    /^invoices\.csv:2: invoice_at = .*: expected a time in the account's time zone/,
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
    'a line number of 1.5',
    change('purchase_order_items.csv', 'PO1,1,', 'PO1,1.5,'),
    'purchase_order_items.csv:2: line_no = "1.5": expected a whole number, 1 or more',
  ],
  [
    'a code with a space at its end',
    { 'vendors.csv': 'code,name\n"V1 ",Vendor\n' },
    'vendors.csv:2: code = "V1 ": expected a code without spaces at its ends',
  ],
  ['a NUL', { 'vendors.csv': 'code,name\nV1,Ven\0dor\n' }, /^vendors\.csv:2: name = .*: expected text/],
  [
    'a location of 201 characters',
    change('warehouses.csv', 'Plant', 'x'.repeat(201)),
    /^warehouses\.csv:2: location = "x{100}…": expected text of at most 200 characters$/,
  ],
  ...['items', 'vendors', 'customers'].map(
    (name): Bad => [
      `a name of 501 characters in ${name}`,
      { [`${name}.csv`]: good[`${name}.csv`]?.replace(/Ghee|Vendor|Customer/, 'x'.repeat(501)) },
      new RegExp(`^${name}\\.csv:2: name = "x{100}…": expected text of at most 500 characters$`),
    ],
  ),
  [
    'a day that is a time of day',
    change(MV, '2024-03-04', '2024-03-04 10:00:00'),
    'stock_movements.csv:2: movement_date = "2024-03-04 10:00:00": expected a calendar date as YYYY-MM-DD',
  ],
  [
    'a key with a space at its end',
    change('warehouses.csv', KEY, 'WH1 '),
    'warehouses.csv:2: key = "WH1 ": expected a code without spaces at its ends',
  ],
  [
    'a GTIN of 9 digits',
    { 'items.csv': 'sku,name,type,unit,gtin\nFG1,x,FG,x,123456789\n' },
    'items.csv:2: gtin = "123456789": expected 8, 12, 13 or 14 digits',
  ],
  [
    'a GLN of 12 digits',
    { 'vendors.csv': 'code,name,gln\nV1,Vendor,890123400001\n' },
    'vendors.csv:2: gln = "890123400001": expected 13 digits',
  ],
  [
    'the number of a transfer on an issue',
    {
      [MV]: 'movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax,transfer_no\nM1,2024-03-04,trash,RM1,Plant,1,1,1,T1\n',
    },
    'stock_movements.csv:2: transfer_no = "T1": expected nothing, unless the kind is transfer_in or transfer_out',
  ],
  ...(
    [
      ['a lead time', 'lead_days', '-1', 'a whole number, 0 or more'],
      ['a least quantity', 'min_qty', '-0.5', 'a decimal such as 1234.5 with at most 4 fraction digits, 0 or more'],
      ['a multiple', 'multiple', '0', 'a decimal such as 1234.5 with at most 4 fraction digits, more than 0'],
      ['a price of a vendor', 'price', '-1', 'a decimal such as 1234.5 with at most 6 fraction digits, 0 or more'],
    ] as const
  ).map(
    ([what, column, cell, expected]): Bad => [
      `${what} of ${cell}`,
      { 'item_vendors.csv': `sku,vendor_code,${column}\nRM1,V1,${cell}\n` },
      `item_vendors.csv:2: ${column} = "${cell}": expected ${expected}`,
    ],
  ),
  [
    'a vendor of an item that is not there',
    { 'item_vendors.csv': 'sku,vendor_code\nRM1,V9\n' },
    /^item_vendors\.csv:2: vendor_code = "V9": .*vendors/,
  ],
  // rows that contradict each other
  [
    'a vendor of an item twice',
    { 'item_vendors.csv': 'sku,vendor_code,price\nRM1,V1,1\nRM1,V1,2\n' },
    'item_vendors.csv:3: sku = "RM1": there is an earlier row with the same sku, vendor_code',
  ],
  [
    'an unknown time zone',
    change('account.csv', 'Asia/Kolkata', 'Asia/Poona'),
    'account.csv:2: time_zone = "Asia/Poona": expected the name of a time zone, such as Asia/Kolkata',
  ],
  ['two accounts', { 'account.csv': 'name,time_zone\nA,UTC\nB,UTC\n' }, 'account.csv:3: there may be only one row'],
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
    'warehouses.csv:3: location = "Plant": expected a name that no other warehouse has',
  ],
  [
    'a finished good that is raw',
    change('items.csv', 'FG1,Ghee,FG,,', 'FG1,Ghee,FG,RAW,'),
    'items.csv:2: material_kind = "RAW": expected RAW, PCK, CON or TOOL for a material, and nothing for another type',
  ],
  [
    'a product made of itself',
    change('bom.csv', 'FG1,RM1', 'FG1,FG1'),
    'bom.csv:2: component = "FG1": expected another item than the product',
  ],
  [
    'contents of an item that is no combo',
    change('combos.csv', 'CMB1,FG1', 'FG1,RM1'),
    'combos.csv:2: combo = "FG1": FG1 has RM1 inside, and is of type FG, not COMBO',
  ],
  [
    'an unknown component',
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
    'stock_movements.csv:5: order_no: expected the sales order for an issue or a sales_return, or else its invoice in invoice_no; nothing for another kind',
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
    'consumption for a batch without an item',
    change(MV, ',FG1,B1,,', ',,B1,,'),
    /^stock_movements\.csv:3: for_batch_no = "B1": expected nothing without for_sku/,
  ],
  [
    'a receipt of an unknown GRN',
    change(MV, 'PO1,G1', 'PO1,G9'),
    'stock_movements.csv:2: grn_no = "G9": there is no such row in goods_receipts (by grn_no, po_no)',
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
    'a pending approval with an approver',
    change('approvals.csv', 'Approved,Asha,2024-03-01 10:00:00', 'Pending,Asha,'),
    'approvals.csv:2: approver = "Asha": expected nothing while the status is Pending',
  ],
  [
    'a receipt whose quantities do not add up',
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
    'a return of quantity 0',
    change('returns.csv', ',1,0,', ',0,0,'),
    'returns.csv:2: usable_qty = "0": expected a quantity above 0, or one in unusable_qty',
  ],
  [
    'a return of an unknown line',
    change('returns.csv', 'R1,1,', 'R1,5,'),
    'returns.csv:2: order_no = "SO1": there is no such row in sales_order_items (by order_no, order_line_no)',
  ],
  [
    'a rate of SGST without its amount',
    change('invoice_items.csv', ',12,2.4,,,,,', ',12,2.4,6,,,,'),
    'invoice_items.csv:2: sgst_amt: expected an amount if there is a rate, and nothing otherwise',
  ],
]

/** Most cases do not reach the database, so every fifth is enough on the slower engine. */
const here = someOf(bad, 5)
/** The errors that named the key of their row. */
let keyed = 0

/** The errors of a load of these files, as lines. */
async function errorsOf(files: Record<string, string | Buffer>, options: LoadOptions = {}): Promise<string[]> {
  try {
    const { errors } = await load(service.database, findFiles(folderOf(files)), options)
    // The key has the columns of the entity's key; errors of headers, the account and removed rows have none.
    for (const { file, key } of errors.first)
      if (key !== undefined)
        expect(Object.keys(key)).toEqual(entities.find(({ name }) => name === file.split('.')[0])?.key)
    keyed += errors.first.filter(({ key }) => key !== undefined).length
    return errors.first.map(lineOf)
  } catch (error) {
    return [(error as Error).message]
  }
}

it.each(here)('%s', async (_name, changes, expected) => {
  const filesOf = (all: Record<string, string | Buffer | undefined>) =>
    Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
  const isExpected = (lines: string[]) =>
    typeof expected === 'string' ? lines.includes(expected) : lines.length === 1 && expected.test(lines[0] as string)
  const before = await dump()
  // Most errors are found in the changed files alone; staging the others would take most of the time.
  let lines = long ? [] : await errorsOf(filesOf(changes), { dryRun: true })
  if (!isExpected(lines)) lines = await errorsOf(filesOf({ ...good, ...changes }))
  if (typeof expected === 'string') expect(lines).toEqual(expect.arrayContaining([expected]))
  else expect(lines).toEqual([expect.stringMatching(expected)])
  expect(await dump()).toEqual(before)
})

it('almost all of these errors named the key of their row', () => {
  expect(keyed).toBeGreaterThan(0.6 * here.length)
})

/** The number of rows, and the version of the data. */
const dump = async () => {
  const tables = [
    'warehouse',
    'item',
    'vendor',
    'purchase_order',
    'sales_order',
    'stock_movement',
    'batch',
    'stock_closing',
  ]
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`)
  return (await service.db.unsafe(`select version, (select name from account), ${counts} from data_version`))[0]
}

it('counts every error and shows the first hundred', async () => {
  const rows = Array.from({ length: 250 }, (_, i) => `V${i},${i % 2 ? '' : 'name'}`)
  const result = await load(service.database, findFiles(folderOf({ 'vendors.csv': `code,name\n${rows.join('\n')}\n` })))
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

it('says that a path is not a folder, or does not exist', () => {
  const file = join(folderOf({ 'items.csv': 'sku\n' }), 'items.csv')
  expect(() => findFiles(file)).toThrow(`${file} is a file: name the folder that it is in`)
  expect(() => findFiles('no-such-folder')).toThrow('there is no folder no-such-folder')
})
