/** Suggestions for mistyped names. */
import { expect, it } from 'vitest'
import { nearestReports, reportNamed, shortName } from '../../src/kernel/report/names.js'
import { nearest } from '../../src/nearest.js'
import { reports } from '../../src/reports/index.js'

it('suggests the nearest name, up to as many as wanted, and none that is far', () => {
  expect(nearest('per_page', ['page', 'per-page'])).toBe(' (did you mean per-page?)')
  expect(nearest('mat', ['cat', 'rat', 'elephant'], 2)).toBe(' (did you mean cat or rat?)')
  expect(nearest('cat', ['cats', 'elephant'], 2)).toBe(' (did you mean cats?)')
  expect(nearest('zebra', ['cat', 'elephant'], 2)).toBe('')
})

it.each([
  ['invoces', 'sales.invoices'],
  ['stock', 'inventory.fg-stock-status or inventory.mat-stock-status'],
  ['order-stori', 'purchase.order-story or sales.order-story'],
  ['margin', 'sales.gross-margin or sales.margin-by-day'],
])('for the report %s it suggests %s', (name, meant) => {
  expect(nearestReports(name, reports)).toBe(` (did you mean ${meant}?)`)
})

it('a short name belongs to one report, and `list` to none', () => {
  const names = reports.flatMap((report) => shortName(report, reports) ?? [])
  expect(names).toContain('invoices')
  expect(names).not.toContain('order-story')
  expect(names).not.toContain('list')
  expect(reportNamed('invoices', reports)?.id).toBe('sales.invoices')
  expect(reportNamed('grn.list', reports)?.id).toBe('grn.list')
  expect(reportNamed('list', reports)).toBeUndefined()
})
