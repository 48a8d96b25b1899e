/** Small companies whose batches went into each other in every way: through levels, in circles, without a batch, for nobody knows what. */
import fc from 'fast-check'
import {
  type Batch,
  type Company,
  customer,
  emptyCompany,
  invoice,
  invoiceLine,
  item,
  type Movement,
  movement,
  producedBatch,
  salesOrder,
  salesOrderLine,
  warehouse,
} from './company.js'

const day = fc.integer({ min: 1, max: 9 }).map((n) => `2024-03-0${n}`)
const qty = fc.integer({ min: 1, max: 99_999 }).map((n) => (n / 100).toFixed(4))
const KINDS = [
  ...[
    'purchase_receipt',
    'purchase_receipt',
    'production_receipt',
    'production_receipt',
    'other_receipt',
    'transfer_in',
  ],
  ...Array.from({ length: 14 }, () => 'consumption'),
  ...['issue', 'issue', 'issue'],
  ...['sales_return', 'vendor_return', 'transfer_out', 'trash', 'rejection', 'shortage', 'move_to_bad', 'unpack'],
  ...['internal_issue', 'hold', 'release', 'value_increase'],
]

const boughtBatch = (item_id: number, batch_no: string, source: Batch['source']): Batch => ({
  ...producedBatch(item_id, batch_no),
  ...{ source, batch_date: null, warehouse_id: null, qty: null, wastage: null, supplier_lot: `lot of ${batch_no}` },
})

/** Item 5 is a combo of items 3 and 4. Items 1 and 2 are bought. Batch A of item 3 is recorded as empty. */
const masters = (): Company => ({
  ...emptyCompany(),
  warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot', { address: '', city: null })],
  item: [
    ...[item(1, 'RM1', 'MAT'), item(2, 'RM2', 'MAT', { unit: 'L' }), item(3, 'SF1', 'SFG'), item(4, 'FG1', 'FG')],
    item(5, 'CB1', 'COMBO', { unit: 'PCS' }),
  ],
  combo_line: [
    { combo_id: 5, component_id: 3, qty: '2' },
    { combo_id: 5, component_id: 4, qty: '1' },
  ],
  vendor: ['V1', 'V2'].map((code) => ({
    ...{ code, name: `Vendor ${code}`, credit_days: 0, address1: code === 'V1' ? '5 Port Road' : '', address2: '' },
    ...{
      city: code === 'V1' ? 'Kandla' : '',
      state: '',
      country: '',
      pincode: '',
      gstn: '',
      phone: '1',
      email: 'v@x.in',
    },
  })),
  customer: [customer('C1', { contact_person: 'Asha Rao' }), customer('C2', { shipping_phone: '', shipping_city: '' })],
  batch: [
    ...[boughtBatch(1, 'A', 'PROCURED'), boughtBatch(1, 'B', 'PROCURED'), boughtBatch(2, 'A', 'MANUAL')],
    ...[
      producedBatch(3, 'A', { qty: '0' }),
      producedBatch(3, 'B', { qty: '120', wastage: '20' }),
      producedBatch(3, 'C'),
    ],
    ...[
      producedBatch(4, 'A', { expiry_date: '2025-03-01' }),
      producedBatch(4, 'B', { qty: '7' }),
      producedBatch(5, 'A'),
    ],
  ],
  work_order: [
    {
      ...{
        work_order_no: 'W1',
        item_id: 3,
        warehouse_id: 1,
        status: 'Open',
        planned_qty: '1',
        start_date: '2024-03-01',
      },
      ...{ due_date: '2024-03-02', finished_on: null, note: '' },
    },
  ],
  purchase_order: ['P1', 'P2'].map((po_no, i) => ({
    ...{ po_no, poid: i + 1, po_date: '2024-02-01', delivery_date: '2024-03-01', reference: null },
    ...{ shipment_reference: null, vendor_code: i === 0 ? 'V1' : 'V2', warehouse_id: 1, state: 'OPEN' },
    ...{ approval_required: false, approval_limit: '0', taxable_amt: '0', tax_amt: '0', shipping_amt: '0' },
    ...{ adjustment_label: '', adjustment_amt: '0', total_amt: '0' },
  })),
  goods_receipt: [
    ['P1', 'G1'],
    ['P1', 'G2'],
    ['P2', 'G3'],
  ].map(([po_no = '', grn_no = '']) => ({
    ...{ po_no, grn_no, receipt_date: '2024-03-01', warehouse_id: 1, reference: null },
  })),
  sales_order: [
    salesOrder('S1', 'C1'),
    salesOrder('S2', 'C2', { shipping_city: 'Goa', shipping_buyer: '' }),
    salesOrder('S3', null),
  ],
  sales_order_line: ['S1', 'S2', 'S3'].flatMap((order_no) =>
    [3, 4, 5].map((item_id, i) => salesOrderLine(order_no, i + 1, { item_id, qty: '9' })),
  ),
  // I1 is for lines of two orders; of I2 nobody knows the customer; I3 is for the order of its head.
  invoice: [invoice(null, 'I1', { customer_code: 'C1' }), invoice(null, 'I2'), invoice('S2', 'I3')],
  invoice_line: [
    invoiceLine(invoice('S1', 'I1'), 1, { order_line_no: 2, qty: '1' }),
    invoiceLine(invoice('S2', 'I1'), 2, { order_line_no: 3, qty: '1' }),
    ...[3, 4, 5].map((item_id) =>
      invoiceLine(invoice(null, 'I1'), item_id, { order_line_no: null, item_id, qty: '1' }),
    ),
    ...[3, 4, 5].map((item_id) =>
      invoiceLine(invoice(null, 'I2'), item_id, { order_line_no: null, item_id, qty: '1' }),
    ),
    ...[3, 4, 5].map((item_id) =>
      invoiceLine(invoice(null, 'I3'), item_id, { order_line_no: null, item_id, qty: '1' }),
    ),
  ],
})

export const randomTrace: fc.Arbitrary<Company> = fc
  .record({
    moves: fc.array(
      fc.record({
        kind: fc.constantFrom(...KINDS),
        ...{ batch: fc.nat(999), into: fc.nat(999), document: fc.nat(999), warehouse_id: fc.constantFrom(1, 2) },
        ...{ day, qty },
        isLoose: fc.constantFrom(false, false, false, true),
      }),
      { minLength: 40, maxLength: 90 },
    ),
    returns: fc.uniqueArray(
      fc.record({ order: fc.nat(2), line: fc.integer({ min: 1, max: 3 }), unusable: fc.nat(5) }),
      { maxLength: 5, selector: ({ order, line }) => `${order} ${line}` },
    ),
  })
  .map(({ moves, returns }) => {
    const company = masters()
    const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T
    const stock_movement = moves.flatMap((m, i): Movement[] => {
      const { kind, day: movement_date, warehouse_id, isLoose } = m
      const sold = kind === 'issue' || kind === 'sales_return'
      const bought = kind === 'purchase_receipt' || kind === 'vendor_return'
      const batches = company.batch.filter(({ item_id }) => (sold ? item_id > 2 : bought ? item_id <= 2 : true))
      const { item_id, batch_no } = pick(batches, m.batch)
      const into = pick(company.batch, m.into)
      const receipt = pick(company.goods_receipt, m.document)
      const order_no = pick(['S1', 'S2', 'S3'], m.document)
      // A line of the item, or of the combo that it is in.
      const order_line_no = m.into % 2 === 0 ? item_id - 2 : 3
      const invoiced = { invoice_no: pick(['I1', 'I2', 'I3'], m.document), invoice_line_no: item_id }
      return [
        movement(i + 1, kind, {
          ...{ item_id, warehouse_id, movement_date, qty: kind.startsWith('value') ? '0' : m.qty },
          batch_no: isLoose ? null : batch_no,
          ...(sold && { order_no, order_line_no }),
          ...(sold && m.into % 5 === 0 && { order_no: null, order_line_no: null, ...invoiced }),
          ...(bought && m.into % 4 > 0 && { po_no: receipt.po_no, grn_no: receipt.grn_no }),
          ...(kind === 'consumption' && {
            for_item_id: m.into % 7 === 0 ? null : into.item_id,
            for_batch_no: m.into % 7 < 2 ? null : into.batch_no,
          }),
          ...(kind === 'production_receipt' && m.into % 2 === 0 && { work_order_no: 'W1' }),
        }),
      ]
    })
    return {
      ...company,
      stock_movement,
      sales_return: returns.map(({ order, line, unusable }, i) => ({
        ...{ order_no: `S${order + 1}`, return_no: `R${i}`, order_line_no: line, return_date: '2024-03-09' },
        ...{ kind: 'RTV', usable_qty: '1', unusable_qty: `${unusable}`, taxable_amt: '0', tax_amt: '0' },
      })),
    }
  })
