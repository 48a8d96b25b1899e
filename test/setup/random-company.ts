/** Random companies for the comparison with the oracle: small, but with everything that is odd in real books. */
import fc from 'fast-check'
import { format, parse } from '../oracle/decimal.js'
import type { Approval, Company, GoodsReceiptLine, Item } from './company.js'
import { emptyCompany, item, movement, warehouse } from './company.js'

const kinds = [
  ...['production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return', 'issue', 'consumption'],
  ...['rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack', 'hold', 'release'],
]

/** The days around the end of a month, of a leap February and of a year. */
export const randomDay = fc.constantFrom(
  ...['2023-12-30', '2023-12-31', '2024-01-01', '2024-02-28', '2024-02-29', '2024-03-01', '2024-03-15', '2024-12-31'],
)

export const randomRange = fc
  .tuple(randomDay, randomDay)
  .map(([a, b]) => (a <= b ? { from_date: a, to_date: b } : { from_date: b, to_date: a }))

/** A decimal with exactly the digits that a column keeps; sometimes far larger than a double can hold. */
const decimal = (digits: number, smallest = 0n) =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.bigInt({ min: smallest, max: 10_000_000n }) },
      { weight: 1, arbitrary: fc.bigInt({ min: smallest, max: 10n ** 19n }) },
    )
    .map((units) => {
      const text = units.toString().padStart(digits + 1, '0')
      return `${text.slice(0, -digits)}.${text.slice(-digits)}`
    })

const plus = (a: string, b: string) => format(parse(a, 4) + parse(b, 4), 4)

/** Names with all that breaks careless code. */
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
const code = fc.stringMatching(/^[A-Za-z0-9_./-]{1,8}$/)

const movements = (items: Item[], warehouses: number) =>
  fc
    .array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        item: fc.constantFrom(...items),
        warehouse_id: fc.integer({ min: 1, max: warehouses }),
        movement_date: randomDay,
        batch_no: fc.option(fc.constantFrom('B1', 'B2')),
        qty: decimal(4, 1n),
        val: decimal(4),
        tax: decimal(4),
        charge: decimal(4),
      }),
      { maxLength: 40 },
    )
    .map((list) =>
      list.map(({ kind, item, charge, tax, ...about }, i) =>
        movement(i + 1, kind, {
          ...about,
          item_id: item.id,
          val_tax: plus(about.val, tax),
          transfer_charge: kind.startsWith('transfer') ? charge : '0',
        }),
      ),
    )

const orders = (items: Item[], warehouses: number, vendors: string[]) =>
  fc
    .uniqueArray(
      fc.record({
        po_no: code,
        po_date: randomDay,
        delivery_date: randomDay,
        reference: fc.option(name),
        shipment_reference: fc.option(name),
        vendor_code: fc.constantFrom(...vendors),
        warehouse_id: fc.integer({ min: 1, max: warehouses }),
        state: fc.constantFrom(
          'OPEN' as const,
          'OPEN' as const,
          'OPEN' as const,
          'CLOSED' as const,
          'CANCELLED' as const,
        ),
        approval_required: fc.boolean(),
        amounts: fc.array(decimal(2), { minLength: 6, maxLength: 6 }),
        lines: fc.array(
          fc.record({
            item: fc.constantFrom(...items),
            qty: fc.integer({ min: 1, max: 9 }),
            received: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
            rate: decimal(4),
            taxable_amt: decimal(2),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        approvals: fc.array(
          fc.record({
            group_name: name,
            status: fc.constantFrom('Pending' as const, 'Approved' as const, 'Rejected' as const),
            at: fc.constantFrom(
              '2024-02-29 00:00:00',
              '2024-02-29 11:59:59',
              '2024-02-29 12:00:00',
              '2024-02-29 23:05:01',
            ),
            approvers: fc.array(
              name.filter((text) => !text.includes('|')),
              { maxLength: 3 },
            ),
          }),
          { maxLength: 3 },
        ),
      }),
      { maxLength: 8, selector: (order) => order.po_no },
    )
    .map((list) => {
      const parts: Pick<
        Company,
        'purchase_order' | 'purchase_order_line' | 'purchase_order_approval' | 'goods_receipt' | 'goods_receipt_line'
      > = {
        purchase_order: [],
        purchase_order_line: [],
        purchase_order_approval: [],
        goods_receipt: [],
        goods_receipt_line: [],
      }
      list.forEach(({ lines, approvals, amounts, ...po }, i) => {
        const [a = '', b = '', c = '', d = '', e = '', f = ''] = amounts
        parts.purchase_order.push({
          ...{ ...po, poid: i + 1, approval_limit: a, taxable_amt: b, tax_amt: c, shipping_amt: d },
          ...{ adjustment_label: 'Round off', adjustment_amt: `-${e}`, total_amt: f },
        })
        lines.forEach(({ item, qty, received, rate, taxable_amt }, l) => {
          const line_no = lines.length - l // stored in another order than they are shown
          const { po_no } = po
          const money = { rate, taxable_amt, tax_amt: '1.10', total_amt: '2.20' }
          parts.purchase_order_line.push({
            ...{
              po_no,
              line_no,
              item_id: item.id,
              description: item.name,
              qty: `${qty}.0000`,
              tax_rate: '18.00',
              ...money,
            },
          })
          received.forEach((accepted, r) => {
            const grn_no = `G${i}-${line_no}-${r}`
            parts.goods_receipt.push({ po_no, grn_no, receipt_date: po.po_date, warehouse_id: po.warehouse_id })
            const line: GoodsReceiptLine = {
              ...{ po_no, grn_no, line_no: 1, po_line_no: line_no, received_qty: `${accepted + 1}`, rejected_qty: '1' },
              ...{ accepted_qty: `${accepted}`, ...money },
            }
            parts.goods_receipt_line.push(line)
          })
        })
        approvals.forEach(({ at, status, ...approval }, s) => {
          const decided = status !== 'Pending'
          const row: Approval = {
            ...{ po_no: po.po_no, step: s + 1, status, ...approval },
            ...{ approver: decided ? 'Asha Rao' : null, action_at: decided ? at : null },
          }
          parts.purchase_order_approval.push(row)
        })
      })
      return parts
    })

export const randomCompany: fc.Arbitrary<Company> = fc
  .record({
    locations: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    gstn: fc.constantFrom(null, '', '27AAAAA0000A1Z5'),
    skus: fc.uniqueArray(code, { minLength: 1, maxLength: 5 }),
    names: fc.array(name, { minLength: 5, maxLength: 5 }),
    types: fc.array(fc.constantFrom('FG' as const, 'SFG' as const, 'COMBO' as const, 'MAT' as const), {
      minLength: 5,
      maxLength: 5,
    }),
  })
  .chain(({ locations, gstn, skus, names, types }) => {
    const warehouses = locations.map((location, i) => warehouse(i + 1, location, { gstn, city: gstn && 'Pune' }))
    const items = skus.map((sku, i) =>
      item(i + 1, sku, types[i] ?? 'FG', { name: names[i] ?? 'x', unit: names[0] ?? 'x' }),
    )
    const vendors = ['V1', 'v2'].map((code, i) => ({
      ...{ code, name: names[i] ?? 'x', credit_days: i * 30, address1: '', address2: 'b', city: 'Delhi', state: '' },
      ...{ country: 'India', pincode: '1', gstn: '', phone: '1', email: 'x@example.in' },
    }))
    return fc
      .tuple(movements(items, warehouses.length), orders(items, warehouses.length, ['V1', 'v2']))
      .map(([stock_movement, purchase]) => ({
        ...{ ...emptyCompany(), warehouse: warehouses, item: items, vendor: vendors, stock_movement, ...purchase },
      }))
  })
