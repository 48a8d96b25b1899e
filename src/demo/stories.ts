/**
 * The last four weeks tell four stories, which docs/insight.md walks through: a lot of palm oil that eleven customers have to be called
 * for, a pouch that holds up four products, gift tins that will expire unsold, and the vendor of the pouches, who is always late.
 * They happen the same number of days before the last day at every scale, on Sundays too, so their figures are always the same.
 */
import { booked, type Paise, priced, qtyText, rupees, share, UNIT, valueText } from './amounts.js'
import { addressFor, cityNamed, contactOf, gs1Number, gstnOf, type Item, type Masters, placeIn } from './masters.js'
import { STAFF } from './names.js'
import type { Emit, RowOf } from './rows.js'
import { asColumns, gstOf, registrationOf, taxOn } from './sales.js'
import type { Goods } from './stock.js'
import type { World } from './world.js'

const [PUNE, GURUGRAM] = [0, 3]

type StoryItem = Pick<Item, 'sku' | 'name' | 'type' | 'unit' | 'taxRate' | 'cost' | 'price' | 'mrp' | 'loose' | 'life'>
const material = (sku: string, name: string, unit: 'KG' | 'NOS', taxRate: number, cost: Paise, loose: boolean) =>
  ({ sku, name, type: 'MAT', unit, taxRate, cost, price: 0, mrp: 0, loose, life: 180 }) as const
const base = (sku: string, name: string) =>
  ({ sku, name, type: 'SFG', unit: 'KG', taxRate: 5, cost: 0, price: 0, mrp: 0, loose: false, life: 60 }) as const
const product = (sku: string, name: string, cost: Paise, price: Paise, mrp: Paise) =>
  ({ sku, name, type: 'FG', unit: 'PCS', taxRate: 12, cost, price, mrp, loose: false, life: 120 }) as const

const ITEMS: readonly StoryItem[] = [
  material('RM-9001', 'Refined Palm Oil', 'KG', 5, 14_000, false),
  material('RM-9002', 'Sev Flour', 'KG', 5, 4_200, true),
  material('PM-9001', 'Festive Pouch', 'NOS', 18, 240, true),
  base('SF-901', 'Sev Dough'),
  base('SF-902', 'Boondi Batter'),
  product('FG-9001', 'Festive Sev 200 g', 0, 3_200, 5_000),
  product('FG-9002', 'Festive Sev 400 g', 0, 5_800, 9_000),
  product('FG-9003', 'Festive Boondi 200 g', 0, 3_500, 5_500),
  product('FG-9004', 'Festive Mix 400 g', 0, 6_000, 9_500),
  product('FG-9005', 'Festive Gift Tin 500 g', 31_000, 45_000, 70_500),
]

/** The components of one unit. */
const RECIPES: Readonly<Record<string, readonly (readonly [sku: string, per: number])[]>> = {
  'SF-901': [['RM-9001', 0.3], ['RM-9002', 0.75]], // biome-ignore format: one line
  'SF-902': [['RM-9001', 0.4], ['RM-9002', 0.65]], // biome-ignore format: one line
  'FG-9001': [['SF-901', 0.2], ['PM-9001', 1]], // biome-ignore format: one line
  'FG-9002': [['SF-901', 0.4], ['PM-9001', 1]], // biome-ignore format: one line
  'FG-9003': [['SF-902', 0.2], ['PM-9001', 1]], // biome-ignore format: one line
  'FG-9004': [['SF-901', 0.2], ['SF-902', 0.2], ['PM-9001', 1]], // biome-ignore format: one line
}

/** The vendor of an item, with the terms it promises. */
const VENDORS = [
  { code: 'V9001', name: 'Vindhya Pouch Works', city: 'Indore', sku: 'PM-9001', lead: 7, least: 2000, multiple: 100 },
  { code: 'V9002', name: 'Konkan Edible Oils', city: 'Mumbai', sku: 'RM-9001', lead: 3, least: 500, multiple: 50 },
  { code: 'V9003', name: 'Narmada Flour Mills', city: 'Bhopal', sku: 'RM-9002', lead: 2, least: 500, multiple: 50 },
  { code: 'V9004', name: 'Deccan Tin Gifts', city: 'Pune', sku: 'FG-9005', lead: 4, least: 120, multiple: 24 },
]

const CUSTOMERS = [
  ['C9001', 'Kalyani Super Bazaar', 'Pune', 'Sandhya Kulkarni'],
  ['C9002', 'Harbour Line Stores', 'Mumbai', 'Rustom Irani'],
  ['C9003', 'Orange City Mart', 'Nagpur', 'Vaishali Deshmukh'],
  ['C9004', 'Godavari Provision', 'Nashik', 'Prakash Shinde'],
  ['C9005', 'Rajwada Retail LLP', 'Indore', 'Ankita Jain'],
  ['C9006', 'Sabarmati Wholesale', 'Ahmedabad', 'Hetal Patel'],
  ['C9007', 'Cyber Hub Foods', 'Gurugram', 'Manish Khanna'],
  ['C9008', 'Chandni Chowk Distributors', 'Delhi', 'Rukhsana Ali'],
  ['C9009', 'Lalbagh Supermart', 'Bengaluru', 'Girish Shetty'],
  ['C9010', 'Marina Provision', 'Chennai', 'Revathi Pillai'],
  ['C9011', 'Howrah Bridge Stores', 'Kolkata', 'Debashish Bose'],
  ['C9012', 'Charminar Foods', 'Hyderabad', 'Sameera Reddy'],
] as const

/** The city of a customer and its tax registration. */
const homeOf = (customer: string) => {
  const n = CUSTOMERS.findIndex(([code]) => code === customer)
  const city = cityNamed(CUSTOMERS[n]?.[2] ?? '')
  return { city, gstn: gstnOf(city, 380 + n) }
}

/** Adds the items of the stories to the masters, and writes them, their vendors and their customers. */
export function addStories({ items }: Masters, emit: Emit): void {
  for (const [i, { sku, name, type, unit, taxRate, cost, price, mrp, loose, life }] of ITEMS.entries()) {
    items.push({
      ...{ sku, name, type, unit, taxRate, cost, price, mrp, loose, life, idle: true, vendor: -1, plant: PUNE },
      ...{ endsIn: Infinity, recipe: [], contents: [], weight: 0 },
    })
    const kind = type !== 'MAT' ? null : sku.startsWith('RM') ? 'RAW' : 'PCK'
    emit('items', {
      ...{ sku, name, type, material_kind: kind, unit, tax_rate: String(taxRate), mrp: rupees(mrp) },
      primary_category: { FG: 'Snacks', SFG: 'Semi Finished', MAT: 'Materials' }[type as 'FG'],
      product_category: { FG: 'Namkeen', SFG: 'General', RAW: 'Ingredients', PCK: 'Packaging' }[kind ?? (type as 'FG')],
      business_nature: RECIPES[sku] === undefined ? 'Purchased' : 'Manufactured',
      hsn: type === 'FG' ? '21069099' : kind === 'PCK' ? '39232990' : '15119020',
      ...{ gtin: type === 'FG' ? gs1Number(900_000 + i) : null, shelf_life_days: loose ? null : String(life) },
    })
    for (const [component, per] of RECIPES[sku] ?? []) emit('bom', { product: sku, component, qty: per.toFixed(10) })
  }
  for (const [i, { code, name, city, sku, lead, least, multiple }] of VENDORS.entries()) {
    const at = cityNamed(city)
    emit('vendors', {
      ...{ code, name, credit_days: '30', ...placeIn(at, 270 + i), gstn: gstnOf(at, 270 + i) },
      ...{ ...contactOf(270 + i, 'sales'), gln: gs1Number(9000 + i) },
    })
    emit('item_vendors', {
      ...{ sku, vendor_code: code, lead_days: String(lead), min_qty: String(least), multiple: String(multiple) },
      price: rupees(items.find((item) => item.sku === sku)?.cost ?? 0),
    })
  }
  for (const [i, [code, buyer, , contact_person]] of CUSTOMERS.entries()) {
    const { city, gstn } = homeOf(code)
    const address = { buyer, ...placeIn(city, 380 + i), gstn, ...contactOf(380 + i, 'orders') }
    const addresses = { ...addressFor('billing', address), ...addressFor('shipping', address) }
    emit('customers', { code, name: buyer, contact_person, ...addresses })
  }
}

interface Bought {
  sku: string
  rate: Paise
}

/** A line of a sales order that was dispatched. */
interface Sold {
  sku: string
  place: number
  taxable: Paise
  tax: Paise
  goods: Goods
}

/** A line of a sales order; without a batch it has not been dispatched. */
type Wanted = readonly [sku: string, units: number, batch?: string]
/** An ingredient of a batch. */
type Use = readonly [sku: string, batch: string | null, units: number]

export class Stories {
  readonly #world: World
  readonly #items: ReadonlyMap<string, number>
  readonly #bought = new Map<string, Bought>()
  readonly #sold = new Map<string, Sold[]>()

  constructor(world: World) {
    this.#world = world
    this.#items = new Map(world.masters.items.map(({ sku }, i) => [sku, i]))
  }

  run(): void {
    const { calendar, day } = this.#world
    for (const [daysAgo, happen] of EVENTS) if (calendar.last - day === daysAgo) happen(this)
  }

  #item(sku: string): number {
    return this.#items.get(sku) as number
  }

  #about(sku: string): Item {
    return this.#world.item(this.#item(sku))
  }

  /** A warehouse's lot of a batch, or of the stock without one. */
  #lot(sku: string, batch: string | null, place: number) {
    const lot = this.#world.stock.lots(this.#item(sku), place).find((lot) => lot.batch === batch)
    if (lot === undefined) throw new Error(`the stories have no stock of ${sku}, batch ${batch}, in place ${place}`)
    return lot
  }

  #take(sku: string, batch: string | null, units: number, place = PUNE): Goods {
    return this.#world.stock.takeFrom(this.#item(sku), place, this.#lot(sku, batch, place), units * UNIT)
  }

  /** Orders goods that are due in some days. */
  buy(po_no: string, sku: string, units: number, dueIn: number, rate = this.#about(sku).cost): void {
    const { emit, masters, day } = this.#world
    const { taxRate } = this.#about(sku)
    const vendor_code = VENDORS.find((vendor) => vendor.sku === sku)?.code ?? ''
    const taxable = priced(units * UNIT, rate)
    const tax = Math.round((taxable * taxRate) / 100)
    const amounts = { taxable_amt: rupees(taxable), tax_amt: rupees(tax), total_amt: rupees(taxable + tax) }
    emit('purchase_orders', {
      ...{ po_no, po_date: this.#world.date(), delivery_date: this.#world.date(day + dueIn), vendor_code },
      ...{ warehouse: masters.warehouses[PUNE]?.location ?? '', ...amounts },
    })
    emit('purchase_order_items', {
      ...{ po_no, line_no: '1', sku, qty: qtyText(units * UNIT), rate: rupees(rate), tax_rate: String(taxRate) },
      ...amounts,
    })
    this.#bought.set(po_no, { sku, rate })
  }

  /** Receives goods of an order, as a batch if they are kept by batch. */
  receive(
    grn_no: string,
    po_no: string,
    units: number,
    { rejected = 0, ...lot }: { rejected?: number; batch?: string; supplier_lot?: string; expiresIn?: number } = {},
  ): void {
    const { emit, masters, day } = this.#world
    const { sku, rate } = this.#bought.get(po_no) as Bought
    const { taxRate } = this.#about(sku)
    const accepted = (units - rejected) * UNIT
    const taxable = priced(accepted, rate)
    const tax = Math.round((taxable * taxRate) / 100)
    const receipt_date = this.#world.date()
    emit('goods_receipts', { grn_no, po_no, receipt_date, warehouse: masters.warehouses[PUNE]?.location ?? '' })
    emit('goods_receipt_items', {
      ...{ grn_no, po_no, line_no: '1', po_line_no: '1', received_qty: qtyText(units * UNIT) },
      ...{ accepted_qty: qtyText(accepted), rejected_qty: qtyText(rejected * UNIT), rate: rupees(rate) },
      ...{ taxable_amt: rupees(taxable), tax_amt: rupees(tax), total_amt: rupees(taxable + tax) },
    })
    const { batch = null, supplier_lot = null, expiresIn = Infinity } = lot
    const expires = day + expiresIn
    if (batch !== null)
      emit('batches', {
        ...{ sku, batch_no: batch, source: 'PROCURED', mfg_date: this.#world.date(day - 10), supplier_lot },
        expiry_date: this.#world.date(expires),
      })
    const goods = { batch, expires, qty: accepted, val: booked(taxable), valTax: booked(taxable + tax) }
    this.#world.receive('purchase_receipt', this.#item(sku), PUNE, goods, { po_no, grn_no })
  }

  /** Makes a batch; `lost` of it never arrives in the ledger. */
  make(
    batch_no: string,
    sku: string,
    units: number,
    uses: readonly Use[],
    { wasted = 0, lost = 0, held = false } = {},
  ) {
    const world = this.#world
    const { emit, day } = world
    const made = (units - wasted) * UNIT
    const expires = day + this.#about(sku).life
    emit('batches', {
      ...{ sku, batch_no, source: 'PRODUCED', mfg_date: world.date(), expiry_date: world.date(expires) },
      ...{ batch_date: world.date(), warehouse: world.masters.warehouses[PUNE]?.location ?? '' },
      ...{ qty: qtyText(units * UNIT), wastage: qtyText(wasted * UNIT), qc_status: held ? 'QC Hold' : 'QC Pass' },
      ...(!held && { qty_pass: qtyText(made), qty_failed: '0' }),
    })
    const used = uses.map(([part, batch, units]) => ({ part, goods: this.#take(part, batch, units) }))
    for (const { part, goods } of used)
      world.book('consumption', this.#item(part), PUNE, goods, { for_sku: sku, for_batch_no: batch_no })
    for (const [i, material] of [...new Set(uses.map(([part]) => part))].entries()) {
      const { qty, val, valTax } = sumOf(used.flatMap(({ part, goods }) => (part === material ? [goods] : [])))
      emit('consumption', {
        ...{ sku, batch_no, line_no: String(i + 1), material, qty_bom: qtyText(qty), val_bom: valueText(val) },
        tax_val: valueText(valTax - val),
      })
    }
    const { val, valTax } = sumOf(used.map(({ goods }) => goods))
    const goods = { batch: batch_no, expires, qty: made - lost * UNIT, val, valTax }
    world.receive('production_receipt', this.#item(sku), PUNE, goods)
    if (held) this.hold(sku, batch_no, units - wasted - lost, 'under inspection')
  }

  /** An order of a customer; its lines with a batch are dispatched and invoiced on the same day. */
  sell(order_no: string, customer_code: string, wanted: readonly Wanted[], place = PUNE): void {
    const world = this.#world
    const { emit, masters, day } = world
    const home = homeOf(customer_code)
    const seller = registrationOf(masters, place)
    const intra = seller.state === home.city.state
    const lines = wanted.map(([sku, units, batch]) => {
      const { price: rate, taxRate, mrp } = this.#about(sku)
      const taxable = priced(units * UNIT, rate)
      return { sku, units, batch, rate, taxRate, mrp, taxable, tax: taxOn(taxable, taxRate, intra) }
    })
    const [taxable, tax] = [sum(lines.map((line) => line.taxable)), sum(lines.map((line) => line.tax))]
    const total = Math.round((taxable + tax) / 100) * 100
    const round = rupees(total - taxable - tax)
    emit('sales_orders', {
      ...{ order_no, order_type: 'B2B/Retail', order_date: world.date(), order_time: '10:00:00', customer_code },
      ...{ warehouse: masters.warehouses[place]?.location ?? '', created_by: STAFF[0] as string },
      ...{ exp_dispatch_date: world.date(day + 5), taxable_amt: rupees(taxable), tax_amt: rupees(tax) },
      ...{ adjustment_label: total === taxable + tax ? '' : 'Round off', adjustment_amt: round },
      total_amt: rupees(total),
    })
    for (const [i, { sku, units, rate, taxRate, mrp, taxable, tax }] of lines.entries())
      emit('sales_order_items', {
        ...{ order_no, line_no: String(i + 1), sku, qty: qtyText(units * UNIT), mrp: rupees(mrp), rate: rupees(rate) },
        ...{ effective_rate: rupees(rate), tax_rate: String(taxRate), taxable_amt: rupees(taxable) },
        ...{ tax_amt: rupees(tax), total_amt: rupees(taxable + tax) },
      })
    if (lines.some(({ batch }) => batch === undefined)) return
    const invoice_no = order_no.replace('SO', 'INV')
    emit('invoices', {
      ...{ invoice_no, order_no, invoice_at: `${world.date()} 15:00:00`, due_date: world.date(day + 30) },
      ...{ gstn: seller.gstn, customer_gstn: home.gstn, place_of_supply: home.city.state },
      ...{ sub_total: rupees(taxable), total_tax: rupees(tax), total_amt: rupees(taxable + tax), round_amt: round },
      ...{ final_amt: rupees(total), status: 'Submitted' },
    })
    this.#sold.set(
      order_no,
      lines.map(({ sku, units, batch = null, rate, taxRate, taxable, tax }, i) => {
        const order_line_no = String(i + 1)
        const goods = this.#take(sku, batch, units, place)
        world.book('issue', this.#item(sku), place, goods, { order_no, order_line_no })
        emit('invoice_items', {
          ...{ invoice_no, order_no, line_no: order_line_no, order_line_no, qty: qtyText(goods.qty) },
          ...{ rate: rupees(rate), taxable_value: rupees(taxable), total_value: rupees(taxable + tax) },
          ...Object.fromEntries(gstOf(taxRate, tax, intra).flatMap(asColumns)),
        })
        return { sku, place, taxable, tax, goods }
      }),
    )
  }

  /** The customer returns goods of a line; usable goods go back into their batch. */
  takeBack(return_no: string, order_no: string, line: number, usable: number, unusable = 0): void {
    const world = this.#world
    const { sku, place, taxable, tax, goods } = (this.#sold.get(order_no) as Sold[])[line - 1] as Sold
    const part = (amount: number, units: number) => share(amount, units * UNIT, goods.qty)
    const order_line_no = String(line)
    world.emit('returns', {
      ...{ order_no, return_no, order_line_no, return_date: world.date(), kind: 'RTV' },
      ...{ usable_qty: qtyText(usable * UNIT), unusable_qty: qtyText(unusable * UNIT) },
      ...{ taxable_amt: rupees(part(taxable, usable + unusable)), tax_amt: rupees(part(tax, usable + unusable)) },
    })
    if (usable === 0) return
    const back = { qty: usable * UNIT, val: part(goods.val, usable), valTax: part(goods.valTax, usable) }
    world.receive('sales_return', this.#item(sku), place, { ...goods, ...back }, { order_no, order_line_no })
  }

  /** Sends goods to another warehouse, where they arrive after some days, unless the sample ends before. */
  transfer(transfer_no: string, sku: string, batch: string, units: number, to: number): void {
    const world = this.#world
    const goods = this.#take(sku, batch, units)
    world.book('transfer_out', this.#item(sku), PUNE, goods, { transfer_no })
    world.later(1, () => world.receive('transfer_in', this.#item(sku), to, goods, { transfer_no }))
  }

  hold(sku: string, batch: string, units: number, note: string): void {
    const { stock } = this.#world
    const goods = stock.hold(this.#item(sku), PUNE, this.#lot(sku, batch, PUNE), units * UNIT)
    this.#world.book('hold', this.#item(sku), PUNE, goods, { note })
  }

  /** Goods that leave the stock in another way. */
  remove(
    kind: 'trash' | 'shortage' | 'vendor_return',
    sku: string,
    batch: string,
    units: number,
    more: RowOf<'stock_movements'>,
  ) {
    this.#world.book(kind, this.#item(sku), PUNE, this.#take(sku, batch, units), more)
  }

  /** A work order of today that still waits for a part. */
  plan(work_order_no: string, sku: string, units: number): void {
    const { emit, masters, day } = this.#world
    emit('work_orders', {
      ...{ work_order_no, sku, warehouse: masters.warehouses[PUNE]?.location ?? '', status: 'Open' },
      ...{ planned_qty: qtyText(units * UNIT), start_date: this.#world.date(), due_date: this.#world.date(day + 2) },
      note: 'waits for pouches',
    })
    for (const [i, [part, per]] of (RECIPES[sku] ?? []).entries())
      emit('work_order_items', {
        ...{ work_order_no, line_no: String(i + 1), sku: part, planned_qty: qtyText(Math.round(units * per * UNIT)) },
      })
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)
const sumOf = (goods: readonly Goods[]) => ({
  qty: sum(goods.map(({ qty }) => qty)),
  val: sum(goods.map(({ val }) => val)),
  valTax: sum(goods.map(({ valTax }) => valTax)),
})

/** In the order of their days, which are counted back from the last. */
const EVENTS: readonly (readonly [daysAgo: number, happen: (story: Stories) => void])[] = [
  [27, (s) => s.buy('PO-9001', 'RM-9001', 1000, 3)],
  [27, (s) => s.buy('PO-9002', 'RM-9002', 3500, 2)],
  [27, (s) => s.buy('PO-9003', 'PM-9001', 6000, 3)],
  [27, (s) => s.buy('PO-9004', 'FG-9005', 600, 4)],
  [25, (s) => s.receive('GRN-9001', 'PO-9002', 3500)],
  [24, (s) => s.receive('GRN-9002', 'PO-9001', 1000, { batch: 'B-OIL-2291', supplier_lot: 'OIL-2291', expiresIn: 170 })],
  // 600 tins that expire 45 days after the last day, and sell at 2 a day.
  [23, (s) => s.receive('GRN-9003', 'PO-9004', 600, { batch: 'TIN-0031', supplier_lot: 'DTG-0031', expiresIn: 68 })],
  [22, (s) => s.make('S901-01', 'SF-901', 1000, [['RM-9001', 'B-OIL-2291', 300], ['RM-9002', null, 750]])],
  [22, (s) => s.make('S902-01', 'SF-902', 800, [['RM-9001', 'B-OIL-2291', 320], ['RM-9002', null, 520]])],
  [21, (s) => s.remove('vendor_return', 'RM-9001', 'B-OIL-2291', 50, { po_no: 'PO-9001', grn_no: 'GRN-9002', note: 'leaking drum' })],
  [20, (s) => s.receive('GRN-9004', 'PO-9003', 6000)],
  [19, (s) => s.make('F9001-01', 'FG-9001', 2000, [['SF-901', 'S901-01', 400], ['PM-9001', null, 2000]])],
  [19, (s) => s.make('F9002-01', 'FG-9002', 1000, [['SF-901', 'S901-01', 400], ['PM-9001', null, 1000]])],
  // 8 were wasted, and nobody knows where 12 more have gone.
  [19, (s) => s.make('F9003-01', 'FG-9003', 2000, [['SF-902', 'S902-01', 400], ['PM-9001', null, 2000]], { wasted: 8, lost: 12 })],
  [19, (s) => s.make('F9004-01', 'FG-9004', 900, [['SF-901', 'S901-01', 180], ['SF-902', 'S902-01', 180], ['PM-9001', null, 900]])],
  [18, (s) => s.buy('PO-9005', 'PM-9001', 4000, 7, 250)],
  [17, (s) => s.buy('PO-9006', 'RM-9001', 500, 3)],
  [16, (s) => s.sell('SO-9001', 'C9001', [['FG-9001', 400, 'F9001-01'], ['FG-9003', 300, 'F9003-01']])],
  [16, (s) => s.sell('SO-9002', 'C9002', [['FG-9001', 500, 'F9001-01']])],
  [16, (s) => s.sell('SO-9003', 'C9003', [['FG-9002', 300, 'F9002-01'], ['FG-9005', 60, 'TIN-0031']])],
  [15, (s) => s.remove('trash', 'RM-9001', 'B-OIL-2291', 20, { note: 'spilled' })],
  [15, (s) => s.sell('SO-9004', 'C9004', [['FG-9003', 500, 'F9003-01']])],
  [15, (s) => s.sell('SO-9005', 'C9005', [['FG-9001', 300, 'F9001-01'], ['FG-9004', 200, 'F9004-01']])],
  [14, (s) => s.receive('GRN-9005', 'PO-9006', 500, { batch: 'B-OIL-2304', supplier_lot: 'OIL-2304', expiresIn: 170 })],
  [14, (s) => s.transfer('TR-9001', 'FG-9004', 'F9004-01', 400, GURUGRAM)],
  [13, (s) => s.make('S901-02', 'SF-901', 1000, [['RM-9001', 'B-OIL-2291', 200], ['RM-9001', 'B-OIL-2304', 100], ['RM-9002', null, 750]])],
  [12, (s) => s.sell('SO-9006', 'C9006', [['FG-9002', 250, 'F9002-01']])],
  [12, (s) => s.sell('SO-9007', 'C9009', [['FG-9003', 600, 'F9003-01']])],
  // Not a drop of the bad lot is in this one.
  [11, (s) => s.make('S902-02', 'SF-902', 200, [['RM-9001', 'B-OIL-2304', 80], ['RM-9002', null, 130]])],
  [10, (s) => s.remove('shortage', 'RM-9001', 'B-OIL-2291', 5, { note: 'stock count' })],
  [10, (s) => s.sell('SO-9008', 'C9007', [['FG-9004', 250, 'F9004-01']], GURUGRAM)],
  [10, (s) => s.sell('SO-9009', 'C9008', [['FG-9004', 100, 'F9004-01']], GURUGRAM)],
  [9, (s) => s.buy('PO-9007', 'PM-9001', 3000, 7, 250)],
  [9, (s) => s.takeBack('RT-9001', 'SO-9002', 1, 60)],
  [9, (s) => s.sell('SO-9010', 'C9001', [['FG-9005', 50, 'TIN-0031']])],
  [8, (s) => s.takeBack('RT-9002', 'SO-9004', 1, 0, 24)],
  [7, (s) => s.receive('GRN-9006', 'PO-9005', 2500, { rejected: 100 })],
  [6, (s) => s.make('F9001-02', 'FG-9001', 1500, [['SF-901', 'S901-02', 300], ['PM-9001', null, 1500]])],
  [6, (s) => s.make('F9003-02', 'FG-9003', 500, [['SF-902', 'S902-02', 100], ['PM-9001', null, 500]])],
  // Broken packs become dough again, which goes into another batch of the same product.
  [5, (s) => s.make('S901-03', 'SF-901', 24, [['FG-9002', 'F9002-01', 60]])],
  [5, (s) => s.make('F9002-02', 'FG-9002', 300, [['SF-901', 'S901-03', 24], ['SF-901', 'S901-02', 96], ['PM-9001', null, 300]])],
  [5, (s) => s.takeBack('RT-9003', 'SO-9007', 1, 36, 12)],
  [4, (s) => s.sell('SO-9011', 'C9010', [['FG-9001', 700, 'F9001-02'], ['FG-9005', 70, 'TIN-0031']])],
  [4, (s) => s.sell('SO-9012', 'C9011', [['FG-9002', 200, 'F9002-02']])],
  [4, (s) => s.sell('SO-9013', 'C9012', [['FG-9003', 300, 'F9003-02']])],
  [3, (s) => s.receive('GRN-9007', 'PO-9005', 1600)],
  [3, (s) => s.sell('SO-9014', 'C9001', [['FG-9003', 100, 'F9003-02']])],
  [3, (s) => s.sell('SO-9015', 'C9002', [['FG-9001', 3000], ['FG-9004', 1200]])],
  [3, (s) => s.sell('SO-9016', 'C9009', [['FG-9002', 1500], ['FG-9003', 2500]])],
  [2, (s) => s.make('F9001-03', 'FG-9001', 1700, [['SF-901', 'S901-02', 340], ['PM-9001', null, 1700]], { held: true })],
  [2, (s) => s.hold('RM-9001', 'B-OIL-2291', 105, 'customer complaint')],
  [0, (s) => s.transfer('TR-9002', 'FG-9004', 'F9004-01', 100, GURUGRAM)],
  [0, (s) => s.plan('WO-9001', 'FG-9001', 1400)],
  [0, (s) => s.plan('WO-9002', 'FG-9002', 1100)],
  [0, (s) => s.plan('WO-9003', 'FG-9003', 1800)],
  [0, (s) => s.plan('WO-9004', 'FG-9004', 1000)],
] // biome-ignore format: one line for an event
