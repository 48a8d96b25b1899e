/** Companies for tests: rows as the tables hold them, made short to write and loaded in one go. */
import { createHash } from 'node:crypto'
import type { Db } from '../../src/db/connect.js'
import { insertRows } from '../../src/db/insert.js'

/** Rows by table; each has every column that the reports read. */
export interface Company {
  account: Record<string, string>
  warehouse: Warehouse[]
  item: Item[]
  vendor: Vendor[]
  purchase_order: PurchaseOrder[]
  purchase_order_line: PurchaseOrderLine[]
  purchase_order_approval: Approval[]
  goods_receipt: GoodsReceipt[]
  goods_receipt_line: GoodsReceiptLine[]
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
  key: string
  location: string
  address: string
  address2: string
  city: string | null
  pincode: string | null
  gstn: string | null
}
export interface Item {
  id: number
  sku: string
  name: string
  type: 'FG' | 'SFG' | 'COMBO' | 'MAT' | 'SRV'
  material_kind: 'RAW' | 'PCK' | null
  unit: string
  primary_category: string
  product_category: string
  hsn: string
}
export interface Vendor extends Place {
  code: string
  name: string
  credit_days: number
  address1: string
  address2: string
}
export interface PurchaseOrder {
  po_no: string
  poid: number
  po_date: string
  delivery_date: string
  reference: string | null
  shipment_reference: string | null
  vendor_code: string
  warehouse_id: number
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
export interface PurchaseOrderLine {
  po_no: string
  line_no: number
  item_id: number
  description: string
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
  po_no: string
  grn_no: string
  receipt_date: string
  warehouse_id: number
}
export interface GoodsReceiptLine {
  po_no: string
  grn_no: string
  line_no: number
  po_line_no: number
  received_qty: string
  accepted_qty: string
  rejected_qty: string
  rate: string
  taxable_amt: string
  tax_amt: string
  total_amt: string
}
export interface Movement {
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
  for_item_id: number | null
  for_batch_no: string | null
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
  },
  warehouse: [],
  item: [],
  vendor: [],
  purchase_order: [],
  purchase_order_line: [],
  purchase_order_approval: [],
  goods_receipt: [],
  goods_receipt_line: [],
  stock_movement: [],
})

export const warehouse = (id: number, location: string, about: Partial<Warehouse> = {}): Warehouse => ({
  id,
  key: createHash('md5').update(location).digest('hex'),
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
  hsn: '21069099',
  ...about,
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
    for_item_id: forBatch ? about.item_id : null,
    for_batch_no: forBatch ? 'B1' : null,
    ...about,
  }
}

/** Replaces whatever company the database holds. */
export async function loadCompany(db: Db, company: Company): Promise<void> {
  const { account, ...tables } = company
  await db.begin(async (tx) => {
    await tx.unsafe(`truncate ${Object.keys(tables).join(', ')} cascade`)
    await tx`update account set ${tx(account)}`
    for (const [table, rows] of Object.entries(tables)) await insertRows(tx, table, rows)
  })
}
