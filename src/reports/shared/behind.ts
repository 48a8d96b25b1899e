/** The requests that explain figures and identifiers of reports. */
import type { Behind, Source, Thing } from '../../kernel/report/fields.js'
import type { Figure } from '../../ledger/behind.js'
import { batch, order, purchaseOrder } from '../shared/things.js'

const field = (name: string): Source => ({ field: name })
const param = (name: string): Source => ({ param: name })
const value = (fixed: string | number): Source => ({ value: fixed })

/** The range of the same request. */
export const sameRange = { from_date: param('from_date'), to_date: param('to_date') }
/** All days up to the parameter `date`. */
export const untilDate = { from_date: value('0001-01-01'), to_date: param('date') }
export const untilToday: Behind['params'] = { from_date: value('0001-01-01'), to_date: { today: true } }

/** The movements of the item that a field names; `more` has the range and maybe further conditions. */
export const movementsOf = (sku: string, more: Behind['params']): Behind => ({
  report: 'inventory.movements',
  params: { sku: field(sku), ...more },
})

/** The movements that add up to a figure. */
export const movementsBehind = (
  figure: Figure,
  sum: 'qty' | 'value',
  { report, params }: Behind,
  tax?: Source | number,
): Behind => ({
  report,
  params: {
    ...params,
    figure: value(figure),
    ...(tax !== undefined && { tax: typeof tax === 'number' ? value(tax) : tax }),
  },
  sum,
})

/** The story of a thing. */
type Story = Behind & { readonly of: Thing }

/** The story of a batch: one field names the batch, the other its item. */
export const batchStory = (no: string, sku: string): Story => ({
  report: 'production.batch-story',
  params: { batch_no: field(no), sku: field(sku) },
  of: batch(sku, no),
})

export const orderStory = (no: string): Story => ({
  report: 'sales.order-story',
  params: { order_no: field(no) },
  of: order(no),
})

export const purchaseStory = (no: string): Story => ({
  report: 'purchase.order-story',
  params: { pono: field(no) },
  of: purchaseOrder(no),
})
