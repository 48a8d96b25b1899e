/** What a load with `--reject` prints about its wrong rows. */
import { expect, it } from 'vitest'
import { rejectedLines } from '../../src/cli/reject.js'
import type { LoadResult } from '../../src/import/pipeline/load.js'

const lines = (errors: number, tooMany = false) => {
  const rejected = { count: 2, most: 10, tooMany, entities: { invoices: 2 }, kept: 0 }
  return rejectedLines({ errors: { count: errors, first: [] }, rejected } as unknown as LoadResult, {
    reject: 'wrong.csv',
  })
}

it('a refused load says that no row was rejected, and what the file lists', () => {
  expect(lines(0)).toEqual(['rejected 2 rows (invoices 2): see wrong.csv'])
  expect(lines(1)).toEqual([
    'no row was rejected, because the load was refused: wrong.csv lists 2 wrong rows to correct, too',
  ])
  expect(lines(2, true)).toEqual([
    'more than 10 wrong rows, so no row was rejected: correct them (wrong.csv lists them), or raise --reject-most',
  ])
})
