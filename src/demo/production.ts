/** Production: batches of products that run low, from materials in stock, with losses, other costs and a quality check. */
import { type Qty, qtyText, share, UNIT, type Value, valueText } from './amounts.js'
import type { Goods } from './stock.js'
import type { World } from './world.js'

/** The result of the quality check, and the fate of the batch. */
interface Check {
  status: string | null
  passed: Qty | null
  failed: Qty | null
  fate: 'fine' | 'held' | 'rejected'
  days: number
}

interface Batch {
  sku: string
  batch_no: string
  work_order_no: string | null
}

/** The company has written work orders for this number of days, up to the last. */
const WORK_ORDERS_DAYS = 180
/** The number of products that it plans ahead. */
const PLANNED = 5

export class Production {
  readonly #world: World
  readonly #made: number[]
  #today = 0

  constructor(world: World) {
    this.#world = world
    this.#made = world.masters.items.flatMap(({ recipe, type, idle }, i) =>
      recipe.length > 0 && type !== 'SFG' && !idle ? [i] : [],
    )
  }

  run(): void {
    const world = this.#world
    this.#today = 0
    if (world.day === world.calendar.last) this.#plan()
    if (world.calendar.isSunday(world.day)) return
    for (const item of this.#made) {
      const about = world.item(item)
      // Gift boxes are packed in the two months before the season.
      if (about.type === 'COMBO' && ![7, 8].includes(world.calendar.month(world.day))) continue
      const rate = world.totalRate(item)
      if (!world.isAlive(about) || world.totalStock(item) > rate * (about.type === 'COMBO' ? 12 : 26)) continue
      const size = about.unit === 'KG' ? 10 * UNIT : 24 * UNIT
      this.#make(item, Math.max(2, Math.ceil((rate * 24) / size)) * size)
    }
  }

  /** Makes a batch if all materials are in stock; otherwise tries again on another day. */
  #make(item: number, qty: Qty): void {
    const world = this.#world
    const { random, calendar, stock, day, emit } = world
    const about = world.item(item)
    const { plant, sku, recipe } = about
    // The plant draws a little extra and returns some of it.
    const uses = recipe.map(({ item: part, per }) => {
      const whole = world.item(part).unit === 'PCS' || world.item(part).unit === 'NOS'
      const round = (n: number) => (whole ? Math.round(n / UNIT) * UNIT : Math.round(n))
      const bom = Math.max(whole ? UNIT : 1, round(qty * per))
      const packed = about.type === 'COMBO'
      const short = !packed && random.chance(0.1) ? round(bom * 0.015) : 0
      const rej = !packed && random.chance(0.06) ? round(bom * 0.01) : 0
      const ret = !packed && random.chance(0.05) ? round(bom * 0.01) : 0
      return { part, bom, short, rej, ret, total: bom + short + rej - ret }
    })
    for (const { part, total } of uses) {
      const missing = total - stock.active(part, plant)
      if (missing > 0) this.#provide(part, plant, missing)
    }
    // Another part may have used the stock that was made or transferred for this one.
    if (uses.some(({ part, total }) => stock.active(part, plant) < total)) return
    const batch_no = `B${calendar.date(day).slice(2).replaceAll('-', '')}-${String(++this.#today).padStart(3, '0')}`
    const wastage =
      about.type === 'COMBO' || random.chance(0.4) ? 0 : Math.round((qty * random.int(2, 20)) / 1000 / UNIT) * UNIT
    const actual = qty - wastage
    // Half of the newest batches are still in production.
    const waits = day > calendar.last - 5 && random.chance(0.5)
    const receivedOn = waits ? Infinity : day + (random.chance(0.25) ? 1 : 0)
    const check = this.#check(actual, receivedOn)
    emit('batches', {
      ...{
        sku,
        batch_no,
        source: 'PRODUCED',
        mfg_date: calendar.date(day),
        expiry_date: calendar.date(day + about.life),
      },
      ...{ batch_date: calendar.date(day), warehouse: world.masters.warehouses[plant]?.location ?? '' },
      ...{ qty: qtyText(qty), wastage: qtyText(wastage), qc_status: check.status },
      ...{ qty_pass: check.passed === null ? null : qtyText(check.passed) },
      qty_failed: check.failed === null ? null : qtyText(check.failed),
    })
    const work_order_no = day > calendar.last - WORK_ORDERS_DAYS ? `WO${batch_no.slice(1)}` : null
    if (work_order_no !== null) {
      const isClosed = receivedOn <= calendar.last
      this.#order(work_order_no, item, qty, { from: day, to: day + 1, status: isClosed ? 'Closed' : 'Open' })
      for (const [i, { part, bom }] of uses.entries())
        emit('work_order_items', {
          ...{ work_order_no, line_no: String(i + 1), sku: world.item(part).sku, planned_qty: qtyText(bom) },
        })
    }
    const cost = this.#consume({ sku, batch_no, work_order_no }, plant, uses)
    const goods = { batch: about.loose ? null : batch_no, expires: day + about.life, qty: actual, ...cost }
    if (receivedOn === day) this.#store(item, goods, check, work_order_no)
    else if (receivedOn <= calendar.last) world.later(1, () => this.#store(item, goods, check, work_order_no))
  }

  #order(
    work_order_no: string,
    item: number,
    qty: Qty,
    { from, to, status }: { from: number; to: number; status: string },
  ): void {
    const { emit, calendar, masters } = this.#world
    const { sku, plant } = this.#world.item(item)
    emit('work_orders', {
      ...{
        work_order_no,
        sku,
        warehouse: masters.warehouses[plant]?.location ?? '',
        status,
        planned_qty: qtyText(qty),
      },
      ...{ start_date: calendar.date(from), due_date: calendar.date(to) },
      finished_on: status === 'Closed' ? calendar.date(Math.min(to, calendar.last)) : null,
    })
  }

  /** Writes work orders for the days after the last. */
  #plan(): void {
    const { calendar, emit } = this.#world
    for (const [i, item] of this.#made.slice(0, PLANNED).entries()) {
      const work_order_no = `WO-NEXT-${i + 1}`
      const qty = (i + 1) * 240 * UNIT
      const from = calendar.last + 1 + i
      this.#order(work_order_no, item, qty, { from, to: from + 2, status: 'Planned' })
      for (const [l, { item: part, per }] of this.#world.item(item).recipe.entries())
        emit('work_order_items', {
          ...{ work_order_no, line_no: String(l + 1), sku: this.#world.item(part).sku },
          planned_qty: qtyText(Math.max(1, Math.round(qty * per))),
        })
    }
  }

  /** Makes missing parts first, or transfers them from the other plant. */
  #provide(part: number, plant: number, missing: Qty): void {
    const world = this.#world
    const about = world.item(part)
    if (about.type === 'SFG' && about.plant === plant) {
      const qty = Math.max(missing * 1.05, world.rate(part, plant) * 18)
      this.#make(part, Math.ceil(qty / (10 * UNIT)) * 10 * UNIT)
      return
    }
    const other = 1 - plant
    const sent = Math.ceil(missing / UNIT) * UNIT
    if (world.stock.active(part, other) < sent * 2) return
    const charge = valueText(Math.max(1, Math.round(missing / UNIT)) * 15_000)
    for (const goods of world.issue('transfer_out', part, other, sent))
      world.receive('transfer_in', part, plant, goods, { transfer_charge: charge })
  }

  #consume(
    { sku, batch_no, work_order_no }: Batch,
    plant: number,
    uses: readonly { part: number; bom: Qty; short: Qty; rej: Qty; ret: Qty; total: Qty }[],
  ): { val: Value; valTax: Value } {
    const world = this.#world
    const { random, emit } = world
    let val = 0
    let valTax = 0
    let line = 0
    for (const { part, bom, short, rej, ret, total } of uses) {
      const goods = world.issue('consumption', part, plant, total, {
        ...{ for_sku: sku, for_batch_no: batch_no, work_order_no },
      })
      const cost = goods.reduce((sum, lot) => sum + lot.val, 0)
      const costTax = goods.reduce((sum, lot) => sum + lot.valTax, 0)
      const [val_short, val_rej, val_ret] = [short, rej, ret].map((of) => share(cost, of, total)) as [
        Value,
        Value,
        Value,
      ]
      emit('consumption', {
        ...{ sku, batch_no, line_no: String(++line), material: world.item(part).sku, qty_bom: qtyText(bom) },
        ...{ qty_short: qtyText(short), qty_rej: qtyText(rej), qty_ret: qtyText(ret) },
        ...{ val_bom: valueText(cost - val_short - val_rej + val_ret), val_short: valueText(val_short) },
        ...{ val_rej: valueText(val_rej), val_ret: valueText(val_ret), tax_val: valueText(costTax - cost) },
      })
      val += cost
      valTax += costTax
    }
    const heads = [
      { cost_head: 'Manpower', description: 'Line operators', share: 0.06, tax: 0, often: 1 },
      { cost_head: 'Transport', description: 'Inward freight', share: 0.015, tax: 0.05, often: 0.35 },
      { cost_head: 'Other Costs', description: 'Power and fuel', share: 0.03, tax: 0.18, often: 0.5 },
      { cost_head: 'Taxes', description: 'Market cess', share: 0.004, tax: 0, often: 0.12 },
    ]
    const materials = val
    for (const { cost_head, description, share, tax, often } of heads) {
      if (!random.chance(often)) continue
      const cost = Math.round((materials * share) / 100) * 100
      const taxed = Math.round((cost * tax) / 100) * 100
      emit('consumption', {
        ...{ sku, batch_no, line_no: String(++line), cost_head, description },
        ...{ val_bom: valueText(cost), tax_val: valueText(taxed) },
      })
      val += cost
      valTax += cost + taxed
    }
    return { val, valTax }
  }

  /** The result of the quality check on the last day. */
  #check(actual: Qty, receivedOn: number): Check {
    const { random, calendar } = this.#world
    const luck = random.next()
    const age = calendar.last - receivedOn
    if (age < 2) return { status: null, passed: null, failed: null, fate: 'fine', days: 0 }
    if (luck < 0.025) return { status: 'QC Fail', passed: 0, failed: actual, fate: 'rejected', days: 1 }
    // The newest batches are more often still in inspection.
    if (luck < (age < 15 ? 0.2 : 0.07)) {
      const days = random.int(5, 25)
      return age > days
        ? { status: 'QC Pass', passed: actual, failed: 0, fate: 'held', days }
        : { status: 'QC Hold', passed: null, failed: null, fate: 'held', days: Infinity }
    }
    const failed = luck < 0.25 ? Math.round((actual * 0.01) / UNIT) * UNIT : 0
    return { status: 'QC Pass', passed: actual - failed, failed, fate: 'fine', days: 0 }
  }

  #store(item: number, goods: Goods, check: Check, work_order_no: string | null): void {
    const world = this.#world
    const { plant } = world.item(item)
    world.receive('production_receipt', item, plant, goods, { work_order_no })
    const lot = world.stock.lots(item, plant).find(({ batch }) => batch === goods.batch)
    if (lot === undefined) return
    if (check.fate === 'fine') {
      if (check.failed) world.book('rejection', item, plant, world.stock.takeFrom(item, plant, lot, check.failed))
      return
    }
    // Goods in inspection are not for sale.
    world.book('hold', item, plant, world.stock.hold(item, plant, lot, goods.qty))
    world.later(check.days, () => {
      world.book('release', item, plant, world.stock.release(item, plant, lot, goods.qty))
      if (check.fate === 'rejected')
        world.book('rejection', item, plant, world.stock.takeFrom(item, plant, lot, goods.qty))
    })
  }
}
