/** The memory cache: bounded in bytes, evicting the least recently used values. */
import { expect, it } from 'vitest'
import { Memory } from '../../src/store/memory.js'

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
