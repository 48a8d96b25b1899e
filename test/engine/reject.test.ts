/** A load with `--reject` stores what a load of the books without the rejected rows would store, or it is refused. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readLoads } from '../../src/import/load-log.js'
import { type LoadOptions, load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import type { RejectedRow } from '../../src/import/pipeline/rejects.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { booksForThisTest, files, loadBooks } from '../setup/books.js'
import { databaseForThisTest, remember, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { change, good } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { stored } from '../setup/stored.js'
import { inLongTier, long, runs, sameOnBoth } from '../setup/tier.js'

type Files = Record<string, string>

async function rejecting(database: TestDatabase, loaded: Files, options: LoadOptions & { most?: number } = {}) {
  let rows: readonly RejectedRow[] = []
  let written = 0
  const { most, ...more } = options
  const result = await load(database, findFiles(folderOf(loaded)), {
    ...more,
    reject: {
      most,
      write: async (found) => {
        rows = found
        written++
      },
    },
  })
  return { ...result, rows, written, lines: result.errors.first.map(problemLine) }
}

const withRow = (file: string, row: string): Files => ({ [file]: `${good[file]}${row}\n` })

it('wrong rows are written with key, reasons and cells, and the rest is loaded', async () => {
  const [database, clean] = [await databaseForThisTest(), await databaseForThisTest()]
  const bad = {
    ...good,
    ...withRow('items.csv', 'RM2 ,Sugar,MAT,RAW,KG,\nFG9,Whey,FG,,L,ten'),
    ...withRow('vendors.csv', ',Total'),
    ...withRow('stock_movements.csv', 'M9,2024-03-10,other_receipt,RM9,Plant,,1,1,1,,,,,,,'),
  }
  const { errors, rejected, rows, committed, written, lines } = await rejecting(database, bad)
  expect([lines, errors.count, committed, written]).toEqual([[], 0, true, 1])
  expect(rejected).toEqual({
    ...{ count: 4, most: 10, tooMany: false, kept: 0 },
    entities: { items: 2, vendors: 1, stock_movements: 1 },
  })
  expect(rows.map(({ entity, line, key }) => [entity, line, key])).toEqual([
    ['items', 5, { sku: 'RM2 ' }],
    ['items', 6, { sku: 'FG9' }],
    ['vendors', 3, { code: null }],
    ['stock_movements', 7, { movement_no: 'M9' }],
  ])
  expect(rows[1]).toEqual({
    ...{ entity: 'items', file: 'items.csv', line: 6, key: { sku: 'FG9' } },
    reasons: [{ column: 'mrp', value: 'ten', message: expect.stringMatching(/^expected a decimal/) }],
    row: expect.objectContaining({ sku: 'FG9', name: 'Whey', mrp: 'ten' }),
  })
  expect(rows[3]?.reasons).toEqual([{ column: 'sku', value: 'RM9', message: 'there is no such row in items' }])
  await load(clean, findFiles(folderOf(good)))
  expect(await stored(database)).toEqual(await stored(clean))
  const { loads } = await readLoads(database.db, { limit: 1 })
  expect(loads[0]?.rejected).toBe(4)
})

it('the same wrong rows are rejected again by the next load, also if no file changed', async () => {
  const database = await databaseForThisTest()
  const folder = findFiles(folderOf({ ...good, ...withRow('vendors.csv', 'V2 ,Blank\nV3,') }))
  for (const [version, unread] of [
    [1, 0],
    [1, Object.keys(good).length - 1],
  ] as const) {
    const { rejected, ...result } = await load(database, folder, {
      incremental: true,
      reject: { write: async () => {} },
    })
    expect([rejected?.count, result.dataVersion, result.unread.length]).toEqual([2, version, unread])
  }
})

inLongTier('a load is refused if an accepted row refers to a rejected one, and the error names both', async () => {
  const database = await databaseForThisTest()
  const head = await rejecting(database, { ...good, ...change('sales_orders.csv', '2024-03-06', '06.03.2024') })
  const refers = (row: string, to: 'head' | 'line') => {
    const [missing, rejected] = {
      head: ['sales_orders', 'sales_orders.csv:2 (order_no SO1)'],
      line: ['sales_order_items (by order_no, order_line_no)', 'sales_order_items.csv:2 (order_no SO1, line_no 1)'],
    }[to]
    return `${row}: order_no = "SO1": there is no such row in ${missing}: ${rejected} is rejected, and this row refers to it; correct that row, or remove this one`
  }
  expect([head.committed, head.lines]).toEqual([
    false,
    [
      refers('returns.csv:2 (order_no SO1, return_no R1, order_line_no 1)', 'line'),
      refers('invoices.csv:2 (invoice_no I1)', 'head'),
      refers('invoice_items.csv:2 (invoice_no I1, line_no 1)', 'line'),
      refers('stock_movements.csv:5 (movement_no M4)', 'line'),
      refers('stock_movements.csv:6 (movement_no M5)', 'line'),
    ],
  ])
  expect(head.rows.map(({ entity }) => entity)).toEqual(['sales_orders', 'sales_order_items'])
  // The blank is in one of two places.
  const code = await rejecting(database, { ...good, ...change('vendors.csv', 'V1', 'V1 ') })
  expect([code.committed, code.lines[0]]).toEqual([
    false,
    'purchase_orders.csv:2 (po_no PO1): vendor_code = "V1": there is no such row in vendors: vendors.csv:2 (code V1 ) is rejected, and this row refers to it; correct that row, or remove this one',
  ])
  const item = await rejecting(database, { ...good, ...change('items.csv', 'L,\n', 'L,x\n') })
  const nameless = await rejecting(database, { ...good, ...change('customers.csv', 'C1', '') })
  expect(nameless.lines).toEqual([
    expect.stringMatching(/customers\.csv:2 \(code empty\) is rejected, and this row may refer to it/),
  ])
  expect([item.committed, item.lines[0]]).toEqual([
    false,
    expect.stringMatching(/there is no such row in items: items\.csv:3 \(sku RM1\) is rejected/),
  ])
  expect(await database.db`select from data_version where version > 0`).toEqual([])
})

inLongTier('a document with a rejected line is rejected as a whole, and its other rows name that line', async () => {
  const [database, clean] = [await databaseForThisTest(), await databaseForThisTest()]
  const line = (no: string, n: number, qty: string) => `${no},SO1,${n},1,${qty},10,20,12,2.4,,,,,22.4`
  const bad = {
    ...good,
    ...withRow(
      'invoices.csv',
      'I3,SO1,2024-03-07 09:30:00,2024-04-07,40,4.8,44.8,44.8\nI4,,2024-03-08 09:30:00,2024-04-07,20,2.4,22.4,22.4',
    ),
    ...withRow(
      'invoice_items.csv',
      `${line('I3', 1, 'two')}\n${line('I3', 2, '2')}\n${line('I4', 1, '-').replace('SO1', '').replace(',1,1,', ',1,,')}`,
    ),
    'invoice_taxes.csv': 'invoice_no,line_no,name,amount\nI1,1,IGST,2.4\nI3,1,IGST,2.4\nI3,0,IGST,4.8\n',
    ...withRow('work_orders.csv', 'WO2,FG1,Plant,Open,10,2024-03-05,2024-03-06'),
    ...withRow('work_order_items.csv', 'WO2,1,RM1,Component,3\nWO2,2,RM9,Component,3'),
    ...withRow('bom.csv', 'CMB1,RM1,1\nCMB1,FG1,none'),
  }
  const { rows, committed, lines, rejected } = await rejecting(database, bad, { most: 20 })
  expect([lines, committed, rejected?.count]).toEqual([[], true, 12])
  const said = rows.map(({ entity, line, reasons }) => [entity, line, reasons[0]?.message])
  const because = (what: string) => `${what} was rejected`
  expect(said).toEqual(
    expect.arrayContaining([
      ['invoices', 3, because('line 1 of invoice I3')],
      ['invoices', 4, because('line 1 of invoice I4')],
      ['invoice_items', 4, because('line 1 of invoice I3')],
      ['invoice_taxes', 3, because('line 1 of invoice I3')],
      ['invoice_taxes', 4, because('line 1 of invoice I3')],
      ['work_orders', 3, because('line 2 of work order WO2')],
      ['work_order_items', 3, because('line 2 of work order WO2')],
      ['bom', 3, because('component FG1 of the bill of materials of CMB1')],
    ]),
  )
  expect(await database.db`select invoice_no from invoice union select invoice_no from invoice_line`).toEqual([
    { invoice_no: 'I1' },
  ])
  await load(
    clean,
    findFiles(folderOf({ ...good, 'invoice_taxes.csv': 'invoice_no,line_no,name,amount\nI1,1,IGST,2.4\n' })),
  )
  expect(await stored(database)).toEqual(await stored(clean))
  // A goods receipt and movements refer to the order of a wrong line.
  const used = await rejecting(await databaseForThisTest(), {
    ...good,
    ...change('purchase_order_items.csv', 'RM1,5', 'RM1,x'),
  })
  expect([
    used.committed,
    used.lines.some((one) => one.includes('purchase_orders.csv:2 (po_no PO1) is rejected, and this row refers to it')),
  ]).toEqual([false, true])
})

it('a stored row whose new version is rejected stays as it is, even if its file replaces all rows', async () => {
  const database = await booksForThisTest()
  const before = await stored(database)
  const replace = { replace: ['vendors'] }
  const changed = { 'vendors.csv': 'code,name\nV1 ,Renamed\n' }
  const one = await rejecting(database, { 'vendors.csv': `${changed['vendors.csv']}V7,New\n` }, replace)
  expect([one.lines, one.rejected?.count, one.rejected?.kept]).toEqual([[], 1, 1])
  expect(await database.db`select code, name from vendor order by code`).toEqual([
    { code: 'V1', name: 'Vendor' },
    { code: 'V7', name: 'New' },
  ])
  // Of V7, nothing is left: it is removed, and V1 stays again.
  const two = await rejecting(database, { 'vendors.csv': `${changed['vendors.csv']}V8,Other\n` }, replace)
  expect([two.lines, two.entities['vendors'], two.rejected?.kept]).toEqual([
    [],
    { new: 1, changed: 0, same: 0, removed: 1 },
    1,
  ])
  // A row without a readable key may be any stored row; an empty one is none.
  const three = await rejecting(database, { 'vendors.csv': 'code,name\nV1,Vendor\n,Nameless\n' }, replace)
  expect([three.lines, three.entities['vendors']?.removed, three.rejected?.kept]).toEqual([[], 0, 0])
  const four = await rejecting(database, { 'vendors.csv': 'code,name\nV1,Vendor\n"",""\n' }, replace)
  expect([four.lines, four.rejected?.count, four.entities['vendors']?.removed]).toEqual([[], 1, 1])
  expect(await stored(database)).toEqual(before)
  // Only wrong rows: the source is wrong, not the stored rows.
  const five = await rejecting(database, { 'vendors.csv': 'code,name\nX1 ,A\n' }, replace)
  expect([five.lines, five.entities['vendors']?.removed]).toEqual([[], 0])
})

sameOnBoth('of a key that can be read in part, the stored rows with this part stay', async () => {
  const database = await booksForThisTest()
  const lines =
    'order_no,line_no,sku,qty,rate,effective_rate,taxable_amt,tax_amt,total_amt\nSO1,one,FG1,2,10,10,20,2.4,22.4\n'
  const { rejected, ...result } = await rejecting(
    database,
    { 'sales_order_items.csv': `${lines}SO2,1,CMB1,2,10,10,20,0,20\n` },
    { replace: ['sales_order_items'] },
  )
  expect([result.lines, rejected?.kept]).toEqual([[], 1])
  expect(await database.db`select order_no, line_no from sales_order_line order by 1`).toEqual([
    { order_no: 'SO1', line_no: 1 },
    { order_no: 'SO2', line_no: 1 },
  ])
})

sameOnBoth(
  'a row that changes the unit, type or factor by which other rows count is not rejected: the load is refused',
  async () => {
    const database = await booksForThisTest()
    const head = 'sku,name,type,material_kind,unit,mrp\n'
    const renamed = await rejecting(database, { 'items.csv': `${head}RM1,Milk,MAT,RAW,L,x\n` })
    expect([renamed.lines, renamed.rejected?.kept]).toEqual([[], 1])
    const inLitres = await rejecting(database, { 'items.csv': `${head}RM1,Milk,MAT,RAW,ML,x\n` })
    expect(inLitres.lines).toEqual([
      'items.csv:2 (sku RM1): type, unit: the row cannot be rejected, because it may change type or unit, which decide what other rows mean; correct it',
    ])
    await load(database, findFiles(folderOf({ 'item_units.csv': 'sku,unit,factor\nRM1,CAN,10\n' })))
    const factor = await rejecting(database, { 'item_units.csv': 'sku,unit,factor\nRM1,CAN,ten\n' })
    expect([factor.committed, factor.lines.length]).toEqual([false, 1])
  },
)

sameOnBoth('of rows with equal keys none is trusted; the account and the header cannot be rejected', async () => {
  const database = await databaseForThisTest()
  const twice = await rejecting(database, { ...good, ...withRow('vendors.csv', 'V2,A\nV3,C\nV2,B') })
  expect([twice.lines, twice.rows.map(({ line, reasons }) => [line, reasons[0]?.message])]).toEqual([
    [],
    [
      [3, 'there is a later row with the same code'],
      [5, 'there is an earlier row with the same code'],
    ],
  ])
  const account = await rejecting(database, change('account.csv', 'Asia/Kolkata', 'Mars'))
  expect([account.committed, account.lines]).toEqual([
    false,
    [expect.stringMatching(/^account\.csv:2: time_zone = "Mars": expected the name of a time zone/)],
  ])
  const header = await rejecting(database, change('vendors.csv', 'name', 'nam'))
  expect([header.committed, header.lines.length]).toEqual([false, 2])
})

sameOnBoth('more wrong rows than the limit refuse the load', async () => {
  const database = await databaseForThisTest()
  const many = (n: number) => withRow('vendors.csv', Array.from({ length: n }, (_, i) => `W${i} ,Name`).join('\n'))
  const ten = await rejecting(database, { ...good, ...many(10) })
  expect([ten.committed, ten.rejected?.most]).toEqual([true, 10])
  for (const [n, most] of [
    [11, undefined],
    [3, 2],
  ] as const) {
    const over = await rejecting(database, { ...good, ...many(n) }, most === undefined ? {} : { most })
    expect([over.committed, over.rejected?.tooMany, over.errors.count]).toEqual([false, true, n])
    expect(over.lines[0]).toMatch(/^vendors\.csv:3: code = "W0 ": expected a code/)
  }
  const rules = Array.from({ length: 12 }, (_, i) => `R${i},Rule,FG,RAW,KG,`).join('\n')
  const between = await rejecting(database, { ...good, ...withRow('items.csv', rules) })
  expect([between.committed, between.rejected?.tooMany]).toEqual([false, true])
})

it('if the rejected rows cannot be written, nothing is loaded', async () => {
  const database = await databaseForThisTest()
  const write = () => Promise.reject(new Error('no space left'))
  await expect(
    load(database, findFiles(folderOf({ ...good, ...withRow('vendors.csv', 'V2 ,A') })), { reject: { write } }),
  ).rejects.toThrow('no space left')
  expect(await database.db`select from vendor`).toEqual([])
})

/** Cells that no column accepts, or that only look like another key. */
const spoil = (row: string, at: number, how: 'blank' | 'empty' | 'word') =>
  row
    .split(',')
    .map((cell, i, all) => (i !== at % all.length ? cell : how === 'blank' ? `${cell} ` : how === 'empty' ? '' : 'x#'))
    .join(',')

const anyStep = fc.record({
  load: anyLoad,
  spoilt: fc.array(
    fc.record({ entity: fc.nat(), row: fc.nat(), at: fc.nat(), how: fc.constantFrom('blank', 'empty', 'word') }),
    { maxLength: 2 },
  ),
})

sameOnBoth('any loads: as the load without the rejected rows, or refused and nothing changed', async () => {
  const [database, model] = [await databaseForThisTest(), await databaseForThisTest()]
  let [loaded, refused, rejected] = [0, 0, 0]
  await Promise.all([database, model].map(loadBooks))
  const restore = await Promise.all([database, model].map(remember))
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (steps) => {
      await Promise.all(restore.map((one) => one()))
      for (const { load: step, spoilt } of steps) {
        const rows = Object.fromEntries(Object.entries(step.rows).map(([name, list]) => [name, [...list]]))
        for (const { entity, row, at, how } of spoilt) {
          const list = Object.values(rows)[entity % Object.keys(rows).length] as string[]
          list[row % list.length] = spoil(list[row % list.length] as string, at, how as 'blank')
        }
        const before = await stored(database)
        const found = await rejecting(database, files(rows), { replace: step.replace, incremental: true, most: 100 })
        if (found.errors.count > 0) {
          refused++
          expect(await stored(database)).toEqual(before)
          continue
        }
        loaded++
        rejected += found.rows.length
        // The model does not know which stored rows a rejected row keeps from being removed.
        if (found.rows.length > 0 && step.replace.length > 0) break
        const isRejected = new Set(found.rows.map(({ file, line }) => `${file} ${line}`))
        const rest = Object.fromEntries(
          Object.entries(files(rows)).map(([file, text]) => [
            file,
            text
              .split('\n')
              .filter((_, i) => !isRejected.has(`${file} ${i + 1}`))
              .join('\n'),
          ]),
        )
        const expected = await load(model, findFiles(folderOf(rest)), { replace: step.replace, incremental: true })
        expect(expected.errors.first.map(problemLine)).toEqual([])
        expect(await stored(database)).toEqual(await stored(model))
      }
      const findings = await verify(database, { rebuild: false })
      expect(findings.filter(({ kind }) => kind !== 'disagreement')).toEqual([])
    }),
    { numRuns: runs(2, 100) },
  )
  if (long) expect([loaded, refused, rejected].map((n) => n > 0)).toEqual([true, true, true])
})
