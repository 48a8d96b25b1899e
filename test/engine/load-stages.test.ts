/** The stages of a load: reading and merging overlap on a server, with the same result as in sequence. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import type { Chunk, Source } from '../../src/import/source.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { change, good, MV } from '../setup/good-files.js'
import { lineOf } from '../setup/problem-lines.js'
import { inLongTier, only } from '../setup/tier.js'

const loadFiles = (database: TestDatabase, files: Record<string, string>) => load(database, findFiles(folderOf(files)))
const errorsOf = async (database: TestDatabase, files: Record<string, string>) =>
  (await loadFiles(database, files)).errors.first.map(lineOf)

it('a wrong cell in the last file is reported before wrong rows of earlier files', async () => {
  const database = await databaseForThisTest()
  const unknown = change('bom.csv', 'FG1,RM1', 'FG1,RM7')
  expect(await errorsOf(database, { ...good, ...unknown, ...change(MV, 'Plant,,4,', 'Plant,,four,') })).toEqual([
    expect.stringMatching(/^stock_movements\.csv:2: qty = "four": expected a decimal/),
  ])
  expect(await errorsOf(database, { ...good, ...unknown })).toContain(
    'bom.csv:2: component = "RM7": there is no such row in items',
  )
})

it('an error in a row is not repeated for the rows that refer to it', async () => {
  const database = await databaseForThisTest()
  expect(await errorsOf(database, { ...good, ...change('purchase_orders.csv', ',V1,', ',V9,') })).toEqual([
    'purchase_orders.csv:2: vendor_code = "V9": there is no such row in vendors',
  ])
})

it('a broken last file leaves no rows behind, and the next load works', async () => {
  const database = await databaseForThisTest()
  await expect(loadFiles(database, { ...good, [MV]: `${good[MV]}M6,"` })).rejects.toThrow(
    'stock_movements.csv:7: a quote is opened and never closed',
  )
  const [stored] = await database.db`select (select count(*)::int from item) as items, version::int from data_version`
  expect(stored).toEqual({ items: 0, version: 0 })
  expect(await loadFiles(database, good)).toMatchObject({ committed: true, dataVersion: 1 })
})

it('new rows are checked against stored ones', async () => {
  const database = await databaseForThisTest()
  await loadFiles(database, good)
  const lines = good['sales_order_items.csv'] as string
  const line = 'SO1,2,FG1,2,10,10,20,2.4,22.4\n'
  const head = lines.slice(0, lines.indexOf('\n') + 1)
  const attempt = (...rows: string[]) => errorsOf(database, { 'sales_order_items.csv': head + rows.join('') })
  expect(await attempt(line.replace('SO1', 'SO7'))).toEqual([
    'sales_order_items.csv:2: order_no = "SO7": there is no such row in sales_orders',
  ])
  expect(await attempt(line.replace('FG1', 'FG7'))).toEqual([
    'sales_order_items.csv:2: sku = "FG7": there is no such row in items',
  ])
  expect(await attempt(line, line)).toEqual([
    'sales_order_items.csv:3: order_no = "SO1": there is an earlier row with the same order_no, line_no',
  ])
  expect(await attempt(line)).toEqual([])
  const invoices = good['invoices.csv'] as string
  expect(await errorsOf(database, { 'invoices.csv': invoices.replace(/SO1(.*)\n$/, 'SO1$1\nI1,SO1$1\n') })).toEqual([
    'invoices.csv:3: invoice_no = "I1": there is an earlier row with the same invoice_no',
  ])
})

it('a repeated number is found among ascending numbers', async () => {
  const database = await databaseForThisTest()
  await loadFiles(database, good)
  const head = 'movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n'
  const attempt = (...numbers: string[]) =>
    errorsOf(database, {
      [MV]: head + numbers.map((no) => `${no},2024-03-07,other_receipt,RM1,Plant,1,1,1\n`).join(''),
    })
  const twice = (line: number, no: string) =>
    `stock_movements.csv:${line}: movement_no = "${no}": there is an earlier row with the same movement_no`
  expect(await attempt('N8', 'N9', 'N10', 'N9')).toEqual([twice(5, 'N9')])
  expect(await attempt('N9', 'N10', 'N10')).toEqual([twice(4, 'N10')])
  expect(await attempt('N10', 'N100', 'N20', 'N100')).toEqual([twice(5, 'N100')])
  expect(await attempt('N8', 'N9', 'N10', 'N11')).toEqual([])
})

inLongTier('the first load gives the same warnings as a later one', async () => {
  const files = {
    ...good,
    ...change(MV, 'FG1,Plant,B1,2,', 'FG1,Plant,B1,200,'),
    ...change('goods_receipt_items.csv', ',5,4,1,', ',50,49,1,'),
    ...change('purchase_orders.csv', '11.20', '11.00'),
    ...change('invoices.csv', ',20,2.4,', ',21,2.4,'),
    ...change('consumption.csv', ',3,6,0.72', ',3,5,0.72'),
    ...change('returns.csv', ',1,0,', ',2,0,'),
  }
  const empty = await databaseForThisTest()
  const later = await databaseForThisTest()
  await loadFiles(later, { 'vendors.csv': 'code,name\nV9,Another\n' })
  const first = await loadFiles(empty, files)
  expect(first.warnings.count).toBeGreaterThanOrEqual(8)
  expect((await loadFiles(later, files)).warnings).toEqual(first.warnings)
})

/** The good files as a source that waits after the last row of the warehouses. */
const pausing = (pause: () => Promise<void>): Source => {
  const source = findFiles(folderOf(good))
  return {
    parts: source.parts,
    async *chunks(): AsyncGenerator<Chunk> {
      for await (const chunk of source.chunks()) {
        yield chunk
        if (chunk.last && chunk.part.entity.name === 'warehouses') await pause()
      }
    },
  }
}

const merging = (database: TestDatabase) => database.db`
  select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
   where l.relation = 'warehouse'::regclass and l.mode = 'RowExclusiveLock' and a.datname = current_database()`

const untilMerged = async (database: TestDatabase): Promise<number> => {
  for (;;) {
    const [row] = await merging(database)
    if (row !== undefined) return row['pid'] as number
    await sleep(20)
  }
}

const server = only('server', 'a transaction of the embedded engine takes its only session')

server.it('a file is merged while later files are read', async () => {
  const database = await databaseForThisTest()
  const source = pausing(async () => {
    await untilMerged(database)
    expect(await database.db`select from warehouse`).toHaveLength(0)
  })
  expect(await load(database, source)).toMatchObject({ committed: true, warnings: { count: 0 } })
})

server.it('a failed merge ends the load and the reading of later files', async () => {
  const database = await databaseForThisTest()
  let ended = false
  const source = pausing(async () => {
    const pid = await untilMerged(database)
    await database.db`select pg_terminate_backend(${pid})`
  })
  const endless: Source = {
    parts: source.parts,
    async *chunks() {
      try {
        for await (const chunk of source.chunks()) {
          yield chunk
          while (chunk.part.entity.name === 'bom') yield await sleep(20, { part: chunk.part, rows: [], done: 0.5 })
        }
      } finally {
        ended = true
      }
    },
  }
  await expect(load(database, endless)).rejects.toThrow(/connection to the database was lost|terminating connection/)
  expect(ended).toBe(true)
  expect(await load(database, findFiles(folderOf(good)))).toMatchObject({ committed: true, dataVersion: 1 })
})
