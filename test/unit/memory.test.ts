/** Values in memory are bounded by their bytes, and those in use stay. */
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

it('evicts the least recently used values, and as many as needed', () => {
  const keys = [...'abcdefghijkl']
  const { memory, keep } = filled(...keys)
  memory.get('a')
  keep('m')
  keep('n')
  expect(present(memory, [...keys, 'm', 'n'])).toEqual(['a', ...'defghijkl', 'm', 'n'])
})

it('counts what an entry costs beside its bytes', () => {
  const { memory, keep } = filled()
  const keys = Array.from({ length: 1000 }, (_, i) => `empty ${i}`)
  for (const key of keys) keep(key, 0)
  expect(present(memory, keys).length).toBeLessThan(LIMIT / 1000)
})

it('counts the growth of a value that it has already', () => {
  const { memory, keep } = filled(...'abcdefghijkl')
  memory.set('l', keep('l'), 8000)
  memory.set('l', keep('l'), 8500)
  expect(present(memory, ['l', 'a'])).toEqual(['l'])
})

it('does not keep a value that would evict most others', () => {
  const { memory, keep } = filled('a')
  keep('large', LIMIT / 4)
  expect(present(memory, ['a', 'large'])).toEqual(['a'])
})
