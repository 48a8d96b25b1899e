/** `against`: the differences between two versions equal those of the two saved reports, for every report and variant. */
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { keyOf } from '../../src/kernel/report/columns.js'
import { minus } from '../../src/kernel/report/difference.js'
import { keyed } from '../../src/kernel/report/keyed.js'
import { readParams } from '../../src/kernel/report/params.js'
import { viewed } from '../../src/kernel/report/view.js'
import { reports } from '../../src/reports/index.js'
import { format, parse, sum } from '../oracle/decimal.js'
import { explained, requestBehind } from '../setup/behind.js'
import { files, openBooks } from '../setup/books.js'
import { folderOf } from '../setup/files.js'
import { good, MV } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

type Row = Record<string, unknown>
const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }
const CODES = { plan: ['FG1=5'], sku: ['FG1'], product_sku: ['FG1'], order_no: ['SO1'], batch_no: ['B1'], code: ['C1'] }
const asked = reports.flatMap((report) =>
  someRequestsFor(report, RANGE, CODES)
    .filter((body) => !((report.perPageFrom ?? '') in body))
    .map((body) => ({ report, body })),
)

let service: Service
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const loadFiles = (rows: Record<string, string>, replace: string[] = []) =>
  load(service.database, findFiles(folderOf(rows)), { replace })

/** All records with their whole keys; undefined if the report refuses. */
async function saved({ report, body }: (typeof asked)[number], more: Record<string, string | number>) {
  const answer = await service.call({ path: report.path, body, query: { fields: 'all', ...more } })
  return answer.statusCode === 200 ? (answer.json().data as Row[]) : undefined
}

/** Fields of kind object: one value each. */
const objects = ['key', 'fields']

/** The values of a record by their names with dots; lists of lines as a whole. */
const flat = (row: unknown, around = ''): [string, unknown][] =>
  Object.entries(row as Row).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !objects.includes(name)
      ? flat(value, `${around}${name}.`)
      : [[`${around}${name}`, value]],
  )

function differences({ report, body }: (typeof asked)[number], before: Row[], after: Row[]): Row[] {
  const read = readParams(report.request, body)
  if ('errors' in read) throw new Error('a request that was answered')
  const whole = keyed(viewed(report, read.values, { fields: 'all' }))
  const key = keyOf(whole.shapeFor(read.values)).map(({ path = [] }) => path.join('.'))
  const byKey = (rows: Row[]) =>
    new Map(rows.map((row) => [JSON.stringify(key.map((name) => new Map(flat(row)).get(name))), new Map(flat(row))]))
  const [was, is] = [byKey(before), byKey(after)]
  const found: Row[] = []
  for (const id of new Set([...was.keys(), ...is.keys()])) {
    const [old, now] = [was.get(id), is.get(id)]
    const names = [...(now ?? old ?? new Map()).keys()].filter((name) => !key.includes(name))
    const fields = Object.fromEntries(
      names
        .map((name) => [name, { before: old?.get(name) ?? null, after: now?.get(name) ?? null }] as const)
        .filter(([, { before, after }]) => JSON.stringify(before) !== JSON.stringify(after)),
    )
    const change = old === undefined ? 'new' : now === undefined ? 'gone' : 'changed'
    if (change === 'changed' && Object.keys(fields).length === 0) continue
    found.push({ change, key: Object.fromEntries(key.map((name) => [name, (now ?? old)?.get(name)])), fields })
  }
  return found
}

/** In any order, also that of the members. A value that is null on both sides does not differ. */
const sorted = (rows: readonly Row[]) =>
  rows
    .map(({ change, key, fields }) =>
      JSON.stringify([
        change,
        Object.entries(key as Row).sort(),
        Object.entries(fields as Record<string, Row>)
          .filter(([, { before, after }]) => (before ?? null) !== null || (after ?? null) !== null)
          .map(([name, { before, after }]) => [name, before, after])
          .sort(),
      ]),
    )
    .sort()

sameOnBoth('after any loads, the differences of every report are those of its saved answers', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyLoad, { minLength: 2, maxLength: runs(3, 6) }), async (sequence) => {
      await service.close()
      service = await startService({}, await openBooks())
      const before = new Map<(typeof asked)[number], Row[] | undefined>()
      for (const one of asked) before.set(one, await saved(one, { since: 'start' }))
      for (const { rows, replace } of sequence) await loadFiles(files(rows), replace)
      await loadFiles(files({ items: ['FG1,Ghee in a jar,FG,,JAR,'], customers: ['C1,Other name'] }))
      for (const one of asked) {
        const [was, is] = [before.get(one), await saved(one, { since: 'start' })]
        const differ = await saved(one, { against: 2, ...(one.report.perPage && { 'per-page': 5000 }) })
        if (was === undefined || is === undefined) continue // refused, such as a plan with an unknown code
        const expected = differences(one, was, is)
        expect({ report: one.report.id, body: one.body, rows: sorted(differ ?? []) }).toEqual({
          report: one.report.id,
          body: one.body,
          rows: sorted(expected),
        })
        found += expected.length
      }
    }),
    { numRuns: runs(1, 15), endOnFailure: true },
  )
  expect(found).toBeGreaterThan(20)
})

const STOCK = '/v1/inventory/fg-stock-status'
const MARCH = { type: 'FG', tax: 0, from_date: '2024-03-01', to_date: '2024-03-31' }
const movements = (text: string) => ({ [MV]: `${(good[MV] as string).split('\n')[0]}\n${text}\n` })

async function twoVersions() {
  await loadFiles(good)
  await loadFiles({
    ...movements('M6,2024-03-10,other_receipt,FG1,Plant,B1,5,5,5,,,,,,,'),
    'items.csv': 'sku,name,type,material_kind,unit,mrp\nFG3,New one,FG,,JAR,1\n',
  })
}
const ask = (query: Record<string, string | number>, path = STOCK, body: unknown = MARCH) =>
  service.call({ path, body, query })

it('says what changed, in every format, in pages and as totals', async () => {
  await twoVersions()
  const answer = await ask({ against: 1 })
  expect(answer.json().data).toEqual([
    {
      change: 'changed',
      key: { Product_sku: 'FG1', warehouse: 'Plant' },
      fields: {
        Receipts_qty: { before: '9.0000', after: '14.0000' },
        Receipts_OTH_qty: { before: '0.0000', after: '5.0000' },
        ThatPeriod_CrValue: { before: '12.2000', after: '17.2000' },
        Closing_qty: { before: '8.0000', after: '13.0000' },
        Closing_active_qty: { before: '8.0000', after: '13.0000' },
        Closing_active_value: { before: '9.8000', after: '14.8000' },
        final_value: { before: '9.8000', after: '14.8000' },
      },
    },
  ])
  expect(answer.headers['x-data-version']).toBe('2')
  const csv = await ask({ against: 1, format: 'csv' })
  const table = csv.body.split('\r\n')
  expect([table[0], table.length]).toEqual(['_change,Product_sku,warehouse,field,before,after', 9])
  expect(table).toContain('changed,FG1,Plant,Closing_qty,8.0000,13.0000')
  expect(csv.headers['content-disposition']).toContain('_against-1_v2.csv')
  for (const format of ['xlsx', 'parquet']) expect((await ask({ against: 1, format })).statusCode).toBe(200)
  const lines = (await ask({ against: 1, format: 'ndjson' })).body.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(answer.json().data)
  expect((await ask({ against: 1, totals: 'yes' })).json().data).toEqual([
    expect.objectContaining({
      rows__before: 1,
      rows__after: 1,
      Closing_qty__before: '8.0000',
      Closing_qty__after: '13.0000',
      Closing_qty__difference: '5.0000',
    }),
  ])
  // The other way round: what the later version no longer has is gone from the earlier one.
  const back = (await ask({ as_known: 1, against: 2, fields: 'all' }, '/v1/masters/items', {})).json().data
  expect(back).toEqual([expect.objectContaining({ change: 'gone', key: { sku: 'FG3' } })])
  const page = (await ask({ against: 1, page: 1, 'per-page': 1 }, '/v1/inventory/movements', { ...RANGE })).json()
  expect([page._meta.totalCount, page.data[0].change]).toEqual([1, 'new'])
  const again = await service.call({
    path: STOCK,
    body: MARCH,
    query: { against: 1 },
    headers: { 'if-none-match': answer.headers['etag'] as string },
  })
  expect(again.statusCode).toBe(304)
  expect((await ask({ against: 2 })).json().data).toEqual([])
})

it('totals in several units have the difference in each, also in a unit that only one version has', async () => {
  await twoVersions()
  await loadFiles({
    ...movements('M7,2024-03-11,other_receipt,FG4,Plant,,2.5,5,5,,,,,,,'),
    'items.csv': 'sku,name,type,material_kind,unit,mrp\nFG4,Flour,FG,,KG,1\n',
  })
  const of = (unit: string, before: string, after: string, difference: string) =>
    expect.objectContaining({
      ...{ unit, Closing_qty__before: before, Closing_qty__after: after, Closing_qty__difference: difference },
    })
  const answer = await ask({ against: 1, totals: 'yes' })
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.json().data[0]).toMatchObject({
    ...{ Closing_qty__before: '8.0000', Closing_qty__after: null, Closing_qty__difference: null },
    _by_unit: [of('JAR', '8.0000', '13.0000', '5.0000'), of('KG', '0.0000', '2.5000', '2.5000')],
  })
  const [back] = (await ask({ as_known: 1, against: 3, totals: 'yes' })).json().data
  expect(back._by_unit[1]).toMatchObject({
    unit: 'KG',
    Closing_qty__after: '0.0000',
    Closing_qty__difference: '-2.5000',
  })
  const csv = (await ask({ against: 1, totals: 'yes', format: 'csv', lines: 'yes' })).body.split('\r\n')
  expect(csv.map((line) => line.split(',').slice(0, 4).join())).toEqual([
    '_by_unit_unit,_by_unit_Opening_qty__before,_by_unit_Opening_qty__after,_by_unit_Opening_qty__difference',
    ...['JAR,0.0000,0.0000,0.0000', 'KG,0.0000,0.0000,0.0000', ''],
  ])
})

sameOnBoth('the differences of the movements behind a figure add up to the difference of the figure', async () => {
  await twoVersions()
  await loadFiles(
    movements('M6,2024-03-10,other_receipt,FG1,Plant,B1,7,5,5,,,,,,,\nM7,2024-03-11,trash,FG1,Plant,B1,1,1,1,,,,,,,'),
  )
  const figures = (await ask({ against: 1 })).json().data[0].fields as Record<string, Record<string, string>>
  for (const [name, figure, column] of [
    ['Receipts_qty', 'Receipts', 'qty'],
    ['Receipts_OTH_qty', 'Receipts_OTH', 'qty'],
    ['Trashed_qty', 'Trashed', 'qty'],
    ['ThatPeriod_CrValue', 'Cr', 'value'],
    ['Closing_qty', 'Closing', 'qty'],
    ['Closing_active_qty', 'Active', 'qty'],
    ['final_value', 'Closing', 'value'],
  ] as const) {
    const { from_date, to_date } = MARCH
    const body = { from_date, to_date, sku: 'FG1', warehouse: 'Plant', figure }
    const behind = (await ask({ against: 1, fields: 'all' }, '/v1/inventory/movements', body)).json()
    const sum = (behind.data as { fields: Record<string, Record<string, string | null>> }[])
      .map(({ fields }) => fields[column])
      .reduce((sum, value) => minus(minus(sum, value?.['before'] ?? '0'), minus('0', value?.['after'] ?? '0')), '0')
    const { before = '', after = '' } = figures[name] ?? {}
    expect([name, Number(sum)]).toEqual([name, Number(minus(after, before))])
    expect(Number(sum)).not.toBe(0)
  }
})

/** The types of items in the books, by report. */
const STATUS: Record<string, string> = { 'inventory.fg-stock-status': 'ALL', 'inventory.mat-stock-status': 'RAW' }
const DAYS = { from_date: '2024-03-05', to_date: '2024-04-30' }

sameOnBoth(
  'after any loads, the differences of movements add up to the difference of every cell of the stock status',
  async () => {
    const changed = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(anyLoad, { minLength: 1, maxLength: runs(2, 6) }), async (sequence) => {
        await service.close()
        service = await startService({}, await openBooks())
        for (const { rows, replace } of sequence) await loadFiles(files(rows), replace)
        // The last load surely changes, removes and adds movements.
        const corrected = [
          'M6,2024-03-08,purchase_receipt,FG2,Depot,B2,5,12,13,,,,,PO2,G2,',
          'M20,2024-03-01,other_receipt,FG1,Plant,B1,3,4,5,,,,,,,',
          'M21,2024-03-06,trash,RM1,Plant,,1,2,2.5,,,,,,,',
        ]
        expect((await loadFiles(files({ stock_movements: corrected }))).committed).toBe(true)
        for (const report of reports.filter(({ id }) => STATUS[id] !== undefined))
          for (const body of someRequestsFor(report, DAYS, { ...CODES, type: [STATUS[report.id]] })) {
            const columns = explained(report).filter(({ behind }) => behind.sum !== undefined)
            const ask = async (path: string, body: unknown, query: Record<string, string | number>) => {
              const answer = await service.call({ path, body, query: { fields: 'all', ...query } })
              expect(answer.statusCode, answer.body).toBe(200)
              return answer.json().data
            }
            const [was, is] = [await ask(report.path, body, { as_known: 2 }), await ask(report.path, body, {})]
            const differences = await ask(report.path, body, { against: 2 })
            const keys = keyOf(report.shapeFor(body as never)).map(({ path = [] }) => path.join('.'))
            const id = (row: Row) => JSON.stringify(keys.map((name) => row[name]))
            const rows = new Map([...was, ...is].map((row: Row) => [id(row), row]))
            const found = new Map<string, Row[]>()
            for (const row of rows.values())
              for (const column of columns) {
                const behind = requestBehind(column, row, body, '')
                if (behind === undefined) continue
                const { path } = reports.find((one) => one.id === behind.report) as (typeof reports)[number]
                const asked = JSON.stringify(behind)
                found.set(asked, found.get(asked) ?? (await ask(path, behind.body, { against: 2, 'per-page': 5000 })))
                const units = (value: unknown) => parse((value as string | null | undefined) ?? '0', 4)
                const change = (one: Row | undefined, name: string) => {
                  const { before, after } = ((one?.['fields'] as Row | undefined)?.[name] ?? {}) as Row
                  return units(after) - units(before)
                }
                const movements = found.get(asked) as Row[]
                const behindSum = sum(movements.map((one) => change(one, column.behind.sum as string)))
                const cell = change(
                  differences.find(({ key }: { key: Row }) => id(key) === id(row)),
                  column.name,
                )
                const about = { report: report.id, body: behind.body, field: column.name }
                expect({ ...about, difference: format(behindSum, 4) }).toEqual({
                  ...about,
                  difference: format(cell, 4),
                })
                if (cell !== 0n) changed.add(`${report.id} ${column.name}`)
              }
          }
      }),
      { numRuns: runs(1, 15), endOnFailure: true },
    )
    for (const id of Object.keys(STATUS))
      expect([...changed].filter((name) => name.startsWith(id)).length).toBeGreaterThan(2)
  },
)

sameOnBoth('refuses what cannot be compared', async () => {
  await twoVersions()
  const refused = async (query: Record<string, string | number>) => (await ask({ against: 1, ...query })).json().errors
  const message = 'must be left out with against, whose records have the order of the report'
  expect(await refused({ since: 'start' })).toEqual([{ field: 'since', message }])
  expect(await refused({ sort: 'Closing_qty' })).toEqual([{ field: 'sort', message }])
  expect(await refused({ compare: 'previous' })).toEqual([{ field: 'compare', message }])
  expect((await ask({ against: 9 })).json().errors[0].field).toBe('against')
  expect((await ask({ against: 0 })).statusCode).toBe(410)
})

sameOnBoth('a filter finds the differences of records that hide a part of their key', async () => {
  await loadFiles(good)
  await loadFiles({ 'items.csv': 'sku,name,type,material_kind,unit\nRM1,Raw milk,MAT,RAW,L\n' })
  const bills = (query: Record<string, string>) =>
    service.call({ path: '/v1/production/bills', body: {}, query: { against: 1, ...query } })
  const [all, filtered] = [await bills({}), await bills({ filter: 'product_sku=FG1' })]
  expect(filtered.json().data).toEqual(all.json().data)
  expect(filtered.json().data).toEqual([
    {
      change: 'changed',
      key: { product_sku: 'FG1', kind: 'Component', material_code: 'RM1', _first_day: '0001-01-01' },
      fields: { material_name: { before: 'Milk', after: 'Raw milk' } },
    },
  ])
})
