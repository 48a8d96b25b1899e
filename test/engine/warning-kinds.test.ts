/** Warnings are counted by kind, and many of one kind do not crowd out examples of the others. */
import { expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { isOddity, summary, verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good, MV } from '../setup/good-files.js'

it('a thousand warnings of one kind do not hide one of another', async () => {
  const database = await databaseForThisTest()
  const numbers = Array.from({ length: 1000 }, (_, i) => i + 2)
  const files = {
    ...good,
    // The parts of each order do not add up to its total.
    'purchase_orders.csv': `${good['purchase_orders.csv']}${numbers.map((n) => `PO${n},2024-02-29,2024-03-05,V1,Plant,10,1,12\n`).join('')}`,
    'purchase_order_items.csv': `${good['purchase_order_items.csv']}${numbers.map((n) => `PO${n},1,RM1,5,2,10,1,11\n`).join('')}`,
    [MV]: (good[MV] as string).replace('FG1,Plant,B1,2,', 'FG1,Plant,B1,200,'),
  }
  const { committed, warnings } = await load(database, findFiles(folderOf(files)))
  expect(committed).toBe(true)
  const kinds = Object.fromEntries(warnings.kinds.map(({ check, ...about }) => [check, about]))
  const parts = kinds['total_amt of a purchase order is not the sum of its parts']
  expect(parts?.count).toBe(1000)
  expect(parts?.examples[0]).toBe('purchase_order PO10: total_amt is 12.00, its parts add up to 11.00')
  expect(kinds['stock or held stock is below zero, or more is held than there is']).toEqual({
    count: 1,
    examples: ['stock of FG1 in Plant is -191.0000 on 2024-03-06'],
  })
  expect(warnings.count).toBe(warnings.kinds.reduce((sum, { count }) => sum + count, 0))
  expect(warnings.first).toHaveLength(100)
  expect(warnings.first).toEqual(warnings.kinds.flatMap(({ examples }) => examples))

  const findings = await verify(database, { rebuild: false })
  expect(findings.length).toBeGreaterThan(0)
  expect(findings.every(isOddity), 'stock below zero is a note about the books, not an error of Millbook').toBe(true)
  expect(summary(findings)).toMatch(/^nothing is broken; \d notes? about the company’s own books$/)
  await database.db`update stock_closing set qty = qty + 1`
  const broken = await verify(database, { rebuild: false })
  expect(broken.filter((finding) => !isOddity(finding))).toMatchObject([{ kind: 'derived' }])
  expect(summary(broken)).toMatch(/^1 of the checks failed, and \d notes? about/)
})
