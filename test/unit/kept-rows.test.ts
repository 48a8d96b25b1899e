/** Sheets that several rules read are parsed once, and what is read again is the same. */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { KeptRows } from '../../src/pull/sheets/kept-rows.js'
import { mappingOf } from '../../src/pull/sheets/mapping.js'
import { openSheets } from '../../src/pull/sheets/rows.js'
import type { SheetCell, SheetRow } from '../../src/pull/sheets/sheet.js'
import * as xlsx from '../../src/pull/sheets/xlsx.js'
import { tempFolder } from '../setup/files.js'
import { runs } from '../setup/tier.js'
import { writeXlsx } from '../setup/xlsx.js'

const cell: fc.Arbitrary<SheetCell> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constant(null),
  fc.record({ fault: fc.string() }),
  fc.record({ value: fc.string(), unit: fc.string() }, { requiredKeys: ['value'] }),
)
const sheetRow: fc.Arbitrary<SheetRow> = fc
  .record({
    cells: fc.array(cell, { maxLength: 4 }),
    hidden: fc.option(fc.constant(true as const)),
    merged: fc.option(fc.uniqueArray(fc.nat(3))),
  })
  .map(({ cells, hidden, merged }) => ({
    ...{ line: 1, cells },
    ...(hidden !== null && { hidden }),
    ...(merged !== null && { merged: new Set(merged) }),
  }))

const all = async (rows: AsyncIterable<SheetRow>): Promise<SheetRow[]> => {
  const found: SheetRow[] = []
  for await (const row of rows) found.push(row)
  return found
}

it('rows that are read again are the parsed ones, also if they are too many to keep', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sheetRow, { maxLength: 1200 }),
      fc.constantFrom(0, 20_000, 1 << 26),
      async (rows, most) => {
        const kept = new KeptRows(most)
        let parsed = 0
        async function* parse() {
          parsed++
          yield* rows
        }
        for (const isLast of [false, false, true]) expect(await all(kept.read('a', parse, isLast))).toEqual(rows)
        if (most > 20_000) expect(parsed).toBe(1)
        // After the last reader nothing is kept.
        await all(kept.read('a', parse, true))
        expect(parsed).toBeGreaterThan(1)
      },
    ),
    { numRuns: runs(15, 300) },
  )
})

it('a sheet that three rules read is parsed once', async () => {
  const folder = tempFolder()
  await writeXlsx(join(folder, 'a.xlsx'), {
    S: [
      ['No', 'Date', 'Item', 'Unit', 'Qty'],
      ['1', '2026-04-01', 'Ghee', 'Nos', 2],
    ],
  })
  const read = vi.spyOn(xlsx, 'readXlsx')
  const mapping = `
entities:
  items: {file: a.xlsx, columns: {sku: Item, name: Item, unit: Unit}}
  sales_orders: {file: a.xlsx, columns: {order_no: No, order_date: Date}}
  sales_order_items: {file: a.xlsx, columns: {order_no: No, sku: Item, qty: Qty}}`
  const { rows, close } = await openSheets(folder, mappingOf(mapping, 'm'))
  const found: unknown[] = []
  for await (const { rows: some } of rows.chunks()) found.push(...some.map(({ cells }) => cells.filter(Boolean)))
  await close()
  expect(found).toEqual([
    ['Ghee', 'Ghee', 'Nos'],
    ['1', '2026-04-01'],
    ['1', 'Ghee', '2'],
  ])
  expect(read).toHaveBeenCalledTimes(1)
  read.mockRestore()
})
