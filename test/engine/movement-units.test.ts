/** Movements in a unit of item_units: converted to the stock unit, again whenever the unit changes, and with their closings. */
import { beforeEach, expect, it } from 'vitest'
import { type LoadOptions, load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { files } from '../setup/books.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good, KEY } from '../setup/good-files.js'
import { lineOf } from '../setup/problem-lines.js'
import { sameOnBoth } from '../setup/tier.js'

let database: TestDatabase

const loaded = async (rows: Record<string, string[]>, options: LoadOptions = {}) => {
  const { errors, entities, warnings } = await load(database, findFiles(folderOf(files(rows))), options)
  expect(errors.first.map(lineOf)).toEqual([])
  return { ...entities['stock_movements'], warnings: warnings.first }
}
const refused = async (rows: Record<string, string[]>, options: LoadOptions = {}) => {
  const { errors, committed } = await load(database, findFiles(folderOf(files(rows))), options)
  expect(committed).toBe(false)
  return errors.first.map(lineOf)
}
/** By movement: the stored quantity, the quantity of the file if it differs, and the value. */
const stored = async () =>
  Object.fromEntries(
    (
      await database.db<{ no: string; shown: string }[]>`
        select movement_no as no, concat_ws(' ', trim_scale(qty), trim_scale((given ->> 'qty')::numeric), trim_scale(val)) as shown
          from stock_movement where unit is not null order by movement_no`
    ).map(({ no, shown }) => [no, shown]),
  )
const stockOf = async (sku: string) => {
  const [row] = await database.db<{ stock: string }[]>`
    select trim_scale(c.qty)::text as stock from stock_closing c join item i on i.id = c.item_id
     where i.sku = ${sku} and c.kind = 'other_receipt' order by c.day desc limit 1`
  return row?.stock
}
const broken = async () => (await verify(database, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')

/** Enough receipts of 2 boxes each for a closing, and one of a single jar. */
const receipts = [
  ...[1, 2, 3, 4, 5, 6].map((day) => `N${day},2024-04-0${day},other_receipt,FG1,Plant,,2,5,6,,,,,,,,BOX`),
  'N7,2024-04-07,other_receipt,FG1,Plant,,1,5,6,,,,,,,,JAR',
]

beforeEach(async () => {
  database = await databaseForThisTest()
  await load(database, findFiles(folderOf(good)))
  await loaded({ item_units: ['FG1,BOX,12', 'FG1,BIT,0.0001'] })
})

it('a quantity is converted, a value is not, and the same file changes nothing', async () => {
  expect(await loaded({ stock_movements: receipts })).toMatchObject({ new: 7, warnings: [] })
  expect(await stored()).toMatchObject({ N1: '24 2 5', N7: '1 5' })
  expect(await stockOf('FG1')).toBe('153') // 8 from before
  for (const options of [{}, { incremental: true }, { replace: ['item_units'] }])
    expect(
      await loaded({ item_units: ['FG1,BOX,12', 'FG1,BIT,0.0001'], stock_movements: receipts }, options),
    ).toMatchObject({ new: 0, changed: 0, same: 7 })
  expect(await loaded({ stock_movements: [receipts[0]?.replace('BOX', '') ?? ''] })).toMatchObject({ changed: 1 })
  expect(await stored()).not.toHaveProperty('N1')
  expect(await stockOf('FG1')).toBe('131')
  expect(await loaded({ stock_movements: [receipts[0] ?? ''] })).toMatchObject({ changed: 1 })
  expect(await stored()).toMatchObject({ N1: '24 2 5' })
  expect(await broken()).toEqual([])
})

it('a changed factor changes stored movements and their closings, and the load warns of the stock that results', async () => {
  await loaded({
    stock_movements: [
      ...receipts,
      'N8,2024-04-08,trash,FG1,Plant,,100,5,6,,,,,,,',
      'N9,2024-03-06,issue,FG1,Plant,,1,1,1,SO1,1,,,,,,BOX',
    ],
  })
  expect(await stockOf('FG1')).toBe('41')
  const { warnings, ...counts } = await loaded({ item_units: ['FG1,BOX,5'] })
  expect(counts).toEqual({})
  expect(warnings).toEqual([
    'line 1 of order SO1: 2.0000 ordered, in the ledger 7.0000 issued',
    'stock of FG1 in Plant is -36.0000 on 2024-04-08',
  ])
  expect(await stored()).toMatchObject({ N1: '10 2 5', N7: '1 5', N9: '5 1 1' })
  expect(await stockOf('FG1')).toBe('-36')
  expect(await broken()).toEqual([])
})

it('a movement follows its unit when the stock unit changes, also if --replace removes the old factor', async () => {
  await loaded({ stock_movements: receipts.slice(0, 6) })
  await loaded(
    { items: ['FG1,Ghee,FG,,BOX,', 'RM1,Milk,MAT,RAW,L,', 'CMB1,Box,COMBO,,PCS,'], item_units: ['FG1,JAR,1'] },
    { replace: ['item_units'] },
  )
  expect(await stored()).toMatchObject({ N1: '2 5' })
  expect(await stockOf('FG1')).toBe('20') // 8 movements keep their quantities
  expect(await broken()).toEqual([])
})

sameOnBoth('goods move between warehouses in two units without a difference', async () => {
  await loaded({
    warehouses: [`${KEY.replace('0', 'e')},Shop`],
    stock_movements: [
      ...receipts,
      'T1,2024-05-01,transfer_out,FG1,Plant,,3,5,6,,,,,,,,BOX',
      'T2,2024-05-01,transfer_in,FG1,Shop,,36,5,6,,,,,,,',
    ],
  })
  const [moved] = await database.db`
    select sum(case kind when 'transfer_in' then qty else -qty end)::text as difference
      from stock_movement where kind in ('transfer_in', 'transfer_out')`
  expect(moved).toEqual({ difference: '0.0000' })
  expect(await broken()).toEqual([])
})

sameOnBoth('a unit that the item does not have is refused, and one that makes a quantity 0', async () => {
  const at = 'stock_movements.csv:2: unit = "PALLET": movement N1 is in PALLET, which is no unit of item FG1'
  const pallet = [receipts[0]?.replace('BOX', 'PALLET') ?? '']
  expect(await refused({ stock_movements: pallet })).toEqual([at])
  await loaded({ stock_movements: receipts })
  expect(await refused({ stock_movements: pallet })).toEqual([at])
  expect(await refused({ item_units: ['FG1,BIT,0.0001'] }, { replace: ['item_units'] })).toContain(
    'item_units.csv:1: unit: movement N1 is in BOX, which is no unit of item FG1',
  )
  expect(await refused({ items: ['FG1,Ghee,FG,,TIN,'] })).toEqual([
    'items.csv:2: unit = "TIN": movement N7 is in JAR, which is no unit of item FG1',
  ])
  const little = receipts[0]?.replace(',2,5,', ',0.1,5,').replace('BOX', 'BIT') ?? ''
  expect(await refused({ stock_movements: [little] })).toEqual([
    expect.stringContaining(
      "a row is not valid after its conversion to the account's currency and the item's stock unit",
    ),
  ])
  expect(await stored()).toMatchObject({ N1: '24 2 5' })
})
