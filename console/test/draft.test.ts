/** Corrections of a proposed mapping in the page that brings in files. */
import { describe, expect, it } from 'vitest'
import {
  addRule,
  changeRule,
  dayOrder,
  draftOf,
  formsOf,
  inDayOrder,
  keyWithYear,
  leftOut,
  mappingOf,
  missing,
  partsOfKey,
  readAs,
  removeRule,
  rulesOf,
  setConstant,
  setLeftOut,
  useAs,
  usesOf,
} from '../src/operate/bring/draft.js'
import type { FoundColumn, Given, Proposal, Table } from '../src/operate/bring/model.js'

const column = (letter: string, heading: string, name = heading): FoundColumn => ({
  ...{ letter, heading, name, kind: 'text', units: [], currencies: [], examples: [], filled: 1 },
})
const table = (id: string, file: string, rules: Table['rules']): Table => ({
  ...{ id, sheets: [{ file, sheet: 'Apr', hidden: false, rows: 3 }], header: { first: 3, last: 3 } },
  ...{ columns: [], sample: [], rules, doubts: [] },
})
const items: Given = { file: 'stock.xlsx', sheet: 'Apr', header: '3', columns: { sku: 'Code', name: 'Item' } }
const orders: Given = {
  ...{ file: 'sales.xlsx', columns: { order_no: { text: '{No}/{Date|year}' }, order_date: 'Date' } },
}
const doubts = [{ column: 'sku', reason: 'two columns could be it' }]
const proposal: Pick<Proposal, 'mapping' | 'tables'> = {
  mapping: { dates: ['DD-MM-YYYY'], entities: { items, sales_orders: [orders] } },
  tables: [table('stock', 'stock.xlsx', [{ entity: 'items', given: items, doubts }]), table('other', 'other.xlsx', [])],
}

describe('a draft', () => {
  it('gives the mapping that it was made from, and rules that read none of the files stay', () => {
    const draft = draftOf(proposal)
    expect(mappingOf(draft)).toEqual({ dates: ['DD-MM-YYYY'], entities: { items: [items], sales_orders: [orders] } })
    expect(draft.rules.map(({ entity, tables }) => [entity, tables])).toEqual([
      ['items', ['stock']],
      ['sales_orders', []],
    ])
    expect(rulesOf(draft, proposal.tables[0] as Table).map(({ rule }) => rule.doubts)).toEqual([doubts])
  })

  it('takes one more entity from a sheet, with the same files, sheet and header', () => {
    const [stock, other] = proposal.tables as [Table, Table]
    const more = addRule(draftOf(proposal), stock, 'stock_movements')
    expect(rulesOf(more, stock).at(-1)?.rule.given).toEqual({
      ...{ file: 'stock.xlsx', sheet: 'Apr', header: '3', columns: {} },
    })
    const first = addRule(more, other, 'items')
    expect(mappingOf(first).entities['items']).toEqual([
      items,
      { file: 'other.xlsx', sheet: 'Apr', header: '3', columns: {} },
    ])
    expect(mappingOf(removeRule(first, 0)).entities['items']).toHaveLength(1)
    const changed = changeRule(first, 0, (given) => ({ ...given, header: '4' }))
    expect(changed.rules.map(({ given }) => given.header)).toEqual(['4', undefined, '3', '3'])
  })

  it('forgets a doubt once a person has changed its column, and no other doubt', () => {
    const draft = draftOf(proposal)
    const about = (next: typeof draft) => next.rules[0]?.doubts
    expect(about(changeRule(draft, 0, (given) => ({ ...given, header: '4' })))).toEqual(doubts)
    expect(about(changeRule(draft, 0, (given) => setConstant(given, 'type', 'FG')))).toEqual(doubts)
    expect(about(changeRule(draft, 0, (given) => setConstant(given, 'sku', 'A')))).toEqual([])
    expect(about(changeRule(draft, 1, (given) => setConstant(given, 'sku', 'A')))).toEqual(doubts)
  })
})

describe('a column of a sheet', () => {
  it('is found by its name, letter or heading, alone or as a part of a text', () => {
    expect(usesOf(items, column('A', 'Code'))).toEqual([{ name: 'sku', from: 'Code', part: false }])
    expect(usesOf({ columns: { qty: '[F]' } }, column('F', 'Inwards / Qty', '[F]'))).toHaveLength(1)
    expect(usesOf({ columns: { qty: 'Qty' } }, column('F', 'Inwards / Qty'))).toHaveLength(1)
    expect(usesOf(orders, column('B', 'Date')).map(({ name, part }) => [name, part])).toEqual([
      ['order_no', true],
      ['order_date', false],
    ])
    expect(usesOf({ columns: { line_no: { count: 'No' } } }, column('A', 'No'))).toEqual([
      { name: 'line_no', from: { count: 'No' }, part: true },
    ])
    expect(usesOf(orders, column('C', 'Dates'))).toEqual([])
  })

  it('becomes another column of the import, in place of the one it was, and keeps its fill', () => {
    const given: Given = {
      columns: { a: 'A', sku: { column: 'Code', fill: 'down' }, b: 'B' },
      constants: { name: 'x' },
    }
    const code = column('A', 'Code')
    const [use] = usesOf(given, code)
    const changed = useAs(given, code, 'name', use)
    expect(changed).toEqual({ columns: { a: 'A', name: { column: 'Code', fill: 'down' }, b: 'B' }, constants: {} })
    expect(Object.keys(changed.columns ?? {})).toEqual(['a', 'name', 'b'])
    expect(useAs(given, code, undefined, use).columns).toEqual({ a: 'A', b: 'B' })
    expect(useAs(given, code, 'b', undefined).columns).toEqual({
      ...{ a: 'A', sku: given.columns?.['sku'] },
      b: 'Code',
    })
  })

  it('is read as a name, a unit or a sum, and filled from above; other words for values stay', () => {
    const given: Given = { columns: { sku: { column: 'Item', values: { Old: 'NEW' } } } }
    const [use] = usesOf(given, column('A', 'Item'))
    if (use === undefined) throw new Error('no use')
    const read = (...how: [Parameters<typeof readAs>[2], boolean]) => readAs(given, use, ...how).columns?.['sku']
    expect(read('code', true)).toEqual({ code: 'Item', fill: 'down' })
    expect(read('unit', true)).toEqual({ column: 'Item', take: 'unit', values: { Old: 'NEW' } })
    expect(read('sum', false)).toEqual({ sum: 'Item' })
    expect(read('value', true)).toEqual({ column: 'Item', values: { Old: 'NEW' }, fill: 'down' })
    expect(readAs({ columns: { sku: 'Item' } }, { ...use, from: 'Item' }, 'value', false).columns).toEqual({
      sku: 'Item',
    })
  })
})

it('constants, rows that are left out, and what is missing', () => {
  const given = setConstant(items, 'type', 'MAT')
  expect(missing(given, ['sku', 'type', 'unit'])).toEqual(['unit'])
  expect(setConstant(given, 'type', undefined).constants).toEqual({})
  const total = { column: 'Item', like: '*total*' }
  expect(leftOut(setLeftOut({ leave_out: total }, [total, { column: 'Code' }]))).toEqual([total, { column: 'Code' }])
  expect(setLeftOut({ leave_out: total }, [])).toEqual({})
})

it('a key has the year of a date, because numbers begin anew each year', () => {
  expect(partsOfKey(keyWithYear('No', 'Date'))).toEqual({ number: 'No', date: 'Date' })
  expect(partsOfKey({ column: 'No', fill: 'down' })).toEqual({ number: 'No', date: undefined })
  expect(partsOfKey({ text: '{No}-{Branch}' })).toBeUndefined()
})

it('another order of day and month keeps times and names of months', () => {
  const forms = ['DD/MM/YYYY hh:mm AM', 'DD-MMM-YY', 'YYYY/MM/DD']
  expect([dayOrder(forms), dayOrder(['MM.DD.YY']), dayOrder(['MMM DD, YYYY']), dayOrder([])]).toEqual([
    ...['DD-MM-YYYY', 'MM-DD-YYYY', '', ''],
  ])
  const american = inDayOrder(forms, 'MM-DD-YYYY')
  expect(american[0]).toBe('MM/DD/YYYY hh:mm AM')
  expect(american).toEqual(expect.arrayContaining(['MM-DD-YYYY', 'MM.DD.YY', 'DD-MMM-YY', 'YYYY/MM/DD']))
  expect(american.some((form) => form.startsWith('DD/MM'))).toBe(false)
  expect(inDayOrder(american, 'DD-MM-YYYY')[0]).toBe('DD/MM/YYYY hh:mm AM')
  expect(inDayOrder(forms, '')).toEqual(['DD-MMM-YY', 'YYYY/MM/DD'])
  expect(formsOf(undefined)).toEqual([])
})
