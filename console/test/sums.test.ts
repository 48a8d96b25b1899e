/** The sums under a table, and what they say they leave out. */
import { afterAll, expect, it, vi } from 'vitest'
import type { Flat } from '../src/catalogue.js'
import { withoutCancelled } from '../src/report/answer.js'

// Preferences read the browser when their module is loaded.
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
vi.stubGlobal('document', { documentElement: { dataset: {} } })
afterAll(() => void vi.unstubAllGlobals())

const { COMPARED_SUMS, comparedLabel, comparedSum, sumOf, sumsLabel } = await import('../src/report/sums.js')

const qty: Flat = {
  ...{ name: 'qty', path: ['qty'], isFirst: true },
  column: { name: 'qty', kind: 'decimal', digits: 4, unit: 'uom', contact: false, additive: true, description: '' },
}

const kg = (qty: string) => ({ unit: 'KG', qty })
const pcs = (qty: string) => ({ unit: 'PCS', qty })

it('a quantity in several units has its sum in each; the difference of two versions too', () => {
  const totals = { qty: null, _by_unit: [kg('1.5000'), pcs('9.0000')] }
  expect(sumOf(totals, qty)).toMatchObject({ text: '1.5 KG + 9 PCS', isNumber: false })
  const both = {
    ...{ qty__before: '9.0000', qty__after: null, qty__difference: null },
    _by_unit: [
      { unit: 'KG', qty__before: '0.0000', qty__after: '1.5000', qty__difference: '1.5000' },
      { unit: 'PCS', qty__before: '9.0000', qty__after: '8.0000', qty__difference: '-1.0000' },
    ],
  }
  expect(COMPARED_SUMS.map(([part]) => comparedSum(both, qty, part)?.text)).toEqual([
    '9.0000',
    '1.5 KG + 8 PCS',
    '1.5 KG + −1 PCS',
  ])
})

it('labels say how many cancelled documents are left out', () => {
  expect(sumsLabel({ rows: 138, _cancelled: 3 }, 141)).toBe('Total of 138 rows, without 3 cancelled')
  expect(sumsLabel({ rows: 1, _cancelled: 0 }, 1)).toBe('Total of 1 row')
  const both = { _cancelled__before: 0, _cancelled__after: 2, _cancelled__difference: 2 }
  expect(COMPARED_SUMS.map((one) => comparedLabel(both, one))).toEqual([
    ...['Sum before', 'Sum after, without 2 cancelled', 'Difference'],
  ])
  expect(withoutCancelled([{ _cancelled: 1 }, {}, { _cancelled: 1200 }])).toBe('without 1201 cancelled')
})
