/** The totals of a workbook say what they leave out. readers.test.ts computes their formulas again. */
import { strFromU8, unzipSync } from 'fflate'
import { expect, it } from 'vitest'
import xlsx, { MOST_ROWS } from '../../src/formats/xlsx.js'
import { viewed } from '../../src/kernel/report/view.js'
import { aboutAny, anyReport, encoded, recordsOf } from '../setup/any-records.js'

const record = (given: Record<string, unknown>) => ({
  ...{ key: 1, text: 'a', word: 'yes', amount: '1.10', price: '1.00', state: 'Open', unit: 'KG', quantity: '1.0000' },
  ...{ whole: '1', total: 1, day: '2026-01-31', returned: 'N/A', at: '2026-01-31 10:00:00', at12: null },
  ...{ time: '10:00:00', flag: 'true', names: ['a', 'b'], place: { city: null, code: 'c' }, items: [] },
  ...given,
})

/** The rows of a sheet of the workbook: cells by column, as `text`, `number` or `=formula number`. */
async function sheetOf(records: readonly object[], about = {}, index = 1): Promise<Record<string, string>[]> {
  const given = { ...(await recordsOf(records as never)), ...('total' in about && { total: about.total as number }) }
  const parts = unzipSync(await encoded(xlsx.encode(given, { ...aboutAny, ...about })))
  const xml = strFromU8(parts[`xl/worksheets/sheet${index}.xml`] as Uint8Array)
  return [...xml.matchAll(/<row r="\d+">(.*?)<\/row>/gs)].map(([, cells = '']) =>
    Object.fromEntries(
      [...cells.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(.*?)<\/c>/gs)].map(([, column, inside = '']) => {
        const [, formula] = /<f>(.*)<\/f>/.exec(inside) ?? []
        const [, text = ''] = /<(?:t|v)[^>]*>([^<]*)</.exec(inside) ?? []
        return [column, formula === undefined ? text : `=${formula} ${text}`]
      }),
    ),
  )
}

const view = (fields: string, more = {}) => ({ report: viewed(anyReport, {}, { fields, ...more }) })

it('sums follow the filters of the spreadsheet, and markers and lists are no text in cells of other types', async () => {
  const rows = await sheetOf(
    [record({ key: 1 }), record({ key: 2, amount: '2.20' })],
    view('key,amount,returned,names'),
  )
  // The report has cancelled documents, and these fields do not show which they are.
  expect(rows.at(-1)).toEqual({ A: 'No totals: add state to the fields, because cancelled documents do not count' })
  expect(rows[1]).toEqual({ A: '1', B: '1.10', D: 'a, b' })
  const shown = await sheetOf([record({ key: 1 }), record({ key: 2, amount: '2.20' })], view('key,amount,state'))
  expect(shown.at(-1)).toEqual({ A: 'Total of the rows shown', B: '=SUBTOTAL(109,B2:B3) 3.30' })
})

it('cancelled documents do not count, unless a filter names their state', async () => {
  const records = [record({ key: 1 }), record({ key: 2, state: 'Cancelled', amount: '7.00' })]
  expect((await sheetOf(records, view('key,amount,state'))).slice(-2)).toEqual([
    { A: 'Total without 1 cancelled', B: '=SUMIFS(B2:B3,C2:C3,&quot;&lt;&gt;Cancelled&quot;) 1.10' },
    { A: 'Rows shown, cancelled included', B: '=SUBTOTAL(109,B2:B3) 8.10' },
  ])
  const sorted = await sheetOf(records, view('key,amount,state', { sort: '-amount', filter: ['key>0'] }))
  expect(sorted.at(-2)).toMatchObject({ A: 'Total without 1 cancelled' })
  const filtered = await sheetOf(records, view('key,amount,state', { filter: ['state=Cancelled|Open'] }))
  expect(filtered.at(-1)).toEqual({ A: 'Total of the rows shown', B: '=SUBTOTAL(109,B2:B3) 8.10' })
})

it('quantities of several units are not added up', async () => {
  const records = [
    record({ key: 1 }),
    record({ key: 2, unit: 'PCS', quantity: '5.0000' }),
    record({ key: 3, unit: '' }),
  ]
  const rows = await sheetOf(records, view('key,quantity,unit,state'))
  expect(rows.slice(-5)).toEqual([
    { A: 'Total of the rows shown', B: 'several units' },
    { A: 'Total of each unit, of all rows' },
    { A: 'no unit', B: '=SUMPRODUCT(--EXACT(C2:C4,&quot;&quot;),B2:B4) 1.0000' },
    { A: 'KG', B: '=SUMIFS(B2:B4,C2:C4,&quot;KG&quot;) 1.0000' },
    { A: 'PCS', B: '=SUMIFS(B2:B4,C2:C4,&quot;PCS&quot;) 5.0000' },
  ])
  const [one] = (await sheetOf(records.slice(0, 1), view('key,quantity,unit,state'))).slice(-1)
  expect(one).toEqual({ A: 'Total of the rows shown', B: '=SUBTOTAL(109,B2:B2) 1.0000' })
  expect((await sheetOf(records, view('key,quantity,state'))).at(-1)).toMatchObject({ B: 'unit not shown' })
})

it('lines of cancelled documents do not count either', async () => {
  const items = [{ sku: 's', qty: '2.0000', unit: 'KG', note: null }]
  const records = [record({ key: 1, items }), record({ key: 2, state: 'Cancelled', items: [...items, ...items] })]
  const rows = await sheetOf(records, {}, 2)
  expect(rows[1]).toEqual({ A: '1', B: 'Open', C: 's', D: '2.0000', E: 'KG' })
  expect(rows.slice(-2)).toEqual([
    {
      A: 'Total without 2 lines of cancelled documents',
      D: '=SUMIFS(D2:D4,B2:B4,&quot;&lt;&gt;Cancelled&quot;) 2.0000',
    },
    { A: 'Rows shown, cancelled included', D: '=SUBTOTAL(109,D2:D4) 6.0000' },
  ])
})

it('a number that a cell cannot hold makes the sum a text, and a part of a report says so', async () => {
  const amount = '12345678901234567.89'
  const rows = await sheetOf([record({ key: 1 }), record({ key: 2, amount })], {
    ...view('key,amount,state'),
    total: 7,
  })
  expect(rows.at(-1)).toEqual({ A: 'Total of the rows shown, 2 of 7 records only', B: '12345678901234568.99' })
})

it('a record of totals and a table of changes have no sums below', async () => {
  const changes = { changes: { token: '', removed: await recordsOf([]) } }
  expect(await sheetOf([record({ key: 1 })], { ...view('key,amount,state'), ...changes })).toHaveLength(2)
  const totals = viewed(anyReport, {}, { totals: 'yes' })
  const sums = { rows: 1, amount: '1.00', quantity: '1.0000', total: '1.00', _cancelled: 0, _by_unit: [] }
  expect(await sheetOf([sums], { report: totals })).toHaveLength(2)
})

it('a report that fills its sheets is refused before anything is sent, by its records or by its lines', async () => {
  const given = (count: number, lines: number) => ({
    ...{ count, total: count, size: count * 100 + lines * 100 },
    async *texts() {
      const of = (length: number) => Buffer.from(JSON.stringify({ key: 1, items: Array.from({ length }, () => ({})) }))
      const thousand = of(1000)
      for (let left = lines; left > 0; left -= 1000) yield [left >= 1000 ? thousand : of(left)]
    },
  })
  const check = (count: number, lines: number, options = {}) =>
    xlsx.check(given(count, lines) as never, { ...aboutAny, options })
  await expect(check(MOST_ROWS - 1, 0)).resolves.toBeUndefined()
  await expect(check(MOST_ROWS, 0)).rejects.toMatchObject({ status: 422 })
  await expect(check(1, MOST_ROWS - 1)).resolves.toBeUndefined()
  await expect(check(1, MOST_ROWS)).rejects.toMatchObject({
    errors: [{ field: 'format', message: expect.stringContaining('lines=no') }],
  })
  await expect(check(1, MOST_ROWS, { lines: 'no' })).resolves.toBeUndefined()
})
