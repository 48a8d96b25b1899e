/** Stock in the warehouses while the sample is made: lots of a batch, each with its booked value. */
import { type Qty, share, type Value } from './amounts.js'

/** A quantity of one batch with its booked value. */
export interface Goods {
  batch: string | null
  /** The day it expires, if any. */
  expires: number
  qty: Qty
  val: Value
  valTax: Value
}

export interface Lot extends Goods {
  /** The part that is on hold. */
  held: { qty: Qty; val: Value; valTax: Value }
  /** Past its expiry: no longer counted as active. */
  expired: boolean
}

export class Stock {
  readonly #lots: Lot[][]
  readonly #active: Float64Array
  readonly #places: number
  today = 0

  constructor(items: number, places: number) {
    this.#places = places
    this.#lots = Array.from({ length: items * places }, () => [])
    this.#active = new Float64Array(items * places)
  }

  /** The lots of an item in a warehouse, oldest first. */
  lots(item: number, place: number): readonly Lot[] {
    return this.#lots[item * this.#places + place] as Lot[]
  }

  /** Lots past their expiry with a part that is not held; marks them as expired. */
  expire(item: number, place: number): Lot[] {
    const at = item * this.#places + place
    return (this.#lots[at] as Lot[]).filter((lot) => {
      const free = lot.qty - lot.held.qty
      if (!lot.expired && lot.batch !== null && lot.expires < this.today) {
        lot.expired = true
        this.#active[at] = (this.#active[at] as number) - free
      }
      return lot.expired && free > 0
    })
  }

  /** Usable stock: neither held nor expired. */
  active(item: number, place: number): Qty {
    return this.#active[item * this.#places + place] as number
  }

  receive(item: number, place: number, goods: Goods): void {
    const at = item * this.#places + place
    const lots = this.#lots[at] as Lot[]
    const same = lots.find((lot) => lot.batch === goods.batch)
    const expired = goods.batch !== null && goods.expires < this.today
    if (same === undefined) lots.push({ ...goods, held: { qty: 0, val: 0, valTax: 0 }, expired })
    else {
      same.qty += goods.qty
      same.val += goods.val
      same.valTax += goods.valTax
      same.expires = Math.max(same.expires, goods.expires)
    }
    if (!expired) this.#active[at] = (this.#active[at] as number) + goods.qty
  }

  /** Takes from the oldest lots first; the caller has checked that there is enough. */
  take(item: number, place: number, qty: Qty): Goods[] {
    const taken: Goods[] = []
    let left = qty
    for (const lot of [...this.lots(item, place)]) {
      const part = Math.min(left, lot.qty - lot.held.qty)
      if (part <= 0 || lot.expired) continue
      taken.push(this.takeFrom(item, place, lot, part))
      left -= part
      if (left === 0) return taken
    }
    throw new Error(`item ${item} lacks ${left} in place ${place}`)
  }

  takeFrom(item: number, place: number, lot: Lot, qty: Qty): Goods {
    const at = item * this.#places + place
    const free = lot.qty - lot.held.qty
    const val = share(lot.val - lot.held.val, qty, free)
    const valTax = share(lot.valTax - lot.held.valTax, qty, free)
    lot.qty -= qty
    lot.val -= val
    lot.valTax -= valTax
    if (!lot.expired) this.#active[at] = (this.#active[at] as number) - qty
    if (lot.qty === 0) this.#lots[at] = (this.#lots[at] as Lot[]).filter((other) => other !== lot)
    return { batch: lot.batch, expires: lot.expires, qty, val, valTax }
  }

  hold(item: number, place: number, lot: Lot, qty: Qty): Goods {
    const free = lot.qty - lot.held.qty
    const val = share(lot.val - lot.held.val, qty, free)
    const valTax = share(lot.valTax - lot.held.valTax, qty, free)
    lot.held = { qty: lot.held.qty + qty, val: lot.held.val + val, valTax: lot.held.valTax + valTax }
    if (!lot.expired) this.#active[item * this.#places + place] = this.active(item, place) - qty
    return { batch: lot.batch, expires: lot.expires, qty, val, valTax }
  }

  release(item: number, place: number, lot: Lot, qty: Qty): Goods {
    const { held } = lot
    const val = share(held.val, qty, held.qty)
    const valTax = share(held.valTax, qty, held.qty)
    lot.held = { qty: held.qty - qty, val: held.val - val, valTax: held.valTax - valTax }
    if (!lot.expired) this.#active[item * this.#places + place] = this.active(item, place) + qty
    return { batch: lot.batch, expires: lot.expires, qty, val, valTax }
  }
}
