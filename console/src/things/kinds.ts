/** The page of each kind of thing: its record, figures and filtered reports. */
import type { View } from '../ask.js'
import type { Values } from '../catalogue.js'
import { presets, today } from '../dates.js'
import { literal } from '../report/filters.js'
import type { ThingKind } from './paths.js'

/** A request for a report about one thing. */
export interface Asked {
  readonly report: string
  readonly values?: Values
  readonly view?: View
}

/** A figure over all records of a report. */
export interface KeyFigure {
  readonly label: string
  readonly asked: Asked
  /** An additive field, or `rows` for the number of records. */
  readonly field: string
  /** The tab with the records behind it. */
  readonly tab: string
}

export interface Tab {
  readonly name: string
  readonly title: string
  readonly asked: Asked
  /** Fields with the same value in every record. */
  readonly without?: readonly string[]
  /** Fields that people see first, where those of the report do not fit. */
  readonly fields?: readonly string[]
  /** Why the tab is empty. */
  readonly empty: string
  /** Limits of the tab in words. */
  readonly about?: string
}

/** A document: its parties, its lines and its amounts. */
export interface Document {
  readonly lines: string
  readonly columns: readonly string[]
  readonly totals: readonly string[]
  /** Objects with an address, by their headings. */
  readonly addresses: readonly (readonly [string, string])[]
}

export interface Kind {
  /** Reports with the thing's own record, the first that the reader may use is asked; the first of all has every such thing. */
  readonly records: readonly Asked[]
  /** The field with its name; its codes if it has none. */
  readonly title?: string
  readonly state?: string
  readonly facts: readonly string[]
  readonly figures: readonly KeyFigure[]
  readonly document?: Document
  readonly tabs: readonly Tab[]
}

const EVER = { from_date: '0001-01-01', to_date: '9999-12-31' }
const is = (field: string, ...values: readonly string[]): string => `${field}=${values.map(literal).join('|')}`

/** The last 12 months, this one included. */
function lastYear(): Values {
  const range = presets().find(({ name }) => name === 'Last 12 months')?.range
  return { from_date: range?.from ?? EVER.from_date, to_date: EVER.to_date }
}

function item(sku: string): Kind {
  const stock = { report: 'inventory.item-stock', values: { date: today(), sku } }
  const demand = {
    report: 'sales.demand-status',
    values: { type: 'CUSTOMER', ...EVER },
    view: { filter: [is('product_sku', sku)] },
  }
  const supply = {
    report: 'partner.pending-deliveries',
    values: EVER,
    view: { filter: [is('item_code', sku)], sort: 'delivery_date' },
  }
  const making = { report: 'production.work-orders', values: { sku }, view: { sort: '-start_date' } }
  return {
    records: [
      { report: 'masters.items', values: { sku } },
      stock,
      { report: 'inventory.movements', values: { ...EVER, sku } },
    ],
    title: 'name',
    state: 'status',
    facts: [
      'type',
      'product_category',
      'primary_category',
      'mrp',
      'tax_rate',
      'reorder_level',
      'business_nature',
      'hsn',
    ],
    figures: [
      { label: 'In stock', asked: stock, field: 'stock_qty', tab: 'stock' },
      { label: 'On hold', asked: stock, field: 'hold_qty', tab: 'stock' },
      { label: 'Stock value', asked: stock, field: 'stock_value', tab: 'stock' },
      { label: 'Wanted by open orders', asked: demand, field: 'Remaining_qty', tab: 'demand' },
      { label: 'On order', asked: supply, field: 'pending_qty', tab: 'supply' },
      { label: 'Being made', asked: making, field: 'open_qty', tab: 'making' },
    ],
    tabs: [
      {
        ...{ name: 'stock', title: 'Stock', asked: stock, without: ['sku', 'name', 'type'] },
        empty: 'This item has never been in stock.',
      },
      {
        ...{ name: 'movements', title: 'Movements', without: ['sku', 'name'] },
        asked: { report: 'inventory.movements', values: { ...lastYear(), sku }, view: { sort: '-date,-movement_no' } },
        ...{ about: 'Last 12 months', empty: 'This item has not moved in the last 12 months.' },
      },
      {
        ...{ name: 'batches', title: 'Batches', without: ['sku', 'name'] },
        asked: {
          report: 'inventory.batches',
          values: { date: today(), sku },
          view: { filter: ['stock_qty!=0'], sort: 'expiry_date' },
        },
        ...{ about: 'In stock', empty: 'No batch of this item is in stock.' },
      },
      {
        ...{ name: 'demand', title: 'Orders that want it', asked: demand, without: ['product_name', 'product_sku'] },
        empty: 'No open order wants this item.',
      },
      {
        ...{ name: 'supply', title: 'Orders that bring it', asked: supply, without: ['product_name', 'item_code'] },
        empty: 'No open purchase order brings this item.',
      },
      {
        ...{ name: 'making', title: 'Work orders', asked: making, without: ['product_name', 'product_sku'] },
        empty: 'There is no work order for this item.',
      },
      {
        ...{ name: 'made-of', title: 'Made of', without: ['product_name', 'product_sku'] },
        asked: { report: 'production.bills', values: { product_sku: sku } },
        empty: 'This item has no bill of materials.',
      },
      {
        ...{ name: 'used-in', title: 'Used in', without: ['material_name', 'material_code'] },
        asked: { report: 'production.bills', values: { material_code: sku } },
        empty: 'No bill of materials uses this item.',
      },
    ],
  }
}

function batch(sku: string, no: string): Kind {
  const stock = { report: 'inventory.batches', values: { date: today(), sku, batch_no: no } }
  const produced = {
    report: 'production.batches',
    values: EVER,
    view: { filter: [is('product_sku', sku), is('batch_no', no)] },
  }
  const story = { report: 'production.batch-story', values: { batch_no: no, sku } }
  const movements = { report: 'inventory.movements', values: { ...EVER, sku, batch: no } }
  return {
    records: [stock, { ...story, view: { filter: ['step!=made-from'] } }],
    title: 'name',
    state: 'qc_status',
    facts: ['sku', 'source', 'mfg_date', 'expiry_date', 'batch_date'],
    figures: [
      { label: 'In stock', asked: stock, field: 'stock_qty', tab: 'story' },
      { label: 'Came in', asked: stock, field: 'received_qty', tab: 'story' },
      { label: 'Went out', asked: stock, field: 'issued_qty', tab: 'story' },
      { label: 'Cost without tax', asked: produced, field: 'batch_cost_extax', tab: 'cost' },
    ],
    tabs: [
      { ...{ name: 'story', title: 'Story', asked: story }, empty: 'Nothing has happened to this batch.' },
      {
        ...{ name: 'movements', title: 'Movements', asked: movements, without: ['sku', 'name', 'batch'] },
        empty: 'This batch has not moved.',
      },
      {
        ...{
          name: 'materials',
          title: 'Materials',
          without: ['product_name', 'product_sku', 'batch_no', 'batch_date'],
        },
        asked: {
          report: 'production.material-consumption',
          values: { version: 'DETAILED', ...EVER },
          view: { filter: [is('batch_no', no), is('product_sku', sku)] },
        },
        empty: 'No consumption is recorded for this batch.',
      },
      {
        ...{ name: 'cost', title: 'Production', asked: produced, without: ['product_name', 'product_sku', 'batch_no'] },
        empty: 'This batch was not produced here.',
      },
    ],
  }
}

function customer(code: string): Kind {
  const mine = is('customer_code', code)
  const ordered = is('customer.customer_code', code)
  const thisYear = presets().find(({ name }) => name.startsWith('Financial year'))?.range
  const year = thisYear === undefined ? EVER : { from_date: thisYear.from, to_date: thisYear.to }
  const open = {
    report: 'sales.sales-orders',
    values: EVER,
    view: { filter: [ordered, is('order_status', 'CREATED', 'PARTIAL ISSUED')] },
  }
  const demand = {
    report: 'sales.demand-status',
    values: { type: 'CUSTOMER', ...EVER },
    view: { filter: [mine] },
  }
  return {
    records: [{ report: 'sales.customers', values: { code } }],
    title: 'name',
    facts: [
      ...['contact_person', 'billing.phone', 'billing.email', 'billing.gstn', 'billing.address1', 'billing.city'],
      ...['billing.state', 'billing.pincode', 'shipping.address1', 'shipping.city'],
    ],
    figures: [
      { label: 'Open orders', asked: open, field: 'rows', tab: 'orders' },
      { label: 'Amount of open orders', asked: open, field: 'total_amt', tab: 'orders' },
      {
        ...{ label: 'Invoiced this financial year', field: 'total_amt', tab: 'invoices' },
        asked: { report: 'sales.invoices', values: year, view: { filter: [mine] } },
      },
    ],
    tabs: [
      {
        ...{ name: 'orders', title: 'Orders', without: ['customer.customer_name', 'customer.customer_code'] },
        asked: {
          report: 'sales.sales-orders',
          values: EVER,
          view: { filter: [ordered], sort: '-order_date,-order_no' },
        },
        empty: 'This customer has not ordered anything.',
      },
      {
        ...{ name: 'open', title: 'Still to deliver', asked: demand, without: ['company_name'] },
        empty: 'Nothing is still to be delivered to this customer.',
      },
      {
        ...{ name: 'invoices', title: 'Invoices', without: ['customer_name'] },
        asked: { report: 'sales.invoices', values: EVER, view: { filter: [mine], sort: '-invoice_date,-invoice_no' } },
        empty: 'This customer has no invoice.',
      },
      {
        ...{ name: 'months', title: 'Sales by month' },
        asked: {
          report: 'sales.sales',
          values: { method: 'month', ...EVER },
          view: { filter: [mine], group: 'month(order_date)', sort: '-order_date_month' },
        },
        empty: 'This customer has not bought anything.',
      },
      {
        ...{ name: 'products', title: 'Products' },
        asked: {
          report: 'sales.sales',
          values: { method: 'month', ...lastYear() },
          view: { filter: [mine], group: 'product_name,product_sku', sort: '-total_sales' },
        },
        ...{ about: 'Last 12 months', empty: 'This customer has not bought anything in the last 12 months.' },
      },
      {
        ...{ name: 'dispatches', title: 'Dispatches', without: ['company_name'] },
        asked: {
          report: 'sales.order-dispatch',
          values: { version: 'WR', ...EVER },
          view: { filter: [mine], sort: '-order_date,-order_no' },
        },
        empty: 'Nothing was dispatched to this customer.',
      },
    ],
  }
}

function vendor(code: string): Kind {
  const mine = is('vendor_code', code)
  const open = {
    report: 'purchase.purchase-orders-list',
    values: { vendor_code: code },
    view: { filter: [is('po_status', 'CREATED', 'PARTIAL RECEIVED')] },
  }
  return {
    records: [{ report: 'purchase.vendors', values: { code } }],
    title: 'name',
    facts: ['phone', 'email', 'gstn', 'credit_days', 'address1', 'address2', 'city', 'state', 'pincode'],
    figures: [
      { label: 'Open orders', asked: open, field: 'rows', tab: 'orders' },
      { label: 'Amount of open orders', asked: open, field: 'total_amt', tab: 'orders' },
    ],
    tabs: [
      {
        ...{ name: 'orders', title: 'Purchase orders', without: ['vendor.vendor', 'vendor.vendor_code'] },
        asked: {
          report: 'purchase.purchase-orders-list',
          values: { vendor_code: code },
          view: { sort: '-podate,-pono' },
        },
        empty: 'Nothing was ordered from this vendor.',
      },
      {
        ...{ name: 'open', title: 'Still to come', without: ['seller_name'] },
        asked: { report: 'partner.pending-deliveries', values: EVER, view: { filter: [mine], sort: 'delivery_date' } },
        empty: 'This vendor has nothing to deliver.',
      },
      {
        ...{ name: 'receipts', title: 'Goods receipts', without: ['vendor', 'vendor_code'] },
        asked: { report: 'grn.list', values: { ...EVER, vendor_code: code }, view: { sort: '-grn_date,-grn_no' } },
        empty: 'This vendor has not delivered anything.',
      },
    ],
  }
}

function order(no: string): Kind {
  const record = { report: 'sales.sales-orders', values: EVER, view: { filter: [is('order_no', no)] } }
  const story = { report: 'sales.order-story', values: { order_no: no } }
  return {
    records: [record],
    state: 'order_status',
    facts: [
      ...['customer.customer_name', 'order_date', 'total_amt', 'exp_dispatch_date', 'warehouse', 'pono', 'po_date'],
      ...['order_type', 'appointment_date', 'expiry_date', 'reference', 'created_by'],
    ],
    figures: [],
    document: {
      lines: 'items',
      columns: ['itemname', 'itemcode', 'description', 'qty', 'uom', 'rate', 'discount_amt', 'taxable_amt', 'tax_amt', 'total_amt'],
      totals: ['taxable_amt', 'tax_amt', 'shipping_amt', 'adjustment.amt', 'total_amt'],
      addresses: [['Billed to', 'customer.billing'], ['Delivered to', 'customer.shipping']],
    },
    tabs: [
      {
        ...{ name: 'lines', title: 'Still to deliver', without: ['party_name', 'SO_order_id', 'order_date'] },
        asked: {
          report: 'sales.order-status',
          values: { version: 'WR', ...EVER },
          view: { filter: [is('SO_order_id', no)] },
        },
        empty: 'No line of this order has an item.',
      },
      { ...{ name: 'story', title: 'Story', asked: story }, empty: 'Nothing has happened to this order.' },
      {
        ...{ name: 'dispatches', title: 'Dispatches', without: ['order_no', 'company_name', 'order_date'] },
        asked: {
          report: 'sales.order-dispatch',
          values: { version: 'WR', ...EVER },
          view: { filter: [is('order_no', no)] },
        },
        empty: 'Nothing was dispatched for this order.',
      },
      {
        ...{ name: 'invoices', title: 'Invoices and returns' },
        asked: { ...story, view: { filter: [is('step', 'invoiced', 'invoice-cancelled', 'returned')] } },
        empty: 'This order has no invoice and no return.',
      },
    ],
  } // biome-ignore format: one line each
}

function purchaseOrder(no: string): Kind {
  const record = { report: 'purchase.purchase-orders-list', view: { filter: [is('pono', no)] } }
  return {
    records: [record],
    state: 'po_status',
    facts: ['vendor.vendor', 'podate', 'total_amt', 'delivery', 'approval_status', 'reference', 'shipment_reference'],
    figures: [],
    document: {
      lines: 'items',
      columns: ['itemname', 'itemcode', 'description', 'qty', 'uom', 'rate', 'taxable_amt', 'tax_amt', 'total_amt', 'delivery'],
      totals: ['taxable_amt', 'tax_amt', 'shipping_amt', 'adjustment.amt', 'total_amt'],
      addresses: [['Vendor', 'vendor'], ['Delivered to', 'shipping']],
    },
    tabs: [
      {
        ...{ name: 'story', title: 'Story', asked: { report: 'purchase.order-story', values: { pono: no } } },
        empty: 'Nothing has happened to this order.',
      },
      {
        ...{ name: 'receipts', title: 'Goods receipts', without: ['pono', 'vendor', 'vendor_code', 'po_status'] },
        asked: { report: 'grn.list', values: { ...EVER, pono: no } },
        empty: 'Nothing was received for this order.',
      },
      {
        ...{ name: 'open', title: 'Still to come', without: ['po_no', 'seller_name'] },
        asked: { report: 'partner.pending-deliveries', values: EVER, view: { filter: [is('po_no', no)] } },
        empty: 'Nothing of this order is still to come.',
      },
    ],
  } // biome-ignore format: one line each
}

const invoice = (no: string): Kind => ({
  records: [{ report: 'sales.invoices', values: EVER, view: { filter: [is('invoice_no', no)] } }],
  state: 'invoice_status',
  facts: [
    ...['customer_name', 'invoice_date', 'final_amt', 'due_date', 'order_no', 'order_date', 'po_no', 'invoice_type'],
    ...['credit_for', 'customer_gstn', 'place_of_supply', 'gstn', 'contact_person', 'reference'],
  ],
  figures: [],
  document: {
    lines: 'items',
    columns: ['product_name', 'product_sku', 'hsn_sac', 'qty', 'uom', 'rate', 'taxable_value', 'igst_amt', 'sgst_amt', 'cgst_amt', 'total_value'],
    totals: ['sub_total', 'total_tax', 'shipping', 'adjustment', 'total_amt', 'round_amt', 'final_amt'],
    addresses: [],
  },
  tabs: [],
}) // biome-ignore format: one line each

const workOrder = (no: string): Kind => ({
  records: [{ report: 'production.work-orders', view: { filter: [is('work_order_no', no)] } }],
  state: 'status',
  facts: [
    ...['product_name', 'planned_qty', 'produced_qty', 'open_qty', 'uom', 'warehouse', 'start_date', 'due_date'],
    ...['started_on', 'finished_on', 'consumed_val', 'produced_val', 'wip_val', 'variance_val', 'note'],
  ],
  figures: [],
  document: { lines: 'items', columns: ['name', 'sku', 'kind', 'planned_qty', 'moved_qty', 'uom'], totals: [], addresses: [] },
  tabs: [
    {
      ...{ name: 'movements', title: 'Movements', without: ['work_order_no'] },
      asked: { report: 'inventory.movements', values: EVER, view: { filter: [is('work_order_no', no)], sort: 'date' } },
      empty: 'Nothing has moved for this work order.',
    },
  ],
}) // biome-ignore format: one line each

const KINDS: Readonly<Record<ThingKind, (...codes: string[]) => Kind>> = {
  ...{ item, batch, customer, vendor, order, invoice },
  'purchase-order': purchaseOrder,
  'work-order': workOrder,
} as Readonly<Record<ThingKind, (...codes: string[]) => Kind>>

export const kindOf = (kind: ThingKind, codes: readonly string[]): Kind => KINDS[kind](...codes)
