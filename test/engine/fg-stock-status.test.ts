/** FG stock status on a small company, with every figure calculated by hand. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rebuildClosings } from '../../src/ledger/closings.js'
import { emptyCompany, item, loadCompany, movement, warehouse } from '../setup/company.js'
import { type Service, startService } from '../setup/service.js'

const path = '/v1/inventory/fg-stock-status'
let service: Service
beforeAll(async () => {
  service = await startService()
  const at = (no: number, kind: string, movement_date: string, qty: string, val: string, about: object = {}) =>
    movement(no, kind, {
      item_id: 1,
      warehouse_id: 1,
      movement_date,
      qty,
      val,
      val_tax: `${Number(val) * 2}`,
      ...about,
    })
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
    item: [
      item(1, 'FG1', 'FG', { name: 'Ghee', unit: 'JAR', primary_category: 'Dairy', product_category: 'Fats' }),
      ...[item(2, 'SFG1', 'SFG'), item(3, 'CMB1', 'COMBO'), item(4, 'RM1', 'MAT'), item(5, 'FG2', 'FG')],
    ],
    stock_movement: [
      at(1, 'other_receipt', '2024-02-28', '100', '1000'),
      at(2, 'production_receipt', '2024-02-29', '10.5', '105'),
      at(3, 'purchase_receipt', '2024-02-29', '20', '200'),
      at(4, 'transfer_in', '2024-03-01', '5', '50', { transfer_charge: '2.5' }),
      at(5, 'other_receipt', '2024-03-01', '0.0001', '0'),
      at(6, 'sales_return', '2024-03-01', '1', '10'),
      at(7, 'issue', '2024-03-01', '30', '300'),
      at(8, 'consumption', '2024-03-01', '2', '20'),
      at(9, 'rejection', '2024-03-01', '1', '10'),
      at(10, 'shortage', '2024-03-01', '1', '10'),
      at(11, 'trash', '2024-03-01', '1', '10'),
      at(12, 'move_to_bad', '2024-03-01', '4', '40'),
      at(13, 'transfer_out', '2024-03-01', '6', '60', { transfer_charge: '1' }),
      at(14, 'unpack', '2024-03-01', '3', '30'),
      at(15, 'hold', '2024-02-28', '8', '80'),
      at(16, 'release', '2024-03-01', '3', '30'),
      at(17, 'issue', '2024-03-02', '500', '5000'),
      at(18, 'other_receipt', '2024-03-02', '1', '1', { item_id: 2 }),
      at(19, 'other_receipt', '2024-03-02', '1', '1', { item_id: 3, warehouse_id: 2 }),
      at(20, 'other_receipt', '2024-03-02', '1', '1', { item_id: 4 }),
    ],
  })
})
afterAll(() => service.close())

const ask = async (body: object) => (await service.call({ path, body })).json().data
const range = (from_date: string, to_date = from_date) => ({ type: 'FG', tax: 0, from_date, to_date })

it('every figure of a range equals the one calculated by hand', async () => {
  expect(await ask(range('2024-02-29', '2024-03-01'))).toEqual([
    {
      primary_category: 'Dairy',
      category_name: 'Fats',
      product_name: 'Ghee',
      Product_sku: 'FG1',
      UoM: 'JAR',
      Opening_qty: '100.0000',
      Qty_Value: '1000.0000',
      Receipts_qty: '35.5001',
      Receipts_PRD_qty: '10.5000',
      Receipts_PUR_qty: '20.0000',
      Receipts_TRF_qty: '5.0000',
      Receipts_OTH_qty: '0.0001',
      Returned_qty: '1.0000',
      Issued_qty: '32.0000',
      Trashed_qty: '3.0000',
      MovetoBad_qty: '4.0000',
      Transfered_qty: '6.0000',
      UnPacked_qty: '3.0000',
      ThatPeriod_CrValue: '365.0000',
      ThatPeriod_DrValue: '480.0000',
      Hold_qty: '5.0000',
      ThatPeriod_HoldValue: '50.0000',
      Closing_active_qty: '83.5001',
      Closing_active_value: '835.0000',
      Closing_qty: '88.5001',
      final_value: '885.0000',
      final_TrfChrg: '3.5000',
      warehouse: 'Plant',
    },
  ])
})

it('tax = 1, as a number or as a string, selects values with tax and changes no quantity or charge', async () => {
  const [without] = await ask(range('2024-02-29', '2024-03-01'))
  for (const tax of [1, '1']) {
    const [withTax] = await ask({ ...range('2024-02-29', '2024-03-01'), tax })
    expect(withTax).toMatchObject({
      Qty_Value: '2000.0000',
      final_value: '1770.0000',
      ThatPeriod_HoldValue: '100.0000',
    })
    expect(withTax.Closing_qty).toBe(without.Closing_qty)
    expect(withTax.final_TrfChrg).toBe(without.final_TrfChrg)
  }
})

it('the opening of a range is the closing of the day before, for any to_date', async () => {
  const [day] = await ask(range('2024-02-29'))
  for (const to of ['2024-03-01', '2024-03-02', '2025-01-01']) {
    const next = (await ask(range('2024-03-01', to))).find((row: { Product_sku: string }) => row.Product_sku === 'FG1')
    expect([next.Opening_qty, next.Qty_Value]).toEqual([day.Closing_qty, day.final_value])
  }
})

it('stock can be negative', async () => {
  const [row] = await ask(range('2024-03-02'))
  expect(row).toMatchObject({ Product_sku: 'CMB1', Opening_qty: '0.0000', Closing_qty: '1.0000', warehouse: 'Depot' })
  const ghee = (await ask(range('2024-03-02')))[1]
  expect(ghee).toMatchObject({ Closing_qty: '-411.4999', final_value: '-4115.0000', Closing_active_qty: '-416.4999' })
})

it('type FG includes combos, SFG only semi-finished goods, ALL both; materials and items that never moved are excluded', async () => {
  const skus = async (type: string) =>
    (await ask({ ...range('2024-03-02'), type })).map((row: { Product_sku: string }) => row.Product_sku)
  expect(await skus('FG')).toEqual(['CMB1', 'FG1'])
  expect(await skus('SFG')).toEqual(['SFG1'])
  expect(await skus('ALL')).toEqual(['CMB1', 'FG1', 'SFG1'])
})

it('a day without movements repeats the stock; a range before the first movement is empty', async () => {
  const [quiet] = await ask(range('2024-12-31'))
  expect(quiet).toMatchObject({ Receipts_qty: '0.0000', Issued_qty: '0.0000', ThatPeriod_CrValue: '0.0000' })
  expect(quiet.Opening_qty).toBe(quiet.Closing_qty)
  expect(await ask(range('2024-02-27'))).toEqual([])
})

it('a back-dated movement shows in every later opening', async () => {
  const before = (await ask(range('2024-12-31')))[1]
  await service.db.begin(async (tx) => {
    await tx`insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, qty, val, val_tax)
      values (1, 'LATE', '2024-01-01', 'other_receipt', 1, 1000, 1, 1)`
    await rebuildClosings(tx)
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
  })
  const after = (await ask(range('2024-12-31')))[1]
  expect(Number(after.Opening_qty) - Number(before.Opening_qty)).toBe(1000)
})
