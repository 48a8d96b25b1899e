/** The generated pages in docs/ are current. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importPage } from '../../src/import/document.js'
import { reports } from '../../src/reports/index.js'
import { reportsPage } from '../../src/surfaces/docs/reports-page.js'
import { examples } from '../../src/surfaces/rest/examples.js'

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

it('docs/import.md is current; if not, run npm run docs', () => {
  expect(page('import.md')).toBe(importPage())
})

it('docs/reports.md is current; if not, run npm run docs', () => {
  expect(page('reports.md')).toBe(reportsPage(reports, examples))
})
