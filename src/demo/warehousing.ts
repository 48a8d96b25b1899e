/** Warehousing: opening stock, transfers to the depots, holds, losses, counts and expired goods. */
import { type Qty, UNIT, valueText } from './amounts.js'
import type { World } from './world.js'

export class Warehousing {
  readonly #world: World
  /** Items that are kept in stock. */
  readonly #kept: number[]
  readonly #products: number[]

  constructor(world: World) {
    this.#world = world
    const items = world.masters.items
    this.#kept = items.flatMap(({ type, idle }, i) => (type === 'SRV' || idle ? [] : [i]))
    this.#products = this.#kept.filter((item) => ['FG', 'COMBO'].includes(world.item(item).type))
  }

  /** The stock on the first day, counted by hand. */
  open(): void {
    const world = this.#world
    const { random, emit } = world
    for (const item of this.#kept) {
      const { type, plant, sku, cost, taxRate, loose, life } = world.item(item)
      if (type === 'COMBO') continue
      for (let place = 0; place < world.places; place++) {
        const rate = type === 'FG' && place === plant ? world.totalRate(item) * 0.5 : world.rate(item, place)
        const units = Math.round((rate * random.int(14, 40)) / UNIT)
        if (units === 0) continue
        const batch = loose ? null : `OPN-${place + 1}`
        const expires = Math.round(life * (0.5 + 0.5 * random.next()))
        // The production date of some is unknown.
        const known = random.chance(0.6)
        if (batch !== null)
          emit('batches', {
            ...{ sku, batch_no: batch, source: 'MANUAL', mfg_date: known ? world.date(expires - life) : null },
            expiry_date: known || random.chance(0.5) ? world.date(expires) : null,
          })
        const val = units * cost * 100
        const goods = {
          batch,
          expires,
          qty: units * UNIT,
          val,
          valTax: val + Math.round((val * taxRate) / 10_000) * 100,
        }
        world.receive('other_receipt', item, place, goods, { note: 'opening stock' })
      }
    }
  }

  run(): void {
    const { calendar, day } = this.#world
    if (calendar.isSunday(day)) return
    this.#replenish()
    this.#mishaps()
    if (calendar.isLastOfMonth(day)) this.#count()
    if (calendar.isLastOfMonth(day)) this.#monthEnd()
  }

  /** Each warehouse checks each product every five days. */
  #replenish(): void {
    const world = this.#world
    const { stock, day, random } = world
    for (const item of this.#products) {
      const { plant, unit } = world.item(item)
      for (let place = 0; place < world.places; place++) {
        if (place === plant || (item + place + day) % 5 !== 0) continue
        const rate = world.rate(item, place)
        const there = stock.active(item, place)
        if (there >= rate * 11) continue
        const size = unit === 'KG' ? UNIT : rate > 12 * UNIT ? 12 * UNIT : UNIT
        const wanted = Math.ceil((rate * 26 - there) / size) * size
        const qty = Math.min(wanted, Math.floor(stock.active(item, plant) / size) * size)
        if (qty <= 0) continue
        const charge = random.int(80, 300)
        const transfer_no = world.number('TR-', 6)
        for (const goods of world.issue('transfer_out', item, plant, qty, { transfer_no })) {
          const more = { transfer_no, transfer_charge: valueText(Math.round((goods.qty / UNIT) * charge) * 100) }
          world.later(random.int(0, 2), () => world.receive('transfer_in', item, place, goods, more))
        }
      }
    }
  }

  /** A random lot with stock to take from; undefined if the warehouse picked has none. */
  #anyLot(items: readonly number[]) {
    const { random, stock, places } = this.#world
    const item = random.pick(items)
    const place = random.int(0, places - 1)
    const lots = stock.lots(item, place).filter((lot) => !lot.expired && lot.qty - lot.held.qty >= 10 * UNIT)
    const lot = lots.length === 0 ? undefined : random.pick(lots)
    return lot === undefined ? undefined : { item, place, lot, free: lot.qty - lot.held.qty }
  }

  #mishaps(): void {
    const world = this.#world
    const { random, stock } = world
    for (let n = world.times(1.2); n > 0; n--) {
      const found = this.#anyLot(this.#products)
      if (found === undefined) continue
      const { item, place, lot, free } = found
      const qty = part(free, random.int(10, 50) / 100)
      world.book('hold', item, place, stock.hold(item, place, lot, qty), { note: 'customer complaint' })
      if (random.chance(0.12)) continue // not inspected yet
      const bad = random.chance(0.2)
      world.later(random.int(3, 18), () => {
        world.book('release', item, place, stock.release(item, place, lot, qty))
        if (bad) world.book('trash', item, place, stock.takeFrom(item, place, lot, qty), { note: 'found unfit' })
      })
    }
    const small = [
      { kind: 'move_to_bad', perDay: 0.9, items: this.#products },
      { kind: 'trash', perDay: 0.4, items: this.#kept },
      { kind: 'rejection', perDay: 0.5, items: this.#kept },
      { kind: 'shortage', perDay: 0.3, items: this.#kept },
    ]
    for (const { kind, perDay, items } of small)
      for (let n = world.times(perDay); n > 0; n--) {
        const found = this.#anyLot(items)
        if (found === undefined) continue
        const { item, place, lot, free } = found
        world.book(kind, item, place, stock.takeFrom(item, place, lot, part(free, random.int(1, 6) / 100)))
      }
  }

  /** At the end of a month some goods are taken for own use or sent back, and the values of others corrected. */
  #monthEnd(): void {
    const world = this.#world
    const { stock } = world
    const found = this.#kept.flatMap((item) => {
      const [lot] = stock
        .lots(item, 0)
        .filter(({ qty, held, expired }) => qty > 40 * UNIT && held.qty === 0 && !expired)
      return lot === undefined ? [] : [{ item, lot }]
    })
    for (let n = 0; n < 8; n += 4) {
      const [own, back, dearer, cheaper] = found.slice(n)
      if (!(own && back && dearer && cheaper)) return
      const take = ({ item, lot }: typeof own, qty: Qty) => stock.takeFrom(item, 0, lot, qty)
      world.book('internal_issue', own.item, 0, take(own, 2 * UNIT), { note: 'samples for a fair' })
      world.book('vendor_return', back.item, 0, take(back, 3 * UNIT), { note: 'damaged on arrival' })
      for (const [kind, { item, lot }, note] of [
        ['value_increase', dearer, 'freight of the month'],
        ['value_decrease', cheaper, 'lower market price'],
      ] as const) {
        const val = Math.round(lot.val / 100)
        const sign = kind === 'value_increase' ? 1 : -1
        lot.val += sign * val
        lot.valTax += sign * val
        world.book(kind, item, 0, { batch: lot.batch, expires: lot.expires, qty: 0, val, valTax: val }, { note })
      }
    }
  }

  /** The count at the end of a month finds a little more or less than the books say. */
  #count(): void {
    const world = this.#world
    const { random, stock } = world
    for (let n = world.times(25); n > 0; n--) {
      const found = this.#anyLot(this.#kept)
      if (found === undefined) continue
      const { item, place, lot, free } = found
      const qty = part(free, 0.004)
      const note = { note: 'stock count' }
      if (random.chance(0.7)) world.book('shortage', item, place, stock.takeFrom(item, place, lot, qty), note)
      else {
        const val = Math.round((lot.val / lot.qty) * qty)
        const goods = {
          batch: lot.batch,
          expires: lot.expires,
          qty,
          val,
          valTax: Math.max(val, Math.round((lot.valTax / lot.qty) * qty)),
        }
        world.receive('other_receipt', item, place, goods, note)
      }
    }
  }

  /** Runs first on each day: trashes goods past their expiry. */
  expire(): void {
    const world = this.#world
    world.stock.today = world.day
    for (const item of this.#products)
      for (let place = 0; place < world.places; place++)
        for (const lot of world.stock.expire(item, place)) {
          const goods = world.stock.takeFrom(item, place, lot, lot.qty - lot.held.qty)
          world.book('trash', item, place, goods, { note: 'expired' })
        }
  }
}

/** A fraction of a quantity in whole units, at least one. */
const part = (qty: Qty, of: number): Qty => Math.max(1, Math.floor((qty / UNIT) * of)) * UNIT
