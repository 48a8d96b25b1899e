/** Companies for tests: rows as in the tables, short to write and loaded in one step. */
import { createHash } from 'node:crypto'
import { isDistributed } from '../../src/db/cluster/copies.js'
import { cluster } from '../../src/db/cluster/engine.js'
import type { Db } from '../../src/db/connect.js'
import { insertRows } from '../../src/db/insert.js'
import { identifier, join, sql } from '../../src/db/sql.js'
import { allRows } from '../../src/import/pipeline/relevant.js'
import { rebuildClosings } from '../../src/ledger/closings.js'
import { converted } from '../oracle/given.js'

/** Rows by table, in an order in which they can be inserted; each has every column that the reports read. */
export interface Company {
  account: Record<string, string>
  warehouse: Warehouse[]
  item: Item[]
  item_unit?: ItemUnit[]
  bom_line: BomLine[]
  combo_line: ComboLine[]
  vendor: Vendor[]
  item_vendor?: ItemVendor[]
  customer: Customer[]
  purchase_order: PurchaseOrder[]
  purchase_order_line: PurchaseOrderLine[]
  purchase_order_tax?: Tax[]
  purchase_order_approval: Approval[]
  goods_receipt: GoodsReceipt[]
  goods_receipt_line: GoodsReceiptLine[]
  goods_receipt_tax?: Tax[]
  batch: Batch[]
  consumption: Consumption[]
  sales_order: SalesOrder[]
  sales_order_line: SalesOrderLine[]
  sales_order_tax?: Tax[]
  sales_return: SalesReturn[]
  invoice: Invoice[]
  invoice_line: InvoiceLine[]
  invoice_tax?: Tax[]
  work_order: WorkOrder[]
  work_order_line: WorkOrderLine[]
  stock_movement: Movement[]
}

interface Place {
  city: string
  state: string
  country: string
  pincode: string
  gstn: string
  phone: string
  email: string
}
export interface Warehouse extends Omit<Place, 'city' | 'pincode' | 'gstn'> {
  id: number
  code: string
  location: string
  address: string
  address2: string
  city: string | null
  pincode: string | null
  gstn: string | null
  gln?: string | null
}
export interface Item {
  id: number
  sku: string
  name: string
  type: 'FG' | 'SFG' | 'COMBO' | 'MAT' | 'SRV'
  material_kind: 'RAW' | 'PCK' | 'CON' | 'TOOL' | null
  unit: string
  primary_category: string
  product_category: string
  business_nature: string
  hsn: string
  mrp: string
  tax_rate: string
  reorder_level: string
  active: boolean
  gtin?: string | null
  shelf_life_days?: number | null
}
export interface BomLine {
  product_id: number
  component_id: number
  qty: string
  kind: 'Component' | 'By-product'
  valid_from: string
  valid_to: string | null
}
export interface ComboLine {
  combo_id: number
  component_id: number
  qty: string
}
export interface Vendor extends Place {
  code: string
  name: string
  credit_days: number
  address1: string
  address2: string
  gln?: string | null
}
export interface ItemVendor {
  item_id: number
  vendor_code: string
  lead_days: number | null
  min_qty: string | null
  multiple: string | null
  price: string | null
}
export interface Customer {
  code: string
  name: string
  contact_person: string | null
  billing_buyer: string
  billing_address1: string
  billing_address2: string
  billing_city: string
  billing_state: string
  billing_country: string
  billing_pincode: string
  billing_gstn: string
  billing_phone: string
  billing_email: string
  shipping_buyer: string
  shipping_address1: string
  shipping_address2: string
  shipping_city: string
  shipping_state: string
  shipping_country: string
  shipping_pincode: string
  shipping_gstn: string
  shipping_phone: string
  shipping_email: string
}
/** Of a document in another currency. */
interface InCurrency extends Given {
  currency?: string | null
  exchange_rate?: string | null
}
/** Set by the oracle (given.ts): the document's original values if it was converted, and the taxes of a line. */
interface Given {
  given?: Record<string, string | null> | null
  taxes?: { name: string; rate: string | null; amount: string }[] | null
}
interface InUnit extends Given {
  unit?: string | null
}
export interface ItemUnit {
  item_id: number
  unit: string
  factor: string
  divisor: string
}
/** A tax of a line, or of the whole document as line 0. */
export interface Tax {
  po_no?: string
  grn_no?: string
  order_no?: string
  invoice_no?: string
  line_no: number
  name: string
  rate: string | null
  amount: string
}
export interface PurchaseOrder extends InCurrency {
  po_no: string
  poid: number
  po_date: string
  delivery_date: string | null
  reference: string | null
  shipment_reference: string | null
  vendor_code: string
  warehouse_id: number | null
  state: 'OPEN' | 'CLOSED' | 'CANCELLED'
  approval_required: boolean
  approval_limit: string
  taxable_amt: string
  tax_amt: string
  shipping_amt: string
  adjustment_label: string
  adjustment_amt: string
  total_amt: string
}
export interface PurchaseOrderLine extends InUnit {
  po_no: string
  line_no: number
  item_id: number | null
  description: string
  delivery_date?: string | null
  qty: string
  rate: string
  tax_rate: string
  taxable_amt: string
  tax_amt: string
  total_amt: string
}
export interface Approval {
  po_no: string
  step: number
  group_name: string
  status: 'Pending' | 'Approved' | 'Rejected'
  approver: string | null
  action_at: string | null
  approvers: string[]
}
export interface GoodsReceipt {
  exchange_rate?: string | null
  po_no: string
  grn_no: string
  receipt_date: string
  warehouse_id: number
  reference: string | null
}
export interface GoodsReceiptLine extends InUnit {
  po_no: string
  grn_no: string
  line_no: number
  po_line_no: number
  warehouse_id?: number | null
  received_qty: string
  accepted_qty: string
  rejected_qty: string
  rate: string
  taxable_amt: string
  tax_amt: string
  total_amt: string
}
export interface Batch {
  item_id: number
  batch_no: string
  source: 'PRODUCED' | 'PROCURED' | 'MANUAL'
  mfg_date: string | null
  expiry_date: string | null
  batch_date: string | null
  warehouse_id: number | null
  qty: string | null
  wastage: string | null
  qc_status: 'QC Pass' | 'QC Fail' | 'QC Hold' | null
  qty_pass: string | null
  qty_failed: string | null
  supplier_lot?: string | null
}
export interface Consumption {
  item_id: number
  batch_no: string
  line_no: number
  material_id: number | null
  cost_head: 'Other Costs' | 'Taxes' | 'Manpower' | 'Transport' | null
  description: string
  qty_bom: string
  qty_short: string
  qty_rej: string
  qty_ret: string
  val_bom: string
  val_short: string
  val_rej: string
  val_ret: string
  tax_val: string
}
export interface SalesOrder extends InCurrency {
  order_no: string
  order_id: number
  order_type: string
  channel_id: string | null
  channel: number
  order_date: string
  order_time: string
  customer_code: string | null
  warehouse_id: number | null
  po_no: string | null
  po_date: string | null
  created_by: string
  exp_dispatch_date: string | null
  appointment_date: string | null
  expiry_date: string | null
  reference: string | null
  free_of_cost: boolean
  shipping_buyer: string | null
  shipping_address1: string | null
  shipping_address2: string | null
  shipping_city: string | null
  shipping_state: string | null
  shipping_country: string | null
  shipping_pincode: string | null
  shipping_gstn: string | null
  shipping_phone: string | null
  shipping_email: string | null
  state: 'OPEN' | 'CLOSED' | 'CANCELLED'
  taxable_amt: string
  tax_amt: string
  shipping_amt: string
  adjustment_label: string
  adjustment_amt: string
  total_amt: string
}
export interface SalesOrderLine extends InUnit {
  order_no: string
  line_no: number
  item_id: number | null
  description: string
  delivery_date?: string | null
  warehouse_id?: number | null
  delivered_qty?: string | null
  qty: string
  mrp: string
  rate: string
  discount_per: string
  discount_amt: string
  effective_rate: string
  tax_rate: string
  taxable_amt: string
  tax_amt: string
  total_amt: string
}
export interface SalesReturn extends InUnit {
  order_no: string
  return_no: string
  order_line_no: number
  return_date: string
  kind: 'RTO' | 'RTV'
  usable_qty: string
  unusable_qty: string
  taxable_amt: string
  tax_amt: string
}
export interface Invoice extends InCurrency {
  order_no: string | null
  customer_code: string | null
  kind: 'INVOICE' | 'CREDIT NOTE'
  credit_for: string | null
  return_no: string | null
  invoice_no: string
  invoice_at: string
  due_date: string
  gstn: string
  reference: string
  customer_gstn: string
  place_of_supply: string
  shipping: string
  adjustment: string
  sub_total: string
  total_tax: string
  total_amt: string
  round_amt: string
  final_amt: string
  status: 'Submitted' | 'Cancelled'
}
export interface InvoiceLine extends InUnit {
  order_no: string | null
  invoice_no: string
  line_no: number
  order_line_no: number | null
  item_id: number | null
  description: string
  qty: string
  rate: string
  taxable_value: string
  igst_rate: string | null
  igst_amt: string | null
  sgst_rate: string | null
  sgst_amt: string | null
  cgst_rate: string | null
  cgst_amt: string | null
  total_value: string
}
export interface Movement extends InUnit {
  item_id: number
  movement_no: string
  movement_date: string
  kind: string
  warehouse_id: number
  batch_no: string | null
  qty: string
  val: string
  val_tax: string
  transfer_charge: string
  order_no: string | null
  order_line_no: number | null
  invoice_no: string | null
  invoice_line_no: number | null
  for_item_id: number | null
  for_batch_no: string | null
  work_order_no: string | null
  po_no: string | null
  grn_no: string | null
  note: string
  transfer_no?: string | null
}
export interface WorkOrder {
  work_order_no: string
  item_id: number
  warehouse_id: number | null
  status: 'Planned' | 'Open' | 'Closed' | 'Cancelled'
  planned_qty: string
  start_date: string
  due_date: string
  finished_on: string | null
  note: string
}
export interface WorkOrderLine {
  work_order_no: string
  line_no: number
  item_id: number
  kind: 'Component' | 'By-product'
  planned_qty: string
}

export const emptyCompany = (): Company => ({
  account: {
    name: 'Test Mills',
    time_zone: 'Asia/Kolkata',
    address1: '1 Mill Road',
    address2: 'Unit 2',
    city: 'Pune',
    state: 'Maharashtra',
    country: 'India',
    pincode: '411001',
    gstn: '27AAAAA0000A1Z5',
    phone: '+91 20 5550 0001',
    email: 'office@example.in',
    currency: 'INR',
  },
  warehouse: [],
  item: [],
  bom_line: [],
  combo_line: [],
  vendor: [],
  customer: [],
  purchase_order: [],
  purchase_order_line: [],
  purchase_order_approval: [],
  goods_receipt: [],
  goods_receipt_line: [],
  batch: [],
  consumption: [],
  sales_order: [],
  sales_order_line: [],
  sales_return: [],
  invoice: [],
  invoice_line: [],
  work_order: [],
  work_order_line: [],
  stock_movement: [],
})

export const warehouse = (id: number, location: string, about: Partial<Warehouse> = {}): Warehouse => ({
  id,
  code: createHash('md5').update(location).digest('hex'),
  location,
  address: `${id} Depot Street`,
  address2: '',
  city: 'Mumbai',
  state: 'Maharashtra',
  country: 'India',
  pincode: '400001',
  gstn: null,
  phone: '+91 22 5550 0002',
  email: 'depot@example.in',
  ...about,
})

export const item = (id: number, sku: string, type: Item['type'], about: Partial<Item> = {}): Item => ({
  id,
  sku,
  name: `Item ${sku}`,
  type,
  material_kind: type === 'MAT' ? 'RAW' : null,
  unit: 'KG',
  primary_category: 'Primary',
  product_category: 'Category',
  business_nature: 'Manufactured',
  hsn: '21069099',
  mrp: '100.00',
  tax_rate: '12.00',
  reorder_level: '0.0000',
  active: true,
  ...about,
})

export const customer = (code: string, about: Partial<Customer> = {}): Customer => ({
  code,
  name: `Customer ${code}`,
  contact_person: null,
  billing_buyer: 'Accounts',
  billing_address1: '2 Market Street',
  billing_address2: '',
  billing_city: 'Nagpur',
  billing_state: 'Maharashtra',
  billing_country: 'India',
  billing_pincode: '440001',
  billing_gstn: '27BBBBB0000B1Z5',
  billing_phone: '+91 712 555 0003',
  billing_email: 'accounts@example.in',
  shipping_buyer: 'Store',
  shipping_address1: '3 Market Street',
  shipping_address2: 'Gate 4',
  shipping_city: 'Nashik',
  shipping_state: 'Maharashtra',
  shipping_country: 'India',
  shipping_pincode: '422001',
  shipping_gstn: '',
  shipping_phone: '+91 253 555 0004',
  shipping_email: 'store@example.in',
  ...about,
})

export const producedBatch = (item_id: number, batch_no: string, about: Partial<Batch> = {}): Batch => ({
  ...{ item_id, batch_no, source: 'PRODUCED', mfg_date: null, expiry_date: null, batch_date: '2024-03-01' },
  ...{ warehouse_id: 1, qty: '10', wastage: '0', qc_status: null, qty_pass: null, qty_failed: null, ...about },
})

export const consumption = (
  item_id: number,
  batch_no: string,
  line_no: number,
  about: Partial<Consumption>,
): Consumption => ({
  ...{ item_id, batch_no, line_no, material_id: null, cost_head: null, description: '' },
  ...{ qty_bom: '0', qty_short: '0', qty_rej: '0', qty_ret: '0' },
  ...{ val_bom: '0', val_short: '0', val_rej: '0', val_ret: '0', tax_val: '0', ...about },
})

export const salesOrder = (
  order_no: string,
  customer_code: string | null,
  about: Partial<SalesOrder> = {},
): SalesOrder => ({
  ...{ order_no, order_id: 1, order_type: 'Online', channel_id: null, channel: 0, customer_code, warehouse_id: 1 },
  ...{ order_date: '2024-03-01', order_time: '00:00:00', po_no: null, po_date: null, created_by: '' },
  ...{ exp_dispatch_date: null, appointment_date: null, expiry_date: null, reference: null, free_of_cost: false },
  ...{ shipping_buyer: null, shipping_address1: null, shipping_address2: null, shipping_city: null },
  ...{ shipping_state: null, shipping_country: null, shipping_pincode: null, shipping_gstn: null },
  ...{ shipping_phone: null, shipping_email: null, state: 'OPEN', taxable_amt: '0', tax_amt: '0', shipping_amt: '0' },
  ...{ adjustment_label: '', adjustment_amt: '0', total_amt: '0', ...about },
})

export const salesOrderLine = (
  order_no: string,
  line_no: number,
  about: Partial<SalesOrderLine> & Pick<SalesOrderLine, 'item_id' | 'qty'>,
): SalesOrderLine => ({
  ...{
    order_no,
    line_no,
    description: '',
    delivery_date: null,
    mrp: '0',
    rate: '0',
    discount_per: '0',
    discount_amt: '0',
  },
  ...{ effective_rate: '0', tax_rate: '0', taxable_amt: '0', tax_amt: '0', total_amt: '0', ...about },
})

export const invoice = (order_no: string | null, invoice_no: string, about: Partial<Invoice> = {}): Invoice => ({
  ...{ order_no, invoice_no, invoice_at: '2024-03-01 00:00:00', due_date: '2024-03-31', gstn: '', reference: '' },
  ...{ customer_code: null, kind: 'INVOICE' as const, credit_for: null, return_no: null },
  ...{ customer_gstn: '', place_of_supply: '', shipping: '0', adjustment: '0', sub_total: '0', total_tax: '0' },
  ...{ total_amt: '0', round_amt: '0', final_amt: '0', status: 'Submitted', ...about },
})

export const invoiceLine = (
  { order_no, invoice_no }: Invoice,
  line_no: number,
  about: Partial<InvoiceLine> & Pick<InvoiceLine, 'order_line_no' | 'qty'>,
): InvoiceLine => ({
  ...{
    order_no,
    invoice_no,
    line_no,
    item_id: null,
    description: '',
    rate: '0',
    taxable_value: '0',
    igst_rate: null,
    igst_amt: null,
  },
  ...{ sgst_rate: null, sgst_amt: null, cgst_rate: null, cgst_amt: null, total_value: '0', ...about },
})

/** A movement; an issue or a return gets an order, a consumption a batch, as the ledger demands. */
export const movement = (
  no: number,
  kind: string,
  about: Partial<Movement> & Pick<Movement, 'item_id' | 'warehouse_id' | 'movement_date' | 'qty'>,
): Movement => {
  const forOrder = kind === 'issue' || kind === 'sales_return'
  const forBatch = kind === 'consumption'
  return {
    movement_no: `M${no}`,
    kind,
    batch_no: null,
    val: '0',
    val_tax: about.val ?? '0',
    transfer_charge: '0',
    order_no: forOrder ? 'SO1' : null,
    order_line_no: forOrder ? 1 : null,
    invoice_no: null,
    invoice_line_no: null,
    for_item_id: forBatch ? about.item_id : null,
    for_batch_no: forBatch ? 'B1' : null,
    work_order_no: null,
    po_no: null,
    grn_no: null,
    note: '',
    ...about,
  }
}

/** Gives all rows the same columns, null where a row lacks one. */
const asStored = (rows: readonly object[]): Record<string, unknown>[] => {
  const columns = [...new Set(rows.flatMap(Object.keys))]
  return (rows as Record<string, unknown>[]).map((row) =>
    Object.fromEntries(columns.map((name) => [name, row[name] ?? null])),
  )
}

/** Replaces the company in the database, its closings included. */
export async function loadCompany(db: Db, company: Company): Promise<void> {
  const { account, ...tables } = converted(company)
  const [known] = await db<{ distributed: boolean }[]>`select ${isDistributed} as distributed`
  await db.begin(async (tx) => {
    // Shards have copies of rows too, which the end of a load writes.
    const work = known?.distributed ? await cluster.openWork(tx, allRows) : undefined
    await tx.unsafe(`truncate ${Object.keys(tables).join(', ')} cascade`)
    const assigned = Object.entries(account).map(([name, value]) => sql`${identifier(name)} = ${value}`)
    await tx`update account set ${join(assigned, ', ')}`
    for (const [table, rows] of Object.entries(tables)) await insertRows(tx, table, asStored(rows))
    await rebuildClosings(tx)
    await work?.store()
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    if (work) await cluster.guardCommit(tx)
  })
}
