/** Loading: every report shows each loaded row once, and a load with a wrong row stores nothing. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockLoads } from '../../src/db/connect.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { checkClosings } from '../../src/ledger/closings.js'
import { ofOneState, oracle } from '../oracle/index.js'
import { emptyCompany, item, type Movement, movement, warehouse } from '../setup/company.js'
import { databaseForThisTest } from '../setup/database.js'
import { type Format, folderOf, parquetRow, rowsByEntity, tempFolder, writeFiles } from '../setup/files.js'
import { change, good, MV } from '../setup/good-files.js'
import { lineOf } from '../setup/problem-lines.js'
import { randomCompany, randomDay, randomRange } from '../setup/random-company.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, runs, sameOnBoth } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** A record without the ids that the database assigns. */
const unnumbered = (record: unknown) => {
  const { poid: _, prod_id: __, ...others } = record as Record<string, unknown>
  return typeof others['order_id'] === 'number' ? { ...others, order_id: 0 } : others
}

/** By entity, its key and the columns that a company may lack, and the stored rows as files have them. */
const optionalColumns = {
  warehouses: { columns: ['key', 'gln'], from: '(select code as key, gln from warehouse) w' },
  items: { columns: ['sku', 'gtin', 'shelf_life_days'], from: 'item' },
  vendors: { columns: ['code', 'gln'], from: 'vendor' },
  item_vendors: {
    columns: ['sku', 'vendor_code', 'lead_days', 'min_qty', 'multiple', 'price'],
    from: 'item_vendor join item on id = item_id',
  },
  batches: { columns: ['sku', 'batch_no', 'supplier_lot'], from: 'batch join item on id = item_id' },
  stock_movements: { columns: ['movement_no', 'transfer_no'], from: 'stock_movement' },
}

const formats: Format[] = ['csv', 'jsonl', 'parquet']

describe('the round trip', () => {
  sameOnBoth('every report over loaded files equals the oracle, in any file format', async () => {
    await fc.assert(
      fc.asyncProperty(randomCompany, randomRange, fc.nat(2), async (company, range, shift) => {
        await service.db.unsafe(
          'truncate warehouse, item, vendor, customer, stock_closing, stock_flow, batch_closing cascade',
        )
        const folder = tempFolder()
        const rows = rowsByEntity(company)
        writeFiles(folder, rows, (name) => formats[(name.length + shift) % 3] as Format)
        const result = await load(service.database, findFiles(folder))
        expect(result.errors.first.map(lineOf)).toEqual([])
        const { plan = [] } = codesOf(company)
        const codes = { vendor_code: ['V1'], pono: [company.purchase_order[0]?.po_no ?? 'none'], limit: [1, '3'], plan }
        for (const report of ofOneState)
          for (const body of requestsFor(report, range, codes)) {
            const answer = await service.call({ path: report.path, body, query: { 'per-page': 5000, fields: 'all' } })
            const data = answer.json().data.map(unnumbered)
            const expected = oracle[report.id]?.(company, body).map(unnumbered)
            expect({ report: report.id, body, data }).toEqual({ report: report.id, body, data: expected })
          }
        for (const [name, { columns, from }] of Object.entries(optionalColumns)) {
          const texts = columns.map((column) => `${column}::text`).join(', ')
          const stored = await service.db.unsafe<Record<string, string | null>[]>(`select ${texts} from ${from}`)
          const given = (rows[name] ?? []).map((row) => columns.map((column) => row[column] ?? null))
          expect([name, stored.map((row) => columns.map((column) => row[column])).sort()]).toEqual([name, given.sort()])
        }
        const wrong = (await verify(service.database, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')
        expect(wrong).toEqual([])
        const again = await load(service.database, findFiles(folder))
        expect(again.dataVersion).toBe(result.dataVersion)
        for (const counts of Object.values(again.entities))
          expect(counts).toMatchObject({ new: 0, changed: 0, removed: 0 })
      }),
      { numRuns: runs(1, 30), endOnFailure: true },
    )
  })
})

describe('Parquet', () => {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
  const decimal = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38 } as const
  const timestamp = { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' } as const
  const midnight = new Date('2024-03-07T00:00:00Z')

  sameOnBoth('its types are stored exactly: decimals, times, lists', async () => {
    const database = await databaseForThisTest()
    const { 'invoices.csv': _, 'sales_orders.csv': __, 'approvals.csv': ___, ...others } = good
    const amount = '99999999999999999999.87'
    const files = {
      ...others,
      'invoices.parquet': parquetRow({
        invoice_no: [text, 'I1'],
        order_no: [text, 'SO1'],
        invoice_at: [timestamp, midnight],
        due_date: [timestamp, midnight],
        sub_total: [{ ...decimal, scale: 18 }, 10n ** 18n],
        total_tax: [{ ...decimal, scale: 2 }, 0n],
        total_amt: [{ ...decimal, scale: 2 }, BigInt(amount.replace('.', ''))],
        final_amt: [{ ...decimal, scale: 2 }, -BigInt(amount.replace('.', ''))],
      }),
      'sales_orders.parquet': parquetRow({
        ...{
          order_no: [text, 'SO1'],
          order_type: [text, 'Online'],
          customer_code: [text, 'C1'],
          warehouse: [text, 'Plant'],
        },
        order_date: [{ type: 'INT32', converted_type: 'DATE' }, 19_788],
        order_time: [{ type: 'INT32', converted_type: 'TIME_MILLIS' }, 34_200_000],
        ...{ taxable_amt: [{ type: 'INT32' }, 20], tax_amt: [{ type: 'DOUBLE' }, 2.4], total_amt: [text, '22.4'] },
      }),
      'approvals.parquet': parquetRow({
        ...{
          po_no: [text, 'PO1'],
          step: [{ type: 'INT64' }, 1n],
          group_name: [text, 'Finance'],
          status: [text, 'Pending'],
        },
        approvers: [{ type: 'BYTE_ARRAY', converted_type: 'JSON' }, ['Asha', 'Vikram']],
      }),
    }
    const result = await load(database, findFiles(folderOf(files)))
    expect(result.errors.first.map(lineOf)).toEqual([])
    const [row] = await database.db`
      select i.invoice_at::text, i.due_date::text, i.sub_total::text, i.total_amt::text, i.final_amt::text,
             o.order_date::text, o.order_time::text, a.approvers::text
        from invoice i, sales_order o, purchase_order_approval a`
    expect(row).toEqual({
      ...{ invoice_at: '2024-03-07 00:00:00', due_date: '2024-03-07' },
      ...{ sub_total: '1.00', total_amt: amount, final_amt: `-${amount}` },
      ...{ order_date: '2024-03-06', order_time: '09:30:00', approvers: '{Asha,Vikram}' },
    })
  })
})

describe('the ledger', () => {
  const base = rowsByEntity({
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
    item: [item(1, 'FG1', 'FG'), item(2, 'FG2', 'FG')],
  })
  const days = fc.oneof(randomDay, fc.constantFrom('2023-01-15', '2024-05-02', '2025-07-31'))
  const randomMovement = fc
    .record({
      no: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom('other_receipt', 'trash', 'transfer_in', 'hold', 'release'),
      item_id: fc.constantFrom(1, 2),
      warehouse_id: fc.constantFrom(1, 2),
      movement_date: days,
      qty: fc.integer({ min: 1, max: 5 }).map(String),
      val: fc.integer({ min: 0, max: 9 }).map(String),
    })
    .map(({ no, kind, ...about }) => movement(no, kind, about))

  sameOnBoth(
    'closings equal the ledger after any sequence of loads: back-dated, changed, moved and removed movements',
    async () => {
      const unique = (list: Movement[]) => [...new Map(list.map((m) => [m.movement_no, m])).values()]
      const loads = fc.array(
        fc.record({ moved: fc.array(randomMovement, { minLength: 1, maxLength: 8 }), replace: fc.boolean() }),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      await fc.assert(
        fc.asyncProperty(loads, async (sequence) => {
          await service.db.unsafe(
            'truncate warehouse, item, vendor, customer, stock_closing, stock_flow, batch_closing cascade',
          )
          const books = new Map<string, Movement>()
          for (const { moved, replace } of sequence) {
            const folder = tempFolder()
            const company = {
              ...emptyCompany(),
              warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
              item: [item(1, 'FG1', 'FG'), item(2, 'FG2', 'FG')],
            }
            const { stock_movements = [] } = rowsByEntity({ ...company, stock_movement: unique(moved) })
            writeFiles(folder, { ...base, stock_movements }, () => 'csv')
            const result = await load(service.database, findFiles(folder), {
              replace: replace ? ['stock_movements'] : [],
            })
            expect(result.errors.first.map(lineOf)).toEqual([])
            if (replace) books.clear()
            for (const m of unique(moved)) books.set(m.movement_no, m)
            const [{ n } = { n: -1 }] = await service.db`select count(*)::int as n from stock_movement`
            expect(n).toBe(books.size)
            expect(await checkClosings(service.db)).toEqual({ stock_closing: 0, stock_flow: 0, batch_closing: 0 })
          }
        }),
        { numRuns: runs(1, 40), endOnFailure: true },
      )
    },
  )
})

describe('all or nothing', () => {
  it('the good files load, on a new database', async () => {
    const database = await databaseForThisTest()
    const result = await load(database, findFiles(folderOf(good)))
    expect(result.errors.first.map(lineOf)).toEqual([])
    expect(result).toMatchObject({ committed: true, dataVersion: 1, warnings: { count: 0 } })
    expect(Object.keys(result.entities)).toHaveLength(22)
  })

  sameOnBoth('a load with disagreements warns and commits', async () => {
    const database = await databaseForThisTest()
    const files = {
      ...good,
      ...change(MV, 'FG1,Plant,B1,2,', 'FG1,Plant,B1,200,'),
      'goods_receipt_items.csv': (good['goods_receipt_items.csv'] as string).replace(',5,4,1,', ',50,49,1,'),
      'purchase_orders.csv': (good['purchase_orders.csv'] as string).replace('11.20', '11.00'),
    }
    const result = await load(database, findFiles(folderOf(files)))
    expect(result.committed).toBe(true)
    expect(result.warnings.kinds.map(({ check, count, examples }) => [check, count, examples.length])).toEqual([
      ['the accepted quantity of a goods receipt differs from the ledger', 1, 1],
      ['more was issued for an order line than was ordered, or more invoiced than issued', 1, 1],
      ['stock or held stock is below zero, or more is held than there is', 1, 1],
      ['total_amt of a purchase order is not the sum of its parts', 1, 1],
      ['more was received than ordered', 1, 1],
    ])
    expect(result.warnings).toMatchObject({
      count: 5,
      first: [
        'receipt G1 of order PO1: 49.0000 of RM1 accepted, in the ledger 4.0000',
        'line 1 of order SO1: 2.0000 ordered, in the ledger 200.0000 issued',
        'stock of FG1 in Plant is -191.0000 on 2024-03-06',
        'purchase_order PO1: total_amt is 11.00, its parts add up to 11.20',
        'purchase order PO1 line 1: received 49.0000 of 5.0000 ordered',
      ],
    })
  })

  sameOnBoth('a dry run does everything except commit', async () => {
    const database = await databaseForThisTest()
    const result = await load(database, findFiles(folderOf(good)), { dryRun: true })
    expect(result).toMatchObject({ committed: false, dataVersion: 0, entities: { items: { new: 3 } } })
    const [row] = await database.db`select (select count(*)::int from item) as items, version::int from data_version`
    expect(row).toEqual({ items: 0, version: 0 })
  })

  sameOnBoth('a changed row replaces the stored one; --replace removes rows that the file does not have', async () => {
    const database = await databaseForThisTest()
    await load(database, findFiles(folderOf(good)))
    const fewer = { 'vendors.csv': 'code,name,credit_days\nV1,New name,30\nV2,Other,0\n' }
    const changed = await load(database, findFiles(folderOf(fewer)))
    expect(changed.entities).toEqual({ vendors: { new: 1, changed: 1, same: 0, removed: 0 } })
    const replaced = await load(database, findFiles(folderOf(change('vendors.csv', 'Vendor', 'New name'))), {
      replace: ['vendors'],
    })
    expect(replaced.entities).toEqual({ vendors: { new: 0, changed: 1, same: 0, removed: 1 } })
    expect(replaced.dataVersion).toBe(3)
    const used = await load(database, findFiles(folderOf({ 'vendors.csv': 'code,name\nV2,Other\n' })), {
      replace: ['vendors'],
    })
    expect(used.errors.first.map(lineOf)).toEqual([
      'vendors.csv:1: code = "V1": is no longer among the rows, but purchase_orders PO1 uses it; remove that row too, or keep this one',
    ])
    const batches = {
      'batches.csv': 'sku,batch_no,source\nFG1,B7,MANUAL\n',
      'consumption.csv': 'sku,batch_no,line_no,cost_head\nFG1,B7,1,Taxes\n',
    }
    const ledger = await load(database, findFiles(folderOf(batches)), { replace: ['batches', 'consumption'] })
    expect(ledger.errors.first.map(lineOf)).toContain(
      'batches.csv:1: batch_no = "B1": movement M3 refers to it, so it cannot be removed',
    )
    const orders = { 'sales_orders.csv': (good['sales_orders.csv'] as string).replace('SO1', 'SO7') }
    const parents = await load(database, findFiles(folderOf(orders)), { replace: ['sales_orders'] })
    expect(parents.errors.first.map(lineOf)).toEqual([
      expect.stringMatching(
        /^sales_orders\.csv:1: order_no = "SO1": is no longer among the rows, but \w+ [\w ]+ uses it; remove that row too, or keep this one$/,
      ),
    ])
    await expect(load(database, findFiles(folderOf(fewer)), { replace: ['items'] })).rejects.toThrow(
      '--replace items needs a file for items',
    )
    await expect(load(database, findFiles(folderOf(fewer)), { replace: ['vendor'] })).rejects.toThrow(
      /no entity vendor \(did you mean vendors\?\)/,
    )
  })

  sameOnBoth('--replace names every missing row that another row still uses', async () => {
    const database = await databaseForThisTest()
    await load(database, findFiles(folderOf(good)))
    const more = {
      'vendors.csv': 'code,name\nV2,Other\nV8,Eight\nV9,Nine\n',
      'purchase_orders.csv': `${good['purchase_orders.csv']}PO8,2024-03-01,2024-03-05,V8,Plant,10,0,10\nPO9,2024-03-01,2024-03-05,V9,Plant,10,0,10\n`,
    }
    expect((await load(database, findFiles(folderOf(more)))).errors.first.map(lineOf)).toEqual([])
    const vendors = { 'vendors.csv': 'code,name\nV2,Other\n' }
    const used = await load(database, findFiles(folderOf(vendors)), { replace: ['vendors'], errorsShown: 2 })
    const line = (row: string, user: string) =>
      `${row}: is no longer among the rows, but ${user} uses it; remove that row too, or keep this one`
    expect([used.errors.count, ...used.errors.first.map(lineOf)]).toEqual([
      3,
      line('vendors.csv:1: code = "V1"', 'purchase_orders PO1'),
      line('vendors.csv:1: code = "V8"', 'purchase_orders PO8'),
    ])
    // PO8 and PO9 can be removed, and so can their vendors.
    const none = { 'purchase_orders.csv': `${good['purchase_orders.csv']}`.split('\n')[0] as string, ...vendors }
    const replaced = await load(database, findFiles(folderOf(none)), { replace: ['purchase_orders', 'vendors'] })
    expect(replaced.errors.first.map(lineOf)).toEqual([
      expect.stringMatching(/^purchase_orders.csv:1: po_no = "PO1": is no longer .*, but \w+ PO1( 1)? uses it/),
      line('vendors.csv:1: code = "V1"', 'purchase_orders PO1'),
    ])
  })

  sameOnBoth('the error names a used row and its user by the keys of their files', async () => {
    const database = await databaseForThisTest()
    await load(database, findFiles(folderOf(good)))
    const more = {
      'items.csv': 'sku,name,type,material_kind,unit\nFG2,Paneer,FG,,KG\nRM2,Salt,MAT,RAW,KG\nRM3,Rennet,MAT,RAW,KG\n',
      'bom.csv': 'product,component,qty\nFG2,RM2,1\n',
      'batches.csv': 'sku,batch_no,source,batch_date,warehouse,qty,wastage\nFG2,B1,PRODUCED,2024-03-05,Plant,10,1\n',
      'consumption.csv': 'sku,batch_no,line_no,material,qty_bom,val_bom,tax_val\nFG2,B1,1,RM2,3,6,0.72\n',
    }
    expect((await load(database, findFiles(folderOf(more)))).errors.first.map(lineOf)).toEqual([])
    // A table of another program.
    await database.db.unsafe(
      `create schema bi; create table bi.note (item_id integer references item); insert into bi.note select id from item where sku = 'RM3'`,
    )
    const items = await load(database, findFiles(folderOf({ 'items.csv': good['items.csv'] as string })), {
      replace: ['items'],
    })
    const used = (row: string, by: string) =>
      `${row}: is no longer among the rows, but ${by} uses it; remove that row too, or keep this one`
    expect(items.errors.first.map(lineOf)).toEqual([
      used('items.csv:1: sku = "FG2"', 'bom FG2 RM2'),
      used('items.csv:1: sku = "RM2"', 'bom FG2 RM2'),
      used('items.csv:1: sku = "RM3"', 'a row of bi.note'),
    ])
    const none = { 'batches.csv': (good['batches.csv'] as string).split('\n')[0] as string }
    const batches = await load(database, findFiles(folderOf(none)), { replace: ['batches'] })
    expect(batches.errors.first.map(lineOf)).toEqual([
      used('batches.csv:1: sku, batch_no = "FG1 B1"', 'consumption FG1 B1 1'),
      used('batches.csv:1: sku, batch_no = "FG2 B1"', 'consumption FG2 B1 1'),
    ])
  })

  sameOnBoth('a load warns of a changed stock unit of an item with movements', async () => {
    const database = await databaseForThisTest()
    await load(database, findFiles(folderOf(good)))
    const other = findFiles(folderOf(change('items.csv', 'JAR', 'TIN')))
    const { warnings, entities } = await load(database, other)
    expect(entities['items']).toMatchObject({ changed: 1 })
    expect(warnings.kinds).toEqual([
      {
        check: 'the stock unit of an item with movements changed',
        count: 1,
        examples: [
          'the stock unit of item FG1 was JAR and is TIN now: its movements without a unit keep their quantities, unless this load changes them too',
        ],
      },
    ])
    expect((await load(database, other)).warnings.kinds).toEqual([])
  })

  inLongTier('of two concurrent loads, the second waits and then sees the rows of the first', async () => {
    const database = await databaseForThisTest()
    let waited = 0
    const locked = async <T>(work: () => Promise<T>) => {
      const release = await lockLoads(database.target, () => waited++)
      return await work().finally(release)
    }
    const [one, two] = await Promise.all([
      locked(() => load(database, findFiles(folderOf(good)))),
      locked(() => load(database, findFiles(folderOf(good)))),
    ])
    expect(waited).toBe(1)
    expect([one, two].map((result) => result.dataVersion)).toEqual([1, 1])
    expect([one, two].map((result) => result.entities['items']?.new).sort()).toEqual([0, 3])
  })
})
