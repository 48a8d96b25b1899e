/**
 * What can be made from stock, and what a plan lacks, by making it: each unit takes stock branch by branch, and makes or buys what
 * the stock does not have. The largest quantity that can be made is found by trying.
 */
import type { Company, Item } from '../setup/company.js'
import { dayOf, onOrderOf, onSaleOf, stockOf, usableOf } from './as-of.js'
import { bomOn, books } from './books.js'
import { divide, format, parse } from './decimal.js'
import { byText } from './order.js'

/** Fraction digits that are enough for any quantity here, also for one of a deep bill with 10 digits on each level. */
const DIGITS = 200
const ONE = 10n ** BigInt(DIGITS)
/** Quantities that differ by less are the same: they differ by the digits that are cut off. */
const SAME = 10n ** 100n
const fine = (units: bigint) => units * 10n ** BigInt(DIGITS - 4)
const upwards = (a: bigint, b: bigint) => (a > 0n ? (a + b - 1n) / b : -(-a / b))
const STEP = 10n ** BigInt(DIGITS - 4)

/** What one unit takes, by item; undefined if the item is bought. */
function contentsOf(company: Company, { id }: Item, day: string): { item: Item; ratio: bigint }[] | undefined {
  const of = books(company)
  const lines = [...bomOn(of.bom.of(id), day, 'Component'), ...of.contents.of(id)]
  if (lines.length === 0) return undefined
  return lines
    .map(({ component_id, qty }) => ({ item: of.item.of(component_id), ratio: parse(qty, 10) }))
    .filter(({ item }) => item.type !== 'SRV')
}

/** Stock that can be taken, and a record of everything that was taken, made and missed. */
class Workshop {
  readonly needed = new Map<Item, bigint>()
  readonly used = new Map<Item, bigint>()
  readonly made = new Map<Item, bigint>()
  readonly bought = new Map<Item, bigint>()
  readonly #company: Company
  readonly #day: string
  readonly #stock = new Map<Item, bigint>()
  readonly #ordered = new Map<Item, bigint>()
  readonly #until: string | undefined
  readonly #orders: boolean

  constructor(company: Company, day: string, orders: { until?: string | undefined } | undefined) {
    this.#company = company
    this.#day = day
    this.#orders = orders !== undefined
    this.#until = orders?.until
  }

  need(item: Item, qty: bigint): void {
    add(this.needed, item, qty)
    const fromStock = take(this.#stock, item, qty, () => usableOf(this.#company, item, this.#day))
    add(this.used, item, fromStock)
    const fromOrders = this.#orders
      ? take(this.#ordered, item, qty - fromStock, () => onOrderOf(this.#company, item, this.#day, this.#until))
      : 0n
    this.make(item, qty - fromStock - fromOrders)
  }

  make(item: Item, qty: bigint): void {
    const contents = contentsOf(this.#company, item, this.#day)
    add(contents === undefined ? this.bought : this.made, item, qty)
    for (const { item: part, ratio } of contents ?? []) this.need(part, (qty * ratio) / 10n ** 10n)
  }
}

const add = (to: Map<Item, bigint>, item: Item, qty: bigint) => void to.set(item, (to.get(item) ?? 0n) + qty)

function take(from: Map<Item, bigint>, item: Item, wanted: bigint, first: () => bigint): bigint {
  const there = from.get(item) ?? fine(first())
  const taken = there < 0n ? 0n : there < wanted ? there : wanted
  from.set(item, there - taken)
  return taken
}

/** What would have to be bought to make a whole number of units of 1/10,000 of an item. */
export const missingFor = (company: Company, item: Item, day: string, units: bigint): Map<Item, bigint> =>
  missing(company, item, day, units * STEP)

/** What would have to be bought to make a quantity of an item. */
function missing(company: Company, item: Item, day: string, qty: bigint): Map<Item, bigint> {
  const workshop = new Workshop(company, day, undefined)
  workshop.make(item, qty)
  return new Map([...workshop.bought].filter(([, qty]) => qty > 0n))
}

/** The largest whole number of steps that is feasible; at 0 everything is. Undefined if any number up to `most` is. */
function largest(isFeasible: (steps: bigint) => boolean, most = 10n ** 80n): bigint | undefined {
  let [low, high] = [0n, 1n]
  while (isFeasible(high)) {
    if (high > most) return undefined
    ;[low, high] = [high, high * 2n]
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (isFeasible(middle)) low = middle
    else high = middle
  }
  return low
}

/** The part that runs out first: of those that are missing a step later, the one that is missing from the smallest quantity on. */
function limitOf(company: Company, item: Item, day: string, steps: bigint): Item | undefined {
  const short = [...missing(company, item, day, (steps + 1n) * STEP).keys()].sort((a, b) => byText(a.sku, b.sku))
  if (short.length < 2) return short[0]
  const from = short.map((part) =>
    largest((more) => more <= STEP && !missing(company, item, day, steps * STEP + more).has(part), STEP),
  )
  const least = from.reduce<bigint>((least, one = 0n) => (one < least ? one : least), STEP)
  return short.find((_part, i) => (from[i] ?? 0n) - least < SAME)
}

export function producible(company: Company, params: { as_on?: string; sku?: string }) {
  const day = dayOf(company, params)
  return company.item
    .filter((item) => item.type !== 'SRV' && contentsOf(company, item, day) !== undefined)
    .filter((item) => !params.sku || item.sku === params.sku)
    .sort((a, b) => byText(a.sku, b.sku))
    .map((item) => {
      const steps = largest((steps) => missing(company, item, day, steps * STEP).size === 0)
      const whole = steps === undefined ? undefined : steps / 10_000n
      const limit = steps === undefined ? undefined : limitOf(company, item, day, steps)
      const needs = whole === undefined ? [] : [...missing(company, item, day, (whole + 1n) * ONE)]
      return {
        ...{ sku: item.sku, name: item.name, unit: item.unit, stock_qty: format(stockOf(company, item, day), 4) },
        producible_qty: steps === undefined ? null : format(steps, 4),
        producible_whole: whole === undefined ? null : String(whole),
        ...{ limited_by: limit?.sku ?? null, limited_by_name: limit?.name ?? null },
        one_more_needs: needs
          .sort(([a], [b]) => byText(a.sku, b.sku))
          .map(([{ sku, name, unit }, qty]) => ({ sku, name, qty: format(upwards(qty, STEP), 4), unit })),
      }
    })
}

export function shortage(company: Company, params: { as_on?: string; plan?: string; until?: string }) {
  const day = dayOf(company, params)
  const until = params.until || undefined
  const plan = (params.plan || undefined)?.split(',').map((entry): [Item, bigint] => {
    const [code = '', qty = ''] = entry.split('=').map((text) => text.trim())
    return [company.item.find(({ sku }) => sku === code) as Item, parse(qty, 4)]
  })
  const wanted = new Map<Item, bigint>()
  if (plan !== undefined) for (const [item, qty] of plan) add(wanted, item, qty)
  else for (const item of company.item) add(wanted, item, onSaleOf(company, item, day))
  const planned = [...wanted].filter(([item, qty]) => item.type !== 'SRV' && (plan !== undefined || qty > 0n))

  const workshop = new Workshop(company, day, { until })
  for (const [item, qty] of planned) workshop.need(item, fine(qty))
  const depths = new Map<Item, number>()
  const walk = (item: Item, depth: number) => {
    depths.set(item, Math.max(depth, depths.get(item) ?? 0))
    for (const { item: part } of contentsOf(company, item, day) ?? []) walk(part, depth + 1)
  }
  for (const [item] of planned) walk(item, 0)
  const shown = (of: Map<Item, bigint>, item: Item) => format(divide(of.get(item) ?? 0n, STEP), 4)
  return [...depths]
    .map(([item, depth]) => ({
      level: planned.some(([one]) => one === item) ? 0 : depth,
      ...{ sku: item.sku, name: item.name, unit: item.unit },
      needed_qty: shown(workshop.needed, item),
      usable_qty: format(usableOf(company, item, day), 4),
      used_from_stock_qty: shown(workshop.used, item),
      on_order_qty: format(onOrderOf(company, item, day, until), 4),
      to_make_qty: shown(workshop.made, item),
      to_buy_qty: shown(workshop.bought, item),
    }))
    .sort((a, b) => a.level - b.level || byText(a.sku, b.sku))
}
