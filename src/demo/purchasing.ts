/** Purchasing: orders for items that run low, approvals, receipts that are late, partial or partly rejected. */
import { booked, type Paise, priced, type Qty, qtyText, rupees, UNIT } from './amounts.js'
import { type Item, PACKS, PLANTS, type Vendor } from './masters.js'
import { APPROVERS } from './names.js'
import type { World } from './world.js'

const APPROVAL_LIMIT: Paise = 4_000_000
const DIRECTOR_LIMIT: Paise = 20_000_000

interface Line {
  line_no: number
  item: number
  qty: Qty
  rate: Paise
  tax_rate: number
}

export class Purchasing {
  readonly #world: World
  /** Ordered quantities that have not arrived, by item and plant. */
  readonly #coming: Float64Array
  readonly #bought: number[]
  readonly #services: number[]

  constructor(world: World) {
    this.#world = world
    this.#coming = new Float64Array(world.masters.items.length * PLANTS.length)
    const items = world.masters.items.map((item, i) => ({ ...item, i }))
    const bought = items.filter(({ vendor, idle, type }) => vendor >= 0 && !idle && type !== 'SRV')
    this.#bought = bought.map(({ i }) => i)
    this.#services = items.filter(({ type, idle }) => type === 'SRV' && !idle).map(({ i }) => i)
  }

  run(): void {
    const world = this.#world
    if (world.calendar.isSunday(world.day)) return
    for (const plant of PLANTS) {
      const byVendor = new Map<number, { item: number; qty: Qty; urgent: boolean }[]>()
      for (const item of this.#bought) {
        const about = world.item(item)
        // Products bought ready made go to their plant, which supplies all warehouses.
        const rate = about.type === 'FG' ? (plant === about.plant ? world.totalRate(item) : 0) : world.rate(item, plant)
        if (rate === 0 || !world.isAlive(about)) continue
        const there = about.type === 'FG' ? world.totalStock(item) : world.stock.active(item, plant)
        const lead = world.masters.vendors[about.vendor]?.leadDays ?? 7
        const coming = this.#coming[item * PLANTS.length + plant] as number
        const cover = (there + coming) / rate - lead
        if (cover > 34) continue
        const line = { item, urgent: cover < 20, qty: lotSize(about, rate * 38) }
        byVendor.set(about.vendor, [...(byVendor.get(about.vendor) ?? []), line])
      }
      // An order includes items that will soon run low; the rest goes into the next day's order.
      for (const [vendor, wanted] of byVendor)
        if (wanted.some(({ urgent }) => urgent))
          this.#order(vendor, plant, wanted.sort((a, b) => Number(b.urgent) - Number(a.urgent)).slice(0, 6))
    }
    if (world.calendar.isFirstOfMonth(world.day))
      for (const item of this.#services)
        if (world.random.chance(0.7)) this.#order(world.item(item).vendor, 0, [{ item, qty: UNIT }])
  }

  #order(vendorNo: number, plant: number, wanted: readonly { item: number; qty: Qty }[]): void {
    const { random, calendar, masters, emit, day } = this.#world
    const vendor = masters.vendors[vendorNo] as (typeof masters.vendors)[number]
    const po_no = this.#world.number('PO-', 5)
    const lines: Line[] = wanted.map(({ item, qty }, i) => {
      const { cost, taxRate } = this.#world.item(item)
      // Prices rise by about five percent a year, with random variation.
      const rate = Math.max(1, Math.round(cost * (1 + 0.00014 * day) * (0.96 + 0.08 * random.next())))
      return { line_no: i + 1, item, qty, rate, tax_rate: taxRate }
    })
    // From here on in the vendor's currency.
    const amounts = lines.map(({ qty, rate, tax_rate }) => {
      const taxable = inMoneyOf(vendor, priced(qty, rate))
      return { taxable, tax: Math.round((taxable * tax_rate) / 100) }
    })
    const taxable = amounts.reduce((sum, line) => sum + line.taxable, 0)
    const tax = amounts.reduce((sum, line) => sum + line.tax, 0)
    const shipping = inMoneyOf(vendor, random.chance(0.3) ? random.int(2, 20) * 25_000 : 0)
    const adjustment = Math.round((taxable + tax + shipping) / 100) * 100 - (taxable + tax + shipping)
    const total = taxable + tax + shipping + adjustment
    const rupeesToPay = vendor.foreign ? total * DOLLAR : total
    const approval = this.#approve(po_no, rupeesToPay)
    const fate = random.next()
    const state = approval === 'Rejected' || fate < 0.02 ? 'CANCELLED' : fate < 0.05 ? 'CLOSED' : 'OPEN'
    emit('purchase_orders', {
      ...{ po_no, po_date: calendar.date(day), delivery_date: calendar.date(day + vendor.leadDays) },
      ...{ reference: random.chance(0.6) ? `IND-${random.int(1000, 9999)}` : null },
      ...{ shipment_reference: random.chance(0.15) ? `LR-${random.int(10_000, 99_999)}` : null },
      ...{ vendor_code: vendor.code, warehouse: masters.warehouses[plant]?.location ?? '' },
      // A rejected order is cancelled after some weeks.
      ...{ state: approval === 'Rejected' && day > calendar.last - 40 ? 'OPEN' : state },
      ...{ approval_required: String(rupeesToPay > APPROVAL_LIMIT), approval_limit: rupees(APPROVAL_LIMIT) },
      ...{ taxable_amt: rupees(taxable), tax_amt: rupees(tax), shipping_amt: rupees(shipping) },
      ...{ adjustment_label: adjustment === 0 ? '' : 'Round off', adjustment_amt: rupees(adjustment) },
      total_amt: rupees(total),
      ...(vendor.foreign && { currency: 'USD', exchange_rate: String(DOLLAR) }),
    })
    lines.forEach(({ line_no, item, qty, rate, tax_rate }, i) => {
      const amount = amounts[i] as (typeof amounts)[number]
      emit('purchase_order_items', {
        ...{ po_no, line_no: String(line_no), sku: this.#world.item(item).sku },
        ...packed(this.#world.item(item), { qty }, (of) => price(vendor, rate * of)),
        ...{ description: random.chance(0.2) ? 'As per approved sample' : '', tax_rate: String(tax_rate) },
        taxable_amt: rupees(amount.taxable),
        ...(!vendor.foreign && { tax_amt: rupees(amount.tax), total_amt: rupees(amount.taxable + amount.tax) }),
      })
      if (vendor.foreign)
        emit('purchase_order_taxes', {
          ...{ po_no, line_no: String(line_no), name: 'IGST', rate: String(tax_rate), amount: rupees(amount.tax) },
        })
    })
    if (state === 'CANCELLED' || approval === 'Rejected' || approval === 'Pending') return // ordered again tomorrow
    this.#expect(lines, plant, 1)
    const late = random.chance(vendor.late) ? random.int(2, 14) : random.int(-2, 1)
    const arrives = Math.max(1, vendor.leadDays + late)
    const inTwo = random.chance(0.15) || state === 'CLOSED'
    const first = inTwo ? random.int(40, 70) / 100 : 1
    const part = (share: number) =>
      lines.map((line) => {
        const size = step(line.qty)
        return { ...line, qty: Math.min(line.qty, Math.max(size, roundTo(line.qty * share, size))) }
      })
    const now = inTwo ? part(first) : lines
    this.#world.later(arrives, () => this.#receive(po_no, vendor, plant, now))
    const rest = lines.flatMap((line, i) => {
      const left = line.qty - (now[i] as Line).qty
      return left > 0 ? [{ ...line, qty: left }] : []
    })
    if (rest.length === 0) return
    if (state === 'CLOSED') this.#world.later(arrives, () => this.#expect(rest, plant, -1))
    else this.#world.later(arrives + random.int(3, 12), () => this.#receive(po_no, vendor, plant, rest))
  }

  #expect(lines: readonly Line[], plant: number, sign: 1 | -1): void {
    for (const { item, qty } of lines) {
      const at = item * PLANTS.length + plant
      this.#coming[at] = (this.#coming[at] as number) + sign * qty
    }
  }

  /** The decisions of the approval groups by the last day. */
  #approve(po_no: string, total: Paise): 'Approved' | 'Rejected' | 'Pending' | 'Not Required' {
    if (total <= APPROVAL_LIMIT) return 'Not Required'
    const { random, calendar, emit, day } = this.#world
    const groups = Object.entries(APPROVERS).slice(0, total > DIRECTOR_LIMIT ? 3 : 2)
    const rejected = random.chance(0.04)
    const stuck = day > calendar.last - 40 && random.chance(0.3)
    let result: 'Approved' | 'Rejected' | 'Pending' = 'Approved'
    groups.forEach(([group_name, approvers], step) => {
      const decidedOn = day + step
      const last = step === groups.length - 1
      const pending = result !== 'Approved' || decidedOn > calendar.last - 1 || (stuck && last)
      const status = pending ? 'Pending' : rejected && last ? 'Rejected' : 'Approved'
      if (status !== 'Approved') result = result === 'Rejected' ? result : status
      const clock = `${String(9 + random.int(0, 9)).padStart(2, '0')}:${String(random.int(0, 59)).padStart(2, '0')}:${String(random.int(0, 59)).padStart(2, '0')}`
      emit('approvals', {
        ...{ po_no, step: String(step + 1), group_name, status, approvers: approvers.join('|') },
        ...{ approver: pending ? null : random.pick(approvers) },
        action_at: pending ? null : `${calendar.date(decidedOn)} ${clock}`,
      })
    })
    return result
  }

  #receive(po_no: string, vendor: Vendor, plant: number, lines: readonly Line[], mayReject = true): void {
    const world = this.#world
    const { random, calendar, masters, emit, day } = world
    const grn_no = world.number('GRN-', 5)
    emit('goods_receipts', {
      ...{ grn_no, po_no, receipt_date: calendar.date(day), warehouse: masters.warehouses[plant]?.location ?? '' },
      reference: random.chance(0.8) ? `CH-${random.int(1000, 9999)}` : null,
    })
    // Today's receipts may still wait for their inspection.
    const waits = day === calendar.last && random.chance(0.5)
    const money = (paise: Paise) => rupees(inMoneyOf(vendor, paise))
    /** The vendor delivers rejected goods again. */
    const again: Line[] = []
    lines.forEach(({ line_no, item, qty, rate, tax_rate }, i) => {
      const rejected = mayReject && !waits && random.chance(0.04) ? roundTo(qty * 0.1, step(qty)) : 0
      if (rejected > 0) again.push({ line_no, item, qty: rejected, rate, tax_rate })
      const accepted = waits ? 0 : qty - rejected
      const taxable = priced(accepted, rate)
      const tax = Math.round((taxable * tax_rate) / 100)
      const quantities = { received_qty: qty, accepted_qty: accepted, rejected_qty: rejected }
      emit('goods_receipt_items', {
        ...{ grn_no, po_no, line_no: String(i + 1), po_line_no: String(line_no) },
        ...packed(world.item(item), quantities, (of) => price(vendor, rate * of)),
        taxable_amt: money(taxable),
        ...(!vendor.foreign && { tax_amt: money(tax), total_amt: money(taxable + tax) }),
      })
      if (vendor.foreign)
        emit('goods_receipt_taxes', {
          ...{ grn_no, po_no, line_no: String(i + 1), name: 'IGST', rate: String(tax_rate), amount: money(tax) },
        })
      const about = world.item(item)
      if (about.type === 'SRV' || accepted === 0) return
      const expires = day + about.life
      const batch = about.loose ? null : `P${calendar.date(day).slice(2).replaceAll('-', '')}-${grn_no.slice(4)}`
      if (batch !== null)
        emit('batches', {
          ...{ sku: about.sku, batch_no: batch, source: 'PROCURED', mfg_date: calendar.date(day - random.int(5, 20)) },
          expiry_date: calendar.date(expires),
          supplier_lot: `${vendor.code}/${calendar.date(day).slice(2, 7).replace('-', '')}/${100 + ((day * 37 + item) % 900)}`,
        })
      const goods = { batch, expires, qty: accepted, val: booked(taxable), valTax: booked(taxable + tax) }
      world.receive('purchase_receipt', item, plant, goods, { po_no, grn_no })
    })
    this.#expect(lines, plant, -1)
    if (again.length === 0) return
    this.#expect(again, plant, 1)
    world.later(random.int(5, 15), () => this.#receive(po_no, vendor, plant, again, false))
  }
}

/** Rupees for a dollar. */
const DOLLAR = 83.25

/** An amount in the vendor's currency, in its hundredths. */
const inMoneyOf = ({ foreign }: Vendor, paise: Paise): Paise => (foreign ? Math.round(paise / DOLLAR) : paise)

const price = ({ foreign }: Vendor, paise: Paise): string =>
  foreign ? (paise / 100 / DOLLAR).toFixed(6) : rupees(paise)

/** Quantities and the price of a line: by the carton or box, if all of them are whole ones. */
function packed<Name extends string>(
  { unit }: Item,
  quantities: Record<Name, Qty>,
  priceOf: (units: number) => string,
): Record<Name, string> & { unit?: string; rate: string } {
  const pack = PACKS[unit]
  const all = Object.values<Qty>(quantities)
  const isWhole = pack !== undefined && all.every((qty) => qty % (pack.of * UNIT) === 0)
  const of = isWhole ? pack.of : 1
  const texts = Object.fromEntries(Object.entries<Qty>(quantities).map(([name, qty]) => [name, qtyText(qty / of)]))
  return { ...(texts as Record<Name, string>), ...(isWhole && { unit: pack.unit }), rate: priceOf(of) }
}

/** The unit that a quantity is counted in. */
const step = (qty: Qty) => (qty >= 500 * UNIT ? 50 * UNIT : qty >= 20 * UNIT ? 5 * UNIT : UNIT)
const roundTo = (qty: number, unit: Qty): Qty => Math.round(qty / unit) * unit

function lotSize({ unit }: Item, qty: number): Qty {
  const size = unit === 'NOS' ? 100 * UNIT : unit === 'PCS' ? 24 * UNIT : 5 * UNIT
  return Math.max(1, Math.ceil(qty / size)) * size
}
