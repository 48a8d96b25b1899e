/** A small company to look at on the first start: a snack maker with 90 days of history up to the given day. */
import { createHash } from 'node:crypto'
import type { Db } from '../db/connect.js'
import { insertRows } from '../db/insert.js'
import { rebuildClosings } from '../ledger/closings.js'

type Row = Readonly<Record<string, unknown>>

const DAYS = 90
const STATES = {
  Pune: ['Maharashtra', '27', '411001'],
  Mumbai: ['Maharashtra', '27', '400001'],
  Delhi: ['Delhi', '07', '110001'],
  Bengaluru: ['Karnataka', '29', '560001'],
  Chennai: ['Tamil Nadu', '33', '600001'],
  Kolkata: ['West Bengal', '19', '700001'],
} as const
type City = keyof typeof STATES
const cities = Object.keys(STATES) as City[]

/** Loads the sample unless the database holds data already; true where it did. */
export async function loadSample(db: Db, today: string): Promise<boolean> {
  return await db.begin(async (tx) => {
    const [current] = await tx`select version from data_version for update`
    if (current?.version !== '0') return false
    const { account, ...tables } = sample(today)
    await tx`update account set ${tx(account)}`
    for (const [table, rows] of Object.entries(tables)) await insertRows(tx, table, rows)
    for (const table of ['warehouse', 'item'])
      await tx.unsafe(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`)
    await rebuildClosings(tx)
    await tx`update data_version set version = version + 1, committed_at = now()`
    return true
  })
}

/** Every row of the sample, by table, in an order that satisfies every reference. Amounts are whole paise throughout. */
function sample(today: string) {
  const random = generator(20260401)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const day = (offset: number) => new Date(Date.parse(today) + offset * 86_400_000).toISOString().slice(0, 10)
  const rupees = (paise: number) => (paise / 100).toFixed(2)
  const place = (city: City, n: number) => ({
    address1: `${n} Industrial Estate`,
    address2: 'Phase II',
    city,
    state: STATES[city][0],
    country: 'India',
    pincode: STATES[city][2],
    gstn: `${STATES[city][1]}ABCDE${1000 + n}F1Z${n % 10}`,
    phone: `+91 20 5550 ${1000 + n}`,
    email: `office${n}@example.in`,
  })

  const account = { name: 'Annapurna Snacks Private Limited', time_zone: 'Asia/Kolkata', ...place('Pune', 1) }
  const warehouse: Row[] = cities.map((city, i) => {
    const { address1, ...rest } = place(city, 10 + i)
    const location = i === 0 ? 'Pune Plant' : `${city} Depot`
    const key = createHash('md5').update(location).digest('hex')
    return { id: i + 1, key, location, address: address1, ...rest, gstn: i === 5 ? null : rest.gstn }
  })

  const item: (Row & { id: number; cost: number })[] = []
  const addItem = (sku: string, name: string, type: string, cost: number, more: Row = {}) => {
    const fields = { material_kind: null, unit: 'PCS', primary_category: 'Snacks', product_category: 'Namkeen' }
    const rest = { business_nature: 'Manufactured', hsn: '21069099', mrp: rupees(cost * 2), tax_rate: '12' }
    item.push({ id: item.length + 1, sku, name, type, cost, ...fields, ...rest, reorder_level: '100', ...more })
    return item.length
  }
  const flavours = [
    'Aloo Bhujia',
    'Moong Dal',
    'Khatta Meetha',
    'Masala Peanuts',
    'Banana Chips',
    'Chakli',
    'Poha Chivda',
  ]
  const finished = flavours.flatMap((name, i) =>
    [200, 400].map((grams) => addItem(`FG-${101 + i}-${grams}`, `${name} ${grams} g`, 'FG', grams * between(18, 30))),
  )
  const semi = ['Spice Mix', 'Fried Base'].map((name, i) =>
    addItem(`SFG-${201 + i}`, name, 'SFG', 18_000, { unit: 'KG', product_category: 'Intermediate' }),
  )
  addItem('CMB-301', 'Festive Box', 'COMBO', 30_000, { product_category: 'Gift Packs' })
  const bought = { business_nature: 'Purchased', primary_category: 'Materials', hsn: '07139090', mrp: '0' }
  const materials = ['Gram Flour', 'Peanuts', 'Groundnut Oil', 'Salt', 'Chilli Powder', 'Potato Flakes'].map(
    (name, i) =>
      addItem(`RM-${401 + i}`, name, 'MAT', between(4_000, 22_000), {
        ...{ ...bought, material_kind: 'RAW', unit: 'KG', product_category: 'Ingredients' },
      }),
  )
  materials.push(
    ...['Pouch 200 g', 'Pouch 400 g', 'Carton'].map((name, i) =>
      addItem(`PM-${501 + i}`, name, 'MAT', between(150, 1_200), {
        ...{ ...bought, material_kind: 'PCK', product_category: 'Packaging' },
      }),
    ),
  )
  const costOf = (id: number) => item[id - 1]?.cost ?? 0

  const vendor: Row[] = cities.map((city, i) => ({
    ...{
      code: `V00${i + 1}`,
      name: `${city} ${pick(['Traders', 'Agro', 'Packaging'])}`,
      credit_days: pick([0, 15, 30, 45]),
    },
    ...place(city, 40 + i),
  }))
  const customer: Row[] = cities.map((city, i) => {
    const addresses = ['billing', 'shipping'].flatMap((use) =>
      Object.entries({ buyer: `${city} Retail LLP`, ...place(city, 70 + i) }).map(([k, v]) => [`${use}_${k}`, v]),
    )
    return { code: `C00${i + 1}`, name: `${city} Retail LLP`, ...Object.fromEntries(addresses) }
  })

  const movements: Row[] = []
  /** What may be used: stock without the held part of it. */
  const stock = new Map<string, number>()
  const move = (offset: number, kind: string, id: number, at: number, qty: number, sign: number, more: Row = {}) => {
    const slot = `${id}/${at}`
    stock.set(slot, (stock.get(slot) ?? 0) + sign * qty)
    const val = qty * costOf(id)
    movements.push({
      ...{
        item_id: id,
        movement_no: `MV-${String(movements.length + 1).padStart(6, '0')}`,
        movement_date: day(offset),
      },
      ...{ kind, warehouse_id: at, batch_no: null, qty, val: rupees(val), val_tax: rupees(Math.round(val * 1.12)) },
      ...{ transfer_charge: 0, order_no: null, order_line_no: null, for_item_id: null, for_batch_no: null },
      ...{ po_no: null, grn_no: null, ...more },
    })
  }
  const inStock = (id: number, at: number) => stock.get(`${id}/${at}`) ?? 0

  const purchase_order: Row[] = []
  const purchase_order_line: Row[] = []
  const purchase_order_approval: Row[] = []
  const goods_receipt: Row[] = []
  const goods_receipt_line: Row[] = []
  const batch: Row[] = []
  const consumption: Row[] = []
  const sales_order: Row[] = []
  const sales_order_line: Row[] = []
  const sales_return: Row[] = []

  for (const id of materials) move(-DAYS, 'other_receipt', id, 1, 500, 1, { note: 'opening stock' })
  for (let offset = -DAYS; offset <= 0; offset++) {
    if (offset % 2 === 0) buy(offset)
    produce(offset)
    for (let n = 0; n < 2; n++) sell(offset)
    if (offset % 5 === 0) tidy(offset)
  }

  function buy(offset: number) {
    const po_no = `PO-${String(purchase_order.length + 1).padStart(4, '0')}`
    const state = random() < 0.05 ? 'CANCELLED' : random() < 0.06 ? 'CLOSED' : 'OPEN'
    const lines = [...new Set([pick(materials), pick(materials), pick(materials)])].map((id, i) => {
      const qty = between(2, 20) * 25
      const taxable = qty * costOf(id)
      const tax = Math.round(taxable * 0.12)
      purchase_order_line.push({
        ...{ po_no, line_no: i + 1, item_id: id, description: '', qty, rate: rupees(costOf(id)), tax_rate: 12 },
        ...{ taxable_amt: rupees(taxable), tax_amt: rupees(tax), total_amt: rupees(taxable + tax) },
      })
      return { id, line_no: i + 1, qty, taxable, tax }
    })
    const taxable = lines.reduce((sum, line) => sum + line.taxable, 0)
    const tax = lines.reduce((sum, line) => sum + line.tax, 0)
    const shipping = pick([0, 25_000, 50_000])
    const due = between(5, 15)
    const large = taxable > 20_000_000
    purchase_order.push({
      ...{
        po_no,
        po_date: day(offset),
        delivery_date: day(offset + due),
        vendor_code: pick(vendor).code,
        warehouse_id: 1,
      },
      ...{
        reference: pick([null, `IND-${between(100, 999)}`]),
        shipment_reference: pick([null, null, 'SEA-7']),
        state,
      },
      ...{ approval_required: large, approval_limit: '200000.00', taxable_amt: rupees(taxable), tax_amt: rupees(tax) },
      ...{ shipping_amt: rupees(shipping), adjustment_label: 'Discount', adjustment_amt: '0.00' },
      ...{ total_amt: rupees(taxable + tax + shipping) },
    })
    const decision = random() < 0.7 ? 'Approved' : random() < 0.8 ? 'Pending' : 'Rejected'
    if (large)
      ['Purchase', 'Finance'].forEach((group_name, i) => {
        const status = i === 0 ? 'Approved' : decision
        const decided = status !== 'Pending'
        purchase_order_approval.push({
          ...{ po_no, step: i + 1, group_name, status, approver: decided ? 'Asha Rao' : null },
          ...{ action_at: decided ? `${day(offset)} 1${i}:4${i}:05` : null, approvers: ['Asha Rao', 'Vikram Shah'] },
        })
      })
    const arrives = offset + due + pick([-1, 0, 0, 1, 4])
    if (state === 'CANCELLED' || arrives > 0 || decision === 'Rejected') return
    const grn_no = `GRN-${String(goods_receipt.length + 1).padStart(4, '0')}`
    goods_receipt.push({
      po_no,
      grn_no,
      receipt_date: day(arrives),
      warehouse_id: 1,
      reference: `CH-${between(1000, 9999)}`,
    })
    for (const { id, line_no, qty } of random() < 0.25 ? lines.slice(0, 1) : lines) {
      const received = random() < 0.2 ? qty - 25 : qty
      const rejected = random() < 0.1 ? 5 : 0
      const accepted = received - rejected
      const value = accepted * costOf(id)
      goods_receipt_line.push({
        ...{ po_no, grn_no, line_no, po_line_no: line_no, received_qty: received, accepted_qty: accepted },
        ...{ rejected_qty: rejected, rate: rupees(costOf(id)), taxable_amt: rupees(value) },
        ...{ tax_amt: rupees(Math.round(value * 0.12)), total_amt: rupees(value + Math.round(value * 0.12)) },
      })
      move(arrives, 'purchase_receipt', id, 1, accepted, 1, { po_no, grn_no })
    }
  }

  function produce(offset: number) {
    const id = random() < 0.15 ? pick(semi) : pick(finished)
    const batch_no = `B${day(offset).replaceAll('-', '').slice(2)}`
    const qty = between(8, 30) * 10
    batch.push({
      ...{ item_id: id, batch_no, source: 'PRODUCED', mfg_date: day(offset), expiry_date: day(offset + 180) },
      ...{ batch_date: day(offset), warehouse_id: 1, qty, wastage: 2, qc_status: pick([null, 'QC Pass']) },
    })
    for (const [i, material] of [pick(materials), pick(materials)].entries()) {
      if (inStock(material, 1) < 20) continue
      move(offset, 'consumption', material, 1, 20, -1, { for_item_id: id, for_batch_no: batch_no })
      const val = 20 * costOf(material)
      consumption.push({
        ...{ item_id: id, batch_no, line_no: i + 1, material_id: material, cost_head: null, description: '' },
        ...{ qty_bom: 20, qty_short: 0, qty_rej: 0, qty_ret: 0, val_bom: rupees(val), val_short: 0, val_rej: 0 },
        ...{ val_ret: 0, tax_val: rupees(Math.round(val * 1.12) - val) },
      })
    }
    move(offset, 'production_receipt', id, 1, qty - 2, 1, { batch_no })
    const to = between(2, 6)
    const sent = Math.floor(qty / 3)
    move(offset, 'transfer_out', id, 1, sent, -1, { batch_no })
    move(offset, 'transfer_in', id, to, sent, 1, { batch_no, transfer_charge: rupees(sent * 150) })
  }

  function sell(offset: number) {
    const at = between(1, 6)
    const id = finished.filter((candidate) => inStock(candidate, at) >= 10)[between(0, 3)]
    if (id === undefined) return
    const order_no = `SO-${String(sales_order.length + 1).padStart(5, '0')}`
    const qty = Math.min(between(5, 40), inStock(id, at))
    const rate = Math.round(costOf(id) * 1.6)
    const amounts = { taxable_amt: rupees(qty * rate), tax_amt: rupees(Math.round(qty * rate * 0.12)) }
    const total_amt = rupees(qty * rate + Math.round(qty * rate * 0.12))
    sales_order.push({
      ...{
        order_no,
        order_type: pick(['B2B/Retail', 'Online']),
        order_date: day(offset),
        customer_code: pick(customer).code,
      },
      ...{ warehouse_id: at, created_by: 'Meera Nair', ...amounts, total_amt },
    })
    sales_order_line.push({
      ...{ order_no, line_no: 1, item_id: id, qty, mrp: rupees(costOf(id) * 2), rate: rupees(rate) },
      ...{ effective_rate: rupees(rate), tax_rate: 12, ...amounts, total_amt },
    })
    const order = { order_no, order_line_no: 1 }
    if (random() < 0.9) move(offset, 'issue', id, at, random() < 0.2 ? Math.ceil(qty / 2) : qty, -1, order)
    if (random() < 0.05) {
      const return_date = Math.min(0, offset + 3)
      move(return_date, 'sales_return', id, at, 1, 1, order)
      sales_return.push({
        ...{ ...order, return_no: `RT-${String(sales_return.length + 1).padStart(4, '0')}`, kind: 'RTV' },
        ...{ return_date: day(return_date), usable_qty: 1, unusable_qty: 0, taxable_amt: rupees(rate) },
        ...{ tax_amt: rupees(Math.round(rate * 0.12)) },
      })
    }
  }

  /** What happens now and then in a warehouse. */
  function tidy(offset: number) {
    const at = between(1, 6)
    const id = finished.filter((candidate) => inStock(candidate, at) >= 20)[0]
    if (id === undefined) return
    const kind = pick(['trash', 'move_to_bad', 'shortage', 'rejection'])
    move(offset, kind, id, at, between(1, 5), -1)
    move(offset, 'hold', id, at, 6, -1)
    if (offset < -10) move(offset + 4, 'release', id, at, between(2, 6), 1)
  }

  return {
    ...{ account, warehouse, item: item.map(({ cost: _, ...row }) => ({ active: true, ...row })), vendor, customer },
    ...{ purchase_order, purchase_order_line, purchase_order_approval, goods_receipt, goods_receipt_line },
    ...{ batch, consumption, sales_order, sales_order_line, sales_return },
    stock_movement: movements.map((row) => ({ note: '', ...row })),
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
