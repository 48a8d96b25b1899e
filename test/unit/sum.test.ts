/** Sums of decimals are exact, whatever their size. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Sum } from '../../src/formats/sum.js'

const shown = (units: bigint, digits: number): string => {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  const at = text.length - digits
  return `${units < 0n ? '-' : ''}${text.slice(0, at)}${digits === 0 ? '' : `.${text.slice(at)}`}`
}

it('adds up decimals of any size exactly', () => {
  const most = 10n ** 38n
  const units = fc.oneof(fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }), fc.bigInt({ min: -most, max: most }))
  const edge = fc.integer({ min: -9, max: 9 }).map((by) => 2n ** 50n + BigInt(by))
  fc.assert(
    fc.property(fc.constantFrom(0, 2, 4, 10), fc.array(fc.oneof(units, edge)), (digits, all) => {
      const sum = new Sum(digits)
      for (const one of all) sum.add(shown(one, digits))
      expect(String(sum)).toBe(
        shown(
          all.reduce((a, b) => a + b, 0n),
          digits,
        ),
      )
    }),
    { numRuns: 1000 },
  )
})

it('adds up many decimals that have no double, and texts with fewer digits', () => {
  const sum = new Sum(2)
  for (let i = 0; i < 100_000; i++) sum.add('0.10')
  sum.add('0.1')
  sum.add('-3')
  expect(String(sum)).toBe('9997.10')
})
