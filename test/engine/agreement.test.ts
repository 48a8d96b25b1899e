/** A figure that two reports show has the same value in both and in the ledger. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { format, parse, sum } from '../oracle/decimal.js'
import { openSample } from '../setup/database.js'
import { type Service, startService } from '../setup/service.js'

type Row = Record<string, string>

const FIRST = '2026-01-01'
const TODAY = '2026-06-30'
const whole = { from_date: FIRST, to_date: TODAY }

let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.2, months: 5, seed: 11 }))
})
afterAll(() => service.close())

async function all(path: string, body: object, method: 'GET' | 'POST' = 'POST'): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const answer = await service.call({ path, method, body, query: { page, 'per-page': 5000 } })
    expect(answer.statusCode, answer.body).toBe(200)
    const { data, _links } = answer.json()
    rows.push(...data)
    if (_links.next === undefined) return rows
  }
}

/** Sums of a field by a key, without sums of 0. */
function totals(rows: readonly Row[], key: (row: Row) => string, field: string, digits = 10): Record<string, string> {
  const sums = new Map<string, bigint>()
  for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0n) + parse(row[field] ?? '', digits))
  const shown = [...sums].filter(([, units]) => units !== 0n).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(shown.map(([name, units]) => [name, format(units, digits)]))
}
const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
const ledger = async (statement: string) => [...(await service.db.unsafe(statement))] as unknown as Row[]

it('FG stock status closing = snapshot available, per product, on any day; today also = material master stock', async () => {
  for (const day of ['2026-02-28', '2026-04-15', TODAY]) {
    const status = await all('/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, from_date: day, to_date: day })
    const snapshot = await all('/v1/partner/invetory-snapshot', { date: day })
    const active = new Set((await all('/v1/partner/fg-item-master', {})).map((row) => row['product_sku']))
    const closing = totals(
      status.filter((row) => active.has(row['Product_sku'])),
      (row) => row['Product_sku'] ?? '',
      'Closing_qty',
    )
    expect(Object.keys(closing).length).toBeGreaterThan(5)
    expect(totals(snapshot, (row) => row['product_sku'] ?? '', 'Available_qty')).toEqual(closing)
    if (day !== TODAY) continue
    const master = await all('/v1/partner/material-master', { item_type: 'FG' })
    const moved = master.filter((row) => row['inStockQuantity'] !== null)
    expect(totals(moved, (row) => row['product_sku'] ?? '', 'inStockQuantity')).toEqual(closing)
  }
})

it('ageing adds up to the closing of the stock status and what is in transit, and expiry has the stock of the snapshot', async () => {
  for (const day of ['2026-03-15', TODAY]) {
    const transit: Record<string, string> = totals(
      await ledger(`select i.sku, (case m.kind when 'transfer_out' then m.qty else -m.qty end)::text as qty
                      from stock_movement m join item i on i.id = m.item_id and i.type in ('FG', 'COMBO')
                     where m.kind in ('transfer_in', 'transfer_out') and m.movement_date <= '${day}'`),
      (row) => row['sku'] ?? '',
      'qty',
    )
    const status = await all('/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, from_date: day, to_date: day })
    const closing = totals(status, (row) => row['Product_sku'] ?? '', 'Closing_qty')
    const units = (text = '0') => parse(text, 10)
    const expected = [...new Set([...Object.keys(transit), ...Object.keys(closing)])].flatMap((sku) => {
      const qty = units(closing[sku]) + units(transit[sku])
      return qty > 0n ? [[sku, format(qty, 10)]] : []
    })
    const ageing = (await all('/v1/insight/stock-ageing', { as_on: day, type: 'FG' })) as unknown as {
      sku: string
      bands: Row[]
    }[]
    const aged = ageing.flatMap(({ sku, bands }) => bands.map(({ qty = '' }) => ({ sku, qty })))
    expect(expected.length).toBeGreaterThan(5)
    expect(totals(aged, (row) => row['sku'] ?? '', 'qty')).toEqual(Object.fromEntries(expected))

    const snapshot = await all('/v1/partner/invetory-snapshot', { date: day })
    const key = (row: Row) => `${row['product_sku'] ?? row['sku']} ${row['batch_no']}`
    const stock = new Map(snapshot.map((row) => [key(row), row['Available_qty']]))
    const expiring = (await all('/v1/insight/expiry', { as_on: day })).filter((row) => stock.has(key(row)))
    expect(expiring.length).toBeGreaterThan(5)
    for (const row of expiring)
      expect([key(row), units(row['stock_qty'])]).toEqual([key(row), units(stock.get(key(row)))])
  }
})

it('dispatched quantities = issues in the ledger = issued quantities of the order status', async () => {
  const dispatch = await all('/v1/sales/order-dispatch', { version: 'WR', ...whole })
  const issues = await ledger(`
    select m.order_no, i.sku, m.qty::text from stock_movement m join item i on i.id = m.item_id
      join sales_order o on o.order_no = m.order_no where m.kind = 'issue' and o.state <> 'CANCELLED'`)
  const dispatched = totals(dispatch, (row) => `${row['order_no']} ${row['product_sku']}`, 'dispatched_qty')
  expect(dispatched).toEqual(totals(issues, (row) => `${row['order_no']} ${row['sku']}`, 'qty'))
  const status = await all('/v1/sales/order-status', { version: 'WR', ...whole })
  const single = (rows: Row[]) => rows.filter((row) => row['order_sku'] === row['product_sku'])
  expect(
    totals(
      status.filter((row) => row['Prod_type'] === 'Single'),
      (row) => `${row['SO_order_id']} ${row['product_sku']}`,
      'issued_qty',
    ),
  ).toEqual(totals(single(dispatch), (row) => `${row['order_no']} ${row['product_sku']}`, 'dispatched_qty'))
  expect(status.some((row) => row['Prod_type'] === 'Combo' && row['SoStatus'] === 'Closed')).toBe(true)
  expect(await all('/v1/partner/sales-order-status', whole)).toEqual(status)
})

it('the state and the remaining quantity of an order line follow from its issues', async () => {
  const seen = new Set<string>()
  for (const row of await all('/v1/sales/order-status', { version: 'WR', ...whole })) {
    const { Order_qty = '', issued_qty = '', Remaining_qty = '', SoStatus = '', last_issue_date } = row
    const [ordered, issued] = [parse(Order_qty, 4), parse(issued_qty, 4)]
    expect(parse(Remaining_qty, 4)).toBe(ordered - issued)
    expect(SoStatus).toBe(issued === 0n ? 'Accepted' : issued < ordered ? 'Partial Issued' : 'Closed')
    expect(last_issue_date === 'Not Issued').toBe(issued === 0n)
    seen.add(SoStatus)
  }
  expect([...seen].sort()).toEqual(['Accepted', 'Closed', 'Partial Issued'])
})

it('closings, receipts and available quantities add up on every record', async () => {
  const units = (row: Row, field: string) => parse(row[field] ?? '', 10)
  const fg = await all('/v1/inventory/fg-stock-status', { type: 'ALL', tax: 0, ...whole })
  for (const row of fg) {
    const [closing, active, hold] = ['Closing_qty', 'Closing_active_qty', 'Hold_qty'].map((name) => units(row, name))
    expect(closing).toBe((active ?? 0n) + (hold ?? 0n))
    const parts = ['PRD', 'PUR', 'TRF', 'OTH'].map((name) => units(row, `Receipts_${name}_qty`))
    expect(units(row, 'Receipts_qty')).toBe(sum(parts))
  }
  const snapshot = await all('/v1/partner/invetory-snapshot', { date: TODAY })
  for (const row of snapshot)
    expect(units(row, 'Available_qty')).toBe(units(row, 'Receipt_qty') - units(row, 'Debit_qty'))
  for (const type of ['RAW', 'PCK'])
    for (const row of await all('/v1/inventory/mat-stock-status', { type, ...whole }))
      for (const measure of ['qty', 'val', 'val_tax']) {
        const of = (name: string) => units(row, `${name}_${measure}`)
        const out = ['Consumption', 'Reject', 'Shortage', 'Transfer', 'MovetoBad', 'Trashed']
        expect(of('Closing')).toBe(of('Opening') + of('Receipts') - sum(out.map(of)))
        expect(of('Active')).toBe(of('Closing') - of('Hold'))
      }
  expect(fg.some((row) => row['Hold_qty'] !== '0.0000')).toBe(true)
  expect(snapshot.length).toBeGreaterThan(10)
})

it('demand = remaining quantities of open orders in the order status; consolidated demand = its sums', async () => {
  const demand = await all('/v1/sales/demand-status', { type: 'CUSTOMER', ...whole })
  const open = new Set(
    (await ledger("select order_no from sales_order where state = 'OPEN'")).map((row) => row['order_no']),
  )
  const status = (await all('/v1/sales/order-status', { version: 'WR', ...whole })).filter((row) =>
    open.has(row['SO_order_id']),
  )
  expect(demand.length).toBeGreaterThan(5)
  expect(totals(demand, (row) => `${row['order_id']} ${row['product_sku']}`, 'Remaining_qty')).toEqual(
    totals(status, (row) => `${row['SO_order_id']} ${row['product_sku']}`, 'Remaining_qty'),
  )
  const consolidated = await all('/v1/sales/demand-status', { type: 'CONSOLIDATED', ...whole })
  for (const field of ['req_qty', 'Issued_Qty', 'Remaining_qty'])
    expect(totals(consolidated, (row) => `${row['product_sku']} ${row['wh_id']}`, field)).toEqual(
      totals(demand, (row) => `${row['product_sku']} ${row['wh_id']}`, field),
    )
})

it.each([0, 1])(
  'the cost in gross margin = the value issued in the ledger, by order and by invoice, tax %i',
  async (tax) => {
    const value = tax === 1 ? 'val_tax' : 'val'
    const cost = await ledger(`
    select i.sku, (case m.kind when 'issue' then m.${value} else -m.${value} end)::text as cost
      from stock_movement m join sales_order o on o.order_no = m.order_no
      join sales_order_line l on l.order_no = m.order_no and l.line_no = m.order_line_no
      join item i on i.id = l.item_id where o.state <> 'CANCELLED'`)
    const expected = totals(cost, (row) => row['sku'] ?? '', 'cost')
    const margin = (type: string, source: string) =>
      all('/v1/sales/gross-margin', { type, tax, source, from_date: FIRST, to_date: TODAY })
    for (const type of ['CUSTOMER', 'CONSOLIDATED'])
      expect(totals(await margin(type, 'ORD'), (row) => row['product_sku'] ?? '', 'Total_cost_cogs')).toEqual(expected)
    // Parts sent ahead of a whole combo are not invoiced yet; all other goods are.
    const invoiced = await margin('CONSOLIDATED', 'INV')
    const singles = (rows: Row[]) => rows.filter((row) => row['Prod_type'] === 'Single')
    expect(totals(singles(invoiced), (row) => row['product_sku'] ?? '', 'Total_cost_cogs')).toEqual(
      totals(singles(await margin('CONSOLIDATED', 'ORD')), (row) => row['product_sku'] ?? '', 'Total_cost_cogs'),
    )
    for (const row of invoiced) {
      const [sale, returned, cogs, profit] = ['total_sale', 'return_amt', 'Total_cost_cogs', 'profit'].map((name) =>
        parse(row[name] ?? '', 4),
      ) as [bigint, bigint, bigint, bigint]
      expect(profit).toBe(sale - returned - cogs)
    }
  },
)

it('gross margin by invoice: the parts of a split range add up to the whole', async () => {
  const margin = (from_date: string, to_date: string) =>
    all('/v1/sales/gross-margin', { type: 'CONSOLIDATED', tax: 0, source: 'INV', from_date, to_date })
  const parts = [...(await margin(FIRST, '2026-04-10')), ...(await margin('2026-04-11', TODAY))]
  for (const field of ['Total_sale_qty', 'total_sale', 'return_qty', 'return_amt', 'Total_cost_cogs'])
    expect(totals(parts, (row) => row['product_sku'] ?? '', field)).toEqual(
      totals(await margin(FIRST, TODAY), (row) => row['product_sku'] ?? '', field),
    )
})

it('sales = sums of order lines; invoices = sums of their lines; by order and by product', async () => {
  const sales = await all('/v1/sales', { method: 'month', ...whole })
  const status = await all('/v1/sales/order-status', { version: 'WR', ...whole })
  for (const [one, other] of [
    ['total_sales', 'Order_value'],
    ['total_amount', 'total_amount'],
  ] as const)
    expect(totals(sales, (row) => `${row['order_no']} ${row['product_sku']}`, one)).toEqual(
      totals(status, (row) => `${row['SO_order_id']} ${row['product_sku']}`, other),
    )
  const byMargin = await all('/v1/sales/gross-margin', { type: 'CONSOLIDATED', tax: 1, source: 'ORD', ...whole })
  expect(totals(byMargin, (row) => row['product_sku'] ?? '', 'total_sale')).toEqual(
    totals(sales, (row) => row['product_sku'] ?? '', 'total_amount'),
  )
})

it('open purchase orders = ordered − accepted by receipts', async () => {
  const orders = (await all('/v1/purchase-orders/list', {}, 'GET')) as unknown as {
    pono: string
    po_status: string
    items: Row[]
  }[]
  const receipts = (await all('/v1/grn/list', { from_date: '2020-01-01', to_date: '2030-01-01' })) as unknown as {
    pono: string
    items: Row[]
  }[]
  const open = orders.filter((order) => ['CREATED', 'PARTIAL RECEIVED'].includes(order.po_status))
  const lines = (list: { pono: string; items: Row[] }[]) =>
    list.flatMap(({ pono, items }) => items.map((item) => ({ ...item, pono }) as Row))
  const key = (row: Row) => `${row['pono']} ${row['itemcode']}`
  const accepted = totals(
    lines(receipts).filter((row) => open.some((order) => order.pono === row['pono'])),
    key,
    'accepted_qty',
  )
  const pending = Object.fromEntries(
    Object.entries(totals(lines(open), key, 'qty'))
      .map(([name, qty]) => [name, parse(qty, 10) - parse(accepted[name] ?? '0', 10)] as const)
      .filter(([, units]) => units > 0n)
      .map(([name, units]) => [name, format(units, 10)]),
  )
  const told = await all('/v1/partner/pending-deliveries', { from_date: '2020-01-01', to_date: '2030-01-01' })
  expect(told.length).toBeGreaterThan(5)
  expect(totals(told, (row) => `${row['po_no']} ${row['item_code']}`, 'pending_qty')).toEqual(pending)
})

it('consumption of batches = consumption in the ledger, per material', async () => {
  const rows = await all('/v1/production/material-consumption', { version: 'DETAILED', ...whole })
  const materials = rows.filter((row) => row['material_code'] !== '-')
  const moved = await ledger(`
    select i.sku, m.qty::text, m.val::text from stock_movement m join item i on i.id = m.item_id where m.kind = 'consumption'`)
  expect(totals(materials, (row) => row['material_code'] ?? '', 'Total_consumption')).toEqual(
    totals(moved, (row) => row['sku'] ?? '', 'qty'),
  )
  expect(totals(materials, (row) => row['material_code'] ?? '', 'Total_consumption_Val')).toEqual(
    totals(moved, (row) => row['sku'] ?? '', 'val'),
  )
  const summary = await all('/v1/production/material-consumption', { version: 'SUMMARY', ...whole })
  for (const field of ['Total_consumption', 'item_qty', 'Total_consumption_Val', 'item_Val', 'Item_qty_bom'])
    expect(totals(summary, (row) => `${row['product_sku']} ${row['material_name']}`, field)).toEqual(
      totals(rows, (row) => `${row['product_sku']} ${row['material_name']}`, field),
    )
  const batches = await all('/v1/production/batches', whole)
  expect(totals(rows, (row) => `${row['product_sku']} ${row['batch_no']}`, 'Total_consumption_Val')).toEqual(
    totals(batches, (row) => `${row['product_sku']} ${row['batch_no']}`, 'batch_cost_extax'),
  )
})

const statuses = [
  {
    name: 'FG stock status',
    ask: (range: object) => all('/v1/inventory/fg-stock-status', { type: 'ALL', tax: 1, ...range }),
    key: (row: Row) => `${row['Product_sku']} ${row['warehouse']}`,
    opening: { Opening_qty: 'Closing_qty', Qty_Value: 'final_value' },
    flows: ['Receipts_qty', 'Receipts_PRD_qty', 'Receipts_TRF_qty', 'Returned_qty', 'Issued_qty', 'Trashed_qty'].concat(
      ...[
        'MovetoBad_qty',
        'Transfered_qty',
        'UnPacked_qty',
        'ThatPeriod_CrValue',
        'ThatPeriod_DrValue',
        'final_TrfChrg',
      ],
    ),
  },
  {
    name: 'material stock status',
    ask: (range: object) => all('/v1/inventory/mat-stock-status', { type: 'RAW', ...range }),
    key: (row: Row) => row['MaterialCode'] ?? '',
    opening: { Opening_qty: 'Closing_qty', Opening_val: 'Closing_val', Opening_val_tax: 'Closing_val_tax' },
    flows: ['Receipts', 'Consumption', 'Reject', 'Shortage', 'Transfer', 'MovetoBad', 'Trashed'].flatMap((name) =>
      ['qty', 'val', 'val_tax'].map((measure) => `${name}_${measure}`),
    ),
  },
]
it.each(statuses)('$name: opening = closing of the day before, and a split range adds up', async (report) => {
  for (const [from_date, middle, to_date] of [
    ['2026-02-01', '2026-03-01', '2026-04-30'],
    ['2026-03-17', '2026-03-18', '2026-06-29'],
  ] as const) {
    const [before, first, second, both] = await Promise.all([
      report.ask({ from_date: dayBefore(from_date), to_date: dayBefore(from_date) }),
      report.ask({ from_date, to_date: dayBefore(middle) }),
      report.ask({ from_date: middle, to_date }),
      report.ask({ from_date, to_date }),
    ])
    for (const [opening, closing] of Object.entries(report.opening)) {
      expect(totals(both, report.key, opening)).toEqual(totals(before, report.key, closing))
      expect(totals(second, report.key, opening)).toEqual(totals(first, report.key, closing))
    }
    for (const flow of report.flows)
      expect(totals([...first, ...second], report.key, flow), flow).toEqual(totals(both, report.key, flow))
    expect(sum(both.map((row) => parse(row[report.flows[0] ?? ''] ?? '', 4)))).toBeGreaterThan(0n)
  }
})
