/** The things that fields name; each takes the fields that have its codes. */
import type { Thing } from '../../kernel/report/fields.js'

export const item = (sku: string): Thing => ({ kind: 'item', by: [sku] })
export const batch = (sku: string, no: string): Thing => ({ kind: 'batch', by: [sku, no] })
export const customer = (code: string): Thing => ({ kind: 'customer', by: [code] })
export const vendor = (code: string): Thing => ({ kind: 'vendor', by: [code] })
export const order = (no: string): Thing => ({ kind: 'order', by: [no] })
export const purchaseOrder = (no: string): Thing => ({ kind: 'purchase-order', by: [no] })
export const invoice = (no: string): Thing => ({ kind: 'invoice', by: [no] })
export const workOrder = (no: string): Thing => ({ kind: 'work-order', by: [no] })
