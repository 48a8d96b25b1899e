/** Random companies for the comparison with the oracle: small, but with every oddity of real books. */
import fc from 'fast-check'
import { format, parse, sum } from '../oracle/decimal.js'
import type { Approval, Batch, Company, Customer, Item, Movement, WorkOrder } from './company.js'
import {
  consumption,
  customer,
  emptyCompany,
  invoice,
  invoiceLine,
  item,
  movement,
  salesOrder,
  salesOrderLine,
  warehouse,
} from './company.js'

const DAY = 86_400_000
const fromToday = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

/** The days around the end of a month, of a leap February and of a year, and around today in any time zone. */
export const randomDay = fc.constantFrom(
  ...['2023-12-30', '2023-12-31', '2024-01-01', '2024-02-28', '2024-02-29', '2024-03-01', '2024-03-15', '2024-12-31'],
  ...[-2, -1, 0, 1, 2].map(fromToday),
)

export const randomRange = fc.oneof(
  fc
    .tuple(randomDay, randomDay)
    .map(([a, b]) => (a <= b ? { from_date: a, to_date: b } : { from_date: b, to_date: a })),
  fc.constant({ from_date: '2023-12-31', to_date: fromToday(1) }),
)

/** A decimal with exactly the digits that a column keeps; sometimes far larger than a double can hold. */
const decimal = (digits: number, smallest = 0n) =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.bigInt({ min: smallest, max: 10_000_000n }) },
      { weight: 1, arbitrary: fc.bigInt({ min: smallest, max: 10n ** BigInt(digits + 18) - 1n }) },
    )
    .map((units) => format(units, digits))
const quantity = decimal(4, 1n)
const value = decimal(4)
const amount = decimal(2)
const price = fc.oneof(decimal(2), decimal(4), decimal(6))
/** A small quantity, so that other quantities often reach, exceed or miss it. */
const few = fc.integer({ min: 1, max: 9 }).map((n) => `${n}.0000`)
/** A quantity that is taken back. */
const less = few.map((qty) => `-${qty}`)
const isItem = fc.constantFrom(true, true, true, true, false)
const percent = fc.constantFrom('0', '5.00', '12.50', '18', '100')

const plus = (a: string, b: string) => format(parse(a, 4) + parse(b, 4), 4)
/** A fraction of a whole, `parts` divided by `of`, cut to 4 digits. */
const partOf = (whole: bigint, parts: number, of: number) => format((whole * BigInt(parts)) / BigInt(of), 4)

/** Names that break careless code. */
const name = fc.oneof(
  fc.constantFrom(
    "O'Neil",
    'a "quoted" name',
    'comma, semicolon;',
    'two\nlines',
    'मसाला',
    '🥜 peanuts',
    'back\\slash',
    'Å',
    'a',
    'B',
    '_',
    'é',
  ),
  fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0')),
)
const label = fc.oneof(fc.constant(''), name)
const code = fc.stringMatching(/^[A-Za-z0-9_./-]{1,8}$/)
const state = fc.constantFrom(...(['OPEN', 'OPEN', 'OPEN', 'CLOSED', 'CANCELLED'] as const))

/** An element of a list by any number; undefined if the list is empty. */
const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length]
const any = fc.nat(9999)

// Masters -------------------------------------------------------------------------------------------------------------

/** The days and quantities of a row of a bill of materials. */
const holds = (valid: 'always' | 'past' | 'future' | 'changed', qty: string): [string, string | null, string][] =>
  valid === 'changed'
    ? [
        ['0001-01-01', '2020-12-31', qty],
        ['2021-01-01', null, '2'],
      ]
    : [
        valid === 'always'
          ? ['0001-01-01', null, qty]
          : valid === 'past'
            ? ['0001-01-01', '2021-06-30', qty]
            : ['2999-01-01', null, qty],
      ]

const masters = fc
  .record({
    time_zone: fc.constantFrom('Asia/Kolkata', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC'),
    locations: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    places: fc.array(fc.record({ city: label, state: label, pincode: label }), { minLength: 8, maxLength: 8 }),
    gstn: fc.constantFrom(null, '', '27AAAAA0000A1Z5'),
    items: fc.uniqueArray(
      fc.record({
        sku: code,
        name,
        type: fc.constantFrom(...(['COMBO', 'COMBO', 'FG', 'FG', 'SFG', 'MAT', 'MAT', 'SRV'] as const)),
        kind: fc.constantFrom(...(['RAW', 'RAW', 'PCK', 'PCK', 'CON', 'TOOL'] as const)),
        unit: name,
        primary_category: label,
        product_category: label,
        business_nature: label,
        hsn: label,
        mrp: price,
        tax_rate: percent,
        reorder_level: value,
        active: fc.constantFrom(true, true, true, true, false),
      }),
      { minLength: 2, maxLength: 8, selector: ({ sku }) => sku },
    ),
    parts: fc.array(
      fc.record({
        product: any,
        component: any,
        ratio: fc.oneof(fc.constantFrom('1', '0.0416666667', '2.5', '333'), decimal(10, 1n)),
        pieces: fc.constantFrom('1', '2', '3', '0.5000', '1.3333'),
        kind: fc.constantFrom(...(['Component', 'Component', 'Component', 'By-product'] as const)),
        valid: fc.constantFrom(...(['always', 'always', 'past', 'future', 'changed'] as const)),
      }),
      { maxLength: 16 },
    ),
    customers: fc.array(fc.record({ name, contact_person: fc.option(name), city: label, pincode: label }), {
      minLength: 3,
      maxLength: 3,
    }),
    vendors: fc.array(name, { minLength: 2, maxLength: 2 }),
  })
  .map(({ time_zone, locations, places, gstn, items, parts, customers, vendors }) => {
    const made = items.map(({ kind, sku, type: drawn, ...about }, i) => {
      const type = i === 0 ? 'COMBO' : drawn
      return item(i + 1, sku, type, { ...about, material_kind: type === 'MAT' ? kind : null })
    })
    const bom_line: Company['bom_line'] = []
    const combo_line: Company['combo_line'] = []
    for (const { product, component, ratio, pieces, kind, valid } of parts) {
      // A component comes after its product in the list, so that no product contains itself.
      const inside = made.filter(({ type }) => type !== 'SRV').slice(1)
      const part = pick(inside, component)
      const whole = part && pick(made.slice(0, part.id - 1), product)
      if (!part || !whole || whole.type === 'SRV') continue
      if (!bom_line.some((b) => b.product_id === whole.id && b.component_id === part.id))
        for (const [valid_from, valid_to, qty] of holds(valid, ratio))
          bom_line.push({ product_id: whole.id, component_id: part.id, qty, kind, valid_from, valid_to })
      const contents = combo_line.filter((c) => c.combo_id === whole.id)
      if (whole.type === 'COMBO' && contents.length < 3 && contents.every((c) => c.component_id !== part.id))
        combo_line.push({ combo_id: whole.id, component_id: part.id, qty: pieces })
    }
    return {
      account: { ...emptyCompany().account, time_zone },
      warehouse: locations.map((location, i) =>
        warehouse(i + 1, location, {
          ...(i === 1 && { code: 'Stores - B' }),
          gstn,
          ...places[i],
          ...(gstn === null && { city: null, pincode: null }),
        }),
      ),
      item: made,
      bom_line,
      combo_line,
      vendor: ['V1', 'v2'].map((code, i) => ({
        ...{ code, name: vendors[i] ?? 'x', credit_days: i * 30, address1: '', address2: 'b', state: '', pincode: '' },
        ...{ country: 'India', gstn: '', phone: '1', email: 'x@example.in', city: 'Delhi', ...(i === 1 && places[7]) },
      })),
      customer: customers.map(({ name, contact_person, city, pincode }, i): Customer => {
        const shipping = { shipping_city: city, shipping_pincode: pincode }
        return customer(['C1', 'c2', 'C10'][i] ?? 'C', { name, contact_person, ...shipping })
      }),
    }
  })
type Masters = typeof masters extends fc.Arbitrary<infer M> ? M : never

// Purchase ------------------------------------------------------------------------------------------------------------

const purchases = fc.uniqueArray(
  fc.record({
    po: fc.record({
      po_no: code,
      po_date: randomDay,
      delivery_date: randomDay,
      reference: fc.option(name),
      shipment_reference: fc.option(name),
      vendor_code: fc.constantFrom('V1', 'v2'),
      state,
      approval_required: fc.boolean(),
    }),
    warehouse: any,
    amounts: fc.array(amount, { minLength: 6, maxLength: 6 }),
    lines: fc.array(
      fc.record({
        ...{ item: any, isItem, delivery_date: fc.option(randomDay) },
        ...{ qty: fc.oneof({ weight: 5, arbitrary: few }, less), rate: price, taxable_amt: amount },
      }),
      { minLength: 1, maxLength: 4 },
    ),
    receipts: fc.array(
      fc.record({
        receipt_date: randomDay,
        reference: fc.option(name),
        warehouse: any,
        lines: fc.array(
          fc.record({
            line: any,
            at: fc.option(any),
            accepted: fc.nat(9),
            rejected: fc.nat(2),
            waiting: fc.nat(1),
            rate: price,
            money: amount,
          }),
          { maxLength: 4 },
        ),
      }),
      { maxLength: 3 },
    ),
    approvals: fc.array(
      fc.record({
        group_name: name,
        status: fc.constantFrom('Pending' as const, 'Approved' as const, 'Rejected' as const),
        at: fc.constantFrom('2024-02-29 00:00:00', '2024-02-29 11:59:59', '2024-02-29 12:00:00', '2024-02-29 23:05:01'),
        approvers: fc.array(
          name.filter((text) => !text.includes('|')),
          { maxLength: 3 },
        ),
      }),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 8, selector: ({ po }) => po.po_no },
)
type Purchases = typeof purchases extends fc.Arbitrary<infer P> ? P : never

function purchaseRows({ item, warehouse }: Masters, list: Purchases) {
  const rows: Pick<
    Company,
    'purchase_order' | 'purchase_order_line' | 'purchase_order_approval' | 'goods_receipt' | 'goods_receipt_line'
  > = {
    purchase_order: [],
    purchase_order_line: [],
    purchase_order_approval: [],
    goods_receipt: [],
    goods_receipt_line: [],
  }
  list.forEach(({ po, lines, receipts, approvals, amounts, ...at }, i) => {
    const { po_no } = po
    const [a = '', b = '', c = '', d = '', e = '', f = ''] = amounts
    rows.purchase_order.push({
      ...{ ...po, poid: i + 1, warehouse_id: pick(warehouse, at.warehouse)?.id ?? 1 },
      ...{ approval_limit: a, taxable_amt: b, tax_amt: c, shipping_amt: d },
      ...{ adjustment_label: 'Round off', adjustment_amt: `-${e}`, total_amt: f },
    })
    lines.forEach(({ item: n, isItem, ...line }, l) => {
      const ordered = pick(item, n) as Item
      rows.purchase_order_line.push({
        // stored in a different order than shown
        ...{ po_no, line_no: lines.length - l, item_id: isItem ? ordered.id : null },
        ...{ description: ordered.name, tax_rate: '18.00' },
        ...{ ...line, tax_amt: '1.10', total_amt: '2.20' },
      })
    })
    receipts.forEach(({ warehouse: n, lines: received, ...grn }, r) => {
      const grn_no = `G${i}-${r}`
      rows.goods_receipt.push({ ...grn, po_no, grn_no, warehouse_id: pick(warehouse, n)?.id ?? 1 })
      received.forEach(({ line, at, accepted, rejected, waiting, rate, money }, l) => {
        const all = accepted + rejected + waiting
        rows.goods_receipt_line.push({
          ...{ po_no, grn_no, line_no: received.length - l, po_line_no: (line % lines.length) + 1 },
          warehouse_id: at === null ? null : (pick(warehouse, at)?.id ?? null),
          ...{ received_qty: `${all || 1}`, accepted_qty: `${accepted}`, rejected_qty: `${rejected}` },
          ...{ rate, taxable_amt: money, tax_amt: '0.10', total_amt: money },
        })
      })
    })
    approvals.forEach(({ at, status, ...approval }, s) => {
      const decided = status !== 'Pending'
      const row: Approval = {
        ...{ po_no, step: s + 1, status, ...approval },
        ...{ approver: decided && s < 2 ? 'Asha Rao' : null, action_at: decided && s !== 1 ? at : null },
      }
      rows.purchase_order_approval.push(row)
    })
  })
  return rows
}

// Production ----------------------------------------------------------------------------------------------------------

const productions = fc.array(
  fc.record({
    item: any,
    batch_no: fc.constantFrom('B1', 'B10', 'b2'),
    source: fc.constantFrom(...(['PRODUCED', 'PRODUCED', 'PRODUCED', 'PROCURED', 'MANUAL'] as const)),
    days: fc.array(fc.option(randomDay), { minLength: 2, maxLength: 2 }),
    batch_date: randomDay,
    warehouse: any,
    qty: fc.oneof(few, value),
    wasted: fc.constantFrom(0, 0, 0, 1, 2, 3, 7), // sevenths of the batch
    checked: fc.record({
      qc_status: fc.constantFrom('QC Pass' as const, 'QC Fail' as const, 'QC Hold' as const, null),
      qty_pass: fc.option(value),
      qty_failed: fc.option(value),
    }),
    used: fc.array(
      fc.record({
        material: fc.option(any),
        cost_head: fc.constantFrom(...(['Other Costs', 'Taxes', 'Manpower', 'Transport'] as const)),
        description: label,
        qty: fc.tuple(value, value, value, fc.constantFrom(0, 0, 1, 4)),
        val: fc.tuple(value, value, value, fc.constantFrom(0, 0, 1, 4)),
        tax_val: value,
      }),
      { maxLength: 4 },
    ),
    /** Sevenths of the batch that are received; 0 for none. */
    received: fc.constantFrom(0, 3, 7),
    received_on: randomDay,
  }),
  { maxLength: 8 },
)
const workOrders = fc.array(
  fc.record({
    ...{
      item: any,
      warehouse: fc.option(any),
      days: fc.tuple(randomDay, randomDay, fc.option(randomDay)),
      note: label,
    },
    status: fc.constantFrom(...(['Planned', 'Open', 'Open', 'Closed', 'Cancelled'] as const)),
    planned_qty: few,
    lines: fc.array(
      fc.record({
        ...{ item: any, planned_qty: few },
        kind: fc.constantFrom(...(['Component', 'Component', 'By-product'] as const)),
      }),
      { maxLength: 4 },
    ),
  }),
  { maxLength: 5 },
)
type WorkOrders = typeof workOrders extends fc.Arbitrary<infer W> ? W : never

function workOrderRows({ item, warehouse }: Masters, list: WorkOrders) {
  const rows: Pick<Company, 'work_order' | 'work_order_line'> = { work_order: [], work_order_line: [] }
  const stocked = item.filter(({ type }) => type !== 'SRV')
  list.forEach(({ item: n, warehouse: w, days: [a, b, end], lines, status, planned_qty, note }, i) => {
    const made = pick(stocked, n)
    if (!made) return
    const work_order_no = `WO${10 - i}`
    const [start_date = a, due_date = b] = [a, b].toSorted()
    rows.work_order.push({
      ...{ work_order_no, item_id: made.id, status, planned_qty, start_date, due_date, note },
      warehouse_id: w === null ? null : (pick(warehouse, w)?.id ?? null),
      finished_on: ['Closed', 'Cancelled'].includes(status) ? end : null,
    })
    lines.forEach(({ item: m, ...line }, l) => {
      const used = pick(stocked, m)
      if (used) rows.work_order_line.push({ work_order_no, line_no: lines.length - l, item_id: used.id, ...line })
    })
  })
  return rows
}

type Productions = typeof productions extends fc.Arbitrary<infer P> ? P : never

function productionRows({ item, warehouse }: Masters, list: Productions) {
  const rows: Pick<Company, 'batch' | 'consumption' | 'stock_movement'> = {
    batch: [],
    consumption: [],
    stock_movement: [],
  }
  const stocked = item.filter(({ type }) => type !== 'SRV')
  for (const { days, used, checked, wasted, ...about } of list) {
    const { batch_no, source, batch_date } = about
    const made = pick(stocked, about.item)
    if (!made || rows.batch.some((b) => b.item_id === made.id && b.batch_no === batch_no)) continue
    const [mfg_date = null, expiry_date = null] = days.every(Boolean) ? days.toSorted() : days
    const warehouse_id = pick(warehouse, about.warehouse)?.id ?? 1
    const qty = parse(about.qty, 4)
    const batch: Batch = {
      ...{ item_id: made.id, batch_no, source, mfg_date, expiry_date },
      ...(source === 'PRODUCED'
        ? { batch_date, warehouse_id, qty: about.qty, wastage: partOf(qty, wasted, 7), ...checked }
        : { batch_date: null, warehouse_id: null, qty: null, wastage: null }),
      ...(source !== 'PRODUCED' && { qc_status: null, qty_pass: null, qty_failed: null }),
    } as Batch
    rows.batch.push(batch)
    if (source !== 'PRODUCED') continue
    used.forEach(({ material, cost_head, description, qty, val, tax_val }, l) => {
      const from = material === null ? undefined : pick(stocked, material)
      const parts = (measure: 'qty' | 'val', [bom, short, rej, ret]: typeof qty) => ({
        [`${measure}_bom`]: bom,
        [`${measure}_short`]: short,
        [`${measure}_rej`]: rej,
        [`${measure}_ret`]: partOf(sum([bom, short, rej].map((text) => parse(text, 4))), ret, 4),
      })
      rows.consumption.push(
        consumption(made.id, batch_no, used.length - l, {
          ...(from && from !== made ? { material_id: from.id } : { cost_head }),
          ...{ description, ...parts('qty', qty), ...parts('val', val), tax_val },
        }),
      )
    })
    const received = partOf(qty - parse(batch.wastage ?? '0', 4), about.received, 7)
    if (parse(received, 4) > 0n)
      rows.stock_movement.push(
        movement(0, 'production_receipt', {
          ...{ item_id: made.id, warehouse_id, movement_date: about.received_on, batch_no, qty: received, val: '1' },
        }),
      )
  }
  return rows
}

// Sales ---------------------------------------------------------------------------------------------------------------

const orders = fc.uniqueArray(
  fc.record({
    about: fc.record({
      order_no: code,
      order_type: fc.constantFrom('B2B/Retail', 'Online', 'é'),
      channel_id: fc.option(name),
      channel: fc.nat(3),
      order_date: randomDay,
      order_time: fc.constantFrom('00:00:00', '09:05:01', '23:59:59'),
      customer_code: fc.constantFrom('C1', 'c2', 'C10', null),
      po_no: fc.option(name),
      po_date: fc.option(randomDay),
      created_by: label,
      exp_dispatch_date: fc.option(randomDay),
      appointment_date: fc.option(randomDay),
      expiry_date: fc.option(randomDay),
      reference: fc.option(name),
      free_of_cost: fc.constantFrom(false, false, true),
      state,
      taxable_amt: amount,
      tax_amt: amount,
      shipping_amt: amount,
      adjustment_label: label,
      total_amt: amount,
    }),
    warehouse: any,
    shipTo: fc.option(label),
    returned: fc.constantFrom(false, false, true),
    lines: fc.array(
      fc.record({
        item: any,
        /** Whether the line has an item, not only a text. */
        isItem,
        delivery_date: fc.option(randomDay),
        qty: fc.oneof(
          { weight: 6, arbitrary: few },
          { weight: 1, arbitrary: quantity },
          { weight: 1, arbitrary: less },
        ),
        mrp: price,
        rate: price,
        discount_per: fc.constantFrom('0', '2.5000', '33.3333', '100'),
        discount_amt: amount,
        effective_rate: price,
        tax_rate: percent,
        money: fc.tuple(amount, amount, amount),
        issues: fc.array(
          fc.record({
            /** Issues of the ordered item itself, even if it is a combo. */
            itself: fc.boolean(),
            qty: few,
            /** The component that is short of a whole number of combos. */
            short: fc.option(any),
            day: randomDay,
            warehouse: any,
            batch: any,
            val: value,
            tax: value,
          }),
          { maxLength: 2 },
        ),
        returns: fc.array(
          fc.record({
            return_date: randomDay,
            kind: fc.constantFrom('RTO' as const, 'RTV' as const),
            usable: fc.nat(3),
            unusable: fc.nat(2),
            taxable_amt: amount,
            tax_amt: amount,
            booked: fc.option(fc.record({ part: any, warehouse: any, batch: any, val: value, tax: value })),
          }),
          { maxLength: 2 },
        ),
      }),
      { maxLength: 4 },
    ),
    invoices: fc.array(
      fc.record({
        day: randomDay,
        time: fc.constantFrom('00:00:00', '12:30:00', '23:59:59'),
        due_date: randomDay,
        texts: fc.tuple(label, label, label, label),
        amounts: fc.array(amount, { minLength: 7, maxLength: 7 }),
        status: fc.constantFrom(...(['Submitted', 'Submitted', 'Submitted', 'Cancelled'] as const)),
        /** For one order, for lines of this order and the one before, or for none. */
        over: fc.constantFrom(...(['one', 'one', 'one', 'two', 'none'] as const)),
        customer_code: fc.constantFrom('C1', null, null),
        credit: fc.constantFrom(...([null, null, null, 'credit', 'of a return'] as const)),
        lines: fc.array(
          fc.record({
            line: any,
            isItem,
            qty: fc.oneof(
              { weight: 4, arbitrary: few },
              { weight: 1, arbitrary: quantity },
              { weight: 1, arbitrary: less },
            ),
            rate: price,
            money: fc.tuple(amount, amount),
            tax: fc.constantFrom('IGST', 'SGST', 'SGST alone', 'none'),
            issued: fc.option(fc.record({ day: randomDay, warehouse: any, batch: any, val: value, tax: value })),
          }),
          { maxLength: 4 },
        ),
      }),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 7, selector: ({ about }) => about.order_no },
)
type Orders = typeof orders extends fc.Arbitrary<infer O> ? O : never

function salesRows({ item, combo_line, warehouse }: Masters, batches: Batch[], list: Orders) {
  const rows: Pick<
    Company,
    'sales_order' | 'sales_order_line' | 'sales_return' | 'invoice' | 'invoice_line' | 'stock_movement'
  > = { sales_order: [], sales_order_line: [], sales_return: [], invoice: [], invoice_line: [], stock_movement: [] }

  const book = (
    kind: 'issue' | 'sales_return',
    document: Partial<Movement>,
    item_id: number,
    qty: string,
    at: { day: string; warehouse: number; batch: number; val: string; tax: string },
  ) => {
    if (parse(qty, 4) === 0n || item.find(({ id }) => id === item_id)?.type === 'SRV') return
    const stock = [null, ...batches.filter((b) => b.item_id === item_id).map((b) => b.batch_no)]
    rows.stock_movement.push(
      movement(0, kind, {
        ...{ item_id, qty, movement_date: at.day, warehouse_id: pick(warehouse, at.warehouse)?.id ?? 1 },
        ...{ batch_no: pick(stock, at.batch) ?? null, val: at.val, val_tax: plus(at.val, at.tax) },
        ...document,
      }),
    )
  }

  list.forEach(({ about, shipTo, lines, invoices, ...at }, i) => {
    const { order_no } = about
    const free = { taxable_amt: '0', tax_amt: '0', total_amt: '0' }
    // Parts may be missing.
    const address = (part: string) => (shipTo === null || at.warehouse % 3 === 0 ? null : part)
    rows.sales_order.push(
      salesOrder(order_no, about.customer_code, {
        ...{ ...about, ...(about.free_of_cost && free), order_id: i + 1, adjustment_amt: '-0.01' },
        warehouse_id: pick(warehouse, at.warehouse)?.id ?? 1,
        ...{ shipping_buyer: shipTo, shipping_city: shipTo, shipping_pincode: address(''), shipping_gstn: address('') },
        ...{ shipping_address1: address('7'), shipping_address2: address(''), shipping_state: address('Goa') },
        ...{ shipping_country: address('India'), shipping_phone: address('7'), shipping_email: address('7@x.in') },
      }),
    )
    lines.forEach(({ item: n, isItem, money, issues, returns, ...line }, l) => {
      const ordered = pick(item, n) as Item
      const [taxable_amt, tax_amt, total_amt] = money
      const made = salesOrderLine(order_no, lines.length - l, {
        ...{ ...line, item_id: isItem ? ordered.id : null, description: ordered.name },
        ...{ taxable_amt, tax_amt, total_amt },
        ...(about.free_of_cost && free),
      })
      rows.sales_order_line.push(made)
      if (!isItem) return
      const of = { order_no, order_line_no: made.line_no }
      const contents = combo_line.filter((c) => c.combo_id === ordered.id)
      for (const { itself, qty, short, ...issue } of issues)
        if (itself || contents.length === 0) book('issue', of, ordered.id, qty, issue)
        else
          contents.forEach((part, p) => {
            const whole = (parse(qty, 4) * parse(part.qty, 4)) / 10_000n
            const isShort = short !== null && short % contents.length === p
            book('issue', of, part.component_id, partOf(whole, isShort ? (short % 3) + 1 : 4, 4), issue)
          })
      const sentBack = at.returned ? returns : []
      sentBack.forEach(({ usable, unusable, booked, ...back }, r) => {
        rows.sales_return.push({
          ...{ ...back, order_no, order_line_no: made.line_no, return_no: `R${r}`, usable_qty: `${usable}` },
          unusable_qty: `${usable + unusable === 0 ? 1 : unusable}`,
        })
        if (booked === null) return
        const returned = pick([ordered.id, ...contents.map((c) => c.component_id)], booked.part) ?? ordered.id
        book('sales_return', of, returned, `${usable}`, { ...booked, day: back.return_date })
      })
    })
    invoices.forEach(({ day, time, texts, amounts, lines: billed, over, credit, ...bill }, n) => {
      const [gstn, reference, customer_gstn, place_of_supply] = texts
      const [a = '', b = '', c = '', d = '', e = '', f = '', g = ''] = amounts
      const made = invoice(over === 'one' ? order_no : null, `I${3 - n}-${i}`, {
        ...(credit !== null && { kind: 'CREDIT NOTE' as const, credit_for: n === 0 ? null : `I3-${i}` }),
        ...(credit === 'of a return' && { return_no: 'R0' }),
        ...{ ...bill, invoice_at: `${day} ${time}`, gstn, reference, customer_gstn, place_of_supply },
        ...{ shipping: a, adjustment: `-${b}`, sub_total: c, total_tax: d, total_amt: `-${e}`, round_amt: `-${f}` },
        final_amt: n === 0 ? g : `-${g}`,
      })
      rows.invoice.push(made)
      const ofOrders = rows.sales_order_line.filter(
        (sold) => sold.order_no === order_no || (over === 'two' && sold.order_no === list[i - 1]?.about.order_no),
      )
      billed.forEach(({ line, money: [taxable_value, total_value], tax, isItem, issued, ...about }, l) => {
        const sold = over === 'none' ? undefined : pick(ofOrders, line)
        const other = sold !== undefined || !isItem ? undefined : pick(item, line)
        if (over !== 'none' && sold === undefined) return
        const line_no = billed.length - l
        rows.invoice_line.push(
          invoiceLine(made, line_no, {
            ...{ ...about, taxable_value, total_value, description: line % 2 === 0 || !isItem ? 'Freight' : '' },
            ...{ order_no: sold?.order_no ?? null, order_line_no: sold?.line_no ?? null, item_id: other?.id ?? null },
            ...(tax === 'SGST alone' && { sgst_rate: '7.00', sgst_amt: `-${total_value}` }),
            ...(tax === 'IGST' && { igst_rate: '18', igst_amt: taxable_value }),
            ...(tax === 'SGST' && { sgst_rate: '2.50', sgst_amt: '0', cgst_rate: '2.5', cgst_amt: total_value }),
          }),
        )
        const at = { invoice_no: made.invoice_no, invoice_line_no: line_no, order_no: null, order_line_no: null }
        if (other && issued !== null) {
          const kind = credit === null ? 'issue' : 'sales_return'
          book(kind, at, other.id, about.qty.replace('-', ''), issued)
        }
      })
    })
  })
  return rows
}

// The rest of the ledger ----------------------------------------------------------------------------------------------

const kinds = [
  ...['production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'consumption', 'rejection'],
  ...['shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack', 'hold', 'release'],
  ...['internal_issue', 'vendor_return', 'value_increase', 'value_decrease'],
  ...['other_receipt', 'other_receipt', 'other_receipt', 'transfer_in'], // so that there is stock
]

const movements = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    item: any,
    warehouse: any,
    batch: any,
    other: any,
    movement_date: randomDay,
    qty: fc.oneof(few, quantity),
    val: value,
    tax: value,
    charge: value,
    note: label,
  }),
  { maxLength: 40 },
)
type Movements = typeof movements extends fc.Arbitrary<infer M> ? M : never

function ledger(
  { item, warehouse }: Masters,
  { goods_receipt, goods_receipt_line, purchase_order_line }: ReturnType<typeof purchaseRows>,
  batches: Batch[],
  workOrders: WorkOrder[],
  list: Movements,
): Movement[] {
  const stocked = item.filter(({ type }) => type !== 'SRV')
  const produced = batches.filter(({ source }) => source === 'PRODUCED')
  /** Received lines, apart from services. */
  const brought = goods_receipt_line.flatMap(({ po_no, grn_no, po_line_no }) => {
    const line = purchase_order_line.find((l) => l.po_no === po_no && l.line_no === po_line_no)
    const receipt = goods_receipt.find((g) => g.po_no === po_no && g.grn_no === grn_no)
    const item_id = line?.item_id ?? 0
    return stocked.some(({ id }) => id === item_id)
      ? { item_id, po_no, grn_no, warehouse_id: receipt?.warehouse_id ?? 1 }
      : []
  })
  return list.flatMap(({ kind, tax, charge, warehouse: w, item: n, batch: b, other, ...about }) => {
    const moved = pick(stocked, n)
    const into = pick(produced, other)
    if (!moved) return []
    const receipt =
      ['purchase_receipt', 'vendor_return'].includes(kind) && other % 3 > 0 ? pick(brought, other) : undefined
    const item_id = receipt?.item_id ?? moved.id
    const sources = { production_receipt: produced, purchase_receipt: batches.filter((b) => b.source !== 'PRODUCED') }
    const own = (sources[kind as keyof typeof sources] ?? batches).filter((batch) => batch.item_id === item_id)
    return movement(0, kind, {
      ...{ ...about, item_id, warehouse_id: pick(warehouse, w)?.id ?? 1, ...receipt },
      ...{ batch_no: pick([null, ...own.map((batch) => batch.batch_no)], b) ?? null, val_tax: plus(about.val, tax) },
      transfer_charge: kind.startsWith('transfer') ? charge : '0',
      ...(kind.startsWith('value') && { qty: '0' }),
      ...(kind === 'consumption' && usedIn(into, other)),
      ...(['consumption', 'production_receipt'].includes(kind) && {
        work_order_no: other % 2 === 0 ? null : (pick(workOrders, other)?.work_order_no ?? null),
      }),
    })
  })
}

/** The target of a consumption: a batch, an item, or unknown. */
const usedIn = (into: Batch | undefined, drawn: number) => ({
  for_item_id: drawn % 5 === 0 ? null : (into?.item_id ?? null),
  for_batch_no: drawn % 5 < 2 ? null : (into?.batch_no ?? null),
})

// Currencies, units and taxes -----------------------------------------------------------------------------------------

/** Puts some documents into other currencies, some lines and movements into other units, and some taxes into rows or on the whole document. */
function withOtherUnits(company: Company, numbers: readonly number[]): Company {
  let drawn = 0
  const draw = (n: number) => (numbers[drawn++ % numbers.length] ?? 0) % n
  const oneOf = <T>(...list: T[]): T => list[draw(list.length)] as T
  const item_unit = company.item.flatMap(({ id, unit }) =>
    [
      { item_id: id, unit: 'BOX', factor: '12', divisor: '1' },
      { item_id: id, unit: 'BIT', factor: '1', divisor: '12' },
      { item_id: id, unit: 'ROLL', factor: '2.500000000001', divisor: '3' },
    ].filter((other) => other.unit !== unit),
  )
  const foreign = <D extends object>(document: D) => ({
    ...document,
    ...oneOf<object>(
      ...[{}, {}, {}, { currency: 'INR' }, { currency: 'USD', exchange_rate: '0.0119' }],
      ...[
        { currency: 'JPY', exchange_rate: '1.234567890123' },
        { currency: 'EUR', exchange_rate: '1' },
      ],
    ),
  })
  const inUnit = <L extends object>(line: L, item_id: number | null | undefined): L => {
    const own = company.item.find(({ id }) => id === item_id)?.unit
    return draw(3) > 0 ? line : { ...line, unit: oneOf('BOX', 'BIT', 'ROLL', own ?? 'hour') }
  }
  const untold = <L extends object>(line: L, ...columns: (keyof L)[]): L => ({
    ...line,
    ...Object.fromEntries(columns.flatMap((column) => (draw(4) === 0 ? [[column, null]] : []))),
  })
  const taxes = (
    documents: readonly Record<string, string>[],
    linesOf: (document: Record<string, string>) => number[],
  ) =>
    documents.flatMap((document) => {
      if (draw(3) > 0) return []
      const lines = linesOf(document)
      const rows = Array.from({ length: 1 + draw(4) }, () => ({
        ...document,
        line_no: oneOf(0, ...lines),
        name: oneOf('IGST', 'PST', 'QST', 'b'),
        rate: oneOf('8.875', '9.9750', null),
        amount: oneOf('0.01', '100', '33.33', '-7.77'),
      }))
      return rows.filter((a, i) => rows.findIndex((b) => b.line_no === a.line_no && b.name === a.name) === i)
    })
  const purchased = (po_no: string, line_no: number) =>
    company.purchase_order_line.find((l) => l.po_no === po_no && l.line_no === line_no)?.item_id
  const sold = (order_no: string | null, line_no: number | null) =>
    company.sales_order_line.find((l) => l.order_no === order_no && l.line_no === line_no)?.item_id
  return {
    ...company,
    item_unit,
    purchase_order: company.purchase_order.map(foreign).map((po) => ({
      ...po,
      ...(draw(5) === 0 && { warehouse_id: null }),
      ...(draw(5) === 0 && { delivery_date: null }),
    })),
    purchase_order_line: company.purchase_order_line.map((l) => inUnit(untold(l, 'tax_amt', 'total_amt'), l.item_id)),
    purchase_order_tax: taxes(
      company.purchase_order.map(({ po_no }) => ({ po_no })),
      ({ po_no }) => company.purchase_order_line.flatMap((l) => (l.po_no === po_no ? l.line_no : [])),
    ),
    goods_receipt: company.goods_receipt.map((g) => ({
      ...g,
      exchange_rate: oneOf(null, null, '2', '0.333333333333'),
    })),
    goods_receipt_line: company.goods_receipt_line.map((l) =>
      inUnit(untold(l, 'tax_amt', 'total_amt'), purchased(l.po_no, l.po_line_no)),
    ),
    goods_receipt_tax: taxes(
      company.goods_receipt.map(({ po_no, grn_no }) => ({ po_no, grn_no })),
      ({ grn_no }) => company.goods_receipt_line.flatMap((l) => (l.grn_no === grn_no ? l.line_no : [])),
    ).map((tax) => ({ ...tax, amount: tax.amount.replace('-', '') })),
    sales_order: company.sales_order.map(foreign).map((o) => (draw(5) === 0 ? { ...o, warehouse_id: null } : o)),
    sales_order_line: company.sales_order_line.map((l) => ({
      ...inUnit(untold(l, 'tax_amt', 'total_amt'), l.item_id),
      warehouse_id: draw(3) === 0 ? oneOf(...company.warehouse).id : null,
      delivered_qty: draw(4) === 0 ? oneOf('0', '1.0000', '2.5000', '-1.0000') : null,
    })),
    sales_order_tax: taxes(
      company.sales_order.map(({ order_no }) => ({ order_no })),
      ({ order_no }) => company.sales_order_line.flatMap((l) => (l.order_no === order_no ? l.line_no : [])),
    ),
    sales_return: company.sales_return.map((r) => inUnit(r, sold(r.order_no, r.order_line_no))),
    invoice: company.invoice.map(foreign),
    invoice_line: company.invoice_line.map((l) =>
      inUnit(untold(l, 'total_value'), l.item_id ?? sold(l.order_no, l.order_line_no)),
    ),
    invoice_tax: taxes(
      company.invoice.map(({ invoice_no }) => ({ invoice_no })),
      ({ invoice_no }) => company.invoice_line.flatMap((l) => (l.invoice_no === invoice_no ? l.line_no : [])),
    ),
    // A twelfth of less would be rounded to 0, which a load refuses.
    stock_movement: company.stock_movement.map((m) =>
      m.qty === '0' || parse(m.qty, 4) >= 6n ? inUnit(m, m.item_id) : m,
    ),
  }
}

// Columns that a company may lack -------------------------------------------------------------------------------------

/** Lots and terms of vendors, numbers of GS1, shelf lives and numbers of transfers: in two of three companies, and there in some rows. */
function withOptionalColumns(company: Company, numbers: readonly number[]): Company {
  let drawn = 7
  const draw = (n: number) => (numbers[drawn++ % numbers.length] ?? 0) % n
  const oneOf = <T>(...list: T[]): T => list[draw(list.length)] as T
  if (draw(3) === 0) return company
  const gln = () => oneOf(null, '8901234000019', '0000000000000')
  const item_vendor = company.item.flatMap(({ id }) =>
    company.vendor.flatMap(({ code }) =>
      draw(2) === 0
        ? []
        : {
            ...{ item_id: id, vendor_code: code, lead_days: oneOf(null, 0, 3, 45) },
            ...{
              min_qty: oneOf(null, '0.0000', '2.5000', '100.0000'),
              multiple: oneOf(null, '0.0001', '1.0000', '12.5000'),
            },
            price: oneOf(null, '0.000000', '9.990000', '0.000001'),
          },
    ),
  )
  return {
    ...company,
    warehouse: company.warehouse.map((row) => ({ ...row, gln: gln() })),
    item: company.item.map((row) => ({
      ...{ ...row, gtin: oneOf(null, '12345670', '012345678905', '4006381333931', '00012345678905') },
      shelf_life_days: oneOf(null, 0, 7, 365),
    })),
    vendor: company.vendor.map((row) => ({ ...row, gln: gln() })),
    item_vendor,
    batch: company.batch.map((row) => ({ ...row, supplier_lot: oneOf(null, 'L-1', "lot O'N 2") })),
    stock_movement: company.stock_movement.map((m) => ({
      ...m,
      transfer_no: m.kind.startsWith('transfer') ? oneOf(null, 'T1', 'T2', 'T3') : null,
    })),
  }
}

export const randomCompany: fc.Arbitrary<Company> = fc
  .record({
    masters,
    purchases,
    productions,
    workOrders,
    orders,
    movements,
    numbers: fc.array(any, { minLength: 1, maxLength: 60 }),
  })
  .map((drawn) => {
    const { stock_movement: received, ...production } = productionRows(drawn.masters, drawn.productions)
    const { stock_movement: sold, ...sales } = salesRows(drawn.masters, production.batch, drawn.orders)
    const purchase = purchaseRows(drawn.masters, drawn.purchases)
    const made = workOrderRows(drawn.masters, drawn.workOrders)
    const others = ledger(drawn.masters, purchase, production.batch, made.work_order, drawn.movements)
    const stock_movement = [...received, ...sold, ...others].map((m, i) => ({ ...m, movement_no: `M${i + 1}` }))
    const company = {
      ...emptyCompany(),
      ...drawn.masters,
      ...purchase,
      ...production,
      ...sales,
      ...made,
      stock_movement,
    }
    return withOptionalColumns(withOtherUnits(company, drawn.numbers), drawn.numbers)
  })
