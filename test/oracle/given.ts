/** Converts documents and movements in other currencies and units in memory, and shares their taxes out among the lines. */
import type { Company, Tax } from '../setup/company.js'
import { Groups, key } from './books.js'
import { divide, format, parse, sum } from './decimal.js'
import { byText } from './order.js'

type Row = Record<string, unknown>
type Measure = 'amount' | 'quantity' | 'price'
const DIGITS: Record<Measure, number> = { amount: 2, quantity: 4, price: 6 }
const ONE = 10n ** 12n

/** The columns of each table that are converted. */
const measures = (amounts: string[], quantities: string[] = [], prices: string[] = []): Record<string, Measure> => ({
  ...Object.fromEntries(quantities.map((name) => [name, 'quantity' as const])),
  ...Object.fromEntries(prices.map((name) => [name, 'price' as const])),
  ...Object.fromEntries(amounts.map((name) => [name, 'amount' as const])),
})
const LINE = ['taxable_amt', 'tax_amt', 'total_amt']
const ORDER = measures([...LINE, 'shipping_amt', 'adjustment_amt'])

interface Rules {
  measures: Record<string, Measure>
  /** Rows with the same key are rounded together. */
  document: (row: never) => string
  /** The order inside a document. */
  no: (row: never) => string | number
  rate: (row: never) => string | null | undefined
  item?: (row: never) => number | null
  taxes?: {
    rows: Tax[]
    taxable: string
    total: string
    own: string[]
    all: boolean
    whole?: (row: never) => bigint | null
  }
}

const known = new WeakMap<Company, Company>()

/** The company with all documents and movements in the account's currency and in stock units; `given` keeps the original values. */
export function converted(company: Company): Company {
  const made = known.get(company) ?? convert(company)
  known.set(company, made)
  known.set(made, made)
  return made
}

function convert(company: Company): Company {
  const by = <R>(rows: readonly R[], of: (row: R) => string) => new Map(rows.map((row) => [of(row), row]))
  const orders = by(company.sales_order, (o) => o.order_no)
  const orderLines = by(company.sales_order_line, (l) => key(l.order_no, l.line_no))
  const purchases = by(company.purchase_order, (po) => po.po_no)
  const purchaseLines = by(company.purchase_order_line, (l) => key(l.po_no, l.line_no))
  const receipts = by(company.goods_receipt, (g) => key(g.po_no, g.grn_no))
  const invoices = by(company.invoice, (n) => n.invoice_no)
  const units = by(company.item_unit ?? [], (u) => key(u.item_id, u.unit))
  const factorOf = (item: number | null, unit: string | null | undefined): [bigint, bigint] => {
    const row = unit == null || item === null ? undefined : units.get(key(item, unit))
    return row ? [parse(row.factor, 12), parse(row.divisor, 12)] : [1n, 1n]
  }

  /** The rate of the first credit note for a return, if it is in the currency of the order. */
  const creditedAt = ({ order_no, return_no }: { order_no: string; return_no: string }) => {
    const order = orders.get(order_no)
    if (order?.exchange_rate == null) return undefined
    const notes = company.invoice
      .filter(
        (n) =>
          n.return_no === return_no && n.status !== 'Cancelled' && (n.currency ?? null) === (order.currency ?? null),
      )
      .filter((n) => (n.order_no ?? order_no) === order_no)
      .sort((a, b) => byText(a.invoice_at, b.invoice_at) || byText(a.invoice_no, b.invoice_no))
    return notes[0]?.exchange_rate
  }

  const table = (rows: readonly Row[], rules: Rules): never => {
    const of = rules as unknown as {
      [K in 'document' | 'no' | 'rate' | 'item']: (row: Row) => string & number & null
    }
    const documents = new Groups(rows, (row) => of.document(row))
    const results = new Map<Row, Row>()
    for (const lines of documents.values()) {
      const inOrder = lines.toSorted((a, b) => (of.no(a) < of.no(b) ? -1 : 1))
      const { values, taxes } = rules.taxes ? taxed(inOrder, rules) : { values: inOrder, taxes: undefined }
      const upTo: Record<string, bigint> = {}
      inOrder.forEach((row, i) => {
        const rate = parse((of.rate(row) as string | null) ?? '1', 12)
        const [factor, divisor] = factorOf(rules.item ? of.item(row) : null, row['unit'] as string | null)
        const result: Row = { ...row }
        for (const [name, measure] of Object.entries(rules.measures)) {
          const text = values[i]?.[name] as string | null | undefined
          if (text == null) continue
          const value = parse(text, DIGITS[measure])
          const before = upTo[name] ?? 0n
          if (measure === 'amount') upTo[name] = before + value
          const now =
            measure === 'amount'
              ? divide((before + value) * rate, ONE) - divide(before * rate, ONE)
              : measure === 'quantity'
                ? divide(value * factor, divisor)
                : divide(value * rate * divisor, factor * ONE)
          result[name] = format(now, DIGITS[measure])
        }
        if ('received_qty' in rules.measures) {
          const least = parse(result['accepted_qty'] as string, 4) + parse(result['rejected_qty'] as string, 4)
          if (parse(result['received_qty'] as string, 4) < least) result['received_qty'] = format(least, 4)
        }
        const untold = ['tax_amt', 'total_amt', 'total_value'].some(
          (name) => name in rules.measures && row[name] === null,
        )
        if (rate !== ONE || factor !== divisor || untold)
          result['given'] = Object.fromEntries(Object.keys(rules.measures).map((name) => [name, row[name] ?? null]))
        if (taxes?.[i]) result['taxes'] = taxes[i]
        results.set(row, result)
      })
    }
    return rows.map((row) => results.get(row)) as never
  }

  return {
    ...company,
    purchase_order: table(
      company.purchase_order as unknown as Row[],
      {
        measures: ORDER,
        document: (po: { po_no: string }) => po.po_no,
        no: () => 0,
        rate: (po: { exchange_rate?: string | null }) => po.exchange_rate,
      } as Rules,
    ),
    purchase_order_line: table(
      company.purchase_order_line as unknown as Row[],
      {
        measures: measures(LINE, ['qty'], ['rate']),
        document: (l: { po_no: string }) => l.po_no,
        no: (l: { line_no: number }) => l.line_no,
        rate: (l: { po_no: string }) => purchases.get(l.po_no)?.exchange_rate,
        item: (l: { item_id: number | null }) => l.item_id,
        taxes: {
          ...{
            rows: company.purchase_order_tax ?? [],
            taxable: 'taxable_amt',
            total: 'total_amt',
            own: ['tax_amt'],
            all: true,
          },
          whole: (l: { po_no: string }) => parse(purchases.get(l.po_no)?.tax_amt ?? '0', 2),
        },
      } as Rules,
    ),
    goods_receipt_line: table(
      company.goods_receipt_line as unknown as Row[],
      {
        measures: measures(LINE, ['received_qty', 'accepted_qty', 'rejected_qty'], ['rate']),
        document: (l: { po_no: string; grn_no: string }) => key(l.po_no, l.grn_no),
        no: (l: { line_no: number }) => l.line_no,
        rate: (l: { po_no: string; grn_no: string }) =>
          receipts.get(key(l.po_no, l.grn_no))?.exchange_rate ?? purchases.get(l.po_no)?.exchange_rate,
        item: (l: { po_no: string; po_line_no: number }) =>
          purchaseLines.get(key(l.po_no, l.po_line_no))?.item_id ?? null,
        taxes: {
          ...{
            rows: company.goods_receipt_tax ?? [],
            taxable: 'taxable_amt',
            total: 'total_amt',
            own: ['tax_amt'],
            all: true,
          },
        },
      } as Rules,
    ),
    sales_order: table(
      company.sales_order as unknown as Row[],
      {
        measures: ORDER,
        document: (o: { order_no: string }) => o.order_no,
        no: () => 0,
        rate: (o: { exchange_rate?: string | null }) => o.exchange_rate,
      } as Rules,
    ),
    sales_order_line: table(
      company.sales_order_line as unknown as Row[],
      {
        measures: measures([...LINE, 'discount_amt'], ['qty', 'delivered_qty'], ['mrp', 'rate', 'effective_rate']),
        document: (l: { order_no: string }) => l.order_no,
        no: (l: { line_no: number }) => l.line_no,
        rate: (l: { order_no: string }) => orders.get(l.order_no)?.exchange_rate,
        item: (l: { item_id: number | null }) => l.item_id,
        taxes: {
          ...{
            rows: company.sales_order_tax ?? [],
            taxable: 'taxable_amt',
            total: 'total_amt',
            own: ['tax_amt'],
            all: true,
          },
          whole: (l: { order_no: string }) => parse(orders.get(l.order_no)?.tax_amt ?? '0', 2),
        },
      } as Rules,
    ),
    sales_return: table(
      company.sales_return as unknown as Row[],
      {
        measures: measures(['taxable_amt', 'tax_amt'], ['usable_qty', 'unusable_qty']),
        document: (r: { order_no: string; return_no: string }) => key(r.order_no, r.return_no),
        no: (r: { order_line_no: number }) => r.order_line_no,
        rate: (r: { order_no: string; return_no: string }) => creditedAt(r) ?? orders.get(r.order_no)?.exchange_rate,
        item: (r: { order_no: string; order_line_no: number }) =>
          orderLines.get(key(r.order_no, r.order_line_no))?.item_id ?? null,
      } as Rules,
    ),
    invoice: table(
      company.invoice as unknown as Row[],
      {
        measures: measures(['shipping', 'adjustment', 'sub_total', 'total_tax', 'total_amt', 'round_amt', 'final_amt']),
        document: (n: { invoice_no: string }) => n.invoice_no,
        no: () => 0,
        rate: (n: { exchange_rate?: string | null }) => n.exchange_rate,
      } as Rules,
    ),
    invoice_line: table(
      company.invoice_line as unknown as Row[],
      {
        measures: measures(['taxable_value', 'igst_amt', 'sgst_amt', 'cgst_amt', 'total_value'], ['qty'], ['rate']),
        document: (l: { invoice_no: string }) => l.invoice_no,
        no: (l: { line_no: number }) => l.line_no,
        rate: (l: { invoice_no: string }) => invoices.get(l.invoice_no)?.exchange_rate,
        item: (l: { item_id: number | null; order_no: string | null; order_line_no: number | null }) =>
          l.item_id ?? orderLines.get(key(l.order_no, l.order_line_no))?.item_id ?? null,
        taxes: {
          rows: company.invoice_tax ?? [],
          ...{ taxable: 'taxable_value', total: 'total_value', own: ['igst_amt', 'sgst_amt', 'cgst_amt'], all: false },
          whole: (l: { invoice_no: string }) => parse(invoices.get(l.invoice_no)?.total_tax ?? '0', 2),
        },
      } as Rules,
    ),
    stock_movement: table(
      company.stock_movement as unknown as Row[],
      {
        measures: measures([], ['qty']),
        document: (m: { movement_no: string }) => m.movement_no,
        no: () => 0,
        rate: () => null,
        item: (m: { item_id: number }) => m.item_id,
      } as Rules,
    ),
  }
}

/** Shares a whole out in proportion to these numbers, in their order; the first gets all if all are 0. */
function shares(whole: bigint, parts: readonly bigint[]): bigint[] {
  const all = sum(parts)
  let upTo = 0n
  return parts.map((part, i) => {
    if (all === 0n) return i === 0 ? whole : 0n
    const before = divide(whole * upTo, all)
    upTo += part
    return divide(whole * upTo, all) - before
  })
}

/** The lines of a document with their missing amounts filled in, and the taxes of each in the account's currency. */
function taxed(lines: readonly Row[], rules: Rules): { values: Row[]; taxes: (unknown[] | undefined)[] } {
  const { rows, taxable, total, own, all, whole } = rules.taxes as NonNullable<Rules['taxes']>
  const first = lines[0] as Row
  const same = (tax: Row) =>
    ['po_no', 'grn_no', 'order_no', 'invoice_no'].every((n) => !(n in tax) || tax[n] === first[n])
  const own_ = rows.filter((tax) => same(tax as unknown as Row))
  const amounts = lines.map((line) => parse(line[taxable] as string, 2))
  const ofLine = lines.map(() => new Map<string, { rate: string | null; amount: bigint }>())
  for (const tax of own_) {
    const parts =
      tax.line_no > 0
        ? lines.map((line) => (line['line_no'] === tax.line_no ? parse(tax.amount, 2) : undefined))
        : shares(parse(tax.amount, 2), amounts)
    parts.forEach((part, i) => {
      if (part === undefined) return
      const name = !all && ['IGST', 'SGST', 'CGST'].includes(tax.name.toUpperCase()) ? tax.name.toUpperCase() : tax.name
      const before = ofLine[i]?.get(name)
      const rates = [before?.rate, tax.rate].flatMap((rate) => rate ?? [])
      const rate = rates.toSorted((a, b) => Number(parse(b, 4) - parse(a, 4)))[0] ?? null
      ofLine[i]?.set(name, { rate, amount: (before?.amount ?? 0n) + part })
    })
  }
  const hasRows = ofLine.some((taxes) => taxes.size > 0)
  const stated = lines.map((line, i) => {
    const told = own.flatMap((name) => (line[name] == null ? [] : parse(line[name] as string, 2)))
    const rowsOf = [...(ofLine[i]?.values() ?? [])].map(({ amount }) => amount)
    const beyond = line[total] == null ? 0n : parse(line[total] as string, 2) - (amounts[i] as bigint)
    const byTotal = beyond === 0n ? undefined : beyond
    if (all) return told[0] ?? (rowsOf.length > 0 ? sum(rowsOf) : byTotal)
    return told.length + rowsOf.length > 0 ? sum([...told, ...rowsOf]) : byTotal
  })
  const untold = stated.flatMap((tax, i) => (tax === undefined ? [i] : []))
  const rest =
    whole && !hasRows ? ((whole as (row: Row) => bigint)(first) ?? 0n) - sum(stated.map((tax) => tax ?? 0n)) : 0n
  const parts = shares(
    rest,
    untold.map((i) => amounts[i] as bigint),
  )
  untold.forEach((i, n) => {
    stated[i] = parts[n]
  })
  const rate = parse(((rules.rate as (row: Row) => string | null | undefined)(first) as string) ?? '1', 12)
  const upTo = new Map<string, bigint>()
  return {
    values: lines.map((line, i) => ({
      ...line,
      ...(all && line[own[0] as string] === null && { [own[0] as string]: format(stated[i] as bigint, 2) }),
      ...(line[total] === null && { [total]: format((amounts[i] as bigint) + (stated[i] as bigint), 2) }),
    })),
    taxes: ofLine.map((taxes) => {
      if (taxes.size === 0) return undefined
      return [...taxes]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { rate: percent, amount }]) => {
          const before = upTo.get(name) ?? 0n
          upTo.set(name, before + amount)
          return {
            name,
            rate: percent,
            amount: format(divide((before + amount) * rate, ONE) - divide(before * rate, ONE), 2),
          }
        })
    }),
  }
}
