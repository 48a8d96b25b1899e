/** What a caller without the groups of sales and purchase sees of reports that other groups have: the same quantities, no names. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  customer,
  emptyCompany,
  item,
  loadCompany,
  movement,
  producedBatch,
  salesOrder,
  salesOrderLine,
  warehouse,
} from '../setup/company.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [item(1, 'OIL', 'MAT'), item(2, 'FG1', 'FG')],
    vendor: [vendor],
    customer: [customer('C1', { name: 'Secret Stores' })],
    purchase_order: [purchaseOrder],
    purchase_order_line: [purchaseLine],
    goods_receipt: [receipt],
    batch: [{ ...producedBatch(1, 'L1'), ...procured }, producedBatch(2, 'B1')],
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 2, qty: '4' })],
    stock_movement: [
      movement(1, 'purchase_receipt', { ...oil, qty: '20', po_no: 'PO1', grn_no: 'GRN1' }),
      movement(2, 'consumption', { ...oil, qty: '12', for_item_id: 2, for_batch_no: 'B1' }),
      movement(3, 'production_receipt', { ...goods, qty: '10' }),
      movement(4, 'issue', { ...goods, qty: '4' }),
    ],
  })
})
afterAll(() => service.close())

const on = { warehouse_id: 1, movement_date: '2024-03-02' }
const oil = { item_id: 1, batch_no: 'L1', ...on }
const goods = { item_id: 2, batch_no: 'B1', ...on }
const procured = { source: 'PROCURED' as const, batch_date: null, warehouse_id: null, qty: null, wastage: null }
const place = { city: '', state: '', country: '', pincode: '', gstn: '', phone: '', email: '' }
const vendor = { code: 'V1', name: 'Secret Oils', credit_days: 0, address1: '', address2: '', ...place }
const purchaseOrder = {
  ...{ po_no: 'PO1', poid: 1, po_date: '2024-03-01', delivery_date: '2024-03-02', reference: null, warehouse_id: 1 },
  ...{ shipment_reference: null, vendor_code: 'V1', state: 'OPEN' as const, approval_required: false },
  ...{ approval_limit: '0', taxable_amt: '0', tax_amt: '0', shipping_amt: '0', adjustment_label: '' },
  ...{ adjustment_amt: '0', total_amt: '0' },
}
const purchaseLine = {
  ...{ po_no: 'PO1', line_no: 1, item_id: 1, description: '', qty: '20', rate: '0', tax_rate: '0' },
  ...{ taxable_amt: '0', tax_amt: '0', total_amt: '0' },
}
const receipt = { po_no: 'PO1', grn_no: 'GRN1', receipt_date: '2024-03-02', warehouse_id: 1, reference: null }

/** Asked by all callers in turn, twice, so that no caller gets what another was answered. */
async function byGroups(groups: readonly string[], ask: (token: string) => Promise<unknown>): Promise<unknown[]> {
  const own = groups[0] as string
  const limits = [null, [own], [own, 'sales'], [own, 'purchase'], [own, 'sales', 'purchase']]
  const callers = await Promise.all(limits.map((groups) => service.newCaller({ groups })))
  const answers: unknown[] = []
  for (const { token } of [...callers, ...callers]) answers.push(await ask(token))
  expect(answers.slice(0, limits.length)).toEqual(answers.slice(limits.length))
  expect(answers[0], 'all groups, and the three that matter').toEqual(answers[4])
  return answers.slice(1, 4)
}

type Row = Record<string, unknown>
const path = '/v1/production/batch-story'
const storyOf =
  (batch_no: string, query: Record<string, string> = {}) =>
  async (token: string) => {
    const answer = await service.call({ path, body: { batch_no }, query, token })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer
  }
const rows = async (answer: Promise<{ json(): { data: Row[] } }>) => (await answer).json().data
const names = ({ kind, document_type, document_no, order_no, po_no, party, qty }: Row) => [
  ...[kind, qty, document_type, document_no, order_no, po_no, party],
]

it('the story of a batch names customers and orders to callers with the group of sales only', async () => {
  const issued = (...named: unknown[]) => [
    ['consumption', '12.0000', 'batch', 'B1', null, null, null],
    ['production', '10.0000', 'batch', 'B1', null, null, null],
    ['production receipt', '10.0000', 'batch', 'B1', null, null, null],
    ['issue', '4.0000', 'sales order', ...named],
  ]
  const stories = await byGroups(['production'], async (token) => (await rows(storyOf('B1')(token))).map(names))
  const shown = issued('SO1', 'SO1', null, 'Secret Stores')
  const hidden = issued(null, null, null, null)
  expect(stories).toEqual([hidden, shown, hidden])
})

it('the story of a batch names vendors and receipts to callers with the group of purchase only', async () => {
  const received = (...named: unknown[]) => [
    ['purchase receipt', '20.0000', 'goods receipt', ...named],
    ['consumption', '12.0000', 'batch', 'B1', null, null, null],
  ]
  const stories = await byGroups(['production'], async (token) => (await rows(storyOf('L1')(token))).map(names))
  const shown = received('GRN1', null, 'PO1', 'Secret Oils')
  const hidden = received(null, null, null, null)
  expect(stories).toEqual([hidden, hidden, shown])
})

it('neither a filter, a search, a sort, a group, a file nor the changes reveal a hidden name', async () => {
  const found = (query: Record<string, string>) =>
    byGroups(['production'], async (token) => (await rows(storyOf('B1', query)(token))).length)
  expect(await found({ filter: 'party=Secret Stores' })).toEqual([0, 1, 0])
  expect(await found({ filter: 'order_no=SO1' })).toEqual([0, 1, 0])
  expect(await found({ search: 'secret' })).toEqual([0, 1, 0])
  expect(await found({ group: 'party' })).toEqual([1, 2, 1])
  const sorted = await byGroups(['production'], async (token) =>
    (await rows(storyOf('B1', { sort: '-party' })(token))).map(({ kind }) => kind),
  )
  expect(sorted.map((kinds) => (kinds as string[])[0])).toEqual(['consumption', 'issue', 'consumption'])
  const files = await byGroups(['production'], async (token) =>
    (parse((await storyOf('B1', { format: 'csv' })(token)).body, { columns: true }) as Row[]).map(({ party }) => party),
  )
  expect(files).toEqual([
    ['', '', '', ''],
    ['', '', '', 'Secret Stores'],
    ['', '', '', ''],
  ])
  const followed = await byGroups(['production'], async (token) =>
    (await rows(storyOf('B1', { since: 'start' })(token))).map(({ party }) => party),
  )
  expect(followed.map((parties) => (parties as unknown[]).at(-1))).toEqual([null, 'Secret Stores', null])
})

it('a token of changes is good for callers with the same rights only', async () => {
  const [limited, unlimited] = [await service.newCaller({ groups: ['production'] }), service.caller]
  const { _since } = (await storyOf('B1', { since: 'start' })(limited.token)).json()
  expect((await rows(storyOf('B1', { since: _since.token })(limited.token))).length).toBe(0)
  const other = await service.call({
    ...{ path, body: { batch_no: 'B1' }, query: { since: _since.token }, token: unlimited.token },
  })
  expect(other.statusCode, other.body).toBe(422)
})
