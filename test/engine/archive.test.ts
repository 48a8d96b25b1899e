/** Years that are archived leave the ledger, and no figure of a later day changes. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import type { Db, Queryable } from '../../src/db/connect.js'
import { checkSchema } from '../../src/db/migrate.js'
import { partition } from '../../src/db/partition.js'
import { load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import { isOddity, verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { archive, takeBack, vacuumArchived } from '../../src/ledger/archive.js'
import { reports } from '../../src/reports/index.js'
import { INS, OUTS } from '../oracle/books.js'
import { format, parse } from '../oracle/decimal.js'
import { oracle } from '../oracle/index.js'
import { files, loadBooks } from '../setup/books.js'
import { type Company, loadCompany, type Movement } from '../setup/company.js'
import { engine, openTestDatabase, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { randomCompany } from '../setup/random-company.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { rowsOf } from '../setup/same.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, long, only, runs } from '../setup/tier.js'

const onServer = only('server', 'only years of a ledger on a server can be archived')

async function newDatabase(): Promise<TestDatabase> {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

const Y3 = 'Y3,2025-02-05,internal_issue,SFG1,Plant,,5,5,5,,,,,,,'
const Y4 = 'Y4,2025-02-06,issue,FG1,Plant,,1,1,1,SO2,1,,,,,'

const SO2 = 'SO2,Online,2024-03-06,C1,Plant,20,0,20'
const SO2_LINE = 'SO2,1,CMB1,2,10,10,20,0,20'

/** Books with an earlier and a later year: M… are of 2024, Y… of 2023 to 2025. */
async function threeYears(open = newDatabase): Promise<TestDatabase> {
  const database = await open()
  await loadBooks(database)
  await loadMovements(
    database,
    'Y1,2023-05-05,other_receipt,SFG1,Plant,,10,10,11,,,,,,,',
    'Y2,2023-06-05,internal_issue,SFG1,Plant,,4,4,5,,,,,,,',
    'Y5,2024-12-01,internal_issue,FG1,Plant,B1,8,8,9,,,,,,,',
    Y3,
    Y4,
  )
  await partition(database)
  return database
}

const loadMovements = (database: TestDatabase, ...rows: string[]) =>
  load(database, findFiles(folderOf(files({ stock_movements: rows }))))

const yearsOf = async ({ db }: TestDatabase) =>
  (
    await db<{ year: string }[]>`
      select right(inhrelid::regclass::text, 4) as year from pg_inherits where inhparent = 'stock_movement'::regclass order by 1`
  ).map(({ year }) => year)

const broken = async ({ db }: TestDatabase) =>
  (await verify(db, { rebuild: false })).filter((finding) => !isOddity(finding))

/** Checks that concern days or batches of which the ledger has no movements any more. */
const OF_PAST = /below zero|what a batch used/

type Body = Record<string, string>

/** Whether a request for movements or stock before the first day has to be refused. */
function mustRefuse(id: string, { from_date = '', to_date = '', date = '', figure }: Body, first: string): boolean {
  const before = `${Number(first.slice(0, 4)) - 1}-12-31`
  if (id === 'partner.invetory-snapshot') return date < before
  if (id === 'inventory.movements')
    if (['Closing', 'Active', 'Hold'].includes(figure ?? '') || isTotal({ from_date, ...(figure && { figure }) }))
      return to_date < before
  return /^inventory\./.test(id) && from_date < first
}

/** Whether it asks for all that ever came in or went out. */
const isTotal = ({ from_date, figure }: Body) => from_date === '0001-01-01' && ['Cr', 'Dr', undefined].includes(figure)

/** Sums of quantity and value by item, warehouse and batch. */
function sums(records: readonly Record<string, string>[]): Record<string, bigint> {
  const found: Record<string, bigint> = {}
  for (const { sku, warehouse, batch, qty = '', value = '' } of records)
    for (const [name, amount] of Object.entries({ qty, value })) {
      const cell = `${name} ${sku} ${warehouse} ${batch}`
      found[cell] = (found[cell] ?? 0n) + BigInt(amount.replace('.', ''))
    }
  return Object.fromEntries(Object.entries(found).filter(([, sum]) => sum !== 0n))
}

/** Whether all of a batch's movements may have left the ledger: it is used up, and of an earlier day. */
const mayBeArchived = (company: Company, { batch_no }: Body, first: string) =>
  company.batch.some(
    (batch) =>
      batch.batch_no === batch_no &&
      !(batch.batch_date !== null && batch.batch_date >= first) &&
      !company.stock_movement.some(
        (m) => m.item_id === batch.item_id && m.batch_no === batch_no && m.movement_date >= first,
      ),
  )

/** Compares every report with the oracle, which knows all movements; returns how many requests were refused, by report. */
async function compareWithOracle(service: Service, company: Company, first: string): Promise<Record<string, number>> {
  const refused: Record<string, number> = {}
  const last = '2028-01-01'
  const codes = { ...codesOf(company), batch_no: company.batch.map(({ batch_no }) => batch_no).slice(0, 6) }
  for (const range of [
    { from_date: first, to_date: last },
    { from_date: '2023-12-31', to_date: '2024-03-01' },
    { from_date: '0001-01-01', to_date: last },
  ])
    for (const report of reports)
      for (const body of requestsFor(report, range, { ...codes, limit: ['3'] }) as Body[]) {
        const asked = JSON.stringify([report.id, body, first])
        const answer = await service.call({ path: report.path, body, query: { 'per-page': 5000 } })
        const { id } = report
        const expected = oracle[id]?.(company, body) as Record<string, string>[]
        const addsUp =
          id === 'inventory.movements' &&
          (['Opening', 'Closing', 'Active', 'Hold'].includes(body['figure'] ?? '') || isTotal(body))
        if (answer.statusCode === 422) {
          expect(answer.json().errors[0].message, asked).toContain('archived')
          if (id === 'production.batch-story') expect(mayBeArchived(company, body, first), asked).toBe(true)
          else expect(mustRefuse(id, body, first), asked).toBe(true)
          refused[id] = (refused[id] ?? 0) + 1
          continue
        }
        expect(answer.statusCode, `${asked} ${answer.body}`).toBe(200)
        const { data } = answer.json()
        expect(mustRefuse(id, body, first), asked).toBe(false)
        // Rows that stand for others are not those others, and add up to the same.
        if (addsUp) expect(sums(data), asked).toEqual(sums(expected))
        else expect({ asked, data }).toEqual({ asked, data: expected })
      }
  return refused
}

onServer.it('every report of random companies equals the oracle from the first day of the ledger on', async () => {
  const database = await openTestDatabase()
  const service = await startService({}, database)
  onTestFinished(() => service.close())
  const refused: Record<string, number> = {}
  let archived = 0
  for (const drawn of fc.sample(randomCompany, { numRuns: runs(1, 60), seed: 33 })) {
    const company = withUsedUpBatches(drawn)
    await loadCompany(database.db, company)
    await partition(database)
    const before = await rowsOf(database)
    const wrong = await verify(database.db, { rebuild: false })
    for (const year of long ? [2023, 2024] : [2024]) {
      if (!company.stock_movement.some(({ movement_date }) => movement_date <= `${year}-12-31`)) continue
      const { movements, begins } = await archive(database, year)
      archived += movements
      const asked = await compareWithOracle(service, company, begins ?? '')
      for (const [id, count] of Object.entries(asked)) refused[id] = (refused[id] ?? 0) + count
      const found = await verify(database.db, { rebuild: false })
      expect(found.filter(({ check }) => !OF_PAST.test(check))).toEqual(
        wrong.filter(({ check }) => !OF_PAST.test(check)),
      )
    }
    await takeBack(database)
    expect(await rowsOf(database)).toEqual(before)
    expect(await verify(database.db, { rebuild: false })).toEqual(wrong)
  }
  expect(archived).toBeGreaterThan(0)
  const stock = [
    'inventory.fg-stock-status',
    'inventory.mat-stock-status',
    'inventory.movements',
    'partner.invetory-snapshot',
  ]
  expect(Object.keys(refused)).toEqual(expect.arrayContaining([...stock, ...(long ? ['production.batch-story'] : [])]))
})

/** Of every batch that does not move after 2024, what is left is used at its end. */
function withUsedUpBatches(company: Company): Company {
  const used = company.batch.flatMap(({ item_id, batch_no }): Movement[] => {
    const own = company.stock_movement.filter((m) => m.item_id === item_id && m.batch_no === batch_no)
    const sum = (kinds: readonly string[]) =>
      own.filter(({ kind }) => kinds.includes(kind)).reduce((all, { qty }) => all + parse(qty, 4), 0n)
    const left = sum(INS) - sum(OUTS)
    const isOver = own.every(({ movement_date, kind }) => movement_date < '2024-12-31' && kind !== 'hold')
    const [first] = own
    if (first === undefined || !isOver || left <= 0n) return []
    const none = {
      order_no: null,
      order_line_no: null,
      invoice_no: null,
      invoice_line_no: null,
      po_no: null,
      grn_no: null,
    }
    const rest = { ...none, for_item_id: null, for_batch_no: null, work_order_no: null, transfer_charge: '0', note: '' }
    const about = { movement_no: `U${item_id}-${batch_no}`, movement_date: '2024-12-30', kind: 'internal_issue' }
    return [{ ...first, ...rest, ...about, qty: format(left, 4), val: '1', val_tax: '1' }]
  })
  return { ...company, stock_movement: [...company.stock_movement, ...used] }
}

onServer.it(
  'the movements are in tables to dump; those of open batches stay, and few rows stand for the others',
  async () => {
    const database = await threeYears()
    const { db } = database
    const tables = ['millbook_archive.stock_movement_2023', 'millbook_archive.stock_movement_2024']
    const planned = await archive(database, 2024, { dryRun: true })
    expect(await yearsOf(database)).toEqual(['2023', '2024', '2025'])
    const result = await archive(database, 2024)
    expect(result).toEqual(planned)
    expect(result).toEqual({ archived: true, begins: '2025-01-01', tables, movements: 13, kept: 2, sums: 8 })
    await checkSchema(db)
    expect(await db`select from stock_movement_2023`).toHaveLength(0)
    // B1 was used up, B2 and L1 are in stock.
    const rest = await db`
    select i.sku, m.batch_no as batch, m.movement_no as no, m.movement_date::text as day, m.kind::text, trim_scale(m.qty)::text as qty,
           trim_scale(m.val_tax)::text as value
      from stock_movement_2024 m join item i on i.id = m.item_id order by i.sku, m.batch_no, m.kind`
    expect(rest.map((row) => Object.values(row).join(' '))).toEqual([
      'FG1 B1 ARCHIVED/2024/3 2024-12-31 production_receipt 9 12',
      'FG1 B1 ARCHIVED/2024/2 2024-12-31 other_receipt 1 1.35',
      'FG1 B1 ARCHIVED/2024/1 2024-12-31 internal_issue 10 11.7',
      'FG1  ARCHIVED/2024/4 2024-12-31 internal_issue 4 4',
      'FG2 B2 M6 2024-03-04 purchase_receipt 5 10',
      'RM1 L1 M7 2024-03-04 purchase_receipt 7 7',
      'RM1  ARCHIVED/2024/6 2024-12-31 purchase_receipt 4 8.96',
      'RM1  ARCHIVED/2024/5 2024-12-31 internal_issue 3 6.72',
      'SFG1  ARCHIVED/2024/8 2024-12-31 other_receipt 19 20',
      'SFG1  ARCHIVED/2024/7 2024-12-31 internal_issue 6 7',
    ])
    expect(await archive(database, 2024)).toMatchObject({ archived: false, begins: '2025-01-01' })
    expect(await archive(database, 2023)).toMatchObject({ archived: false, begins: '2025-01-01' })
    // Archiving in two steps gives the same rows as in one.
    const other = await threeYears()
    await archive(other, 2023)
    expect(await archive(other, 2024)).toMatchObject({ tables: [tables[1]], movements: 11, kept: 2, sums: 8 })
    expect(await rowsOf(other)).toEqual(await rowsOf(database))
    expect(await broken(database)).toEqual([])
  },
)

onServer.it('archived years come back as they were, if their tables are whole', async () => {
  const database = await threeYears()
  const { db } = database
  await db`select prepare_ledger(array[2022])` // a year without movements has no table in the archive
  const before = await rowsOf(database)
  expect(await takeBack(database)).toEqual({ years: [], movements: 0 })
  await archive(database, 2023)
  await archive(database, 2024)
  await db`alter table millbook_archive.stock_movement_2023 rename to elsewhere`
  await expect(takeBack(database)).rejects.toThrow(
    'the table millbook_archive.stock_movement_2023 is not there: restore it from its dump first',
  )
  await db`alter table millbook_archive.elsewhere rename to stock_movement_2023`
  await db`create table kept as select * from millbook_archive.stock_movement_2023`
  await db`delete from millbook_archive.stock_movement_2023 where movement_no = 'Y1'`
  await expect(takeBack(database)).rejects.toThrow('has 1 movements and had 2: restore it from its dump first')
  await db`insert into millbook_archive.stock_movement_2023 select * from kept where movement_no = 'Y1'`
  await db`drop table kept`
  await db`update millbook_archive.stock_movement_2023 set qty = qty + 1 where movement_no = 'Y1'`
  await expect(takeBack(database)).rejects.toThrow(
    'the movements in the table millbook_archive.stock_movement_2023 are not those of the day on which it was archived',
  )
  await db`update millbook_archive.stock_movement_2023 set qty = qty - 1 where movement_no = 'Y1'`
  await db`create view looked_at as select * from millbook_archive.stock_movement_2023`
  await expect(takeBack(database)).rejects.toThrow(
    'the table millbook_archive.stock_movement_2023 is used elsewhere: drop that first (view looked_at depends on',
  )
  await db`drop view looked_at`
  expect(await takeBack(database)).toEqual({ years: [2023, 2024], movements: 13 })
  expect(await db`select from pg_tables where schemaname = 'millbook_archive'`).toHaveLength(0)
  expect(await rowsOf(database)).toEqual(before)
  expect(await broken(database)).toEqual([])
  await archive(database, 2024)
})

onServer.it('a load leaves archived movements out, and changes none of what stands for them', async () => {
  const [database, plain] = [await threeYears(), await threeYears()]
  await archive(database, 2024)
  const { db } = database
  const before = await rowsOf(database)
  const all = ['Y1,2023-05-05,other_receipt,SFG1,Plant,,99,10,11,,,,,,,', Y3, Y4]
  const same = await loadMovements(database, ...all)
  expect(same.entities['stock_movements']).toEqual({ new: 0, changed: 0, same: 3, removed: 0 })
  expect(same.warnings.first).toContain(
    '1 of the movements is before 2025-01-01: it is archived, and counts as unchanged without a comparison',
  )
  expect(await rowsOf(database)).toEqual(before)
  // Only later movements are replaced.
  const onlyOne = folderOf(files({ stock_movements: [Y4] }))
  const replaced = await load(database, findFiles(onlyOne), { replace: ['stock_movements'] })
  expect(replaced.entities['stock_movements']).toEqual({ new: 0, changed: 0, same: 1, removed: 1 })
  expect(await db`select from stock_movement_2024`).toHaveLength(10)
  await loadMovements(database, Y3)
  expect(await rowsOf(database)).toEqual(before)
  // No movement goes over the first day: one that stays in the ledger to a later day, or a later one back.
  const crossing = await loadMovements(
    database,
    'M6,2025-03-04,purchase_receipt,FG2,Depot,B2,5,10,10,,,,,PO2,G2,',
    Y3.replace('2025-02-05', '2024-02-05'),
    'M9,2025-03-06,issue,FG1,Plant,,4,4,4,SO2,1,,,,,',
    'Y1,2025-05-05,other_receipt,SFG1,Plant,,10,10,11,,,,,,,',
  )
  const never =
    'and no movement can go to or from a day before 2025-01-01, because those are archived: book the change as movements of their own, or take the years back with millbook archive --undo'
  expect(crossing.errors.first.map(problemLine)).toEqual([
    `stock_movements.csv:2: movement_date = "2025-03-04": the movement is of 2024-03-04, ${never}`,
    `stock_movements.csv:3: movement_date = "2024-02-05": the movement is of 2025-02-05, ${never}`,
    `stock_movements.csv:4: movement_date = "2025-03-06": the movement is archived, ${never}`,
    `stock_movements.csv:5: movement_date = "2025-05-05": the movement is archived, ${never}`,
  ])
  expect(await rowsOf(database)).toEqual(before)
  // Nor has one two rows in a file.
  const twice = ['N1,2023-06-05', 'N1,2025-06-05'].map((begin) => `${begin},other_receipt,SFG1,Plant,,1,1,1,,,,,,,`)
  expect((await loadMovements(database, ...twice)).errors.first.map(problemLine)).toEqual([
    'stock_movements.csv:3: movement_no = "N1": there is an earlier row with the same movement_no',
  ])
  // A movement that is in no archive is not taken for one that is.
  const backdated = await loadMovements(database, ...all, 'Y9,2023-09-09,other_receipt,SFG1,Plant,,1,1,1,,,,,,,')
  expect(backdated.warnings.kinds.slice(-2).map(({ check, count, examples }) => [check, count, examples[0]])).toEqual([
    [
      'movements of archived years are new',
      1,
      'movement Y9 of 2023-09-09 is new, and is left out: days before 2025-01-01 are archived',
    ],
    ['the file has movements of archived years', 1, expect.stringContaining('1 of the movements is before 2025-01-01')],
  ])
  expect(await rowsOf(database)).toEqual(before)
  // Later movements and documents load as before.
  const later = files({
    stock_movements: ['Y6,2025-03-01,sales_return,FG1,Plant,B1,1,1,1,SO1,1,,,,,'],
    sales_orders: ['SO2,Online,2024-03-07,C1,Plant,20,0,20'],
  })
  const results = []
  for (const one of [database, plain]) {
    const { entities, warnings } = await load(one, findFiles(folderOf(later)))
    results.push({ entities, warnings })
  }
  expect(results[0]).toEqual(results[1])
  const [found, expected] = await Promise.all(
    [database, plain].map(async (one) => {
      const service = await startService({}, one)
      const body = { date: '2025-04-01', limit: '100' }
      const { data } = (await service.call({ path: '/v1/partner/invetory-snapshot', body })).json()
      await service.app.close()
      return data
    }),
  )
  expect(found).toEqual(expected)
  expect(await broken(database)).toEqual([])
})

onServer.it('--replace removes later movements, however many rows the ledger and the file have', async () => {
  const database = await threeYears()
  await archive(database, 2024)
  const rows = await database.db`select from stock_movement`
  // Y3 is gone. As many rows as the ledger has, most of them of archived years.
  const old = rows.slice(1).map((_, i) => `O${i},2023-05-05,other_receipt,SFG1,Plant,,1,1,1,,,,,,,`)
  const source = findFiles(folderOf(files({ stock_movements: [...old, Y4] })))
  await load(database, source, { incremental: true })
  const { entities } = await load(database, source, { incremental: true, replace: ['stock_movements'] })
  expect(entities['stock_movements']?.removed).toBe(1)
})

onServer.it('what archived movements refer to is kept as if they were in the ledger', async () => {
  const [database, plain] = [await threeYears(), await threeYears()]
  await archive(database, 2024)
  const loads: [Record<string, string[]>, string[]][] = [
    [{ sales_order_items: ['SO2,1,FG2,2,10,10,20,0,20'] }, []],
    [{ sales_orders: [SO2], sales_order_items: [SO2_LINE], returns: [] }, ['sales_orders', 'sales_order_items']],
    [{ goods_receipts: ['G1,PO1,2024-03-04,Depot'], goods_receipt_items: ['G1,PO1,1,1,5,4,1,2,8,0,8'] }, []],
    [
      { goods_receipts: ['G1,PO1,2024-03-04,Plant'], goods_receipt_items: [] },
      ['goods_receipts', 'goods_receipt_items'],
    ],
    [{ batches: ['FG1,B1,MANUAL,,,,'] }, []],
    [{ batches: ['FG1,B1,PRODUCED,2024-03-05,Plant,10,1'] }, ['batches']],
    [{ items: ['SFG1,Curd,SRV,,KG,'] }, []],
  ]
  let refused = 0
  for (const [rows, replace] of loads) {
    const [found, expected] = await Promise.all(
      [database, plain].map(async (one) => {
        const { errors } = await load(one, findFiles(folderOf(files(rows))), { replace, dryRun: true })
        // Sums have numbers of their own, and archived movements are named as such.
        return errors.first.map((problem) =>
          problemLine(problem)
            .replaceAll(/ARCHIVED\/2024\/\d+|\b[MY]\d+\b/g, 'M')
            .replace(/(a )?movement of an archived year/, 'movement M')
            .replace(', which is archived,', '')
            .replace(
              /: keep it, or take the years back with millbook archive --undo first|: remove that too, or keep it/,
              '',
            ),
        )
      }),
    )
    expect([...new Set(found)].sort(), JSON.stringify(rows)).toEqual([...new Set(expected)].sort())
    if (found?.length) refused++
  }
  expect(refused).toBe(loads.length)
})

inLongTier('an item that only archived consumption was for stays', async (context) => {
  if (engine !== 'server') context.skip('only years of a ledger on a server can be archived')
  const database = await threeYears()
  const one = files({
    items: ['SFG9,Whey,SFG,,KG,'],
    stock_movements: ['Y6,2023-07-01,consumption,RM1,Plant,,1,1,1,,,SFG9,,,,'],
  })
  expect((await load(database, findFiles(folderOf(one)))).errors.first).toEqual([])
  const before = await rowsOf(database)
  await archive(database, 2024)
  const others = await database.db<{ row: string }[]>`
    select concat_ws(',', sku, name, type, coalesce(material_kind, ''), unit, '') as row from item where sku <> 'SFG9'`
  const without = findFiles(folderOf(files({ items: others.map(({ row }) => row) })))
  const { errors } = await load(database, without, { replace: ['items'] })
  expect(errors.first.map(problemLine)).toEqual([
    'items.csv:1: sku = "SFG9": is not among the rows any more, and a movement of an archived year uses it: keep it, or take the years back with millbook archive --undo first',
  ])
  await takeBack(database)
  expect(await rowsOf(database)).toEqual(before)
})

onServer.it('stock that is below zero or held since an archived year is still told', async () => {
  const database = await newDatabase()
  await loadBooks(database)
  await load(
    database,
    findFiles(
      folderOf(
        files({
          batches: ['FG2,N1,MANUAL,,,,', 'SFG1,H1,MANUAL,,,,'],
          stock_movements: [
            'Y1,2023-05-05,internal_issue,FG2,Plant,N1,5,5,5,,,,,,,',
            'Y2,2023-06-01,other_receipt,SFG1,Depot,H1,5,5,5,,,,,,,',
            'Y3,2023-06-02,hold,SFG1,Depot,H1,5,5,5,,,,,,,',
            'Y4,2023-06-03,internal_issue,SFG1,Depot,H1,5,5,5,,,,,,,',
          ],
        }),
      ),
    ),
  )
  await partition(database)
  const before = await verify(database.db, { rebuild: false })
  expect(before.flatMap(({ examples }) => examples)).toEqual([
    '5.0000 of SFG1 in Depot is held in the end, and 0.0000 is there',
    'stock of FG2 in Plant is -5.0000 on 2023-05-05',
  ])
  await archive(database, 2024)
  expect(await verify(database.db, { rebuild: false })).toEqual(before)
})

onServer.it('a reader goes on with what it began to read, and a writer waits', async () => {
  const database = await threeYears()
  const { db } = database
  const count = async (tx: Queryable) => (await tx`select from stock_movement`).length
  const before = await rowsOf(database)
  let archived: Promise<unknown> = Promise.resolve()
  let backup: Buffer = Buffer.alloc(0)
  await db.begin('isolation level repeatable read', async (tx) => {
    await tx`select from data_version` // its snapshot
    const writing = writeBackup(db)
    backup = (await writing.next()).value as Buffer
    archived = archive(database, 2024)
    await archived
    expect(await count(tx)).toBe(before['stock_movement']?.length)
    for await (const piece of writing) backup = Buffer.concat([backup, piece])
  })
  expect(await count(db)).toBeLessThan(before['stock_movement']?.length ?? 0)
  const restored = await openTestDatabase('empty')
  onTestFinished(() => restored.drop())
  await restore(
    restored,
    (async function* () {
      yield backup
    })(),
  )
  expect(await rowsOf(restored)).toEqual(before)

  // A movement that is being written when the archive begins is part of it.
  await takeBack(database)
  const writer = db.begin(async (tx) => {
    await tx`insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, qty, val, val_tax)
             select item_id, 'OP1', '2024-12-20', 'other_receipt', warehouse_id, 1000, 0, 0 from stock_movement limit 1`
    archived = archive(database, 2024)
    await sleep(500)
  })
  await writer
  await archived
  expect(await db`select from millbook_archive.stock_movement_2024 where movement_no = 'OP1'`).toHaveLength(1)
  expect(await db`select from stock_movement where movement_no like 'ARCHIVED/%' and qty >= 1000`).toHaveLength(1)
})

inLongTier('disk space is given back as soon as no report reads the table', async (context) => {
  if (engine !== 'server') context.skip('only years of a ledger on a server can be archived')
  const database = await threeYears()
  const { db } = database
  await archive(database, 2024)
  const size = async () => (await db`select pg_relation_size('stock_movement_2023')::int as bytes`)[0]?.['bytes']
  expect(await size()).toBeGreaterThan(0)
  let done: Promise<string> = Promise.resolve('')
  await db.begin(async (tx) => {
    await tx`select from stock_movement_2023`
    const once = vacuumArchived(database, true, 1)
    await expect(once).rejects.toThrow('reports read the table stock_movement_2023 all the time')
    done = vacuumArchived(database, true).then(() => 'done')
    expect(await Promise.race([done, sleep(1200, 'waits')])).toBe('waits')
  })
  expect(await done).toBe('done')
  expect(await size()).toBe(0)
})

onServer.it('verify compares the copies of later movements alone, and rebuilds what it can', async () => {
  const database = await threeYears()
  await archive(database, 2024)
  const { db } = database
  const before = await db`select * from order_movement order by movement_no`
  expect(before.map((row) => row['movement_no'])).toContain('M9')
  await db`delete from order_movement where movement_no = 'Y4'`
  expect(await broken(database)).toMatchObject([{ check: 'copies in order_movement differ', count: 1 }])
  expect((await verify(db, { rebuild: true })).filter((finding) => !isOddity(finding))).toEqual([])
  expect(await db`select * from order_movement order by movement_no`).toEqual(before)
})

onServer.it('a request for what is archived says since when the ledger has it', async () => {
  const database = await threeYears(openTestDatabase)
  await archive(database, 2024)
  const { call, close } = await startService({}, database)
  onTestFinished(close)
  const ask = async (path: string, body: object) => {
    const { statusCode, body: text } = await call({ path, body })
    return statusCode === 200 ? statusCode : [statusCode, JSON.parse(text).errors]
  }
  const stock = { type: 'ALL', tax: 0, from_date: '2024-12-31', to_date: '2025-01-31' }
  const message = 'must be 2025-01-01 or later, not 2024-12-31: older movements are archived'
  expect(await ask('/v1/inventory/fg-stock-status', stock)).toEqual([422, [{ field: 'from_date', message }]])
  expect(await ask('/v1/inventory/fg-stock-status', { ...stock, from_date: '2025-01-01' })).toBe(200)
  expect(await ask('/v1/partner/invetory-snapshot', { date: '2024-12-31', limit: 5 })).toBe(200)
  expect(await ask('/v1/partner/invetory-snapshot', { date: '2024-12-30', limit: 5 })).toEqual([
    422,
    [{ field: 'date', message: 'must be 2024-12-31 or later, not 2024-12-30: older movements are archived' }],
  ])
  expect(await ask('/v1/production/batch-story', { batch_no: 'B1' })).toEqual([
    422,
    [
      {
        field: 'batch_no',
        message: 'is a batch of FG1 that was used up before 2025-01-01, and its movements are archived',
      },
    ],
  ])
  expect(await ask('/v1/production/batch-story', { batch_no: 'B2' })).toBe(200)
  expect(await ask('/v1/inventory/movements', { from_date: '2024-12-31', to_date: '2025-01-31' })).toEqual([
    422,
    [{ field: 'from_date', message }],
  ])
})

onServer.it('a backup has what is left of archived years, and is restored into a partitioned ledger', async () => {
  const database = await threeYears()
  await archive(database, 2024)
  await loadMovements(database, 'Y7,2026-01-05,other_receipt,SFG1,Plant,,1,1,1,,,,,,,')
  const restored = await openTestDatabase('empty')
  onTestFinished(() => restored.drop())
  await restore(restored, writeBackup(database.db))
  expect(await rowsOf(restored)).toEqual(await rowsOf(database))
  expect(await yearsOf(restored)).toEqual(['2023', '2024', '2025', '2026'])
  for (const copy of ['order_movement', 'invoice_movement', 'work_order_movement', 'receipt_movement'])
    expect(await restored.db.unsafe(`select * from ${copy} order by 1, 2, 3, 4, 5`), copy).toEqual(
      await database.db.unsafe(`select * from ${copy} order by 1, 2, 3, 4, 5`),
    )
  for (const known of ['archived_batch', 'archived_use', 'archived_number', 'data_version']) {
    const rows = await restored.db.unsafe(`select t::text as row from ${known} t order by 1`)
    expect(rows.length, known).toBeGreaterThan(0)
    expect(rows, known).toEqual(await database.db.unsafe(`select t::text as row from ${known} t order by 1`))
  }
  expect(await verify(restored.db, { rebuild: false })).toEqual(await verify(database.db, { rebuild: false }))
  await loadMovements(restored, 'Y8,2027-01-05,other_receipt,SFG1,Plant,,1,1,1,,,,,,,')
  expect(await archive(restored, 2025)).toMatchObject({ archived: true, movements: 2 })
  await expect(takeBack(restored)).rejects.toThrow('the table millbook_archive.stock_movement_2023 is not there')
  await expect(restore({ db: restored.db, engine: 'embedded' }, writeBackup(database.db))).rejects.toThrow(
    'the backup is of a ledger with archived years, which needs a PostgreSQL server',
  )
})

inLongTier('the statement in docs/scaling.md writes a year as a file that can be loaded', async (context) => {
  if (engine !== 'server') context.skip('only years of a ledger on a server can be archived')
  const [database, other] = [await threeYears(), await newDatabase()]
  const [, statement = ''] = /\\copy \((select .*)\) to/.exec(readFileSync('docs/scaling.md', 'utf8')) ?? []
  await archive(database, 2024)
  await loadBooks(other)
  const rows = await database.db.unsafe<Record<string, string | number | null>[]>(
    statement.replace('2023', '2024').replace('m.movement_date', 'm.movement_date::text as movement_date'),
  )
  const cells = rows.map((row) => Object.values(row).map((cell) => cell ?? ''))
  const text = [Object.keys(rows[0] ?? {}), ...cells].map((row) => row.join(',')).join('\n')
  const { entities, errors } = await load(other, findFiles(folderOf({ 'stock_movements.csv': `${text}\n` })))
  expect(errors.first).toEqual([])
  // The books have all of 2024 but Y5.
  expect(entities['stock_movements']).toEqual({ new: 1, changed: 0, same: 10, removed: 0 })
})

onServer.it('refuses years that cannot be archived', async () => {
  const database = await newDatabase()
  await expect(archive(database, 2024)).rejects.toThrow('give each year a table of its own first')
  await partition(database)
  await loadBooks(database)
  expect(await archive(database, 2023)).toMatchObject({ archived: false, begins: null })
  for (const year of [new Date().getUTCFullYear(), new Date().getUTCFullYear() + 1, 9999])
    await expect(archive(database, year)).rejects.toThrow('is not over')
  await loadMovements(database, 'ARCHIVED/1,2024-05-05,other_receipt,SFG1,Plant,,1,1,1,,,,,,,')
  await expect(archive(database, 2024)).rejects.toThrow("the company's own movement ARCHIVED/1 has a number")
  expect(await database.db`select ledger_begins as day from data_version`).toEqual([{ day: null }])
})

it('the ledger of the embedded engine, or of a cluster, keeps all of its years', async () => {
  const database = { db: {} as Db, distributed: false }
  await expect(archive({ ...database, engine: 'embedded' }, 2024)).rejects.toThrow(
    'only years of a ledger on a PostgreSQL server can be archived',
  )
  await expect(archive({ ...database, engine: 'server', distributed: true }, 2024)).rejects.toThrow(
    'the ledger is distributed over the nodes of a cluster',
  )
})
