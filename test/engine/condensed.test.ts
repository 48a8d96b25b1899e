/** The stock reports read closings in place of history, and give the same figures as if they read every movement. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { checkClosings } from '../../src/ledger/closings.js'
import { reports } from '../../src/reports/index.js'
import { oracle } from '../oracle/index.js'
import {
  type Company,
  emptyCompany,
  item,
  loadCompany,
  type Movement,
  movement,
  producedBatch,
  warehouse,
} from '../setup/company.js'
import { rowsByEntity, tempFolder, writeFiles } from '../setup/files.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { runs } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const items = [item(1, 'FG1', 'FG'), item(2, 'CB1', 'COMBO'), item(3, 'SFG1', 'SFG'), item(4, 'RM1', 'MAT')]
const masters: Company = {
  ...emptyCompany(),
  warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
  item: items,
  batch: items.flatMap(({ id }) =>
    ['B1', 'B2'].map((batch_no) =>
      producedBatch(id, batch_no, { source: 'MANUAL', batch_date: null, warehouse_id: null, qty: null, wastage: null }),
    ),
  ),
}

const daysFrom = (first: string, last: string): string[] => {
  const days = []
  for (let day = Date.parse(first); day <= Date.parse(last); day += 86_400_000)
    days.push(new Date(day).toISOString().slice(0, 10))
  return days
}
const thisMonth = new Date().toISOString().slice(0, 7)
/** From the last day of a month to the first of another, with a leap February between; and around today. */
const movementDay = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...daysFrom('2023-12-31', '2024-04-01')) },
  { weight: 1, arbitrary: fc.constantFrom(...daysFrom(`${thisMonth}-01`, `${thisMonth}-28`)) },
)
/**
 * Few numbers, quantities, items and batches, so that later loads change movements and move some to another item, balances
 * are often zero, and one item moves often.
 */
const randomMovement = (days: fc.Arbitrary<string>, least: number) =>
  fc
    .record({
      no: fc.integer({ min: least, max: least + 90 }),
      kind: fc.constantFrom('other_receipt', 'rejection', 'transfer_in', 'trash', 'transfer_out', 'hold', 'release'),
      item_id: fc.constantFrom(1, 1, 1, 1, 1, 2, 3, 4),
      warehouse_id: fc.constantFrom(1, 1, 1, 2),
      batch_no: fc.constantFrom(null, 'B1', 'B2'),
      movement_date: days,
      qty: fc.constantFrom('1', '1', '2'),
      val: fc.constantFrom('0', '3'),
    })
    .map(({ no, kind, ...about }) =>
      movement(no, kind, { ...about, transfer_charge: kind.startsWith('transfer') ? '0.5' : '0' }),
    )
/** Enough movements that the item is closed at the end of January and of February. */
const often = Array.from({ length: 24 }, (_, i) =>
  movement(200 + i, 'other_receipt', {
    ...{
      item_id: 1,
      warehouse_id: 1,
      batch_no: null,
      movement_date: i < 12 ? '2024-01-05' : '2024-02-05',
      qty: '1',
      val: '1',
    },
  }),
)
const unique = (list: Movement[]) => [...new Map(list.map((m) => [m.movement_no, m])).values()]
const list = (days: fc.Arbitrary<string>, least: number) =>
  fc.array(randomMovement(days, least), { minLength: 1, maxLength: 60, size: 'max' }).map(unique)
const whole = fc.record({
  moved: list(movementDay, 1).map((moved) => [...often, ...moved]),
  replace: fc.boolean(),
})
const changing = fc.record({ moved: list(movementDay, 1), replace: fc.constant(false) })
/** New movements after some closings. */
const late = fc.record({
  moved: list(fc.constantFrom(...daysFrom('2024-03-01', '2024-04-01')), 100),
  replace: fc.constant(false),
})
const loads = fc.tuple(whole, fc.oneof(late, changing, whole), late)

/** Every kind of range that closings cut differently. */
const ranges: [from_date: string, to_date: string][] = [
  ['2023-11-05', '2023-12-30'], // before the first movement
  ['2023-12-31', '2023-12-31'], // a day that is a month's last
  ['2024-01-01', '2024-01-31'], // a whole month
  ['2024-02-01', '2024-03-31'], // whole months
  ['2024-02-29', '2024-03-01'], // over a month's end
  ['2024-01-09', '2024-01-22'], // inside one month, both halves
  ['2024-01-03', '2024-01-07'], // inside the first half
  ['2024-01-20', '2024-01-25'], // inside the second
  ['2024-01-05', '2024-03-12'], // from a first half to a first half
  ['2024-01-21', '2024-03-24'], // from a second half to a second half
  ['2023-12-15', '2024-02-16'], // the middles
  ['2024-02-01', '2024-02-11'], // a month so far
  ['2024-01-18', '2024-01-31'], // the end of a month
  ['2023-01-01', '2024-04-01'], // everything but today's movements
  ['2024-06-10', '2024-06-20'], // between movements
  ['9999-12-01', '9999-12-31'], // after the last movement
]
const stockReports = ['inventory.fg-stock-status', 'inventory.mat-stock-status', 'partner.invetory-snapshot']

async function compare(id: string, company: Company, range: { from_date: string; to_date: string }): Promise<void> {
  const report = reports.find((one) => one.id === id)
  if (report === undefined) throw new Error(`no report ${id}`)
  for (const body of requestsFor(report, range)) {
    const answer = await service.call({ path: report.path, body, query: { 'per-page': 5000, fields: 'all' } })
    expect({ id, body, data: answer.json().data }).toEqual({ id, body, data: oracle[id]?.(company, body) })
  }
}

it('an item is closed when it has moved three times for each balance that the closing has', async () => {
  for (const [moved, balances] of [
    [5, 0],
    [6, 2],
  ] as const) {
    const stock_movement = Array.from({ length: moved }, (_, i) =>
      movement(i, 'other_receipt', { item_id: 1, warehouse_id: 1 + (i % 2), movement_date: '2024-01-05', qty: '1' }),
    )
    await loadCompany(service.db, { ...masters, stock_movement })
    expect([moved, (await service.db`select from stock_closing`).length]).toEqual([moved, balances])
  }
})

it('a batch that comes back after it was used up keeps its earlier receipts', async () => {
  const moved = (no: number, kind: 'other_receipt' | 'trash', movement_date: string, qty: string) =>
    movement(no, kind, { item_id: 1, warehouse_id: 1, batch_no: 'B1', movement_date, qty, val: '1' })
  const used = [moved(1, 'other_receipt', '2024-01-02', '2'), moved(2, 'trash', '2024-01-03', '2')]
  const back = moved(3, 'other_receipt', '2024-03-02', '1')
  const company = { ...masters, stock_movement: [...often, ...used, back] }
  await loadCompany(service.db, company)
  const closed = await service.db<{ day: string }[]>`
    select day::text, bool_or(batch_no = 'B1') as b1 from batch_closing where item_id = 1 group by 1 order by 1`
  expect(closed.map((one) => ({ ...one }))).toEqual([
    { day: '2024-01-06', b1: true },
    { day: '2024-02-06', b1: false },
  ])
  await compare('partner.invetory-snapshot', company, { from_date: '2024-03-31', to_date: '2024-03-31' })
})

it('the age of the stock is the same, however many closings the receipts of the stock are behind', async () => {
  const receipts = ['2024-01-05', '2024-02-05', '2024-03-05'].flatMap((movement_date, month) =>
    Array.from({ length: 12 }, (_, i) =>
      movement(100 * month + i, 'other_receipt', { item_id: 1, warehouse_id: 1, movement_date, qty: '1', val: '3' }),
    ),
  )
  const sent = movement(400, 'transfer_out', {
    item_id: 1,
    warehouse_id: 1,
    movement_date: '2024-01-20',
    qty: '1',
    val: '3',
  })
  for (const left of [1, 11, 12, 13, 23, 24, 25, 35, 36, 40]) {
    const trash = movement(500, 'trash', {
      item_id: 1,
      warehouse_id: 1,
      movement_date: '2024-03-06',
      qty: `${left}`,
      val: '1',
    })
    const company = { ...masters, stock_movement: [...receipts, sent, trash] }
    await loadCompany(service.db, company)
    expect((await service.db`select distinct day from stock_closing`).length).toBeGreaterThan(2)
    for (const to_date of ['2024-02-10', '2024-03-05', '2024-03-31'])
      await compare('insight.stock-ageing', company, { from_date: to_date, to_date })
  }
})

it('after any sequence of loads and for any range, the figures equal the sums over all movements', async () => {
  await fc.assert(
    fc.asyncProperty(loads, async (sequence) => {
      await service.db.unsafe('truncate warehouse, item, stock_closing, stock_flow, batch_closing cascade')
      const books = new Map<string, Movement>()
      for (const { moved, replace } of sequence) {
        const folder = tempFolder()
        writeFiles(folder, rowsByEntity({ ...masters, stock_movement: moved }), () => 'csv')
        const result = await load(service.database, findFiles(folder), { replace: replace ? ['stock_movements'] : [] })
        expect(result.errors.first.map(problemLine)).toEqual([])
        if (replace) books.clear()
        for (const m of moved) books.set(m.movement_no, m)
        expect(await checkClosings(service.db)).toEqual({ stock_closing: 0, stock_flow: 0, batch_closing: 0 })
        const [count] = await service.db`
          select (select count(*)::int from stock_movement) as movements, (select count(*)::int from stock_closing) as stock,
                 (select count(*)::int from stock_flow) as sums, (select count(*)::int from batch_closing) as batches`
        const { movements = 0, stock = 0, sums = 0, batches = 0 } = count as Record<string, number>
        // Per movement, the derived tables may hold a third of a balance, one sum and 4/3 rows of a batch.
        expect([3 * stock <= movements, sums <= movements, 3 * batches <= 4 * movements]).toEqual([true, true, true])
        expect(await service.db`select distinct day from stock_closing limit 2`).toHaveLength(2)
        expect(await service.db`select distinct day from batch_closing limit 2`).toHaveLength(2)
        const company = { ...masters, stock_movement: [...books.values()] }
        const choices = ranges.flatMap(([from_date, to_date]) => stockReports.map((id) => ({ id, from_date, to_date })))
        for (const { id, ...range } of choices.filter((_, i) => i % runs(4, 1) === 0)) await compare(id, company, range)
        await compare('partner.material-master', company, { from_date: '', to_date: '' })
      }
    }),
    { numRuns: runs(1, 20), endOnFailure: true },
  )
})
