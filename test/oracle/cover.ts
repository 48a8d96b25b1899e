/** How long stock lasts and what to order: from the list of what was used on each day, with exact fractions; days are found by trying. */
import type { Company, Item } from '../setup/company.js'
import { forProductionOf, inProductionOf, onOrderOf, onSaleOf, stockOf, usableOf } from './as-of.js'
import { books, key, type Move } from './books.js'
import { daysBetween } from './calendar.js'
import { divide, format, parse } from './decimal.js'
import { byText } from './order.js'
import { dayOf, itemsOf } from './stock-ageing.js'

const USED = ['issue', 'internal_issue', 'consumption', 'unpack']
const Z: Record<string, string> = {
  ...{ '80': '0.841621', '85': '1.036433', '90': '1.281552', '95': '1.644854' },
  ...{ '97.5': '1.959964', '98': '2.053749', '99': '2.326348', '99.5': '2.575829' },
}

/** A numerator, and a denominator above 0. */
type Fraction = readonly [bigint, bigint]
const ZERO: Fraction = [0n, 1n]
const whole = (n: number | bigint): Fraction => [BigInt(n), 1n]
const units = (text: string, digits: number): Fraction => [parse(text, digits), 10n ** BigInt(digits)]
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (b === d ? [a + c, b] : [a * d + c * b, b * d])
const minus = (one: Fraction, [c, d]: Fraction): Fraction => plus(one, [-c, d])
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const over = (one: Fraction, [c, d]: Fraction): Fraction => (c < 0n ? times(one, [-d, -c]) : times(one, [d, c]))
const below = (one: Fraction, other: Fraction): boolean => minus(one, other)[0] < 0n
const atLeast = (one: Fraction, other: Fraction): Fraction => (below(one, other) ? other : one)
const shown = ([a, b]: Fraction, digits: number): string => format(divide(a * 10n ** BigInt(digits), b), digits)
const average = (list: readonly Fraction[]): Fraction => over(list.reduce(plus, ZERO), whole(list.length))
const ROOT_DIGITS = 80n

/** A square root, cut off after many digits; that of a square is exact. */
function root([a, b]: Fraction): Fraction {
  const square = a * b * 10n ** (2n * ROOT_DIGITS)
  let guess = 1n << BigInt(Math.ceil(square.toString(2).length / 2))
  for (let next = guess; ; guess = next) {
    next = guess === 0n ? 0n : (guess + square / guess) / 2n
    if (next >= guess) return [guess, b * 10n ** ROOT_DIGITS]
  }
}

/** The mean of the squared distances from the mean. */
const varianceOf = (list: readonly Fraction[]): Fraction => {
  const mean = average(list)
  return average(list.map((one) => times(minus(one, mean), minus(one, mean))))
}
const deviationOf = (list: readonly Fraction[]): Fraction => root(varianceOf(list))

/** The largest whole number of steps that still holds; 0 does. */
function most(holds: (steps: bigint) => boolean): bigint {
  let [low, high] = [0n, 1n]
  while (holds(high)) [low, high] = [high, high * 2n]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

const LAST = '9999-12-31'
const FIRST = '0001-01-01'
const after = (day: string, days: bigint): string | null =>
  days > BigInt(daysBetween(day, LAST)) || days < BigInt(daysBetween(day, FIRST))
    ? null
    : new Date(Date.parse(day) + Number(days) * 86_400_000).toISOString().slice(0, 10)

/** What was used on each of the days that end with a day, the last one first. */
function useOf(moves: readonly Move[], day: string, days: number, measure: 'qty' | 'val'): Fraction[] {
  const list = Array.from({ length: days }, () => 0n)
  for (const move of moves) {
    const ago = daysBetween(move.movement_date, day)
    if (ago < 0 || ago >= days) continue
    if (USED.includes(move.kind)) list[ago] = (list[ago] ?? 0n) + move[measure]
    if (move.kind === 'sales_return') list[ago] = (list[ago] ?? 0n) - move[measure]
  }
  return list.map((n) => [n, 10_000n])
}
const sumOf = (list: readonly Fraction[]): Fraction => list.reduce(plus, ZERO)

/** The days from the order to the first accepted receipt of each line that was first received in the last 365 days. */
function leadsOf(company: Company, { id }: Item, day: string): number[] {
  const of = books(company)
  return company.purchase_order_line
    .filter((line) => line.item_id === id)
    .flatMap((line) => {
      const ordered = of.purchaseOrder.of(line.po_no).po_date
      const [first] = of.received
        .of(key(line.po_no, line.line_no))
        .filter((r) => parse(r.accepted_qty, 4) > 0n)
        .map((r) => company.goods_receipt.find((g) => g.po_no === r.po_no && g.grn_no === r.grn_no)?.receipt_date ?? '')
        .filter((received) => received <= day)
        .sort(byText)
      if (first === undefined || ordered > day || daysBetween(first, day) >= 365) return []
      return daysBetween(ordered, first)
    })
}

/** The vendor of the item's last receipt, and the terms of the cheapest vendor. */
function vendorsOf(company: Company, { id }: Item, day: string) {
  const of = books(company)
  const last = company.goods_receipt
    .filter((g) => g.receipt_date <= day)
    .filter((g) =>
      of.receiptLines
        .of(key(g.po_no, g.grn_no))
        .some((r) => of.purchaseLine.of(key(r.po_no, r.po_line_no)).item_id === id),
    )
    .sort((a, b) => byText(b.receipt_date, a.receipt_date) || byText(b.grn_no, a.grn_no))[0]
  const price = (text: string | null) => (text === null ? 10n ** 40n : parse(text, 6))
  const [cheapest] = (company.item_vendor ?? [])
    .filter((terms) => terms.item_id === id)
    .sort((a, b) => Number(price(a.price) - price(b.price)) || byText(a.vendor_code, b.vendor_code))
  return { cheapest, last: last && of.purchaseOrder.of(last.po_no).vendor_code }
}

/** The class of each item that was used in 365 days: by the share of the items that are worth as much or more. */
function classesOf(company: Company, day: string): Map<Item, string> {
  const values = company.item.flatMap((item) => {
    const moves = books(company).moves.of(item.id)
    if (!below(ZERO, sumOf(useOf(moves, day, 365, 'qty')))) return []
    return [{ item, value: atLeast(sumOf(useOf(moves, day, 365, 'val')), ZERO) }]
  })
  values.sort((a, b) => (below(b.value, a.value) ? -1 : below(a.value, b.value) ? 1 : byText(a.item.sku, b.item.sku)))
  const all = sumOf(values.map(({ value }) => value))
  return new Map(
    values.map(({ item }, i) => {
      if (i === 0) return [item, 'A']
      if (all[0] === 0n) return [item, 'C']
      const share = over(sumOf(values.slice(0, i + 1).map(({ value }) => value)), all)
      return [item, !below([80n, 100n], share) ? 'A' : !below([95n, 100n], share) ? 'B' : 'C']
    }),
  )
}

function steadinessOf(moves: readonly Move[], day: string): string | null {
  const days = useOf(moves, day, 182, 'qty')
  const blocks = Array.from({ length: 26 }, (_, i) => sumOf(days.slice(7 * i, 7 * i + 7)))
  const mean = average(blocks)
  if (!below(ZERO, mean)) return null
  const ratio = over(deviationOf(blocks), mean)
  return !below([1n, 2n], ratio) ? 'X' : !below([1n, 1n], ratio) ? 'Y' : 'Z'
}

interface Params {
  as_on?: string
  window_days?: number | string
  service_level?: number | string
  lead_days?: number | string
  type?: string
}

export function cover(company: Company, { as_on, window_days, service_level, lead_days, type }: Params) {
  const day = dayOf(company, as_on)
  const z = units(Z[String(service_level || '95')] as string, 6)
  const classes = classesOf(company, day)
  return itemsOf(company, type || 'ALL').flatMap((item) => {
    const stock = stockOf(company, item, day)
    if (!item.active && stock === 0n) return []
    const qty = (n: bigint): Fraction => [n, 10_000n]
    const usable = qty(usableOf(company, item, day))
    const onOrder = qty(onOrderOf(company, item, day))
    const inProduction = qty(inProductionOf(company, item, day))
    const demanded = qty(onSaleOf(company, item, day) + forProductionOf(company, item, day))
    const projected = minus(plus(plus(usable, onOrder), inProduction), demanded)

    const moves = books(company).moves.of(item.id)
    const daily = useOf(moves, day, Number(window_days || 90), 'qty')
    const pace = atLeast(average(daily), ZERO)
    const deviation = deviationOf(daily)
    const isUsed = pace[0] > 0n

    const { cheapest, last } = vendorsOf(company, item, day)
    const measured = leadsOf(company, item, day)
    const stated = cheapest?.lead_days ?? (lead_days ? Number(lead_days) : undefined)
    const leads = (measured.length > 0 ? measured : stated === undefined ? [] : [stated]).map(whole)
    const isKnown = leads.length > 0
    const lead = isKnown ? average(leads) : ZERO
    const leadDeviation = isKnown ? deviationOf(leads) : ZERO
    const wait = atLeast(lead, ZERO)
    const spread = plus(times(wait, varianceOf(daily)), times(times(pace, pace), isKnown ? varianceOf(leads) : ZERO))
    const safety = times(z, root(spread))
    const whileWaiting = times(pace, wait)
    const point = plus(whileWaiting, safety)

    let order = ZERO
    if (isKnown && below(projected, point)) {
      order = atLeast(minus(plus(point, whileWaiting), projected), units(cheapest?.min_qty ?? '0', 4))
      if (cheapest?.multiple) {
        const multiple = units(cheapest.multiple, 4)
        order = times(multiple, whole(most((n) => below(times(multiple, whole(n)), order)) + 1n))
      }
    }
    const isOwing = usable[0] < 0n
    const lasts = () => most((n) => !below(isOwing ? minus(ZERO, usable) : usable, times(pace, whole(n))))
    const slack = minus(projected, point)
    return [
      {
        ...{ sku: item.sku, name: item.name, unit: item.unit, type: item.material_kind ?? item.type },
        ...{ stock_qty: format(stock, 4), usable_qty: shown(usable, 4), on_order_qty: shown(onOrder, 4) },
        ...{ in_production_qty: shown(inProduction, 4), demanded_qty: shown(demanded, 4) },
        ...{ projected_qty: shown(projected, 4), pace: shown(pace, 4), deviation: shown(deviation, 4) },
        cover_days: isUsed ? shown(over(usable, pace), 2) : null,
        runs_out_on: isUsed ? after(day, isOwing ? -lasts() : lasts()) : null,
        lead_days: isKnown ? shown(lead, 2) : null,
        lead_deviation: isKnown ? shown(leadDeviation, 2) : null,
        lead_source:
          measured.length > 0 ? 'Measured' : cheapest?.lead_days != null ? 'Vendor' : isKnown ? 'Given' : 'None',
        safety_qty: isKnown ? shown(safety, 4) : null,
        reorder_point: isKnown ? shown(point, 4) : null,
        order_qty: shown(order, 4),
        order_by:
          isUsed && isKnown ? after(day, slack[0] < 0n ? 0n : most((n) => !below(slack, times(pace, whole(n))))) : null,
        ...{ vendor: cheapest?.vendor_code ?? last ?? null },
        ...{ abc: classes.get(item) ?? null, xyz: steadinessOf(moves, day) },
      },
    ]
  })
}
