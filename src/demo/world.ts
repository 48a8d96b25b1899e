/** State shared by all parts of the sample company: masters, stock, calendar and agenda. */
import { type Qty, qtyText, UNIT, valueText } from './amounts.js'
import type { Calendar } from './calendar.js'
import { type Item, type Masters, ONLINE_STORE } from './masters.js'
import type { Random } from './random.js'
import type { Emit, RowOf } from './rows.js'
import { type Goods, Stock } from './stock.js'

/** Orders per day at scale 1 and their contents: the forecast for purchasing and production. */
export const ORDERS_PER_DAY = 15
export const B2B_SHARE = 0.55
const UNITS_PER_ORDER = { b2b: 3 * 54, online: 1.5 * 2.5 }

export class World {
  readonly masters: Masters
  readonly scale: number
  readonly calendar: Calendar
  readonly random: Random
  readonly emit: Emit
  readonly stock: Stock
  /** Expected use and sales on an average day, by item and warehouse. */
  readonly rates: Float64Array
  readonly sold: readonly number[]
  day = 0
  #movements = 0
  #numbers = new Map<string, number>()
  #agenda = new Map<number, (() => void)[]>()

  constructor(masters: Masters, scale: number, calendar: Calendar, random: Random, emit: Emit) {
    this.masters = masters
    this.scale = scale
    this.calendar = calendar
    this.random = random
    this.emit = emit
    this.stock = new Stock(masters.items.length, this.places)
    this.sold = masters.items.flatMap(({ weight, idle }, item) => (weight > 0 && !idle ? [item] : []))
    this.rates = this.#forecast()
  }

  get places(): number {
    return this.masters.warehouses.length
  }

  item(item: number): Item {
    return this.masters.items[item] as Item
  }

  rate(item: number, place: number): number {
    return (this.rates[item * this.places + place] as number) * this.calendar.trend(this.day)
  }

  /** Of all warehouses. */
  totalRate(item: number): number {
    let sum = 0
    for (let place = 0; place < this.places; place++) sum += this.rate(item, place)
    return sum
  }

  totalStock(item: number): Qty {
    let sum = 0
    for (let place = 0; place < this.places; place++) sum += this.stock.active(item, place)
    return sum
  }

  /** Whether the company still buys, makes and sells it. */
  isAlive(item: Item): boolean {
    return !item.idle && this.day < item.endsIn
  }

  date(day = this.day): string {
    return this.calendar.date(day)
  }

  /** The next number of a document. */
  number(prefix: string, digits: number): string {
    const next = (this.#numbers.get(prefix) ?? 0) + 1
    this.#numbers.set(prefix, next)
    return `${prefix}${String(next).padStart(digits, '0')}`
  }

  /** Runs work now or on a later day, unless the sample ends before. There is no work on Sundays. */
  later(days: number, work: () => void): void {
    let day = this.day + days
    if (this.calendar.isSunday(day)) day++
    if (day > this.calendar.last) return
    if (day === this.day) {
      work()
      return
    }
    const works = this.#agenda.get(day)
    if (works === undefined) this.#agenda.set(day, [work])
    else works.push(work)
  }

  runAgenda(): void {
    for (const work of this.#agenda.get(this.day) ?? []) work()
    this.#agenda.delete(this.day)
  }

  /** A random count with this average per day. */
  times(perDay: number): number {
    const expected = perDay * this.scale
    return Math.floor(expected) + (this.random.chance(expected % 1) ? 1 : 0)
  }

  /** Writes a movement into the ledger. */
  book(kind: string, item: number, place: number, goods: Goods, more: RowOf<'stock_movements'> = {}): void {
    this.emit('stock_movements', {
      ...{ movement_no: `MV-${String(++this.#movements).padStart(8, '0')}`, movement_date: this.date(), kind },
      ...{ sku: this.item(item).sku, warehouse: this.masters.warehouses[place]?.location ?? '' },
      ...{
        batch_no: goods.batch,
        qty: qtyText(goods.qty),
        val: valueText(goods.val),
        val_tax: valueText(goods.valTax),
      },
      ...more,
    })
  }

  receive(kind: string, item: number, place: number, goods: Goods, more?: RowOf<'stock_movements'>): void {
    this.stock.receive(item, place, goods)
    this.book(kind, item, place, goods, more)
  }

  /** Issues the oldest stock first. */
  issue(kind: string, item: number, place: number, qty: Qty, more?: RowOf<'stock_movements'>): Goods[] {
    const taken = this.stock.take(item, place, qty)
    for (const goods of taken) this.book(kind, item, place, goods, more)
    return taken
  }

  /** Expected orders by warehouse, and the parts and materials for them by plant. */
  #forecast(): Float64Array {
    const { items, customers } = this.masters
    const rates = new Float64Array(items.length * this.places)
    const weights = this.sold.reduce((sum, item) => sum + this.item(item).weight, 0)
    const shops = customers.filter(({ online }) => !online)
    const orders = ORDERS_PER_DAY * this.scale
    const perPlace = Array.from({ length: this.places }, (_, place) =>
      place === ONLINE_STORE
        ? orders * (1 - B2B_SHARE) * UNITS_PER_ORDER.online
        : (orders * B2B_SHARE * UNITS_PER_ORDER.b2b * shops.filter((shop) => shop.warehouse === place).length) /
          shops.length,
    )
    const add = (item: number, place: number, qty: Qty) => {
      const at = item * this.places + place
      rates[at] = (rates[at] as number) + qty
    }
    const need = (item: number, place: number, qty: Qty) => {
      add(item, place, qty)
      const { contents, recipe, plant } = this.item(item)
      // A combo is dispatched by its contents, wherever it was packed.
      for (const { item: part, pieces } of contents) need(part, place, qty * pieces)
      for (const { item: part, per } of recipe)
        if (!contents.some((content) => content.item === part)) need(part, plant, qty * per)
    }
    for (const item of this.sold)
      perPlace.forEach((units, place) => {
        need(item, place, ((units * this.item(item).weight) / weights) * UNIT)
      })
    return rates
  }
}
