/** GET /v1/search: items, batches, orders, customers and vendors by a part of their number or name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Group } from '../../src/groups.js'
import { reports } from '../../src/reports/index.js'
import { type Service, startService } from '../setup/service.js'

interface Hit {
  kind: string
  id: string
  label: string
  detail: string
  codes: string[]
  behind?: { report: string; params: Record<string, string> }
}

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.db.unsafe(`
    insert into warehouse (id, code, location) overriding system value values (1, repeat('0', 32), 'Plant');
    insert into item (id, sku, name, type, unit, product_category) overriding system value values
      (1, 'FG-1', 'Cow Ghee 1 l', 'FG', 'JAR', 'Dairy'), (2, 'FG-10', 'Ghee', 'FG', 'JAR', ''), (3, 'GHEE', 'Butter', 'FG', 'KG', ''),
      (4, 'X-4', '100% juice', 'FG', 'L', ''), (5, 'X-5', '1000 juice', 'FG', 'L', ''), (6, 'a_b', 'back\\slash', 'FG', 'L', ''),
      (7, 'aXb', 'backslash', 'FG', 'L', ''), (8, 'E-8', 'Crème ÉLAN 🥜 "best" O''Neil <b>', 'FG', 'L', '');
    insert into batch (item_id, batch_no, source) select 1, 'B-' || n, 'MANUAL' from generate_series(1, 20) n;
    insert into batch (item_id, batch_no, source) values (2, 'B-1', 'MANUAL');
    insert into customer (code, name, contact_person, billing_city, billing_phone, billing_email) values
      ('C1', 'Anand Stores', 'Secretperson', 'Surat', '98765secret', 'secret@example.in');
    insert into vendor (code, name, city, phone, email) values ('V1', 'Anand Dairy', 'Anand', '98765secret', 'secret@example.in');
    insert into sales_order (order_no, order_type, order_date, customer_code, warehouse_id, taxable_amt, tax_amt, total_amt)
      select 'SO-' || n, 'Online', date '2026-01-01' + n, 'C1', 1, 0, 0, 0 from generate_series(1, 12) n;
    insert into purchase_order (po_no, po_date, delivery_date, vendor_code, warehouse_id, taxable_amt, tax_amt, total_amt)
      values ('PO-1', '2026-01-05', '2026-02-05', 'V1', 1, 0, 0, 0);
    insert into batch (item_id, batch_no, source, supplier_lot) values (3, 'OIL-7', 'PROCURED', 'AG/2291');
    insert into goods_receipt (po_no, grn_no, receipt_date, warehouse_id) values ('PO-1', 'GRN-9', '2026-01-08', 1);
    insert into invoice (invoice_no, invoice_at, due_date, order_no, sub_total, total_tax, total_amt, round_amt, final_amt)
      values ('INV/1', '2026-01-06 10:00', '2026-02-06', 'SO-12', 0, 0, 0, 0, 0);
    insert into work_order (work_order_no, item_id, status, planned_qty, start_date, due_date)
      values ('WO-1', 1, 'Open', 5, '2026-01-07', '2026-01-09')`)
})
afterAll(() => service.close())

const search = (q: string | undefined, token?: string) =>
  service.call({ path: '/v1/search', query: q === undefined ? {} : { q }, ...(token !== undefined && { token }) })
const find = async (q: string, token?: string): Promise<Hit[]> => {
  const response = await search(q, token)
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data
}
const ids = (hits: Hit[]) => hits.map(({ kind, id }) => `${kind} ${id}`)

it('finds by number and by name in any case: exact matches first, then matches at the beginning', async () => {
  expect(ids(await find('ghee'))).toEqual(['item FG-10', 'item GHEE', 'item FG-1'])
  expect(ids(await find('fg-1'))).toEqual(['item FG-1', 'item FG-10'])
  expect(ids(await find('élan'))).toEqual(['item E-8'])
  expect(ids(await find('CRÈME'))).toEqual(['item E-8'])
})

it('shows the report and parameters that open each hit', async () => {
  expect(await find('b-20')).toEqual([
    {
      ...{ kind: 'batch', id: 'B-20', label: 'B-20', detail: 'FG-1, Cow Ghee 1 l' },
      codes: ['FG-1', 'B-20'],
      behind: { report: 'production.batch-story', params: { batch_no: 'B-20', sku: 'FG-1' } },
    },
  ])
  expect(await find('anand')).toEqual([
    { kind: 'customer', id: 'C1', label: 'Anand Stores', detail: 'C1, Surat', codes: ['C1'] },
    {
      ...{ kind: 'vendor', id: 'V1', label: 'Anand Dairy', detail: 'V1, Anand', codes: ['V1'] },
      behind: { report: 'purchase.purchase-orders-list', params: { vendor_code: 'V1' } },
    },
  ])
  const [order] = await find('so-12')
  expect(order).toEqual({
    ...{ kind: 'sales_order', id: 'SO-12', label: 'SO-12', detail: '2026-01-13, Anand Stores', codes: ['SO-12'] },
    behind: { report: 'sales.order-story', params: { order_no: 'SO-12' } },
  })
  expect((await find('po-1'))[0]).toMatchObject({ kind: 'purchase_order', detail: '2026-01-05, Anand Dairy' })
  for (const { behind } of await find('cow')) {
    const range = { from_date: '2026-01-01', to_date: '2026-12-31' }
    const report = reports.find(({ id }) => id === behind?.report)
    const response = await service.call({ path: report?.path ?? '', body: { ...range, ...behind?.params } })
    expect(response.statusCode, response.body).toBe(200)
  }
})

it('finds invoices and work orders by their numbers', async () => {
  expect(await find('inv/1')).toEqual([
    { kind: 'invoice', id: 'INV/1', label: 'INV/1', detail: '2026-01-06, Anand Stores', codes: ['INV/1'] },
  ])
  expect(await find('wo-1')).toEqual([
    { kind: 'work_order', id: 'WO-1', label: 'WO-1', detail: '2026-01-07, Cow Ghee 1 l', codes: ['WO-1'] },
  ])
  const { token } = await service.newCaller({ groups: ['inventory', 'purchase'] })
  expect([...(await find('inv/1', token)), ...(await find('wo-1', token))]).toEqual([])
})

it("finds receipts by their numbers and batches by their vendor's", async () => {
  expect(await find('grn-9')).toEqual([
    {
      ...{ kind: 'goods_receipt', id: 'GRN-9', label: 'GRN-9', detail: '2026-01-08, Anand Dairy' },
      codes: ['PO-1', 'GRN-9'],
    },
  ])
  expect(await find('ag/229')).toMatchObject([
    { kind: 'batch', id: 'OIL-7', detail: "GHEE, Butter, vendor's lot AG/2291", codes: ['GHEE', 'OIL-7'] },
  ])
  const { token } = await service.newCaller({ groups: ['sales'] })
  expect([...(await find('grn-9', token)), ...(await find('ag/229', token))]).toEqual([])
})

it('has at most 8 hits of a kind, for orders the latest', async () => {
  expect(ids(await find('SO-'))).toEqual([12, 11, 10, 9, 8, 7, 6, 5].map((n) => `sales_order SO-${n}`))
  expect(ids(await find('B-1'))).toEqual([
    ...['batch B-1', 'batch B-1', 'batch B-10', 'batch B-11', 'batch B-12', 'batch B-13', 'batch B-14', 'batch B-15'],
  ])
})

it('takes text literally: no character has a special meaning', async () => {
  expect(ids(await find('00%'))).toEqual(['item X-4'])
  expect(ids(await find('a_b'))).toEqual(['item a_b'])
  expect(ids(await find('k\\s'))).toEqual(['item a_b'])
  for (const q of ['🥜 "', '"best"', "O'NEIL", '<b>', ' élan ']) expect(ids(await find(q)), q).toEqual(['item E-8'])
  for (const q of ["';--", '%%', '__', '.*', '(?', '***=', '[a', '\\\\', '$1', '^F', '\u{10ffff}\u{1f600}', 'é́'])
    expect(ids(await find(q)), q).toEqual([])
})

it('does not search contact data', async () => {
  for (const q of ['secret', '98765', 'example.in', 'Secretperson']) expect(await find(q)).toEqual([])
})

it('gives 422 for a text that is too short or too long, and for other parameters', async () => {
  for (const q of [undefined, '', 'a', ' a ', '🥜', 'x'.repeat(81), 'a\0b']) {
    const response = await search(q)
    expect([q, response.statusCode, response.json().errors?.[0]?.field]).toEqual([q, 422, 'q'])
  }
  expect((await search('é'.repeat(80))).statusCode).toBe(200)
  const twice = await service.call({ path: '/v1/search?q=ab&q=cd' })
  expect(twice.statusCode).toBe(422)
  const other = await service.call({ path: '/v1/search', query: { q: 'ab', limit: 3 } })
  expect(other.json().errors).toMatchObject([{ field: 'limit' }])
})

describe('a caller', () => {
  it('needs a token', async () => {
    const response = await service.call({ path: '/v1/search', query: { q: 'ghee' }, token: null })
    expect(response.statusCode).toBe(401)
  })

  it.each([
    [['masters'], ['item GHEE', 'item FG-1', 'item FG-10']],
    [['inventory'], ['item GHEE', 'item FG-1', 'item FG-10']],
    [['partner'], []],
  ] as [Group[], string[]][])('of %s finds only hits of its groups', async (groups, found) => {
    const { token } = await service.newCaller({ groups })
    expect(ids(await find('ghee', token)).sort()).toEqual([...found].sort())
  })

  it('of one group gets only links to reports that it may use', async () => {
    const { token } = await service.newCaller({ groups: ['masters'] })
    for (const hit of await find('ghee', token)) expect(hit).not.toHaveProperty('behind')
    const { token: seller } = await service.newCaller({ groups: ['sales'] })
    expect(ids(await find('anand', seller))).toEqual(['customer C1'])
    expect((await find('SO-12', seller))[0]?.behind?.report).toBe('sales.order-story')
    const { token: storekeeper } = await service.newCaller({ groups: ['grn'] })
    for (const hit of await find('anand', storekeeper)) expect(hit).not.toHaveProperty('behind')
  })

  it('pays one unit of its rate for a search', async () => {
    const limited = await startService({ rate: 100 })
    try {
      const left = async () => {
        const { headers } = await limited.call({ path: '/v1/search', query: { q: 'ghee' } })
        return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
      }
      const first = await left()
      expect(first - (await left())).toBe(1)
    } finally {
      await limited.close()
    }
  })
})
