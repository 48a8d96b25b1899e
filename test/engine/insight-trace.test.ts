/** Traces: figures worked out by hand, who may see names, and any company compared with the oracle. */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { oracle } from '../oracle/index.js'
import {
  type Batch,
  type Company,
  customer,
  emptyCompany,
  invoice,
  invoiceLine,
  item,
  loadCompany,
  type Movement,
  movement,
  producedBatch,
  salesOrder,
  salesOrderLine,
  warehouse,
} from '../setup/company.js'
import { randomTrace } from '../setup/random-trace.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

type Row = Record<string, string | number | null | string[]>
const PATH = '/v1/insight/trace'

async function trace(body: object, token = service.caller.token): Promise<Row[]> {
  const answer = await service.call({ path: PATH, body, query: { 'per-page': 5000 }, token })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}
const refused = async (body: object, token = service.caller.token) => {
  const answer = await service.call({ path: PATH, body, token })
  return [answer.statusCode, ...(answer.json().errors ?? []).map((error: { field: string }) => error.field)]
}

/** What came in of a batch − what went out. */
const IN = ['produced_qty', 'purchased_qty', 'returned_qty', 'other_in_qty', 'transferred_in_qty']
const OUT = [
  ...['consumed_qty', 'shipped_qty', 'vendor_returned_qty', 'own_use_qty', 'unpacked_qty', 'wasted_qty'],
  'transferred_out_qty',
]
const units = (row: Row, names: string[]) =>
  names.map((name) => BigInt(String(row[name]).replace('.', ''))).reduce((a, b) => a + b, 0n)
const balanceOf = (row: Row) => units(row, IN) - units(row, OUT)

const lot: Batch = {
  ...producedBatch(1, 'L1', { source: 'PROCURED', supplier_lot: 'OIL-2291', expiry_date: '2024-12-31' }),
  ...{ batch_date: null, warehouse_id: null, qty: null, wastage: null },
}
const [OIL, BOX, DOUGH, BISC] = [1, 2, 3, 4] as const

/** A lot of oil in dough and biscuits, which are sold and reworked: batch R of the biscuits is partly made of B, and B of R. */
function company(): Company {
  let no = 0
  const moved = (
    kind: string,
    [item_id, batch_no]: readonly [number, string | null],
    day: number,
    qty: number,
    about: Partial<Movement> = {},
  ) =>
    movement(++no, kind, {
      ...{
        item_id,
        warehouse_id: 1,
        movement_date: `2024-03-${String(day).padStart(2, '0')}`,
        qty: String(qty),
        batch_no,
      },
      ...about,
    })
  const into = (item_id: number | null, batch_no: string | null) => ({ for_item_id: item_id, for_batch_no: batch_no })
  const receipt = { po_no: 'P1', grn_no: 'G1' }
  const sold = (order_no: string) => ({ order_no, order_line_no: 1 })
  const oil = [OIL, 'L1'] as const
  const dough = [DOUGH, 'D'] as const
  const biscuits = [BISC, 'B'] as const
  const rework = [BISC, 'R'] as const
  return {
    ...emptyCompany(),
    warehouse: [
      warehouse(1, 'Plant'),
      warehouse(2, 'Depot', { address: '2 Dock', city: null, state: '', country: '' }),
    ],
    item: [
      item(OIL, 'OIL', 'MAT', { name: 'Palm oil' }),
      item(BOX, 'BOX', 'MAT', { name: 'Box', unit: 'PCS', material_kind: 'PCK' }),
      item(DOUGH, 'DOUGH', 'SFG', { name: 'Dough' }),
      item(BISC, 'BISC', 'FG', { name: 'Biscuits' }),
    ],
    vendor: [
      {
        ...{ code: 'V1', name: 'Oil Traders', credit_days: 0, address1: '5 Port Road', address2: '', city: 'Kandla' },
        ...{ state: '', country: 'India', pincode: '370210', gstn: '', phone: '+91 2836 555', email: 'sales@oil.in' },
      },
    ],
    customer: [
      customer('C1', { name: 'Corner Shop', contact_person: 'Asha Rao' }),
      customer('C2', {
        name: 'Bakers',
        shipping_phone: '',
        shipping_address1: '',
        shipping_address2: '',
        shipping_city: '',
      }),
    ],
    purchase_order: [
      {
        ...{ po_no: 'P1', poid: 1, po_date: '2024-02-01', delivery_date: '2024-03-01', reference: null },
        ...{ shipment_reference: null, vendor_code: 'V1', warehouse_id: 1, state: 'OPEN', approval_required: false },
        ...{ approval_limit: '0', taxable_amt: '0', tax_amt: '0', shipping_amt: '0', adjustment_label: '' },
        ...{ adjustment_amt: '0', total_amt: '0' },
      },
    ],
    goods_receipt: [{ po_no: 'P1', grn_no: 'G1', receipt_date: '2024-03-01', warehouse_id: 1, reference: null }],
    batch: [
      lot,
      producedBatch(3, 'D', { qty: '500', wastage: '10' }),
      producedBatch(4, 'B', { qty: '210', wastage: '0' }),
      producedBatch(4, 'R', { qty: '20', wastage: '0' }),
    ],
    sales_order: [
      salesOrder('S1', 'C1'),
      salesOrder('S2', 'C2', { shipping_address1: 'Shed 9', shipping_city: 'Goa' }),
    ],
    sales_order_line: ['S1', 'S2'].map((order_no) => salesOrderLine(order_no, 1, { item_id: 4, qty: '60' })),
    sales_return: [
      {
        ...{ order_no: 'S1', return_no: 'RET', order_line_no: 1, return_date: '2024-03-12', kind: 'RTV' },
        ...{ usable_qty: '10', unusable_qty: '6', taxable_amt: '0', tax_amt: '0' },
      },
    ],
    invoice: [invoice(null, 'I1', { customer_code: 'C2' }), invoice('S2', 'I2')],
    invoice_line: [
      invoiceLine(invoice(null, 'I1'), 1, { order_line_no: null, item_id: 4, qty: '2' }),
      invoiceLine(invoice('S2', 'I2'), 1, { order_line_no: 1, qty: '40' }),
    ],
    stock_movement: [
      moved('purchase_receipt', oil, 1, 600, receipt),
      moved('purchase_receipt', oil, 2, 400, receipt),
      moved('consumption', oil, 3, 300, into(...dough)),
      moved('consumption', oil, 4, 320, into(...biscuits)),
      moved('consumption', oil, 5, 200, into(null, null)),
      moved('vendor_return', oil, 6, 50, receipt),
      moved('trash', oil, 6, 20),
      moved('shortage', oil, 6, 5),
      moved('transfer_out', oil, 7, 30),
      moved('transfer_in', oil, 8, 30, { warehouse_id: 2 }),
      moved('hold', oil, 9, 5, { warehouse_id: 2 }),
      moved('production_receipt', dough, 3, 480),
      moved('consumption', dough, 4, 400, into(...biscuits)),
      moved('consumption', [BOX, null], 4, 100, into(...biscuits)),
      moved('production_receipt', biscuits, 4, 150),
      moved('production_receipt', biscuits, 4, 60, { warehouse_id: 2 }),
      moved('issue', biscuits, 10, 45, sold('S1')),
      moved('issue', rework, 10, 15, sold('S1')),
      moved('sales_return', biscuits, 12, 10, sold('S1')),
      moved('issue', biscuits, 10, 30, sold('S2')),
      moved('issue', biscuits, 14, 10, sold('S2')),
      moved('issue', rework, 14, 2, { order_no: null, order_line_no: null, invoice_no: 'I1', invoice_line_no: 1 }),
      moved('issue', [BISC, null], 14, 1, sold('S2')),
      moved('issue', [BISC, null], 15, 7, sold('S1')),
      moved('consumption', biscuits, 13, 20, into(...rework)),
      moved('consumption', rework, 14, 1, into(...biscuits)),
      moved('production_receipt', rework, 13, 20),
    ],
  }
}

const linkOf = (r: Row) => {
  const end = (side: string) =>
    r[`${side}_party`] === null && r[`${side}_document`] === null
      ? `${r[`${side}_sku`] ?? '?'}/${r[`${side}_batch`] ?? '?'}`
      : `${r[`${side}_party`]} ${r[`${side}_document`]}`
  return `${r['direction']} ${r['depth']} ${r['link']} ${end('from')} > ${end('to')} ${r['qty']} ${r['unit']}`.replaceAll(
    '.0000',
    '',
  )
}

describe('a lot of oil', () => {
  beforeEach(() => loadCompany(service.db, company()))

  it('links go to customers through all levels, and to vendors; a circle ends, what is not known is shown', async () => {
    const links = await trace({ batch_no: 'L1' })
    expect(links.map(linkOf)).toEqual([
      'backward 1 received Oil Traders G1 > OIL/L1 1000 KG',
      'backward 1 vendor-returned OIL/L1 > Oil Traders G1 50 KG',
      'forward 1 consumed OIL/L1 > BISC/B 320 KG',
      'forward 1 consumed OIL/L1 > DOUGH/D 300 KG',
      'forward 1 consumed OIL/L1 > ?/? 200 KG',
      'forward 2 consumed BISC/B > BISC/R 20 KG',
      'forward 2 consumed DOUGH/D > BISC/B 400 KG',
      'forward 2 returned Corner Shop S1 > BISC/B 10 KG',
      'forward 2 shipped BISC/B > Bakers S2 40 KG',
      'forward 2 shipped BISC/B > Corner Shop S1 45 KG',
      'forward 3 consumed BISC/R > BISC/B 1 KG',
      'forward 3 shipped BISC/R > Bakers I1 2 KG',
      'forward 3 shipped BISC/R > Corner Shop S1 15 KG',
    ])
    expect(links[0]).toEqual({
      ...{ direction: 'backward', depth: 1, link: 'received', from_sku: null, from_batch: null },
      ...{ from_party: 'Oil Traders', from_document: 'G1', to_sku: 'OIL', to_batch: 'L1', to_party: null },
      ...{ to_document: null, qty: '1000.0000', unit: 'KG', first_date: '2024-03-01', last_date: '2024-03-02' },
      movements: 2,
    })
  })

  sameOnBoth(
    'an order starts with its batches, and shows of stock without a batch only what it shipped itself',
    async () => {
      const backward = await trace({ order_no: 'S2', direction: 'backward' })
      expect(backward.map(linkOf)).toEqual([
        'backward 1 consumed BISC/R > BISC/B 1 KG',
        'backward 1 consumed BOX/? > BISC/B 100 PCS',
        'backward 1 consumed DOUGH/D > BISC/B 400 KG',
        'backward 1 consumed OIL/L1 > BISC/B 320 KG',
        'backward 2 consumed BISC/B > BISC/R 20 KG',
        'backward 2 consumed OIL/L1 > DOUGH/D 300 KG',
        'backward 2 received Oil Traders G1 > OIL/L1 1000 KG',
        'backward 2 vendor-returned OIL/L1 > Oil Traders G1 50 KG',
      ])
      const forward = await trace({ order_no: 'S2', direction: 'forward' })
      expect(forward.map(linkOf)).toEqual([
        'forward 1 consumed BISC/B > BISC/R 20 KG',
        'forward 1 returned Corner Shop S1 > BISC/B 10 KG',
        'forward 1 shipped BISC/B > Bakers S2 40 KG',
        'forward 1 shipped BISC/B > Corner Shop S1 45 KG',
        'forward 1 shipped BISC/? > Bakers S2 1 KG',
        'forward 2 consumed BISC/R > BISC/B 1 KG',
        'forward 2 shipped BISC/R > Bakers I1 2 KG',
        'forward 2 shipped BISC/R > Corner Shop S1 15 KG',
      ])
      expect(await trace({ invoice_no: 'I2' })).toEqual(await trace({ order_no: 'S2' }))
      expect(await trace({ grn_no: 'G1' })).toEqual(await trace({ batch_no: 'L1' }))
      const ofSale = await trace({ invoice_no: 'I1', show: 'batches', direction: 'forward' })
      expect(ofSale.map(({ batch_no, depth }) => `${batch_no} ${depth}`)).toEqual(['B 1', 'R 0'])
    },
  )

  it('batches close: of 1,000 kg 820 were used, 50 sent back, 25 wasted, and 105 are left', async () => {
    const batches = await trace({ batch_no: 'L1', show: 'batches' })
    expect(batches.map((r) => [r['direction'], r['depth'], r['sku'], r['batch_no']].join(' '))).toEqual([
      ...['forward 1 BISC B', 'forward 1 DOUGH D', 'forward 2 BISC R', 'start 0 OIL L1'],
    ])
    expect(batches.at(-1)).toEqual({
      ...{ direction: 'start', depth: 0, sku: 'OIL', name: 'Palm oil', unit: 'KG', batch_no: 'L1' },
      ...{ supplier_lot: 'OIL-2291', source: 'PROCURED', mfg_date: null, expiry_date: '2024-12-31', made_qty: null },
      ...{ produced_qty: '0.0000', purchased_qty: '1000.0000', returned_qty: '0.0000', other_in_qty: '0.0000' },
      ...{ transferred_in_qty: '30.0000', consumed_qty: '820.0000', shipped_qty: '0.0000' },
      ...{ vendor_returned_qty: '50.0000', own_use_qty: '0.0000', unpacked_qty: '0.0000', wasted_qty: '25.0000' },
      ...{ transferred_out_qty: '30.0000', stock_qty: '105.0000', hold_qty: '5.0000', in_transit_qty: '0.0000' },
      ...{ unexplained_qty: '0.0000', accounted_percent: '100.00' },
    })
    // 490 were made and 480 brought in.
    expect(batches[1]).toMatchObject({ made_qty: '490.0000', unexplained_qty: '10.0000', accounted_percent: '97.96' })
    expect(batches.map((row) => balanceOf(row) - units(row, ['stock_qty']))).toEqual([0n, 0n, 0n, 0n])
  })

  it('the recall list has whom to call, with unusable returns in proportion to what was shipped of the line', async () => {
    const parties = await trace({ batch_no: 'L1', show: 'parties' })
    const short = parties.map((r) =>
      [r['code'], r['batch_no'], r['shipped_qty'], r['returned_qty'], r['net_qty'], r['documents']].join(' '),
    )
    expect(short).toEqual([
      // 6 of the 67 that line 1 of S1 got were unusable: 45/67 of them of batch B, 15/67 of batch R.
      'C1 B 45.0000 14.0299 30.9701 S1',
      'C1 R 15.0000 1.3433 13.6567 S1',
      'C2 B 40.0000 0.0000 40.0000 S2',
      'C2 R 2.0000 0.0000 2.0000 I1',
      'V1 L1 1000.0000 50.0000 950.0000 G1',
    ])
    expect(parties[0]).toMatchObject({
      ...{ party_kind: 'Customer', name: 'Corner Shop', contact_person: 'Asha Rao', phone: '+91 253 555 0004' },
      ...{ email: 'store@example.in', address: '3 Market Street, Gate 4, Nashik, Maharashtra, 422001, India' },
      ...{ sku: 'BISC', first_date: '2024-03-10', last_date: '2024-03-10' },
    })
    expect(parties[2]).toMatchObject({ phone: '+91 712 555 0003', first_date: '2024-03-10', last_date: '2024-03-14' })
    expect(parties[4]).toMatchObject({
      ...{
        party_kind: 'Vendor',
        name: 'Oil Traders',
        contact_person: '',
        address: '5 Port Road, Kandla, 370210, India',
      },
    })
    const { token } = await service.newCaller({ hideContacts: true })
    const [hidden] = await trace({ batch_no: 'L1', show: 'parties' }, token)
    expect(hidden).toMatchObject({ name: 'Corner Shop', contact_person: '', phone: '', email: '', address: '' })
  })

  it('the sheet for authorities has receipts, production with its inputs, and shipments', async () => {
    const events = await trace({ batch_no: 'B', sku: 'BISC', show: 'events' })
    expect(
      events.map((r) => [r['event'], r['lot'], r['qty'], r['date'], r['document_kind'], r['document_no']].join(' ')),
    ).toEqual([
      'Receiving L1 600.0000 2024-03-01 goods receipt G1',
      'Receiving L1 400.0000 2024-03-02 goods receipt G1',
      'Shipping B 45.0000 2024-03-10 sales order S1',
      'Shipping B 30.0000 2024-03-10 sales order S2',
      'Shipping B 10.0000 2024-03-14 sales order S2',
      'Shipping R 15.0000 2024-03-10 sales order S1',
      'Shipping R 2.0000 2024-03-14 invoice I1',
      'Transformation B 210.0000 2024-03-04 batch B',
      'Transformation D 480.0000 2024-03-03 batch D',
      'Transformation R 20.0000 2024-03-13 batch R',
    ])
    const plant = 'Plant, 1 Depot Street, Mumbai, Maharashtra, 400001, India'
    expect(events[0]).toMatchObject({
      ...{ item: 'OIL', description: 'Palm oil', unit: 'KG', from_name: 'Oil Traders', to_name: 'Test Mills' },
      ...{ from_address: '5 Port Road, Kandla, 370210, India', to_address: plant, lot_source: 'Oil Traders' },
      input_lots: null,
    })
    expect(events[3]).toMatchObject({
      ...{
        from_name: 'Test Mills',
        from_address: plant,
        to_name: 'Bakers',
        to_address: 'Shed 9, Goa',
        lot_source: 'Test Mills',
      },
    })
    expect(events[7]).toMatchObject({
      ...{ from_name: 'Test Mills', to_address: `Depot, 2 Dock, 400001; ${plant}` },
      input_lots: 'BISC R 1.0000 KG; BOX - 100.0000 PCS; DOUGH D 400.0000 KG; OIL L1 320.0000 KG',
    })
  })

  it('names need the group that they belong to', async () => {
    const tokens = async (...groups: string[]) =>
      (await service.newCaller({ groups: ['insight', ...groups] as never })).token
    const [nobody, seller, buyer] = [await tokens(), await tokens('sales'), await tokens('purchase')]
    const start = { batch_no: 'L1' }
    for (const show of ['parties', 'events'])
      for (const [token, direction, status] of [
        ...[[nobody, 'forward', 403] as const, [nobody, 'backward', 403] as const, [nobody, 'both', 403] as const],
        ...[[seller, 'forward', 200] as const, [seller, 'backward', 403] as const, [seller, 'both', 403] as const],
        ...[[buyer, 'forward', 403] as const, [buyer, 'backward', 200] as const, [buyer, 'both', 403] as const],
      ])
        expect([show, direction, (await refused({ ...start, show, direction }, token))[0]]).toEqual([
          show,
          direction,
          status,
        ])
    const ofOil = async (token: string) => [
      ...new Set((await trace({ ...start, show: 'events', direction: 'forward' }, token)).map((r) => r['lot_source'])),
    ]
    expect(await ofOil(seller)).toEqual(['Test Mills'])
    const [receipt] = await trace({ ...start, show: 'events', direction: 'backward' }, buyer)
    expect(receipt).toMatchObject({ from_name: 'Oil Traders', lot_source: 'Oil Traders' })

    const trades = async (token: string) =>
      (await trace(start, token)).filter((r) => r['link'] !== 'consumed').map(linkOf)
    expect(await trades(nobody)).toEqual([
      'backward 1 received ?/? > OIL/L1 1000 KG',
      'backward 1 vendor-returned OIL/L1 > ?/? 50 KG',
      'forward 2 returned ?/? > BISC/B 10 KG',
      // To both customers together.
      'forward 2 shipped BISC/B > ?/? 85 KG',
      'forward 3 shipped BISC/R > ?/? 17 KG',
    ])
    expect((await trades(seller)).slice(0, 3)).toEqual([
      'backward 1 received ?/? > OIL/L1 1000 KG',
      'backward 1 vendor-returned OIL/L1 > ?/? 50 KG',
      'forward 2 returned Corner Shop S1 > BISC/B 10 KG',
    ])
    expect((await trades(buyer)).slice(0, 3)).toEqual([
      'backward 1 received Oil Traders G1 > OIL/L1 1000 KG',
      'backward 1 vendor-returned OIL/L1 > Oil Traders G1 50 KG',
      'forward 2 returned ?/? > BISC/B 10 KG',
    ])
  })

  sameOnBoth('needs exactly one start, and the item where several have the number', async () => {
    expect(await refused({})).toEqual([422, 'batch_no'])
    expect(await refused({ batch_no: 'L1', grn_no: 'G1', order_no: '' })).toEqual([422, 'grn_no'])
    for (const start of [{ batch_no: 'NONE' }, { order_no: 'NONE' }, { invoice_no: 'NONE' }, { grn_no: 'NONE' }])
      for (const show of ['links', 'batches', 'parties', 'events']) expect(await trace({ ...start, show })).toEqual([])
    const given = company()
    await loadCompany(service.db, { ...given, batch: [...given.batch, producedBatch(3, 'B')] })
    const answer = await service.call({ path: PATH, body: { batch_no: 'B' } })
    expect([answer.statusCode, answer.json().errors]).toEqual([
      422,
      [{ field: 'sku', message: 'is required: BISC, DOUGH have a batch of this number; give one of them' }],
    ])
    expect(await trace({ batch_no: 'B', sku: 'OIL' })).toEqual([])
    expect(await trace({ order_no: 'S1', sku: 'DOUGH' })).toEqual([])
  })
})

it('random companies have what makes a trace hard: levels, circles, and what is not known', () => {
  const links = fc
    .sample(randomTrace, { numRuns: 80, seed: 1 })
    .flatMap((company) => oracle['insight.trace']?.(company, { batch_no: 'A', sku: 'RM1' }) as Row[])
    .filter((row) => row['link'] === 'consumed')
  const some = (test: (row: Row) => boolean) => links.filter(test).length > 5
  expect([
    some(({ depth }) => Number(depth) > 2),
    some((row) => row['from_sku'] === row['to_sku']),
    some((row) => row['from_batch'] === null),
    some((row) => row['to_sku'] === null),
  ]).toEqual([true, true, true, true])
})

sameOnBoth('on any company a trace equals the oracle, and every batch closes', async () => {
  const starts = [
    ...['RM1 A', 'RM1 B', 'RM2 A', 'SF1 A', 'SF1 B', 'SF1 C', 'FG1 A', 'FG1 B', 'CB1 A'].map((text) => {
      const [sku, batch_no] = text.split(' ')
      return { batch_no, sku }
    }),
    ...['S1', 'S2', 'S3'].map((order_no) => ({ order_no })),
    ...['I1', 'I2', 'I3'].map((invoice_no) => ({ invoice_no })),
    ...[{ grn_no: 'G1' }, { grn_no: 'G3' }, { order_no: 'S1', sku: 'FG1' }],
  ]
  await fc.assert(
    fc.asyncProperty(
      randomTrace,
      fc.shuffledSubarray(starts, { minLength: 3, maxLength: 3 }),
      fc.constantFrom('both', 'forward', 'backward'),
      async (company, chosen, direction) => {
        await loadCompany(service.db, company)
        for (const start of chosen)
          for (const show of ['links', 'batches', 'parties', 'events']) {
            const body = { ...start, direction, show }
            const answer = await service.call({ path: PATH, body, query: { 'per-page': 5000, fields: 'all' } })
            expect([body, answer.json().data]).toEqual([body, oracle['insight.trace']?.(company, body)])
            for (const row of answer.json().data) {
              if (show === 'batches')
                expect([body, row, balanceOf(row)]).toEqual([body, row, units(row, ['stock_qty'])])
            }
          }
      },
    ),
    { numRuns: runs(5, 100), endOnFailure: true },
  )
})
