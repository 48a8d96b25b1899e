/** Sales: orders, dispatches as stock allows, an invoice for each dispatch, and returns. */
import { type Paise, priced, type Qty, qtyText, rupees, share, UNIT } from './amounts.js'
import type { Customer, Item, Masters, Warehouse } from './masters.js'
import { CITIES, STAFF } from './names.js'
import type { Goods } from './stock.js'
import { B2B_SHARE, ORDERS_PER_DAY, type World } from './world.js'

/** How often a dispatch is tried again while stock is missing. */
const TRIES = 30

interface Line {
  line_no: number
  item: number
  qty: Qty
  /** Issued quantities by component; an item that is no combo is its own component. */
  parts: { item: number; pieces: number; issued: Qty }[]
  invoiced: Qty
  rate: Paise
  discountPer: number
  discount: Paise
  taxRate: number
  taxable: Paise
  tax: Paise
  invoicedTaxable: Paise
  invoicedTax: Paise
}

interface Order {
  order_no: string
  customer: Customer
  place: number
  /** Inside one state: half of the tax is the state's. */
  intra: boolean
  placeOfSupply: string
  lines: Line[]
  shipping: Paise
  closesShort: boolean
}

/** The part of a line in one dispatch. */
interface Shipped {
  line: Line
  qty: Qty
  goods: { item: number; goods: Goods[] }[]
}

export class Sales {
  readonly #world: World
  readonly #shops: Customer[]
  readonly #persons: Customer[]
  /** Running sums of the weights of the sold items, to pick one at random. */
  readonly #weights: number[] = []
  readonly #clocks = { morning: { day: -1, second: 0 }, afternoon: { day: -1, second: 0 } }

  constructor(world: World) {
    this.#world = world
    this.#shops = world.masters.customers.filter(({ online }) => !online)
    this.#persons = world.masters.customers.filter(({ online }) => online)
    let sum = 0
    for (const item of world.sold) {
      sum += world.item(item).weight
      this.#weights.push(sum)
    }
  }

  run(): void {
    const { calendar, day } = this.#world
    for (let n = this.#world.times(ORDERS_PER_DAY * calendar.demand(day)); n > 0; n--) this.#order()
  }

  /** Orders come in the morning, invoices are written in the afternoon, both in the order of their numbers. */
  #time(part: 'morning' | 'afternoon'): string {
    const { day, scale, random } = this.#world
    const from = part === 'morning' ? 8 * 3600 : 14 * 3600
    const last = this.#clocks[part]
    const step = random.int(1, Math.max(1, Math.floor(900 / scale)))
    const second = Math.min(from + 6 * 3600 - 1, (last.day === day ? last.second : from) + step)
    this.#clocks[part] = { day, second }
    return [3600, 60, 1]
      .map((unit, i) => String(Math.floor(second / unit) % (i === 0 ? 24 : 60)).padStart(2, '0'))
      .join(':')
  }

  #pickItem(): number {
    const at = this.#world.random.next() * (this.#weights.at(-1) ?? 0)
    let low = 0
    let high = this.#weights.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#weights[middle] as number) <= at) low = middle + 1
      else high = middle
    }
    return this.#world.sold[low] as number
  }

  #order(): void {
    const world = this.#world
    const { random, masters } = world
    const online = !random.chance(B2B_SHARE)
    const customer = random.pick(online ? this.#persons : this.#shops)
    const place = customer.warehouse
    // Delivered directly to a customer of the customer.
    const elsewhere = !online && random.chance(0.04) ? random.pick(CITIES) : undefined
    const placeOfSupply = elsewhere?.state ?? customer.state
    const intra = registrationOf(masters, place).state === placeOfSupply
    const free = random.chance(0.015)
    const wanted = new Set(Array.from({ length: online ? random.int(1, 2) : random.int(1, 5) }, () => this.#pickItem()))
    const lines: Line[] = []
    for (const item of wanted) {
      const about = world.item(item)
      if (!world.isAlive(about)) continue
      const units = online ? random.int(1, 4) : random.int(1, 8) * 12
      lines.push(this.#line(lines.length + 1, item, about, units * UNIT, online ? 0 : customer.discount, free, intra))
    }
    if (lines.length === 0) return
    const fate = random.next()
    const state = fate < 0.02 ? 'CANCELLED' : !online && fate < 0.05 ? 'CLOSED' : 'OPEN'
    const order: Order = {
      ...{
        order_no: world.number('SO-', 6),
        customer,
        place,
        intra,
        placeOfSupply,
        lines,
        closesShort: state === 'CLOSED',
      },
      shipping: free
        ? 0
        : online
          ? random.chance(0.5)
            ? 4_900
            : 0
          : random.chance(0.2)
            ? random.int(2, 12) * 10_000
            : 0,
    }
    this.#writeOrder(order, { online, free, state, elsewhere })
    if (state === 'CANCELLED') return
    // Some shops order long ahead.
    const days = online ? random.int(0, 2) : random.chance(0.08) ? random.int(15, 60) : random.int(0, 5)
    world.later(days, () => this.#dispatch(order, 1))
  }

  #line(line_no: number, item: number, about: Item, qty: Qty, per: number, free: boolean, intra: boolean): Line {
    const rate = free ? 0 : Math.round(about.price * (1 + 0.0001 * this.#world.day))
    const gross = priced(qty, rate)
    const discount = Math.round((gross * per) / 100)
    const taxable = gross - discount
    return {
      ...{ line_no, item, qty, rate, discountPer: free ? 0 : per, discount, taxRate: about.taxRate, taxable },
      ...{ tax: taxOn(taxable, about.taxRate, intra), invoiced: 0, invoicedTaxable: 0, invoicedTax: 0 },
      parts:
        about.contents.length > 0
          ? about.contents.map((part) => ({ ...part, issued: 0 }))
          : [{ item, pieces: 1, issued: 0 }],
    }
  }

  #writeOrder(
    { order_no, customer, place, lines, shipping, intra }: Order,
    about: { online: boolean; free: boolean; state: string; elsewhere: (typeof CITIES)[number] | undefined },
  ): void {
    const { random, calendar, masters, emit, day } = this.#world
    const { online, free, state, elsewhere } = about
    const taxable = lines.reduce((sum, line) => sum + line.taxable, 0)
    const tax = lines.reduce((sum, line) => sum + line.tax, 0)
    const before = taxable + tax + shipping
    const adjustment = online ? 0 : Math.round(before / 100) * 100 - before
    const channel = online ? random.int(1, 3) : 0
    const clock = this.#time('morning')
    const appointment = !online && random.chance(0.3)
    emit('sales_orders', {
      ...{ order_no, order_type: online ? 'Online' : 'B2B/Retail', channel: String(channel) },
      ...{
        channel_id: online ? `${400 + channel}-${random.int(1_000_000, 9_999_999)}-${random.int(1000, 9999)}` : null,
      },
      ...{ order_date: calendar.date(day), order_time: clock, customer_code: customer.code },
      ...{
        warehouse: masters.warehouses[place]?.location ?? '',
        created_by: online ? 'Web Store' : random.pick(STAFF),
      },
      ...(online || random.chance(0.15)
        ? {}
        : { po_no: `${customer.code}/${random.int(100, 9999)}`, po_date: calendar.date(day - random.int(0, 4)) }),
      ...{ exp_dispatch_date: calendar.date(day + (online ? 2 : 5)) },
      ...(appointment && { appointment_date: calendar.date(day + 7), expiry_date: calendar.date(day + 21) }),
      ...{ reference: random.chance(0.25) ? `REF-${random.int(1000, 9999)}` : null, free_of_cost: String(free), state },
      ...(elsewhere && {
        ...customer.shipping,
        ...{ shipping_city: elsewhere.name, shipping_state: elsewhere.state, shipping_gstn: '' },
        shipping_pincode: String(elsewhere.pincode + 7),
      }),
      ...{ taxable_amt: rupees(taxable), tax_amt: rupees(tax), shipping_amt: rupees(shipping) },
      ...{ adjustment_label: adjustment === 0 ? '' : 'Round off', adjustment_amt: rupees(adjustment) },
      total_amt: rupees(before + adjustment),
    })
    for (const line of lines) {
      const { sku, name, mrp } = this.#world.item(line.item)
      emit('sales_order_items', {
        ...{ order_no, line_no: String(line.line_no), sku, qty: qtyText(line.qty), mrp: rupees(mrp) },
        ...{ description: free ? 'Sample, not for sale' : random.chance(0.3) ? name : '', rate: rupees(line.rate) },
        ...{ discount_per: String(line.discountPer), discount_amt: rupees(line.discount) },
        ...{ effective_rate: effective(line), tax_rate: String(line.taxRate) },
        taxable_amt: rupees(line.taxable),
        ...(!isTaxedByRows(order_no) && { tax_amt: rupees(line.tax), total_amt: rupees(line.taxable + line.tax) }),
      })
      if (isTaxedByRows(order_no))
        for (const tax of gstOf(line.taxRate, line.tax, intra))
          emit('sales_order_taxes', { order_no, line_no: String(line.line_no), ...tax })
    }
  }

  /** Dispatches the quantities in stock, and tries the rest again some days later. */
  #dispatch(order: Order, attempt: number): void {
    const world = this.#world
    const { random } = world
    const shipped: Shipped[] = []
    for (const line of order.lines) {
      const left = line.qty - line.invoiced
      if (left === 0) continue
      const half = attempt === 1 && left > 12 * UNIT && (order.closesShort || random.chance(0.1))
      const sent = this.#ship(order, line, half ? Math.ceil(left / UNIT / 2) * UNIT : left)
      if (sent !== undefined) shipped.push(sent)
    }
    if (shipped.some(({ qty }) => qty > 0)) {
      this.#invoice(
        order,
        shipped.filter(({ qty }) => qty > 0),
      )
      this.#maybeReturn(order, shipped)
    }
    const open = order.lines.some((line) => line.invoiced < line.qty)
    if (open && attempt < TRIES && !(order.closesShort && shipped.length > 0))
      world.later(random.int(2, attempt === 1 ? 12 : 4), () => this.#dispatch(order, attempt + 1))
  }

  /** Issues whole pieces of a line; now and then, a component of a combo goes ahead of the others. */
  #ship(order: Order, line: Line, wanted: Qty): Shipped | undefined {
    const world = this.#world
    const { stock, random } = world
    const isCombo = line.parts.length > 1 || line.parts[0]?.item !== line.item
    if (isCombo) this.#unpack(line, order.place, wanted)
    const target = line.invoiced + wanted
    // How many whole pieces can be complete after this dispatch.
    const whole = line.parts.reduce((least, { item, pieces, issued }) => {
      const reachable = issued + Math.floor(stock.active(item, order.place) / UNIT) * UNIT
      return Math.min(least, Math.floor(reachable / pieces / UNIT) * UNIT)
    }, target)
    const ahead = isCombo && whole < target && random.chance(0.5)
    if (whole <= line.invoiced && !ahead) return undefined
    const goods = line.parts.flatMap((part) => {
      const most = (ahead ? target : Math.max(whole, line.invoiced)) * part.pieces - part.issued
      const qty = Math.min(most, Math.floor(stock.active(part.item, order.place) / UNIT) * UNIT)
      if (qty <= 0) return []
      part.issued += qty
      const reference = { order_no: order.order_no, order_line_no: String(line.line_no) }
      return [{ item: part.item, goods: world.issue('issue', part.item, order.place, qty, reference) }]
    })
    if (goods.length === 0) return undefined
    const qty = Math.max(whole, line.invoiced) - line.invoiced
    line.invoiced += qty
    return { line, qty, goods }
  }

  /** A combo is issued as its contents, first the contents of boxes that were packed ahead. */
  #unpack(line: Line, place: number, wanted: Qty): void {
    const world = this.#world
    const { stock, emit } = world
    const boxes = Math.min(wanted, stock.active(line.item, place))
    if (boxes < UNIT) return
    for (const box of world.issue('unpack', line.item, place, boxes)) {
      const worth = line.parts.reduce((sum, { item, pieces }) => sum + world.item(item).cost * pieces, 0)
      let left = { val: box.val, valTax: box.valTax }
      line.parts.forEach(({ item, pieces }, i) => {
        const isLast = i === line.parts.length - 1
        const part = world.item(item).cost * pieces
        const val = isLast ? left.val : share(box.val, part, worth)
        const valTax = isLast ? left.valTax : Math.max(val, share(box.valTax, part, worth))
        left = { val: left.val - val, valTax: left.valTax - valTax }
        const batch = `U-${box.batch}-${world.number('U', 4).slice(1)}`
        emit('batches', {
          sku: world.item(item).sku,
          batch_no: batch,
          source: 'MANUAL',
          expiry_date: world.date(box.expires),
        })
        const goods = { batch, expires: box.expires, qty: box.qty * pieces, val, valTax }
        world.receive('other_receipt', item, place, goods, { note: `unpacked ${world.item(line.item).sku}` })
      })
    }
  }

  #invoice(order: Order, shipped: readonly Shipped[]): void {
    const { random, calendar, masters, emit, day } = this.#world
    const date = calendar.date(day)
    const year = Number(date.slice(0, 4)) - (date.slice(5, 7) < '04' ? 1 : 0)
    const lines = shipped.map(({ line, qty }) => {
      // The last invoice of a line takes the remainder, so that all of them add up to the paisa.
      const last = line.invoiced === line.qty
      const taxable = last ? line.taxable - line.invoicedTaxable : share(line.taxable, qty, line.qty)
      const tax = last ? line.tax - line.invoicedTax : taxOn(taxable, line.taxRate, order.intra)
      line.invoicedTaxable += taxable
      line.invoicedTax += tax
      return { line, qty, taxable, tax }
    })
    const sub = lines.reduce((sum, line) => sum + line.taxable, 0)
    const tax = lines.reduce((sum, line) => sum + line.tax, 0)
    const shipping = order.shipping
    order.shipping = 0 // charged once
    const total = sub + tax + shipping
    const final = Math.round(total / 100) * 100
    const write = (status: 'Submitted' | 'Cancelled') => {
      const invoice_no = this.#world.number(`INV/${year % 100}-${(year + 1) % 100}/`, 6)
      const clock = this.#time('afternoon')
      emit('invoices', {
        ...{ invoice_no, order_no: order.order_no, invoice_at: `${date} ${clock}` },
        ...{ due_date: calendar.date(day + (order.customer.online ? 0 : 30)) },
        ...{ gstn: registrationOf(masters, order.place).gstn ?? '' },
        ...{ reference: random.chance(0.2) ? `LR ${random.int(10_000, 99_999)}` : '' },
        ...{ customer_gstn: order.customer.gstn, place_of_supply: order.placeOfSupply },
        ...{ shipping: rupees(shipping), sub_total: rupees(sub), total_tax: rupees(tax), total_amt: rupees(total) },
        ...{ round_amt: rupees(final - total), final_amt: rupees(final), status },
      })
      lines.forEach(({ line, qty, taxable, tax }, i) => {
        const taxes = gstOf(line.taxRate, tax, order.intra)
        const byRows = isTaxedByRows(order.order_no)
        emit('invoice_items', {
          ...{ invoice_no, order_no: order.order_no, line_no: String(i + 1), order_line_no: String(line.line_no) },
          ...{ qty: qtyText(qty), rate: effective(line), taxable_value: rupees(taxable) },
          ...(!byRows && Object.fromEntries(taxes.flatMap(asColumns))),
          ...(!byRows && { total_value: rupees(taxable + tax) }),
        })
        if (byRows) for (const tax of taxes) emit('invoice_taxes', { invoice_no, line_no: String(i + 1), ...tax })
      })
    }
    // An invoice with a mistake, cancelled and written again.
    if (random.chance(0.008)) write('Cancelled')
    write('Submitted')
  }

  #maybeReturn(order: Order, shipped: readonly Shipped[]): void {
    const world = this.#world
    const { random } = world
    const { online } = order.customer
    const luck = random.next()
    if (online && luck < 0.06) {
      // The customer was not at home: the whole delivery comes back.
      world.later(random.int(5, 12), () => this.#takeBack(order, shipped, 'RTO', 1, random.chance(0.8) ? 1 : 0))
    } else if (luck > (online ? 0.98 : 0.95)) {
      const one = shipped.filter(({ qty }) => qty > 0).slice(0, 1)
      const usable = random.pick([0, 0.5, 1])
      world.later(random.int(8, 40), () => this.#takeBack(order, one, 'RTV', random.pick([0.1, 0.25, 1]), usable))
    }
  }

  #takeBack(order: Order, shipped: readonly Shipped[], kind: 'RTO' | 'RTV', part: number, usableShare: number): void {
    const world = this.#world
    const { emit } = world
    const return_no = world.number('RT-', 5)
    for (const { line, qty, goods } of shipped) {
      // Not more than this dispatch completed.
      const complete = line.parts.reduce((least, { item, pieces }) => {
        const sent = goods.find((sent) => sent.item === item)?.goods.reduce((sum, lot) => sum + lot.qty, 0) ?? 0
        return Math.min(least, Math.floor(sent / pieces / UNIT) * UNIT)
      }, qty)
      const returned = Math.floor((complete * part) / UNIT) * UNIT
      if (returned === 0) continue
      const usable = Math.ceil((returned * usableShare) / UNIT) * UNIT
      const taxable = share(line.taxable, returned, line.qty)
      emit('returns', {
        ...{
          order_no: order.order_no,
          return_no,
          order_line_no: String(line.line_no),
          return_date: world.date(),
          kind,
        },
        ...{ usable_qty: qtyText(usable), unusable_qty: qtyText(returned - usable) },
        ...{ taxable_amt: rupees(taxable), tax_amt: rupees(share(line.tax, returned, line.qty)) },
      })
      if (usable === 0) continue
      for (const { item, pieces } of line.parts) {
        let left = usable * pieces
        for (const lot of goods.find((sent) => sent.item === item)?.goods ?? []) {
          const back = Math.min(left, lot.qty)
          if (back === 0) break
          left -= back
          const value = { val: share(lot.val, back, lot.qty), valTax: share(lot.valTax, back, lot.qty) }
          const reference = { order_no: order.order_no, order_line_no: String(line.line_no) }
          world.receive('sales_return', item, order.place, { ...lot, qty: back, ...value }, reference)
        }
      }
    }
  }
}

/** The tax registration that a warehouse sells under: its own, or the first plant's. */
export const registrationOf = ({ warehouses }: Masters, place: number): Warehouse =>
  (warehouses[place]?.gstn ? warehouses[place] : warehouses[0]) as Warehouse

export const taxOn = (taxable: Paise, rate: number, intra: boolean): Paise =>
  intra ? 2 * Math.round((taxable * rate) / 200) : Math.round((taxable * rate) / 100)

const effective = ({ rate, discountPer }: Line): string => ((rate * (100 - discountPer)) / 10_000).toFixed(4)

/** Some documents have their taxes as rows. */
const isTaxedByRows = (order_no: string) => order_no.endsWith('7')

interface NamedTax {
  name: 'IGST' | 'SGST' | 'CGST'
  rate: string
  amount: string
}

/** IGST between states, SGST and CGST inside a state. */
export const gstOf = (rate: number, tax: Paise, intra: boolean): NamedTax[] =>
  intra
    ? (['SGST', 'CGST'] as const).map((name) => ({ name, rate: String(rate / 2), amount: rupees(tax / 2) }))
    : [{ name: 'IGST', rate: String(rate), amount: rupees(tax) }]

export const asColumns = ({ name, rate, amount }: NamedTax): [string, string][] => [
  [`${name.toLowerCase()}_rate`, rate],
  [`${name.toLowerCase()}_amt`, amount],
]
