/** Performance of vendors and towards customers: line by line, day by day. */
import type { Company, Item } from '../setup/company.js'
import { books, Groups, key } from './books.js'
import { daysBetween, today } from './calendar.js'
import { divide, format, parse, sum } from './decimal.js'
import { byText } from './order.js'

interface Range {
  from_date: string
  to_date: string
}

/** A line with what is known of its delivery. */
interface Delivery {
  /** Code of the vendor or customer. */
  of: string
  ordered: bigint
  done: bigint
  promised: string
  orderedOn: string
  firstOn: string | null
  completed: string | null
}

const isGoods = (item: Item | undefined): boolean => item !== undefined && item.type !== 'SRV'
const isIn = (day: string | null | undefined, { from_date, to_date }: Range): day is string =>
  day != null && day >= from_date && day <= to_date

/** The mean of whole numbers with 2 digits; null if there are none. */
const mean = (list: readonly number[]): string | null =>
  list.length === 0 ? null : format(divide(BigInt(list.reduce((a, b) => a + b, 0)) * 100n, BigInt(list.length)), 2)

/** A fraction of large numbers, for sums of shares. */
type Fraction = readonly [bigint, bigint]
const add = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const percent = (part: Fraction, [a, b]: Fraction): string | null =>
  a === 0n ? null : format(divide(part[0] * b * 10_000n, part[1] * a), 2)

function delivered(lines: readonly Delivery[]) {
  const late = lines.flatMap(({ completed, promised }) =>
    completed !== null && completed > promised ? daysBetween(promised, completed) : [],
  )
  const onTime = lines.filter(({ completed, promised }) => completed !== null && completed <= promised).length
  return {
    lines: lines.length,
    in_full: lines.filter(({ done, ordered }) => done >= ordered).length,
    on_time: onTime,
    on_time_in_full_percent: percent([BigInt(onTime), 1n], [BigInt(lines.length), 1n]),
    days_late: mean(late),
  }
}

const daysToFirst = (lines: readonly Delivery[]) =>
  mean(lines.flatMap(({ firstOn, orderedOn }) => (firstOn === null ? [] : daysBetween(orderedOn, firstOn))))

export function vendorPerformance(company: Company, range: Range) {
  const of = books(company)
  const now = today(company.account['time_zone'] ?? 'UTC')
  /** All lines of receipts of an item, in the order in which they came, each with the rate before it. */
  const receipts = company.goods_receipt
    .filter((g) => g.receipt_date <= now)
    .sort((a, b) => byText(a.receipt_date, b.receipt_date) || byText(a.grn_no, b.grn_no))
    .flatMap((g) =>
      of.receiptLines
        .of(key(g.po_no, g.grn_no))
        .toSorted((a, b) => a.line_no - b.line_no)
        .map((line) => ({ ...line, day: g.receipt_date, rate: parse(line.rate, 6) })),
    )
  const rates = new Map<number, bigint>()
  const rises = receipts.map((line) => {
    const item = of.purchaseLine.of(key(line.po_no, line.po_line_no)).item_id
    if (item === null) return { ...line, rise: 0n }
    const rise = line.rate - (rates.get(item) ?? line.rate)
    rates.set(item, line.rate)
    return { ...line, rise }
  })
  const byLine = new Groups(rises, (r) => key(r.po_no, r.po_line_no))
  const lines = company.purchase_order_line.flatMap((line) => {
    const order = of.purchaseOrder.of(line.po_no)
    const promised = line.delivery_date ?? order.delivery_date
    const item = line.item_id === null ? undefined : of.item.of(line.item_id)
    const ordered = parse(line.qty, 4)
    if (order.state === 'CANCELLED' || !isGoods(item) || ordered <= 0n || !isIn(promised, range)) return []
    const came = byLine.of(key(line.po_no, line.line_no))
    let done = 0n
    let firstOn: string | null = null
    let completed: string | null = null
    for (const { accepted_qty, day } of came) {
      const accepted = parse(accepted_qty, 4)
      done += accepted
      if (accepted > 0n) firstOn ??= day
      if (done >= ordered) completed ??= day
    }
    return [{ of: order.vendor_code, ordered, done, promised, orderedOn: order.po_date, firstOn, completed, came }]
  })
  return [...new Groups(lines, (line) => line.of)]
    .map(([code, list]) => {
      const came = list.flatMap((line) => line.came)
      // Quantities of 4 digits by rates of 6.
      const received = sum(came.map((r) => parse(r.received_qty, 4) * r.rate))
      const rejected = sum(came.map((r) => parse(r.rejected_qty, 4) * r.rate))
      const amount = (units: bigint) => format(divide(units, 1_000_000n), 4)
      return {
        ...{ code: String(code), name: of.vendor.of(code).name },
        ...delivered(list),
        received_amt: amount(received),
        rejected_amt: amount(rejected),
        rejected_percent: percent([rejected, 1n], [received, 1n]),
        lead_days: daysToFirst(list),
        price_variance: amount(sum(came.map((r) => parse(r.accepted_qty, 4) * r.rise))),
      }
    })
    .sort((a, b) => byText(a.code, b.code))
}

export function customerPerformance(company: Company, range: Range) {
  const of = books(company)
  const now = today(company.account['time_zone'] ?? 'UTC')
  const lines = company.sales_order_line.flatMap((line) => {
    const order = of.salesOrder.of(line.order_no)
    const promised = line.delivery_date ?? order.exp_dispatch_date
    const item = line.item_id === null ? undefined : of.item.of(line.item_id)
    const ordered = parse(line.qty, 4)
    if (item === undefined || order.state === 'CANCELLED' || !isGoods(item) || ordered <= 0n) return []
    if (!isIn(promised, range)) return []
    const issues = of.issues.of(key(line.order_no, line.line_no)).filter((m) => m.movement_date <= now)
    const days = [...new Set(issues.map((m) => m.movement_date))].sort(byText)
    const before = parse(line.delivered_qty ?? '0', 4)
    /** What was issued by the end of a day. */
    const doneOn = (day: string) => {
      const issued = (id: number) =>
        sum(issues.filter((m) => m.item_id === id && m.movement_date <= day).map((m) => m.qty))
      const contents = item.type === 'COMBO' ? of.contents.of(item.id) : []
      const covered = contents.map((part) => issued(part.component_id) / parse(part.qty, 4))
      const combos = covered.length === 0 ? 0n : covered.reduce((least, n) => (n < least ? n : least))
      return before + issued(item.id) + combos * 10_000n
    }
    const all = days.length === 0 ? before : doneOn(days.at(-1) as string)
    const done = all < 0n ? 0n : all
    const amount = parse(line.taxable_amt, 2)
    const returned = of.lineReturns
      .of(key(line.order_no, line.line_no))
      .filter((r) => r.return_date <= now)
      .map((r) => parse(r.taxable_amt, 2))
    return [
      {
        ...{ of: order.customer_code ?? '', ordered, done, promised, orderedOn: order.order_date },
        firstOn: days[0] ?? null,
        completed: before >= ordered ? null : (days.find((day) => doneOn(day) >= ordered) ?? null),
        ...{ amount, returned: sum(returned) },
      },
    ]
  })
  return [...new Groups(lines, (line) => line.of)]
    .map(([code, list]) => {
      const total = (part: (line: (typeof list)[number]) => Fraction) => list.map(part).reduce(add, [0n, 1n])
      const issued = total(({ amount, done, ordered }) => [amount * done, ordered])
      return {
        ...{ code: String(code), name: code === '' ? '' : of.customer.of(code).name },
        ...delivered(list),
        fill_percent: percent(
          total(({ amount, done, ordered }) => [amount * (done < ordered ? done : ordered), ordered]),
          total(({ amount }) => [amount, 1n]),
        ),
        returned_percent: percent(
          total(({ returned }) => [returned, 1n]),
          issued,
        ),
        days_to_dispatch: daysToFirst(list),
      }
    })
    .sort((a, b) => byText(a.code, b.code))
}
