/** Random sales rendered as messy sheets in every format are read back equal or refused, never different. */
import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mappingOf } from '../../src/pull/sheets/mapping.js'
import { openSheets } from '../../src/pull/sheets/rows.js'
import { columnOf } from '../../src/pull/sheets/value.js'
import { tempFolder } from '../setup/files.js'
import { dayOf, decimal, render, shape, type Voucher, vouchers } from '../setup/messy.js'
import { runs } from '../setup/tier.js'

type Rows = Record<string, (string | null)[][]>
const COLUMNS: Record<string, readonly string[]> = {
  sales_orders: ['order_no', 'order_date', 'customer_code', 'taxable_amt'],
  sales_order_items: ['order_no', 'line_no', 'sku', 'qty', 'unit', 'rate', 'taxable_amt'],
}

const expectedRows = (all: readonly Voucher[]): Rows => ({
  sales_orders: all.map(({ no, day, party, lines }) => [
    ...[no, dayOf(day), party],
    decimal(
      lines.reduce((sum, { amount }) => sum + amount, 0),
      2,
    ),
  ]),
  sales_order_items: all.flatMap(({ no, lines }) =>
    lines.map(({ item, qty, rate, amount }, i) => [
      ...[no, String(i + 1), item, decimal(qty, 3), null, decimal(rate, 2), decimal(amount, 2)],
    ]),
  ),
})

/** The rows, or why they are refused. */
async function read(folder: string, mapping: string): Promise<Rows | string> {
  const found: Rows = { sales_orders: [], sales_order_items: [] }
  try {
    const { rows: source, close } = await openSheets(folder, mappingOf(mapping, 'mapping.yaml'), { strict: false })
    try {
      for await (const { part, rows } of source.chunks())
        for (const { header, cells, faults = [] } of rows) {
          if (faults.length > 0) return faults[0]?.message ?? 'a fault'
          const { entity } = part
          for (const [i, name] of header.entries()) {
            const cell = cells[i] ?? null
            // The loader asks for the rate of another currency.
            if (cell !== null && (name === 'currency' || columnOf(entity, name)?.read(String(cell)) === undefined))
              return `the loader refuses ${name} ${cell}`
          }
          const names = COLUMNS[entity.name]
          found[entity.name]?.push((names ?? []).map((name) => (cells[header.indexOf(name)] ?? null) as string | null))
        }
    } finally {
      await close()
    }
  } catch (error) {
    return (error as Error).message
  }
  return found
}

it('reads random messy sheets back equal, or refuses them', async () => {
  await fc.assert(
    fc.asyncProperty(vouchers, shape, async (all, how) => {
      const folder = tempFolder()
      try {
        const found = await read(folder, await render(folder, all, how))
        if (how.noise !== null)
          expect(typeof found, `a cell with ${how.noise} is refused: ${JSON.stringify(found)}`).toBe('string')
        else expect(found).toEqual(expectedRows(all))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: runs(20, 10_000) },
  )
})
