/** The kinds of hits: their groups, the searched columns, and the report with details. Contact data is not searched or shown. */
import { type Group, mayUse } from '../groups.js'

export type Caller = Parameters<typeof mayUse>[0]

export interface Kind {
  readonly kind: string
  /** Callers who may use any of these groups find this kind. */
  readonly groups: readonly Group[]
  readonly from: string
  readonly searched: readonly string[]
  readonly id: string
  /** The columns of the codes that name it, if `id` alone does not. */
  readonly codes?: readonly string[]
  readonly label: string
  readonly detail: string
  /** The order of hits that match equally well. */
  readonly orderBy: string
  /** The report with details of a hit, and its parameters by column. */
  readonly behind?: { readonly report: `${Group}.${string}`; readonly params: Readonly<Record<string, string>> }
}

/** The most hits of a kind. */
export const MOST_HITS = 8

export const kinds: readonly Kind[] = [
  {
    kind: 'item',
    groups: ['masters', 'inventory'],
    from: 'item i',
    searched: ['i.sku', 'i.name'],
    ...{ id: 'i.sku', label: 'i.name', orderBy: 'i.sku' },
    detail: `concat_ws(', ', i.sku, nullif(i.product_category, ''), i.unit)`,
    behind: { report: 'inventory.movements', params: { sku: 'i.sku' } },
  },
  {
    kind: 'batch',
    groups: ['production', 'inventory'],
    from: 'batch b join item i on i.id = b.item_id',
    searched: ['b.batch_no', 'b.supplier_lot'],
    ...{ id: 'b.batch_no', label: 'b.batch_no', orderBy: 'b.batch_no, i.sku' },
    codes: ['i.sku', 'b.batch_no'],
    detail: `concat_ws(', ', i.sku, i.name, 'vendor''s lot ' || b.supplier_lot)`,
    behind: { report: 'production.batch-story', params: { batch_no: 'b.batch_no', sku: 'i.sku' } },
  },
  {
    kind: 'sales_order',
    groups: ['sales'],
    from: 'sales_order o left join customer c on c.code = o.customer_code',
    searched: ['o.order_no'],
    ...{ id: 'o.order_no', label: 'o.order_no', orderBy: 'o.order_date desc, o.order_no desc' },
    detail: `concat_ws(', ', o.order_date, c.name)`,
    behind: { report: 'sales.order-story', params: { order_no: 'o.order_no' } },
  },
  {
    kind: 'invoice',
    groups: ['sales'],
    from: `invoice_with_order n left join customer c on c.code = coalesce(n.customer_code, n.order_customer_code)`,
    searched: ['n.invoice_no'],
    ...{ id: 'n.invoice_no', label: 'n.invoice_no', orderBy: 'n.invoice_at desc, n.invoice_no desc' },
    detail: `concat_ws(', ', n.invoice_at::date, c.name)`,
  },
  {
    kind: 'work_order',
    groups: ['production'],
    from: 'work_order w join item i on i.id = w.item_id',
    searched: ['w.work_order_no'],
    ...{ id: 'w.work_order_no', label: 'w.work_order_no', orderBy: 'w.start_date desc, w.work_order_no desc' },
    detail: `concat_ws(', ', w.start_date, i.name)`,
  },
  {
    kind: 'purchase_order',
    groups: ['purchase', 'grn'],
    from: 'purchase_order o join vendor v on v.code = o.vendor_code',
    searched: ['o.po_no'],
    ...{ id: 'o.po_no', label: 'o.po_no', orderBy: 'o.po_date desc, o.po_no desc' },
    detail: `concat_ws(', ', o.po_date, v.name)`,
    behind: { report: 'purchase.order-story', params: { pono: 'o.po_no' } },
  },
  {
    kind: 'goods_receipt',
    groups: ['purchase', 'grn'],
    from: 'goods_receipt r join purchase_order o on o.po_no = r.po_no join vendor v on v.code = o.vendor_code',
    searched: ['r.grn_no'],
    ...{ id: 'r.grn_no', label: 'r.grn_no', orderBy: 'r.receipt_date desc, r.grn_no desc' },
    codes: ['r.po_no', 'r.grn_no'],
    detail: `concat_ws(', ', r.receipt_date, v.name)`,
  },
  {
    kind: 'customer',
    groups: ['sales'],
    from: 'customer c',
    searched: ['c.code', 'c.name'],
    ...{ id: 'c.code', label: 'c.name', orderBy: 'c.name, c.code' },
    detail: `concat_ws(', ', c.code, nullif(c.billing_city, ''))`,
  },
  {
    kind: 'vendor',
    groups: ['purchase', 'grn'],
    from: 'vendor v',
    searched: ['v.code', 'v.name'],
    ...{ id: 'v.code', label: 'v.name', orderBy: 'v.name, v.code' },
    detail: `concat_ws(', ', v.code, nullif(v.city, ''))`,
    behind: { report: 'purchase.purchase-orders-list', params: { vendor_code: 'v.code' } },
  },
]

export const kindsFor = (caller: Caller): Kind[] =>
  kinds.filter(({ groups }) => groups.some((group) => mayUse(caller, group)))

/** Whether the caller may use the report with details. */
export const mayOpen = (caller: Caller, { behind }: Kind): boolean =>
  behind !== undefined && mayUse(caller, behind.report.split('.')[0] as Group)
