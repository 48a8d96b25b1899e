/** The tables refuse rows that would make a report contradict itself. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertRows } from '../../src/db/insert.js'
import type { Column } from '../../src/import/columns.js'
import { entities } from '../../src/import/entities.js'
import { type Entity, storedName } from '../../src/import/entity.js'
import { emptyCompany, item, loadCompany, movement, warehouse } from '../setup/company.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  await loadCompany(database.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [item(1, 'FG1', 'FG'), item(2, 'RM1', 'MAT')],
    vendor: [
      {
        ...{ code: 'V1', name: 'Vendor', credit_days: 0, address1: '', address2: '', city: '', state: '', country: '' },
        ...{ pincode: '', gstn: '', phone: '', email: '' },
      },
    ],
    purchase_order: [order('PO1')],
    purchase_order_line: [line('PO1', 1)],
  })
  await insertRows(database.db, 'customer', [{ code: 'C1', name: 'Customer' }])
  await insertRows(database.db, 'batch', [{ item_id: 1, batch_no: 'B1', source: 'MANUAL' }])
  await insertRows(database.db, 'sales_order', [sale('SO1')])
  await insertRows(database.db, 'sales_order_line', [saleLine('SO1', 1)])
  await insertRows(database.db, 'invoice', [invoice('SO1', 'INV1')])
})
afterAll(() => database.drop())

const amounts = { taxable_amt: '1', tax_amt: '1', total_amt: '2' }
const order = (po_no: string) => ({
  ...{ po_no, poid: 1, po_date: '2026-01-01', delivery_date: '2026-01-01', reference: null, shipment_reference: null },
  ...{ vendor_code: 'V1', warehouse_id: 1, state: 'OPEN' as const, approval_required: false, approval_limit: '0' },
  ...{ ...amounts, shipping_amt: '0', adjustment_label: '', adjustment_amt: '0' },
})
const line = (po_no: string, line_no: number) => ({
  ...{ po_no, line_no, item_id: 2, description: '', qty: '1', rate: '1', tax_rate: '0', ...amounts },
})
const sale = (order_no: string) => ({
  ...{ order_no, order_type: 'Online', order_date: '2026-01-01', customer_code: 'C1', warehouse_id: 1, ...amounts },
})
const saleLine = (order_no: string, line_no: number) => ({
  ...{ order_no, line_no, item_id: 1, qty: '1', rate: '1', effective_rate: '1', ...amounts },
})
const invoice = (order_no: string, invoice_no: string) => ({
  ...{ order_no, invoice_no, invoice_at: '2026-01-01 10:00:00', due_date: '2026-01-01' },
  ...{ sub_total: '1', total_tax: '0', total_amt: '1', final_amt: '1' },
})
const invoiceLine = {
  order_no: 'SO1',
  invoice_no: 'INV1',
  line_no: 1,
  order_line_no: 1,
  qty: 1,
  rate: 1,
  taxable_value: 1,
  total_value: 1,
}
const moved = (kind: string, about: object = {}) =>
  movement(1, kind, { item_id: 1, warehouse_id: 1, movement_date: '2026-01-01', qty: '1', ...about })
const grn = { po_no: 'PO1', grn_no: 'G1', receipt_date: '2026-01-01', warehouse_id: 1 }
const approval = {
  po_no: 'PO1',
  step: 1,
  group_name: 'Finance',
  status: 'Pending',
  approver: null,
  action_at: null,
  approvers: [],
}
const consumed = { item_id: 1, batch_no: 'B1', line_no: 1, ...zeros(), material_id: 2, cost_head: null }
function zeros() {
  const names = ['qty_bom', 'qty_short', 'qty_rej', 'qty_ret', 'val_bom', 'val_short', 'val_rej', 'val_ret', 'tax_val']
  return Object.fromEntries(names.map((name) => [name, 0]))
}

const good: [string, object][] = [
  ['stock_movement', moved('other_receipt')],
  ['stock_movement', moved('issue')],
  ['stock_movement', moved('consumption')],
  ['stock_movement', moved('transfer_in', { transfer_charge: '1' })],
  ['goods_receipt', grn],
  ['sales_order', { ...sale('SO2'), order_type: 'Export' }],
  ['purchase_order_approval', approval],
  ['purchase_order_approval', { ...approval, status: 'Approved', approver: 'A', action_at: '2026-01-01 10:00:00' }],
  ['purchase_order_approval', { ...approval, status: 'Approved' }],
  ['warehouse', { ...warehouse(2, 'W2'), code: 'Stores - B' }],
  ['sales_order', { ...sale('SO2'), shipping_city: 'Pune' }],
  ['stock_movement', moved('consumption', { for_item_id: null, for_batch_no: null })],
  ['stock_movement', moved('consumption', { for_batch_no: null })],
  ['stock_movement', moved('internal_issue')],
  ['stock_movement', moved('vendor_return', { po_no: 'PO1', grn_no: 'G1' })],
  ['stock_movement', moved('value_increase', { qty: '0', val: '5', val_tax: '6' })],
  ['invoice_line', invoiceLine],
  ['invoice_line', { ...invoiceLine, igst_rate: 18, igst_amt: 1 }],
  ['invoice_line', { ...invoiceLine, sgst_rate: 9, sgst_amt: 1, cgst_rate: 9, cgst_amt: 1 }],
  ['invoice_line', { ...invoiceLine, sgst_rate: 9, sgst_amt: 1 }],
  ['invoice_line', { ...invoiceLine, order_no: null, order_line_no: null, item_id: 1, qty: -1, taxable_value: -1 }],
  ['stock_movement', moved('issue', { order_no: null, order_line_no: null, invoice_no: 'INV1', invoice_line_no: 1 })],
  ['purchase_order_line', { ...line('PO1', 2), item_id: null, qty: '-1', taxable_amt: '-1' }],
  ['sales_order', { ...sale('SO2'), customer_code: null }],
  ['consumption', consumed],
  ['consumption', { ...consumed, material_id: null, cost_head: 'Manpower' }],
]
const bad: [string, string, object][] = [
  ['an unknown time zone', 'account', { only_one: false, name: 'x', time_zone: 'Mars/Olympus' }],
  ['a second account', 'account', { name: 'x', time_zone: 'UTC', only_one: false }],
  ['a key with a space at its end', 'warehouse', { ...warehouse(2, 'W2'), code: 'ABC ' }],
  ['two warehouses of one name', 'warehouse', { ...warehouse(2, 'Plant'), code: 'f'.repeat(32) }],
  ['two items of one code', 'item', item(3, 'FG1', 'FG')],
  ['a code with a space at its end', 'item', item(3, 'FG2 ', 'FG')],
  ['an item without a code', 'item', item(3, '', 'FG')],
  ['an unknown type', 'item', { ...item(3, 'X', 'FG'), type: 'XX' }],
  ['a finished good that is a raw material', 'item', item(3, 'X', 'FG', { material_kind: 'RAW' })],
  ['a material that is neither raw nor packing', 'item', item(3, 'X', 'MAT', { material_kind: null })],
  ['an item made of itself', 'bom_line', { product_id: 1, component_id: 1, qty: 1 }],
  ['a component of quantity 0', 'bom_line', { product_id: 1, component_id: 2, qty: 0 }],
  ['a component that does not exist', 'bom_line', { product_id: 1, component_id: 9, qty: 1 }],
  ['a combo of itself', 'combo_line', { combo_id: 1, component_id: 1, qty: 1 }],
  ['an order to an unknown vendor', 'purchase_order', { ...order('PO2'), vendor_code: 'V9' }],
  ['an order with an unknown state', 'purchase_order', { ...order('PO2'), state: 'LOST' }],
  ['a line of an unknown order', 'purchase_order_line', line('PO9', 1)],
  ['a tax above 100 %', 'purchase_order_line', { ...line('PO1', 2), tax_rate: '101' }],
  ['a pending approval with an approver', 'purchase_order_approval', { ...approval, approver: 'A' }],
  ['a receipt for an unknown order', 'goods_receipt', { ...grn, po_no: 'PO9' }],
  [
    'a batch that expires before it is made',
    'batch',
    { item_id: 1, batch_no: 'B2', source: 'MANUAL', mfg_date: '2026-01-02', expiry_date: '2026-01-01' },
  ],
  ['a produced batch without figures', 'batch', { item_id: 1, batch_no: 'B2', source: 'PRODUCED' }],
  ['a bought batch with production figures', 'batch', { item_id: 1, batch_no: 'B2', source: 'PROCURED', qty: 1 }],
  ['consumption without a material and a cost head', 'consumption', { ...consumed, material_id: null }],
  ['consumption of two things', 'consumption', { ...consumed, cost_head: 'Taxes' }],
  ['consumption of an unknown batch', 'consumption', { ...consumed, batch_no: 'B9' }],
  ['more returned than taken', 'consumption', { ...consumed, qty_ret: 1 }],
  ['a movement of quantity 0', 'stock_movement', moved('other_receipt', { qty: '0' })],
  ['a movement of NaN', 'stock_movement', moved('other_receipt', { qty: 'NaN' })],
  ['a value of NaN', 'stock_movement', moved('other_receipt', { val_tax: 'NaN' })],
  ['a movement on the day infinity', 'stock_movement', moved('other_receipt', { movement_date: 'infinity' })],
  ['a movement in the year 20260', 'stock_movement', moved('other_receipt', { movement_date: '20260-01-01' })],
  ['a value with tax below the one without', 'stock_movement', moved('other_receipt', { val: '2', val_tax: '1' })],
  ['a code that ends in a tab', 'item', item(3, 'FG2\t', 'FG')],
  [
    'a receipt that accepts more than was received',
    'goods_receipt_line',
    {
      po_no: 'PO1',
      grn_no: 'G0',
      line_no: 1,
      po_line_no: 1,
      received_qty: 1,
      accepted_qty: 2,
      rejected_qty: 0,
      rate: 1,
      taxable_amt: 1,
      tax_amt: 0,
      total_amt: 1,
    },
  ],
  ['a movement of a negative quantity', 'stock_movement', moved('other_receipt', { qty: '-1' })],
  ['a negative value', 'stock_movement', moved('other_receipt', { val: '-1' })],
  ['an unknown kind', 'stock_movement', moved('teleport')],
  ['a movement in an unknown warehouse', 'stock_movement', moved('other_receipt', { warehouse_id: 9 })],
  ['a movement of an unknown item', 'stock_movement', moved('other_receipt', { item_id: 9 })],
  ['an issue without an order', 'stock_movement', moved('issue', { order_no: null, order_line_no: null })],
  ['a receipt with an order', 'stock_movement', moved('other_receipt', { order_no: 'SO1', order_line_no: 1 })],
  ['a consumption for a batch without an item', 'stock_movement', moved('consumption', { for_item_id: null })],
  ['a receipt of quantity 0', 'stock_movement', moved('other_receipt', { qty: '0' })],
  ['a value_increase with a quantity', 'stock_movement', moved('value_increase', { qty: '1' })],
  ['a value_decrease below zero', 'stock_movement', moved('value_decrease', { qty: '0', val: '-1', val_tax: '0' })],
  ['an internal issue for an order', 'stock_movement', moved('internal_issue', { order_no: 'SO1', order_line_no: 1 })],
  ['a trashed receipt', 'stock_movement', moved('trash', { po_no: 'PO1', grn_no: 'G1' })],
  ['a transfer charge on a receipt', 'stock_movement', moved('other_receipt', { transfer_charge: '1' })],
  ['a sale line of an unknown order', 'sales_order_line', saleLine('SO9', 1)],
  [
    'a return of quantity 0',
    'sales_return',
    {
      order_no: 'SO1',
      return_no: 'R1',
      order_line_no: 1,
      return_date: '2026-01-01',
      kind: 'RTO',
      usable_qty: 0,
      unusable_qty: 0,
      taxable_amt: 0,
      tax_amt: 0,
    },
  ],
  [
    'a return of an unknown line',
    'sales_return',
    {
      order_no: 'SO1',
      return_no: 'R1',
      order_line_no: 9,
      return_date: '2026-01-01',
      kind: 'RTO',
      usable_qty: 1,
      unusable_qty: 0,
      taxable_amt: 0,
      tax_amt: 0,
    },
  ],
  ['an invoice line of an unknown order line', 'invoice_line', { ...invoiceLine, order_line_no: 9 }],
  ['an invoice line with an order but no order line', 'invoice_line', { ...invoiceLine, order_line_no: null }],
  [
    'an issue for an order and an invoice',
    'stock_movement',
    moved('issue', { invoice_no: 'INV1', invoice_line_no: 1 }),
  ],
  [
    'an issue without an order or an invoice',
    'stock_movement',
    moved('issue', { order_no: null, order_line_no: null }),
  ],
  ['a rate without an amount', 'invoice_line', { ...invoiceLine, igst_rate: 18 }],
]

const undo = new Error('undo')
/** Inserts a row and rolls back. */
const attempt = (table: string, row: object) =>
  database.db
    .begin(async (tx) => {
      await insertRows(tx, table, [row])
      throw undo
    })
    .catch((error) => (error === undo ? 'stored' : String(error.code)))

it.each(good)('%s accepts a valid row', async (table, row) => {
  expect(await attempt(table, row)).toBe('stored')
})
it.each(bad)('%s is refused', async (_name, table, row) => {
  // 23xxx: a violated constraint; 22xxx: a value outside its type
  expect(await attempt(table, row)).toMatch(/^2[23]/)
})

it('the loader checks every foreign key itself, because the embedded engine loads with triggers disabled', async () => {
  const keys = await database.db<{ table: string; target: string; pairs: string[] }[]>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as target,
           array_to_json(array(select a.attname || '>' || b.attname from unnest(c.conkey, c.confkey) k(a, b)
             join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.a
             join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.b)) as pairs
      from pg_constraint c where c.contype = 'f'`
  let looked = 0
  for (const entity of entities as readonly Entity[]) {
    const stored = (name: string) => storedName(name, entity.columns[name] as Column)
    const lookups = Object.entries(entity.columns).flatMap(([name, column]) =>
      column.lookup ? [`${column.lookup.table}: ${stored(name)}>id`] : [],
    )
    const references = (entity.references ?? [])
      .filter(({ noForeignKey }) => !noForeignKey)
      .map((to) => `${to.table}: ${to.columns.map((name, i) => `${stored(name)}>${to.to[i]}`).sort()}`)
    const found = keys
      .filter(({ table }) => table === entity.table)
      // of_line of a tax is line_no, or 0 for the whole document.
      .map(({ target, pairs }) => `${target}: ${pairs.map((pair) => pair.replace('of_line>', 'line_no>')).sort()}`)
    expect([...lookups, ...references], entity.name).toEqual(expect.arrayContaining(found))
    expect(found, entity.name).toEqual(expect.arrayContaining(references))
    looked += found.length
  }
  expect(looked).toBeGreaterThan(20)
})

it.each(['_', '~', '0', '!', '/', '-a b-', 'é', '🥜', '\u00a0x'])('%j is a code', async (code) => {
  const [row] = await database.db`select ${code}::text::code as code`
  expect(row?.code).toBe(code)
})

it.each(['', ' ', ' a', 'a ', '\ta', 'a\t', 'a\n', '\ra', 'a\f'])('%j is not a code', async (code) => {
  await expect(database.db`select ${code}::text::code`).rejects.toMatchObject({ constraint: 'code_check' })
})

it('primary keys of tables that grow begin with the distribution column, and no foreign key prevents distribution', async () => {
  const keys = await database.db<{ table: string; first: string }[]>`
    select conrelid::regclass::text as table, attname::text as first from pg_constraint
      join pg_attribute on attrelid = conrelid and attnum = conkey[1] where contype = 'p'`
  expect(Object.fromEntries(keys.map(({ table, first }) => [table, first]))).toMatchObject({
    ...{ stock_movement: 'item_id', batch: 'item_id', consumption: 'item_id' },
    ...{ purchase_order: 'po_no', purchase_order_line: 'po_no', goods_receipt: 'po_no', goods_receipt_line: 'po_no' },
    ...{ sales_order: 'order_no', sales_order_line: 'order_no', sales_return: 'order_no' },
    ...{ invoice: 'invoice_no', invoice_line: 'invoice_no' },
  })
  const references = await database.db<{ from: string; to: string }[]>`
    select distinct conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and 'stock_movement'::regclass in (conrelid, confrelid) order by 1, 2`
  expect([...references]).toEqual([
    { from: 'stock_movement', to: 'item' },
    { from: 'stock_movement', to: 'warehouse' },
  ])
})
