import type { Company, Movement } from '../setup/company.js'
import { format, parse, sum } from './decimal.js'
import { byText } from './order.js'

const INS = {
  Receipts_PRD: ['production_receipt'],
  Receipts_PUR: ['purchase_receipt'],
  Receipts_TRF: ['transfer_in'],
  Receipts_OTH: ['other_receipt'],
  Returned: ['sales_return'],
}
const OUTS = {
  Issued: ['issue', 'consumption'],
  Trashed: ['rejection', 'shortage', 'trash'],
  MovetoBad: ['move_to_bad'],
  Transfered: ['transfer_out'],
  UnPacked: ['unpack'],
}
const inKinds = Object.values(INS).flat()
const outKinds = Object.values(OUTS).flat()

interface Params {
  type: 'FG' | 'SFG' | 'ALL'
  tax: 0 | 1 | '0' | '1'
  from_date: string
  to_date: string
}

export function fgStockStatus(company: Company, { type, tax, from_date, to_date }: Params) {
  const types = { FG: ['FG', 'COMBO'], SFG: ['SFG'], ALL: ['FG', 'COMBO', 'SFG'] }[type]
  const measure = Number(tax) === 1 ? 'val_tax' : 'val'
  const records = []
  for (const item of company.item.filter((i) => types.includes(i.type))) {
    for (const warehouse of company.warehouse) {
      const all = company.stock_movement.filter(
        (m) => m.item_id === item.id && m.warehouse_id === warehouse.id && m.movement_date <= to_date,
      )
      if (all.length === 0) continue
      const before = all.filter((m) => m.movement_date < from_date)
      const during = all.filter((m) => m.movement_date >= from_date)
      const total = (list: Movement[], kinds: string[], of: 'qty' | 'val' | 'val_tax') =>
        sum(list.filter((m) => kinds.includes(m.kind)).map((m) => parse(m[of], 4)))
      const net = (list: Movement[], of: 'qty' | 'val' | 'val_tax') =>
        total(list, inKinds, of) - total(list, outKinds, of)
      const held = (of: 'qty' | 'val' | 'val_tax') => total(all, ['hold'], of) - total(all, ['release'], of)
      const moved = (kinds: string[]) => total(during, kinds, 'qty')

      const receipts = sum(
        ['Receipts_PRD', 'Receipts_PUR', 'Receipts_TRF', 'Receipts_OTH'].map((c) => moved(INS[c as keyof typeof INS])),
      )
      const closing =
        net(before, 'qty') + receipts + moved(INS.Returned) - sum(Object.values(OUTS).map((kinds) => moved(kinds)))
      const finalValue = net(before, measure) + total(during, inKinds, measure) - total(during, outKinds, measure)
      const d = (units: bigint) => format(units, 4)
      records.push({
        primary_category: item.primary_category,
        category_name: item.product_category,
        product_name: item.name,
        Product_sku: item.sku,
        UoM: item.unit,
        Opening_qty: d(net(before, 'qty')),
        Qty_Value: d(net(before, measure)),
        Receipts_qty: d(receipts),
        Receipts_PRD_qty: d(moved(INS.Receipts_PRD)),
        Receipts_PUR_qty: d(moved(INS.Receipts_PUR)),
        Receipts_TRF_qty: d(moved(INS.Receipts_TRF)),
        Receipts_OTH_qty: d(moved(INS.Receipts_OTH)),
        Returned_qty: d(moved(INS.Returned)),
        Issued_qty: d(moved(OUTS.Issued)),
        Trashed_qty: d(moved(OUTS.Trashed)),
        MovetoBad_qty: d(moved(OUTS.MovetoBad)),
        Transfered_qty: d(moved(OUTS.Transfered)),
        UnPacked_qty: d(moved(OUTS.UnPacked)),
        ThatPeriod_CrValue: d(total(during, inKinds, measure)),
        ThatPeriod_DrValue: d(total(during, outKinds, measure)),
        Hold_qty: d(held('qty')),
        ThatPeriod_HoldValue: d(held(measure)),
        Closing_active_qty: d(closing - held('qty')),
        Closing_active_value: d(finalValue - held(measure)),
        Closing_qty: d(closing),
        final_value: d(finalValue),
        final_TrfChrg: d(sum(during.map((m) => parse(m.transfer_charge, 4)))),
        warehouse: warehouse.location,
      })
    }
  }
  return records.sort((a, b) => byText(a.Product_sku, b.Product_sku) || byText(a.warehouse, b.warehouse))
}
