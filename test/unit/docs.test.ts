/** Pages that are made from the code are those in docs/. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importPage } from '../../src/import/document.js'

it('docs/import.md is current; if not, run npm run docs', () => {
  expect(readFileSync(new URL('../../docs/import.md', import.meta.url), 'utf8')).toBe(importPage())
})
