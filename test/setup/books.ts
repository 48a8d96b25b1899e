/** Books with rows for every contradiction, and their rows as import files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Database } from '../../src/db/connect.js'
import { load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { engine, openPrepared, openTestDatabase, type TestDatabase } from './database.js'
import { folderOf } from './files.js'
import { good, KEY } from './good-files.js'

export const DEPOT = KEY.replace('0', 'f')

const LINES = [
  ...[
    'purchase_order_items',
    'goods_receipt_items',
    'sales_order_items',
    'returns',
    'invoice_items',
    'stock_movements',
  ],
]

/** The columns of each file. For lines of documents and movements the last column is the unit, which a row can leave out. */
const heads: Record<string, readonly string[]> = {
  item_units: ['sku', 'unit', 'factor'],
  ...Object.fromEntries(
    Object.entries(good).map(([file, text]) => {
      const name = file.replace('.csv', '')
      const columns = text.slice(0, text.indexOf('\n')).split(',')
      return [name, LINES.includes(name) ? [...columns, 'unit'] : columns]
    }),
  ),
}
/** Files by entity, each a header and rows. */
export const files = (rows: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, lines]) => {
      const head = heads[name] ?? []
      const whole = lines.map((line) => line + ','.repeat(Math.max(0, head.length - line.split(',').length)))
      return [`${name}.csv`, `${[head.join(), ...whole].join('\n')}\n`]
    }),
  )

/** Loaded after the good files: further rows that loads can contradict. */
const more = files({
  warehouses: [`${DEPOT},Depot`],
  items: ['FG2,Paneer,FG,,KG,', 'SFG1,Curd,SFG,,KG,', 'SRV1,Freight,SRV,,TRIP,', 'CMB2,Crate,COMBO,,PCS,'],
  bom: ['FG2,SFG1,1', 'SFG1,RM1,2'],
  combos: ['CMB1,SFG1,1', 'CMB2,CMB1,3'],
  purchase_orders: ['PO2,2024-03-01,2024-03-05,V1,Plant,10,0,10'],
  purchase_order_items: ['PO2,1,FG2,5,2,10,0,10', 'PO2,2,SRV1,1,0,0,0,0'],
  goods_receipts: ['G2,PO2,2024-03-04,Depot'],
  goods_receipt_items: ['G2,PO2,1,1,5,5,0,2,10,0,10', 'G2,PO2,2,2,1,1,0,0,0,0,0'],
  batches: ['RM1,L1,PROCURED,,,,', 'FG2,B2,MANUAL,,,,'],
  sales_orders: ['SO2,Online,2024-03-06,C1,Plant,20,0,20'],
  sales_order_items: ['SO2,1,CMB1,2,10,10,20,0,20'],
  stock_movements: [
    'M6,2024-03-04,purchase_receipt,FG2,Depot,B2,5,10,10,,,,,PO2,G2,',
    'M7,2024-03-04,purchase_receipt,RM1,Plant,L1,7,7,7,,,,,,,',
    'M8,2024-03-04,other_receipt,SFG1,Plant,,9,9,9,,,,,,,',
    'M9,2024-03-06,issue,FG1,Plant,,4,4,4,SO2,1,,,,,',
    'M10,2024-03-06,issue,SFG1,Plant,,2,2,2,SO2,1,,,,,',
  ],
})

/** A new database with these books: on a server a copy, because loading takes a second. */
export async function openBooks(): Promise<TestDatabase> {
  if (engine === 'server') return openPrepared('books', loadBooks)
  const database = await openTestDatabase()
  await loadBooks(database)
  return database
}

export async function booksForThisTest(): Promise<TestDatabase> {
  const database = await openBooks()
  onTestFinished(() => database.drop())
  return database
}

/** Loads the good files and `more` into an empty database. */
export async function loadBooks(database: Database): Promise<void> {
  for (const part of [good, more]) {
    const folder = mkdtempSync(join(tmpdir(), 'millbook-books-'))
    const { errors, warnings } = await load(database, findFiles(folderOf(part, folder)))
    rmSync(folder, { recursive: true })
    expect([errors.first.map(problemLine), warnings.first]).toEqual([[], []])
  }
}
