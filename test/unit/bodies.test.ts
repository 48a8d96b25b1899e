/** Bodies in memory: those in use stay, and all together are bounded. */
import { expect, it } from 'vitest'
import { Bodies } from '../../src/surfaces/rest/response-cache.js'

const LIMIT = 80_000
const some = (bytes: number) => Buffer.alloc(bytes, 'x')

function filled(...names: string[]) {
  const bodies = new Bodies(LIMIT)
  const keep = (name: string, bytes = 5000) =>
    bodies.keep(name, some(bytes), { etag: name }, { 'content-type': 'text' })
  for (const name of names) keep(name)
  return { bodies, keep }
}
const there = (bodies: Bodies, names: string[]) => names.filter((name) => bodies.get(name) !== undefined)

it('knows a body by its name, with its headers in both forms', () => {
  const { bodies } = filled('a')
  expect(bodies.get('a')).toMatchObject({ headers: { etag: 'a' }, fields: ['content-type', 'text', 'etag', 'a'] })
  expect(bodies.get('b')).toBeUndefined()
})

it('drops those that were not used for longest, and as many as are needed', () => {
  const names = [...'abcdefghijkl']
  const { bodies, keep } = filled(...names)
  const [first = ''] = names
  bodies.get(first)
  keep('m')
  keep('n')
  expect(there(bodies, [...names, 'm', 'n'])).toEqual(['a', ...'defghijkl', 'm', 'n'])
})

it('has room for a new one, however much the others are in use', () => {
  const names = [...'abcdefghijklm']
  const { bodies, keep } = filled(...names)
  expect(there(bodies, names).length).toBeGreaterThan(10)
  keep('new')
  expect(there(bodies, ['new'])).toEqual(['new'])
})

it('counts what an empty body takes beside its bytes', () => {
  const { bodies, keep } = filled()
  const names = Array.from({ length: 1000 }, (_, i) => `empty ${i}`)
  for (const name of names) keep(name, 0)
  expect(there(bodies, names).length).toBeLessThan(LIMIT / 1000)
})

it('counts each form that a body was encoded in, and works it out once', async () => {
  const { bodies, keep } = filled('a', 'b')
  const body = keep('c', 9000)
  const [once, again] = await Promise.all([body.encoded('gzip'), body.encoded('gzip')])
  expect(once).toBe(again)
  expect(body.encoded('gzip')).toBe(once)
  expect(there(bodies, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
})

it('does not keep one that would push out most others', () => {
  const { bodies, keep } = filled('a')
  expect(keep('large', LIMIT / 4).plain.length).toBe(LIMIT / 4)
  expect(there(bodies, ['a', 'large'])).toEqual(['a'])
})
