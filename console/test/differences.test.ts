/** What changed between two versions: rows of the table, their sums, and the loads that changed them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minus } from '../../src/kernel/report/difference.js'
import { type KeyPart, type Row, valueIn } from '../src/catalogue.js'
import {
  CHANGE,
  changedIn,
  contribution,
  differenceOf,
  filled,
  filtersFor,
  isChanged,
  rowOf,
  type SentDifference,
} from '../src/differences.js'
import { sum } from '../src/numbers.js'
import { type Cause, causes } from '../src/report/causes.js'

interface Record {
  readonly no: string
  readonly qty: string
  readonly billing: { readonly city: string | null }
}

const records = fc
  .uniqueArray(
    fc.record({
      no: fc.constantFrom('A', 'B', 'C|1', 'D\\', 'E'),
      qty: fc.integer({ min: -9999, max: 9999 }).map((n) => (n / 100).toFixed(2)),
      billing: fc.record({ city: fc.constantFrom('Pune', 'Indore', null) }),
    }),
    { selector: ({ no }) => no },
  )
  .map((list) => new Map(list.map((record): [string, Record] => [record.no, record])))
type State = ReadonlyMap<string, Record>

const KEY: KeyPart[] = [{ column: 'no', descending: false, path: ['no'] }]
const FIELDS = ['qty', 'billing.city'] as const
const at = (record: Record | undefined, name: string) =>
  record === undefined ? null : valueIn(record as unknown as Row, name.split('.'))

/** As the service compares two states. */
function differ(before: State, after: State): SentDifference[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((no): SentDifference[] => {
    const [was, is] = [before.get(no), after.get(no)]
    const fields = FIELDS.filter((name) => was === undefined || is === undefined || at(was, name) !== at(is, name))
    if (fields.length === 0) return []
    const change = was === undefined ? 'new' : is === undefined ? 'gone' : 'changed'
    const both = fields.map((name) => [name, { before: at(was, name), after: at(is, name) }])
    return [{ change, key: { no }, fields: Object.fromEntries(both) }]
  })
}
const total = (state: State) => sum([...state.values()].map(({ qty }) => qty))

describe('a row of differences', () => {
  it('has the record after, or before if it is gone, and knows the one before', () => {
    fc.assert(
      fc.property(records, records, (before, after) => {
        const rows = differ(before, after).map((sent) => rowOf(sent))
        const whole = filled({ key: KEY }, rows, [...after.values()] as unknown as Row[])
        for (const row of whole) {
          const { [CHANGE]: change, ...record } = row
          const [was, is] = [before.get(String(row['no'])), after.get(String(row['no']))]
          expect(change).toBe(was === undefined ? 'new' : is === undefined ? 'gone' : 'changed')
          expect(record).toEqual(is ?? was)
          if (change === 'changed') {
            expect(differenceOf(row)?.before).toEqual(was)
            for (const name of FIELDS) expect(isChanged(row, { name })).toBe(at(was, name) !== at(is, name))
          }
        }
        const names = whole.filter((row) => row[CHANGE] === 'changed').flatMap((row) => [...changedIn([row])])
        expect(changedIn(whole)).toEqual(new Set(names))
      }),
    )
  })

  it('adds to the difference of the sums what they differ by', () => {
    fc.assert(
      fc.property(records, records, (before, after) => {
        const rows = differ(before, after).map((sent) => rowOf(sent))
        const difference = minus(total(after), total(before))
        expect(Number(sum(rows.map((row) => contribution(row, 'qty'))))).toBe(Number(difference))
      }),
    )
  })

  it('without the values that did not change has none of them', () => {
    const row = rowOf({ change: 'changed', key: { no: 'A' }, fields: { qty: { before: '1', after: '2' } } })
    expect(row).toEqual({ no: 'A', qty: '2', [CHANGE]: 'changed' })
    expect(contribution(row, 'value')).toBe('0')
  })
})

describe('the filters that find records by their keys', () => {
  it('are short enough, and name every key once', () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({ sku: `FG-${at}|`, warehouse: `W${at % 7}` }))
    const key = ['sku', 'warehouse'].map((name) => ({ column: name, descending: false, path: [name] }))
    const filters = filtersFor(key, rows)
    for (const conditions of filters) for (const text of conditions) expect(text.length).toBeLessThanOrEqual(500)
    const named = filters.flatMap(([text = '']) => text.slice('sku='.length).split(/(?<!\\)\|/))
    expect(named).toEqual(rows.map(({ sku }) => sku.replace('|', '\\|')))
  })

  it('are none if the records hide a part of their key', () => {
    expect(filtersFor([...KEY, { column: 'line_no', descending: false, path: undefined }], [{ no: 'A' }])).toEqual([])
  })
})

/** Every cause, and the number of comparisons that it took. */
async function found(states: readonly State[], isKept: (version: number) => boolean = () => true) {
  let asked = 0
  const between = (from: number, to: number) => differ(states[from] as State, states[to] as State)
  const ask = async (from: number, to: number) => {
    asked++
    return isKept(from) && isKept(to) ? between(from, to) : undefined
  }
  const last = states.length - 1
  const all: Cause<SentDifference>[] = []
  for await (const cause of causes(ask, 0, last, between(0, last))) all.push(cause)
  return { all, asked, between }
}

describe('the loads that changed records', () => {
  it('are found from the newest to the oldest, and their differences add up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(records, { minLength: 2, maxLength: 12 }), async (states) => {
        const { all, between } = await found(states)
        for (const { after, version, found } of all) {
          expect(after).toBe(version - 1)
          expect(found).toEqual(between(after, version))
        }
        const versions = all.map(({ version }) => version)
        expect(versions).toEqual([...versions].sort((a, b) => b - a))
        const [first, last] = [states[0] as State, states.at(-1) as State]
        const sums = all.flatMap(({ found }) => found.map((sent) => contribution(rowOf(sent), 'qty')))
        expect(Number(sum(sums))).toBe(Number(minus(total(last), total(first))))
      }),
    )
  })

  it('take few comparisons: one load of a thousand takes twenty', async () => {
    const [before, after] = [new Map(), new Map([['A', { no: 'A', qty: '1', billing: { city: null } }]])]
    const states = Array.from({ length: 1001 }, (_, version) => (version < 637 ? before : after))
    const { all, asked } = await found(states)
    expect(all.map(({ version }) => version)).toEqual([637])
    expect(asked).toBeLessThanOrEqual(20)
  })

  it('are one where the versions between are no longer kept', async () => {
    const states = ['1', '2', '3', '4', '5'].map((qty) => new Map([['A', { no: 'A', qty, billing: { city: null } }]]))
    const { all } = await found(states, (version) => version === 0 || version >= 3)
    expect(all.map(({ after, version }) => [after, version])).toEqual([
      [3, 4],
      [0, 3],
    ])
  })
})
