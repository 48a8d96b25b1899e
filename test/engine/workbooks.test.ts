/**
 * Six workbooks after exports of real programs, and books kept by hand: the proposed mapping loads as it is, strictly, and the figures
 * are the workbooks' own totals. test/setup/workbooks.py writes them with openpyxl.
 */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { sheetsOrigin } from '../../src/pull/origin.js'
import { type PullResult, pull } from '../../src/pull/pull.js'
import { propose } from '../../src/pull/sheets/propose/propose.js'
import { proposalText } from '../../src/pull/sheets/propose/text.js'
import { databaseForThisTest } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { ledger } from '../setup/pulled.js'
import { long } from '../setup/tier.js'

const BOOKS = new URL('../fixtures/workbooks/', import.meta.url).pathname

type Edit = readonly [line: string | RegExp, by: string]

interface Expected {
  /** Lines of the proposal that a person has to change: at most five. */
  readonly edits?: readonly Edit[]
  /** Rows of each entity. */
  readonly rows: Readonly<Record<string, number>>
  /** `sheet entity column: sum` of all sums that the sheet states as well. */
  readonly stated: readonly string[]
  readonly warnings?: readonly string[]
  figures(db: Db): Promise<unknown>
  readonly are: unknown
}

const round = (figures: Record<string, string>) =>
  Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value).toFixed(2)]))

const WORKBOOKS: Readonly<Record<string, Expected>> = {
  'tally-sales': {
    rows: { items: 5, customers: 5, invoices: 60, invoice_items: 140 },
    stated: [
      'Sales Register invoices Value: 759740.3',
      'Sales Register invoices CGST: 18993.54',
      'Sales Register invoices SGST: 18993.54',
      'Sales Register invoices Gross Total: 797723',
      'Sales Register invoices Round Off: -4.38',
      'Sales Register invoice_items Value: 759740.3',
    ],
    figures: (db) => db`
      select sum(sub_total)::text as net, sum(total_tax)::text as tax, sum(final_amt)::text as total,
             (select sum(taxable_value)::text from invoice_line) as lines,
             (select string_agg(invoice_no, ' ' order by invoice_no) from invoice where invoice_no like '1/%') as first,
             (select count(*)::int from customer where name = 'Total Foods LLP') as called_total
        from invoice`,
    are: [
      {
        ...{ net: '759740.30', tax: '37987.08', total: '797723.00', lines: '759740.30' },
        ...{ first: '1/2024-25 1/2025-26', called_total: 1 },
      },
    ],
  },
  'tally-stock': {
    rows: { warehouses: 1, items: 11, stock_movements: 11 },
    stated: ['Stock Summary stock_movements Closing Balance / Value: 1474853.33'],
    figures: async (db) => [
      await db`select unit, count(*)::int as items from item group by 1 order by 1`,
      await db`select sum(val)::text as value, min(movement_date)::text as day from stock_movement`,
    ],
    are: [
      [
        { unit: 'Box', items: 1 },
        { unit: 'Kgs', items: 2 },
        { unit: 'Ltr', items: 1 },
        { unit: 'Nos', items: 5 },
        { unit: 'Pkt', items: 1 },
        { unit: 'Roll', items: 1 },
      ],
      [{ value: '1474853.3300', day: '2026-03-31' }],
    ],
  },
  'zoho-invoices': {
    rows: { items: 5, customers: 5, invoices: 39, invoice_items: 117 },
    stated: [],
    // Added up from the workbook by another program, without the draft.
    figures: (db) => db`
      select sum(sub_total)::text as net, sum(total_tax)::text as tax, sum(final_amt)::text as total,
             (select sum(taxable_value)::text from invoice_line) as lines,
             string_agg(invoice_no, ' ') filter (where status = 'Cancelled') as cancelled,
             min(invoice_at)::date::text as first
        from invoice`,
    are: [
      {
        ...{ net: '450053.10', tax: '54006.37', total: '504059.47', lines: '450053.10' },
        ...{ cancelled: 'INV-000007', first: '2026-04-01' },
      },
    ],
  },
  'quickbooks-items': {
    edits: [['time_zone: Etc/UTC', 'time_zone: America/New_York']],
    rows: { account: 0, warehouses: 1, items: 9, stock_movements: 7 },
    stated: [
      'Inventory Valuation Summary stock_movements Qty: 1315',
      'Inventory Valuation Summary stock_movements Asset Value: 5537.44',
    ],
    figures: async (db) => [
      await db`select sum(qty)::text as qty, sum(val)::text as value, min(movement_date)::text as day from stock_movement`,
      await db`select sku, type from item where type = 'SRV' order by sku`,
      await db`select name, currency, time_zone from account`,
    ],
    are: [
      [{ qty: '1315.0000', value: '5537.4400', day: '2026-06-30' }],
      [
        { sku: 'GIFT-WRAPPING', type: 'SRV' },
        { sku: 'WORKSHOP-HALF-A-DAY', type: 'SRV' },
      ],
      [{ name: 'Millbrook Soap Co.', currency: 'USD', time_zone: 'America/New_York' }],
    ],
  },
  'stock-book': {
    rows: { warehouses: 1, items: 4, stock_movements: 114 },
    stated: [
      'Opening stock_movements Value: 387060.25',
      'April 2026 stock_movements In: 502',
      'May 2026 stock_movements In: 636',
      'June 2026 stock_movements In: 710',
      'April 2026 stock_movements Out: 256',
      'May 2026 stock_movements Out: 321',
      'June 2026 stock_movements Out: 331',
    ],
    figures: async (db) => [round(await ledger(db, 'i.name', 'm.qty')), round(await ledger(db, 'w.location', 'm.val'))],
    are: [
      { 'Pine board 2 m': '542.00', 'Screws 4x40': '311.00', Varnish: '518.00', 'Wood glue': '873.00' },
      { Main: '692665.00' },
    ],
  },
  'production-log': {
    rows: { warehouses: 1, items: 6, batches: 60, consumption: 106, stock_movements: 166 },
    stated: [
      'Production batches Produced (Kgs): 33781',
      'Production batches Rejected: 411',
      'Consumption consumption Qty used: 34950.63',
      'Consumption consumption Amount: 1546754.89',
      'Production stock_movements Produced (Kgs): 33781',
      'Production stock_movements Rejected: 411',
      'Consumption stock_movements Qty used: 34950.63',
      'Consumption stock_movements Amount: 1546754.89',
    ],
    // The materials were bought before the log begins.
    warnings: ['stock or held stock is below zero, or more is held than there is'],
    figures: async (db) => [
      await db`select sum(qty)::text as made, sum(wastage)::text as waste from batch`,
      await db`
        select kind, sum(qty)::text as qty, sum(val)::text as value
          from (select kind::text as kind, qty, val from stock_movement) m group by 1 order by 1`,
      await db`select sku, type from item where type = 'MAT' order by 1`,
    ],
    are: [
      [{ made: '33781.0000', waste: '411.0000' }],
      [
        { kind: 'consumption', qty: '34950.6300', value: '1546754.8900' },
        { kind: 'production_receipt', qty: '33370.0000', value: '0.0000' },
      ],
      ['CHANA-DAL', 'RAGI', 'WHEAT'].map((sku) => ({ sku, type: 'MAT' })),
    ],
  },
}

async function proposed(name: string, edits: readonly Edit[] = []): Promise<string> {
  const folder = tempFolder()
  cpSync(join(BOOKS, name), folder, { recursive: true })
  let text = proposalText(await propose(folder))
  for (const [line, by] of edits) {
    expect(
      text.split('\n').filter((one) => (typeof line === 'string' ? one.includes(line) : line.test(one))),
    ).not.toEqual([])
    text = text.replace(line, by)
  }
  writeFileSync(join(folder, 'mapping.yaml'), text)
  return folder
}

const statedBy = ({ account }: PullResult): string[] =>
  (account?.sheets ?? []).flatMap(({ sheet, entity, totals }) =>
    totals.flatMap(({ column, sum, stated, difference }) => {
      expect([sheet, column, difference]).toEqual([sheet, column, null])
      return stated === null ? [] : `${sheet} ${entity} ${column}: ${sum}`
    }),
  )

it.each(Object.entries(WORKBOOKS).filter((_, i) => long || i % 2 === 0))(
  '%s: the proposed mapping loads, and the figures are the totals of the sheets',
  async (name, expected) => {
    const edits = expected.edits ?? []
    expect(edits.length).toBeLessThanOrEqual(5)
    const folder = await proposed(name, edits)
    const database = await databaseForThisTest()
    const result = await pull(database, sheetsOrigin(folder, undefined, { strict: true }))
    expect(result.errors.first).toEqual([])
    expect(result.warnings.kinds.map(({ check }) => check)).toEqual(expected.warnings ?? [])
    const rows = Object.entries(result.entities).map(([entity, { new: added }]) => [entity, added])
    expect(Object.fromEntries(rows)).toEqual(expected.rows)
    expect(statedBy(result).toSorted()).toEqual(expected.stated.toSorted())
    expect(await expected.figures(database.db)).toEqual(expected.are)
    const again = await pull(database, sheetsOrigin(folder, undefined, { strict: true }))
    expect(again.dataVersion, 'made codes and numbers are the same in every run').toBe(result.dataVersion)
  },
)

it('a mapping that would misread a workbook is refused at the cell', async () => {
  const withoutFill = (text: string) => text.replaceAll(/, fill: (down|all)/g, '')
  const wrong = async (name: string, change: (text: string) => string) => {
    const folder = await proposed(name)
    const text = proposalText(await propose(folder))
    expect(change(text)).not.toBe(text)
    writeFileSync(join(folder, 'mapping.yaml'), change(text))
    const { errors, committed } = await pull(await databaseForThisTest(), sheetsOrigin(folder, undefined))
    expect(committed).toBe(false)
    return errors.first.map(({ file, cell, column }) => `${file} ${cell} ${column}`)
  }
  expect(await wrong('production-log', withoutFill)).toContain('Production 2026.xlsx[Consumption] B3 batch_no')
  const withoutYear = (text: string) =>
    text.replaceAll(/\{text: "\{Voucher No\.\}\/\{Date\|year\}"(, fill: down)?\}/g, '{column: Voucher No., fill: down}')
  expect(await wrong('tally-sales', withoutYear)).toContainEqual(
    expect.stringMatching(/^Sales Register\.xlsx\[Sales Register\] \w+ invoice_no$/),
  )
  const withTotal = (text: string) => text.replaceAll(/leave_out: \{column: Date, like: "\*total\*"\}/g, '')
  expect(await wrong('production-log', withTotal)).toContain('Production 2026.xlsx[Production] C64 batch_no')
})
