/** The arrangements that an overview starts from, one for each role. All of it is pins, like those that users make. */
import { asked, type Pin, type PinnedView, type Start } from './definition.js'

const YEAR = 'last-12-months'
const SO_FAR = { period: 'this-month-so-far', compare: 'month' }

// Views -------------------------------------------------------------------------------------------------------------

const MARGIN: PinnedView = { report: 'sales.margin-by-day', values: { tax: '0', source: 'INV' } }
const MARGIN_BY_MONTH: PinnedView = {
  ...MARGIN,
  ...{ period: YEAR, group: ['month(date)'], measures: ['sum(total_sale)', 'sum(delivered_profit)'] },
}
const OPEN_ORDERS: PinnedView = {
  ...{ report: 'sales.sales-orders', period: YEAR },
  filter: ['order_status=CREATED|PARTIAL ISSUED'],
}
const ORDERS_BY_DAY: PinnedView = { ...OPEN_ORDERS, group: ['day(order_date)'], measures: ['rows'] }
const GOODS: PinnedView = { report: 'inventory.fg-stock-status', values: { type: 'ALL', tax: '0' } }
const MATERIALS = (type: string): PinnedView => ({ report: 'inventory.mat-stock-status', values: { type }, ...SO_FAR })
const STOCK_VALUE: PinnedView = {
  ...{ report: 'inventory.stock-value', values: { tax: '0' }, period: YEAR },
  fields: ['month', 'finished_value', 'material_value'],
}
const OVERDUE: PinnedView = {
  ...{ report: 'partner.pending-deliveries', period: YEAR, filter: ['days_no<0'], sort: ['days_no'] },
  fields: ['product_name', 'seller_name', 'po_no', 'pending_qty', 'delivery_date'],
}
const REORDER: PinnedView = {
  ...{ report: 'partner.material-master', values: { item_type: 'MAT' } },
  ...{ filter: ['inStockQuantity<@reorder_level'], sort: ['inStockQuantity'] },
  fields: ['product_name', 'product_sku', 'reorder_level', 'inStockQuantity'],
}
const BATCHES: PinnedView = { report: 'production.batches', ...SO_FAR }
const INVOICES: PinnedView = { report: 'sales.invoices', ...SO_FAR }
const ORDERED: PinnedView = { report: 'purchase.purchase-orders-list', ...SO_FAR }
const OPEN_WORK: PinnedView = {
  ...{ report: 'production.work-orders', values: { status: 'Open' }, sort: ['due_date'] },
  fields: ['product_name', 'work_order_no', 'open_qty', 'due_date'],
}

const byMonth = (view: PinnedView, date: string, ...fields: string[]): PinnedView => {
  const { compare: _, ...rest } = view
  return { ...rest, period: YEAR, group: [`month(${date})`], measures: fields.map((field) => `sum(${field})`) }
}
const INVOICED_BY_MONTH = byMonth(INVOICES, 'invoice_date', 'total_amt')
const ORDERED_BY_MONTH = byMonth(ORDERED, 'podate', 'total_amt')
const MADE_BY_MONTH = byMonth(BATCHES, 'batch_date', 'batch_qty', 'actual_qty')
const COST_BY_MONTH = byMonth(BATCHES, 'batch_date', 'batch_cost_extax')

// Figures -----------------------------------------------------------------------------------------------------------

const figure = (title: string, definition: PinnedView, field: string, more: Partial<Pin> = {}): Pin => ({
  ...{ title, kind: 'figure', definition, field, ...more },
})
const soFar = (view: PinnedView): PinnedView => ({ ...view, ...SO_FAR })

const SALES = figure('Sales this month', soFar(MARGIN), 'total_sale', {
  ...{ good: 'more', trend: { definition: MARGIN_BY_MONTH, field: 'total_sale' } },
})
const PROFIT = figure('Margin this month', soFar(MARGIN), 'delivered_profit', {
  ...{ good: 'more', trend: { definition: MARGIN_BY_MONTH, field: 'delivered_profit' } },
})
const GOODS_VALUE = figure('Finished goods', soFar({ ...GOODS, values: { type: 'FG', tax: '0' } }), 'final_value', {
  trend: { definition: STOCK_VALUE, field: 'finished_value' },
})
const HELD_VALUE = figure('Stock on hold', soFar(GOODS), 'ThatPeriod_HoldValue', { good: 'less' })
const RAW_VALUE = figure('Raw materials', MATERIALS('RAW'), 'Closing_val')
const PACKING_VALUE = figure('Packing materials', MATERIALS('PCK'), 'Closing_val')
const ORDERS_OPEN = figure('Open orders', ORDERS_BY_DAY, 'rows')
const LATE = figure('Overdue deliveries', OVERDUE, 'rows', { good: 'less' })
const LOW = figure('Under reorder level', REORDER, 'rows', { good: 'less' })
const YIELD = figure('Yield this month', BATCHES, 'actual_qty', { of: 'batch_qty', good: 'more' })
const YIELD_OVER_TIME: Pin = { ...YIELD, trend: { definition: MADE_BY_MONTH, field: 'actual_qty' } }
const BATCHES_MADE = figure('Batches this month', BATCHES, 'rows')
const BATCH_COST = figure('Cost of batches', BATCHES, 'batch_cost_extax', {
  trend: { definition: COST_BY_MONTH, field: 'batch_cost_extax' },
})
const INVOICED = figure('Invoiced this month', INVOICES, 'total_amt', {
  ...{ good: 'more', trend: { definition: INVOICED_BY_MONTH, field: 'total_amt' } },
})
const TAX = figure('Tax on invoices', INVOICES, 'total_tax')
const BOUGHT = figure('Ordered this month', ORDERED, 'total_amt', {
  trend: { definition: ORDERED_BY_MONTH, field: 'total_amt' },
})
const RECEIVED = figure('Received this month', { report: 'grn.list', ...SO_FAR }, 'total_amt')
const WORK_OPEN = figure('Open work orders', OPEN_WORK, 'rows')

// Charts ------------------------------------------------------------------------------------------------------------

const chart = (title: string, definition: PinnedView, style: Pin['style'], size?: Pin['size']): Pin => ({
  ...{ title, kind: 'chart', definition, ...(style && { style }), ...(size && { size }) },
})
const top = (view: PinnedView, by: string, field: string): PinnedView => {
  const { compare: _, ...rest } = view
  return { ...rest, period: 'this-fy-so-far', group: [by], measures: [`sum(${field})`], sort: [`-${field}`] }
}

const SALES_CHART = chart('Sales and margin by month', MARGIN_BY_MONTH, 'columns')
const STOCK_CHART = chart('Stock value', STOCK_VALUE, 'lines')
const AGES_CHART = chart('Open orders by age', ORDERS_BY_DAY, 'ages')
const CUSTOMERS = chart(
  'Sales by customer',
  top(
    { report: 'sales.gross-margin', values: { type: 'CUSTOMER', tax: '0', source: 'INV' } },
    'company_name',
    'total_sale',
  ),
  'bars',
)
const INVOICED_CHART = chart('Invoiced by month', INVOICED_BY_MONTH, 'columns')
const INVOICED_CUSTOMERS = chart('Invoiced by customer', top(INVOICES, 'customer_name', 'total_amt'), 'bars')
const ORDERED_CHART = chart('Purchases by month', ORDERED_BY_MONTH, 'columns')
const VENDORS = chart('Purchases by vendor', top(ORDERED, 'vendor.vendor', 'total_amt'), 'bars')
const COST_CHART = chart('Cost of batches by month', COST_BY_MONTH, 'columns')
const USED = chart(
  'Materials used',
  top(
    { report: 'production.material-consumption', values: { version: 'SUMMARY' } },
    'material_name',
    'Total_consumption_Val',
  ),
  'bars',
)

// Lists -------------------------------------------------------------------------------------------------------------

const list = (title: string, definition: PinnedView, note?: string): Pin => ({
  ...{ title, kind: 'list', definition, ...(note && { note }) },
})

const UNCOVERED = list(
  'Stock cannot cover',
  {
    ...{ report: 'sales.demand-status', values: { type: 'CONSOLIDATED' }, period: YEAR },
    ...{ filter: ['short_qty>0'], sort: ['-short_qty'] },
    fields: ['product_name', 'warehouse', 'available_qty', 'Remaining_qty', 'short_qty'],
  },
  'short',
)
const OVERDUE_LIST = list('Overdue from vendors', OVERDUE)
const EXPIRING = list('Expiring within 60 days', {
  ...{ report: 'partner.invetory-snapshot', period: 'today', sort: ['expiry_date'] },
  filter: ['expiry_date>={today}', 'expiry_date<={in-60-days}', 'Available_qty>0'],
  fields: ['product_name', 'batch_no', 'Available_qty', 'expiry_date'],
})
const REORDER_LIST = list('Under reorder level', REORDER)
const BELOW_ZERO = list('Stock below zero', {
  ...{ ...GOODS, period: 'this-month-so-far', filter: ['Closing_qty<0'], sort: ['Closing_qty'] },
  fields: ['product_name', 'Product_sku', 'warehouse', 'Closing_qty'],
})
const IDLE = list('Nothing issued for 90 days', {
  ...{ ...GOODS, period: 'last-90-days', filter: ['Issued_qty=0', 'Closing_qty>0'], sort: ['-final_value'] },
  fields: ['product_name', 'warehouse', 'Closing_qty', 'final_value'],
})
const OLDEST = list('Oldest open orders', {
  ...OPEN_ORDERS,
  ...{ sort: ['order_date'], fields: ['customer.customer_name', 'order_no', 'total_amt', 'order_date'] },
})
const BEST = list('Most sold this month', {
  ...{ report: 'sales.gross-margin', values: { type: 'CONSOLIDATED', tax: '0', source: 'INV' } },
  ...{ period: 'this-month-so-far', sort: ['-total_sale'] },
  fields: ['product_name', 'product_sku', 'delivered_profit_per', 'total_sale'],
})
const DUE = list('Due from vendors in 7 days', {
  ...{ ...OVERDUE, filter: ['days_no>=0', 'days_no<=7'] },
})
const APPROVALS = list('Waiting for approval', {
  ...{ report: 'purchase.purchase-orders-list', period: YEAR, sort: ['podate'] },
  ...{ filter: ['approval_status=Under Approval'], fields: ['vendor.vendor', 'pono', 'podate', 'total_amt'] },
})
const CHECKED = list('Quality check failed or open', {
  ...{ report: 'production.batches', period: 'last-30-days', sort: ['-batch_date'] },
  ...{
    filter: ['qc_status=QC Hold|QC Fail|'],
    fields: ['product_name', 'batch_no', 'qc_status', 'actual_qty', 'batch_date'],
  },
})
const WORK = list('Work orders by due date', OPEN_WORK)
const LARGEST = list('Largest invoices this month', {
  ...{
    report: 'sales.invoices',
    period: 'this-month-so-far',
    filter: ['invoice_status!=Cancelled'],
    sort: ['-total_amt'],
  },
  fields: ['customer_name', 'invoice_no', 'invoice_date', 'total_amt'],
})
const CREDITED = list('Credit notes of 90 days', {
  ...{
    report: 'sales.invoices',
    period: 'last-90-days',
    filter: ['invoice_type=Credit Note'],
    sort: ['-invoice_date'],
  },
  fields: ['customer_name', 'invoice_no', 'invoice_date', 'total_amt'],
})

// Arrangements ------------------------------------------------------------------------------------------------------

interface Arrangement {
  readonly name: string
  readonly about: string
  readonly pins: readonly Pin[]
}

/** In the order in which people read them. Each makes at most 10 requests, beside those for the overview and for the saved views. */
export const STARTS: Readonly<Record<Start, Arrangement>> = {
  owner: {
    ...{ name: 'Owner', about: 'Sales, margin, stock, orders and what needs someone' },
    pins: [
      ...[SALES, PROFIT, GOODS_VALUE, ORDERS_OPEN, LATE, YIELD, SALES_CHART, STOCK_CHART, AGES_CHART],
      ...[UNCOVERED, OVERDUE_LIST, EXPIRING, REORDER_LIST],
    ],
  },
  stores: {
    ...{ name: 'Stores', about: 'Stock, its value, and items that run out, expire or lie idle' },
    pins: [
      ...[GOODS_VALUE, RAW_VALUE, PACKING_VALUE, HELD_VALUE, LOW],
      ...[REORDER_LIST, EXPIRING, STOCK_CHART, UNCOVERED, BELOW_ZERO, IDLE],
    ],
  },
  sales: {
    ...{ name: 'Sales', about: 'Sales, margin, customers and open orders' },
    pins: [SALES, PROFIT, INVOICED, ORDERS_OPEN, SALES_CHART, CUSTOMERS, AGES_CHART, UNCOVERED, OLDEST, BEST],
  },
  purchase: {
    ...{ name: 'Purchase', about: 'Orders to vendors, deliveries and what to reorder' },
    pins: [BOUGHT, RECEIVED, LATE, LOW, OVERDUE_LIST, DUE, REORDER_LIST, APPROVALS, ORDERED_CHART, VENDORS],
  },
  production: {
    ...{ name: 'Production', about: 'Batches, yield, materials and work orders' },
    pins: [YIELD_OVER_TIME, BATCHES_MADE, BATCH_COST, WORK_OPEN, COST_CHART, USED, WORK, CHECKED, REORDER_LIST],
  },
  accounts: {
    ...{ name: 'Accounts', about: 'Invoices, purchases, margin and the value of stock' },
    pins: [
      ...[INVOICED, TAX, RECEIVED, PROFIT, GOODS_VALUE, INVOICED_CHART, SALES_CHART, STOCK_CHART],
      ...[INVOICED_CUSTOMERS, LARGEST, CREDITED],
    ],
  },
}

/** The pins of an arrangement that the reader may see. */
export const pinsOf = (start: Start): readonly Pin[] =>
  STARTS[start].pins.filter(({ definition }) => definition !== undefined && asked(definition) !== undefined)

/** The arrangement of which the reader may see the largest part; of equal ones the first. */
export function startFor(): Start {
  const share = (start: Start) => pinsOf(start).length / STARTS[start].pins.length
  const all = Object.keys(STARTS) as Start[]
  return all.reduce((best, start) => (share(start) > share(best) ? start : best))
}
