/** A company's rows indexed by their documents, and its ledger as exact numbers: made once per company. */
import { createHash } from 'node:crypto'
import type { BomLine, Company, Customer, Item, Movement } from '../setup/company.js'
import { fixed, format, parse, upTo } from './decimal.js'

export const INS = [
  'production_receipt',
  'purchase_receipt',
  'transfer_in',
  'other_receipt',
  'sales_return',
  'value_increase',
]
export const OUTS = [
  ...['issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack'],
  ...['internal_issue', 'vendor_return', 'value_decrease'],
]

export type Measure = 'qty' | 'val' | 'val_tax'
/** A movement, its numbers as units of 4 digits. */
export interface Move extends Omit<Movement, Measure | 'transfer_charge'>, Record<Measure, bigint> {
  transfer_charge: bigint
}

export const ITEM_TYPES: Record<Item['type'], string> = {
  FG: 'Finished Good',
  SFG: 'Semi Finished Good',
  COMBO: 'Physical Combo',
  MAT: 'Material',
  SRV: 'Service',
}

/** Joins texts into a unique key: no text in a database has the separator. */
export const key = (...parts: (string | number | null)[]): string => parts.join('\0')

/** A warehouse's key: 32 hex digits, for any code. */
export const warehouseKey = (code: string) =>
  /^[0-9a-f]{32}$/.test(code) ? code : createHash('md5').update(code).digest('hex')

/** Rows by a key; an unknown key gives no rows. */
export class Groups<Row> extends Map<string | number, Row[]> {
  constructor(rows: readonly Row[], keyOf: (row: Row) => string | number) {
    super()
    for (const row of rows) {
      const group = this.get(keyOf(row))
      if (group) group.push(row)
      else this.set(keyOf(row), [row])
    }
  }
  of(key: string | number): Row[] {
    return this.get(key) ?? []
  }
}

/** Rows by a unique key; an unknown key is an error. */
class Index<Row> extends Map<string | number, Row> {
  constructor(rows: readonly Row[], keyOf: (row: Row) => string | number) {
    super(rows.map((row) => [keyOf(row), row]))
  }
  of(key: string | number): Row {
    const row = this.get(key)
    if (row === undefined) throw new Error(`a reference leads nowhere: ${key}`)
    return row
  }
}

const orderLine = (row: { order_no: string | null; order_line_no: number | null }) =>
  key(row.order_no, row.order_line_no)

function open(company: Company) {
  const moves = company.stock_movement.map(
    (m): Move => ({
      ...m,
      qty: parse(m.qty, 4),
      val: parse(m.val, 4),
      val_tax: parse(m.val_tax, 4),
      transfer_charge: parse(m.transfer_charge, 4),
    }),
  )
  const ofOrders = moves.filter((m) => m.order_no !== null)
  return {
    item: new Index(company.item, (i) => i.id),
    warehouse: new Index(company.warehouse, (w) => w.id),
    vendor: new Index(company.vendor, (v) => v.code),
    customer: new Index(company.customer, (c) => c.code),
    bom: new Groups(company.bom_line, (b) => b.product_id),
    contents: new Groups(company.combo_line, (c) => c.combo_id),
    purchaseOrder: new Index(company.purchase_order, (po) => po.po_no),
    purchaseLines: new Groups(company.purchase_order_line, (l) => l.po_no),
    purchaseLine: new Index(company.purchase_order_line, (l) => key(l.po_no, l.line_no)),
    approvals: new Groups(company.purchase_order_approval, (a) => a.po_no),
    receiptLines: new Groups(company.goods_receipt_line, (l) => key(l.po_no, l.grn_no)),
    /** Lines of receipts by the ordered line. */
    received: new Groups(company.goods_receipt_line, (l) => key(l.po_no, l.po_line_no)),
    batch: new Index(company.batch, (b) => key(b.item_id, b.batch_no)),
    consumed: new Groups(company.consumption, (c) => key(c.item_id, c.batch_no)),
    salesOrder: new Index(company.sales_order, (o) => o.order_no),
    salesLines: new Groups(company.sales_order_line, (l) => l.order_no),
    salesLine: new Index(company.sales_order_line, (l) => key(l.order_no, l.line_no)),
    returned: new Groups(company.sales_return, (r) => r.order_no),
    lineReturns: new Groups(company.sales_return, orderLine),
    invoice: new Index(company.invoice, (i) => i.invoice_no),
    invoiceLines: new Groups(company.invoice_line, (l) => l.invoice_no),
    /** Lines of invoices by the ordered line. */
    invoiced: new Groups(company.invoice_line, orderLine),
    moves: new Groups(moves, (m) => m.item_id),
    /** Movements by the ordered line: issues, and returns in the ledger. */
    issues: new Groups(
      ofOrders.filter((m) => m.kind === 'issue'),
      orderLine,
    ),
    ledgerReturns: new Groups(
      ofOrders.filter((m) => m.kind === 'sales_return'),
      orderLine,
    ),
  }
}

const opened = new WeakMap<Company, ReturnType<typeof open>>()

export function books(company: Company): ReturnType<typeof open> {
  const known = opened.get(company) ?? open(company)
  opened.set(company, known)
  return known
}

const nobody = Object.fromEntries(
  [...['buyer', 'address1', 'address2', 'city', 'state', 'country', 'pincode', 'gstn', 'phone', 'email']].flatMap(
    (part) => [
      [`billing_${part}`, ''],
      [`shipping_${part}`, ''],
    ],
  ),
)

/** A customer, or a walk-in customer without a code. */
export const customerOf = (company: Company, code: string | null): Customer =>
  code === null
    ? ({ code: '', name: '', contact_person: null, ...nobody } as unknown as Customer)
    : books(company).customer.of(code)

/** A warehouse, or none. */
export const placeOf = (
  company: Company,
  id: number | null | undefined,
): { id: number; location: string; key: string } => {
  if (id == null) return { id: 0, location: '', key: '' }
  const { location, code } = books(company).warehouse.of(id)
  return { id, location, key: warehouseKey(code) }
}

/** The item of a line, or an item of this name if the line has none. */
export const itemOf = (company: Company, id: number | null, name: string): Item =>
  id === null
    ? ({ id: 0, sku: '', name, type: '', unit: '', hsn: '', mrp: '0', product_category: '' } as unknown as Item)
    : books(company).item.of(id)

/** The sum of a measure over the movements of some kinds. */
export function total(moves: Iterable<Move>, kinds: readonly string[], measure: Measure): bigint {
  let units = 0n
  for (const move of moves) if (kinds.includes(move.kind)) units += move[measure]
  return units
}

/** The stock after some movements, and the held part of it. */
export const inStock = (moves: readonly Move[], measure: Measure) =>
  total(moves, INS, measure) - total(moves, OUTS, measure)
export const held = (moves: readonly Move[], measure: Measure) =>
  total(moves, ['hold'], measure) - total(moves, ['release'], measure)

/** The rows of a bill of materials that hold on a day. */
export const bomOn = (lines: readonly BomLine[], day: string, kind: string): BomLine[] =>
  lines.filter((b) => b.kind === kind && b.valid_from <= day && (b.valid_to === null || b.valid_to >= day))

/** The currency fields of a document. */
export const currencyOf = (
  company: Company,
  { currency, exchange_rate }: { currency?: string | null | undefined; exchange_rate?: string | null | undefined },
) => ({
  currency: currency ?? company.account['currency'],
  exchange_rate: upTo(exchange_rate ?? '1', 4, 12),
})

/** Fields of a row as its document states them, null if they were not converted. */
export const statedOf = (
  { given }: { given?: Record<string, string | null> | null },
  digits: Readonly<Record<string, number>>,
) =>
  Object.fromEntries(
    Object.entries(digits).map(([name, n]) => {
      const text = given?.[name] ?? null
      return [`document_${name}`, text === null ? null : n === 6 ? upTo(text, 4, 6) : fixed(text, n)]
    }),
  )

interface TaxedLine {
  line_no: number
  taxes?: { name: string; rate: string | null; amount: string }[] | null
}

/** The taxes of lines, as rows. */
export const taxesOf = (lines: readonly TaxedLine[]) =>
  lines
    .toSorted((a, b) => a.line_no - b.line_no)
    .flatMap(({ line_no, taxes }) =>
      (taxes ?? []).map(({ name, rate, amount }) => ({
        ...{ line_no, name, rate: rate === null ? null : upTo(rate, 2, 4), amount: fixed(amount, 2) },
      })),
    )

/** The tax rate of a line, or that of all its taxes. */
export const taxRateOf = ({ tax_rate, taxes }: TaxedLine & { tax_rate: string }) =>
  upTo(
    parse(tax_rate, 4) === 0n && taxes
      ? format(
          taxes.reduce((all, { rate }) => all + parse(rate ?? '0', 4), 0n),
          4,
        )
      : tax_rate,
    2,
    4,
  )
