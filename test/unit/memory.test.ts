/** The memory cache: bounded in bytes, evicting the least recently used values. */
import { expect, it } from 'vitest'
import { KeptRecords } from '../../src/kernel/answer/answer.js'
import { Memory } from '../../src/store/memory.js'
import type { SnapshotFolder } from '../../src/store/snapshots.js'

const LIMIT = 80_000

function filled(...keys: string[]) {
  const memory = new Memory<{ key: string }>(LIMIT)
  const keep = (key: string, bytes = 5000) => {
    const value = { key }
    memory.set(key, value, bytes)
    return value
  }
  for (const key of keys) keep(key)
  return { memory, keep }
}
const present = (memory: Memory<{ key: string }>, keys: string[]) => keys.filter((key) => memory.get(key) !== undefined)

it('evicts the least recently used values, as many as needed', () => {
  const keys = [...'abcdefghijkl']
  const { memory, keep } = filled(...keys)
  memory.get('a')
  keep('m')
  keep('n')
  expect(present(memory, [...keys, 'm', 'n'])).toEqual(['a', ...'defghijkl', 'm', 'n'])
})

it('counts the overhead of an entry, so that empty values are bounded too', () => {
  const { memory, keep } = filled()
  const keys = Array.from({ length: 1000 }, (_, i) => `empty ${i}`)
  for (const key of keys) keep(key, 0)
  expect(present(memory, keys).length).toBeLessThan(LIMIT / 1000)
})

it('counts the growth of a value that is set again', () => {
  const { memory, keep } = filled(...'abcdefghij')
  for (const key of 'kl') memory.set(key, keep(key), 8500)
  expect(present(memory, ['k', 'l', 'a'])).toEqual(['k', 'l'])
})

it('does not keep a value that would evict most others', () => {
  const { memory, keep } = filled('a')
  keep('large', LIMIT / 4)
  expect(present(memory, ['a', 'large'])).toEqual(['a'])
})

it('counts what is made from records while they are in memory, and does not bring evicted records back', () => {
  const memory = new Memory<object>(LIMIT)
  const fill = (prefix: string) => {
    for (let i = 0; i < 12; i++) memory.set(`${prefix}${i}`, {}, 5000)
  }
  const count = (prefix: string) =>
    Array.from({ length: 12 }, (_, i) => memory.get(`${prefix}${i}`)).filter(Boolean).length
  const slice = {
    total: 1,
    count: 1,
    size: 3000,
    source: 'database' as const,
    texts: { bytes: Buffer.alloc(3000), starts: Float64Array.of(0) },
  }
  const records = new KeptRecords(slice, 'records', {} as SnapshotFolder, memory as Memory<KeptRecords>)
  memory.set('records', records, records.size)
  fill('a')
  const before = count('a')
  records.keep('csv', {}, 5000)
  records.keep('csv', {}, 5000) // in place of the earlier one
  expect([memory.get('records') === records, before - count('a') > 0, before - count('a') < 3]).toEqual([
    true,
    true,
    true,
  ])
  fill('b')
  fill('c')
  expect(memory.get('records')).toBeUndefined()
  records.keep('xlsx', {}, 100)
  expect(memory.get('records')).toBeUndefined()
})
