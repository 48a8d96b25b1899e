/** Only src/sqlstate.ts contains SQLSTATE codes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasState, isRefusedRow, passesByItself, stateOf } from '../../src/sqlstate.js'

it('no other file has a code', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url))
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const found = files.filter((file) =>
    /'(0[08]|2[0-9]|4[0-9]|5[3-8])[0-9A-Z]{3}'/.test(readFileSync(join(src, file), 'utf8')),
  )
  expect(found).toEqual(['sqlstate.ts'])
})

it('errors of PostgreSQL have a name, other errors have none', () => {
  expect(stateOf({ code: '57014' })).toBe('query_canceled')
  for (const other of [undefined, null, 'no', {}, { code: 57014 }, { code: 'ECONNRESET' }, { code: '99999' }])
    expect(stateOf(other)).toBe(undefined)
  expect(hasState({ code: '23503' }, 'foreign_key_violation')).toBe(true)
  expect(hasState({ code: '23505' }, 'foreign_key_violation')).toBe(false)
})

it.each([
  ['21000', true, false],
  ['22003', true, false],
  ['23514', true, false],
  ['24000', false, false],
  ['08006', false, true],
  ['53300', false, true],
  ['57P01', false, true],
  ['57014', false, false],
  ['2', false, false],
  ['EPIPE', false, false],
  ['57P04', false, false], // the database was dropped
  ['28P01', false, false],
])('%s: refused row %s, passes by itself %s', (code, refused, passes) => {
  expect([isRefusedRow({ code }), passesByItself({ code })]).toEqual([refused, passes])
})
