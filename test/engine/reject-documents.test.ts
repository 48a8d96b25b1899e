/** A document with a rejected row is rejected as a whole: each kind of document, each kind of its rows. */
import { expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import type { RejectedRow } from '../../src/import/pipeline/rejects.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { stored } from '../setup/stored.js'

/** Rows by entity. */
type Rows = Readonly<Record<string, readonly string[]>>
type Wrong = 'head' | 'line' | 'tax'

const BAD = '12x'
/** A cell, which is wrong if it is in the wrong row. */
const cell = (wrong: Wrong | undefined, row: Wrong, right: string) => (wrong === row ? BAD : right)

/** By kind: which of its rows can be wrong, how reasons call it, and the rows of a document with this number. */
const KINDS: readonly (readonly [no: string, called: string, (wrong?: Wrong) => Rows, ...wrong: Wrong[]])[] = [
  ...(['head', 'line', 'tax'] as const).flatMap((wrong) => {
    const of = (kind: string) => `${kind}-${wrong}`
    const [po, grn, so, inv] = [of('PO'), of('GRN'), of('SO'), of('INV')]
    return [
      [po, `purchase order ${po}`, (bad?: Wrong) => purchase(po, bad), wrong],
      [grn, `goods receipt ${grn}`, (bad?: Wrong) => receipt(grn, bad), wrong],
      [so, `sales order ${so}`, (bad?: Wrong) => sale(so, bad), wrong],
      [inv, `invoice ${inv}`, (bad?: Wrong) => invoice(inv, bad), wrong],
    ] as const
  }),
  ...(['head', 'line'] as const).map((wrong) => {
    const no = `WO-${wrong}`
    return [no, `work order ${no}`, (bad?: Wrong) => work(no, bad), wrong] as const
  }),
  [
    ...(['RET-line', 'return RET-line'] as const),
    (bad) => ({
      returns: ['1,2024-03-09,RTO,1', `2,2024-03-09,RTO,${cell(bad, 'line', '1')}`].map(
        (row) => `SO2,RET-line,${row},0,10,0`,
      ),
    }),
    'line',
  ],
  [
    ...(['BOM-line', 'the bill of materials of BOM-line'] as const),
    (bad) => ({ bom: ['BOM-line,FG1,1', `BOM-line,RM1,${cell(bad, 'line', '2')}`] }),
    'line',
  ],
  [
    ...(['CMB-line', 'combo CMB-line'] as const),
    (bad) => ({ combos: ['CMB-line,FG1,1', `CMB-line,RM1,${cell(bad, 'line', '2')}`] }),
    'line',
  ],
]

const purchase = (no: string, bad?: Wrong): Rows => ({
  purchase_orders: [`${no},2024-03-01,${cell(bad, 'head', '2024-03-05')},V1,Plant,10,0,10`],
  purchase_order_items: [`${no},1,RM1,2,2,4,0,4`, `${no},2,RM1,${cell(bad, 'line', '3')},2,6,0,6`],
  purchase_order_taxes: [`${no},1,Cess,${cell(bad, 'tax', '0')},0`],
})
const receipt = (no: string, bad?: Wrong): Rows => ({
  goods_receipts: [`${no},PO2,${cell(bad, 'head', '2024-03-04')},Plant`],
  goods_receipt_items: [`${no},PO2,1,1,1,1,0,2,2,0,2`, `${no},PO2,2,2,${cell(bad, 'line', '1')},1,0,2,2,0,2`],
  goods_receipt_taxes: [`${no},PO2,1,Cess,${cell(bad, 'tax', '0')},0`],
})
const sale = (no: string, bad?: Wrong): Rows => ({
  sales_orders: [`${no},Online,${cell(bad, 'head', '2024-03-06')},C1,Plant,20,0,20`],
  sales_order_items: [`${no},1,FG1,1,10,10,10,0,10`, `${no},2,FG1,${cell(bad, 'line', '1')},10,10,10,0,10`],
  sales_order_taxes: [`${no},1,Cess,${cell(bad, 'tax', '0')},0`],
})
const invoice = (no: string, bad?: Wrong): Rows => ({
  invoices: [`${no},SO2,${cell(bad, 'head', '2024-03-08 09:30:00')},2024-04-07,20,0,20,20`],
  invoice_items: [`${no},SO2,1,1,1,10,10,0,0,,,,,10`, `${no},SO2,2,2,${cell(bad, 'line', '1')},10,10,0,0,,,,,10`],
  invoice_taxes: [`${no},1,Cess,${cell(bad, 'tax', '0')},0`],
})
const work = (no: string, bad?: Wrong): Rows => ({
  work_orders: [`${no},FG1,Plant,Open,10,${cell(bad, 'head', '2024-03-05')},2024-03-06`],
  work_order_items: [`${no},1,RM1,Component,3`, `${no},2,RM1,Component,${cell(bad, 'line', '3')}`],
})

const TAXES: Readonly<Record<string, string>> = {
  purchase_order_taxes: 'po_no,line_no,name,rate,amount\n',
  goods_receipt_taxes: 'grn_no,po_no,line_no,name,rate,amount\n',
  sales_order_taxes: 'order_no,line_no,name,rate,amount\n',
  invoice_taxes: 'invoice_no,line_no,name,rate,amount\n',
}
/** Masters and documents of which nothing is wrong, beside the ones of `good`. */
const RIGHT: readonly Rows[] = [
  { items: ['BOM-line,Curd,FG,,KG,', 'CMB-line,Box 2,COMBO,,PCS,'] },
  ...[purchase('PO2'), sale('SO2'), receipt('GRN2'), invoice('INV2'), work('WO2')],
]

function filesOf(all: readonly Rows[]): Record<string, string> {
  const texts: Record<string, string> = { ...good }
  for (const rows of all)
    for (const [entity, own] of Object.entries(rows))
      texts[`${entity}.csv`] = `${texts[`${entity}.csv`] ?? TAXES[entity]}${own.join('\n')}\n`
  return texts
}

async function loadRejecting(database: TestDatabase, all: readonly Rows[], replace: readonly string[] = []) {
  let rows: readonly RejectedRow[] = []
  const write = async (found: readonly RejectedRow[]) => {
    rows = found
  }
  const result = await load(database, findFiles(folderOf(filesOf(all))), {
    replace,
    incremental: true,
    reject: { most: 200, write },
  })
  expect([result.errors.first.map(problemLine), result.committed]).toEqual([[], true])
  return { rows, kept: result.rejected?.kept }
}

const rowsIn = (rows: Rows) => Object.values(rows).reduce((sum, own) => sum + own.length, 0)

it('whichever of its rows is wrong, all rows of a document are rejected, and each names the wrong one', async () => {
  const [database, clean] = [await databaseForThisTest(), await databaseForThisTest()]
  const { rows } = await loadRejecting(database, [...RIGHT, ...KINDS.map(([, , document, wrong]) => document(wrong))])
  for (const [no, called, document, wrong] of KINDS) {
    const own = rows.filter(({ key }) => Object.values(key).includes(no))
    expect([no, own.length]).toEqual([no, rowsIn(document())])
    const reasons = own.flatMap((row) => row.reasons.map(({ message }) => message))
    const because = reasons.filter((message) => message.endsWith(` of ${called} was rejected`))
    expect([no, because.length]).toEqual([no, own.length - 1])
    expect(because[0]).toMatch(
      wrong === 'head' ? /^the head/ : wrong === 'tax' ? /^tax Cess/ : /^(order )?(line 2|comp)/,
    )
  }
  expect(rows).toHaveLength(KINDS.reduce((sum, [, , document]) => sum + rowsIn(document()), 0))
  await load(clean, findFiles(folderOf(filesOf(RIGHT))))
  expect(await stored(database)).toEqual(await stored(clean))
})

it('a stored document with a rejected row stays as it is, also rows and heads that the new files lack', async () => {
  const database = await databaseForThisTest()
  await loadRejecting(database, [...RIGHT, ...KINDS.map(([, , document]) => document())])
  const before = await stored(database)
  const onlyWrong = (rows: Rows): Rows =>
    Object.fromEntries(
      Object.entries(rows).flatMap(([entity, own]) => {
        const wrong = own.filter((row) => row.includes(BAD))
        return wrong.length > 0 ? [[entity, wrong]] : []
      }),
    )
  const entities = [...new Set(KINDS.flatMap(([, , document]) => Object.keys(document())))]
  const wrong = KINDS.map(([, , document, at]) => onlyWrong(document(at)))
  const { rows, kept } = await loadRejecting(database, [...RIGHT, ...wrong], entities)
  expect(rows).toHaveLength(KINDS.length)
  expect(kept).toBe(KINDS.reduce((sum, [, , document]) => sum + rowsIn(document()), 0))
  expect(await stored(database)).toEqual(before)
  // Only documents with a wrong line are left. Then these are gone too, and the files of their heads stay the same.
  const lines = KINDS.filter(([, , , at]) => at === 'line')
  const some = await loadRejecting(
    database,
    [...RIGHT, ...lines.map(([, , document, at]) => onlyWrong(document(at)))],
    entities,
  )
  expect(some.kept).toBe(lines.reduce((sum, [, , document]) => sum + rowsIn(document()), 0))
  await loadRejecting(database, RIGHT, entities)
  const clean = await databaseForThisTest()
  await load(clean, findFiles(folderOf(filesOf(RIGHT))))
  expect(await stored(database)).toEqual(await stored(clean))
})
