/** FG stock status, item by item and warehouse by warehouse. */
import type { Company } from '../setup/company.js'
import { books, Groups, held, INS, inStock, OUTS, total } from './books.js'
import { format, sum } from './decimal.js'
import { byText } from './order.js'

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
    const places = new Groups(books(company).moves.of(item.id), (m) => m.warehouse_id)
    for (const warehouse of company.warehouse) {
      const all = places.of(warehouse.id).filter((m) => m.movement_date <= to_date)
      if (all.length === 0) continue
      const before = all.filter((m) => m.movement_date < from_date)
      const during = all.filter((m) => m.movement_date >= from_date)
      const moved = (...kinds: string[]) => total(during, kinds, 'qty')

      const opening = inStock(before, 'qty')
      const receipts = moved('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt')
      const closing = opening + receipts + moved('sales_return') - moved(...OUTS)
      const finalValue = inStock(before, measure) + total(during, INS, measure) - total(during, OUTS, measure)
      const d = (units: bigint) => format(units, 4)
      records.push({
        primary_category: item.primary_category,
        category_name: item.product_category,
        product_name: item.name,
        Product_sku: item.sku,
        UoM: item.unit,
        Opening_qty: d(opening),
        Qty_Value: d(inStock(before, measure)),
        Receipts_qty: d(receipts),
        Receipts_PRD_qty: d(moved('production_receipt')),
        Receipts_PUR_qty: d(moved('purchase_receipt')),
        Receipts_TRF_qty: d(moved('transfer_in')),
        Receipts_OTH_qty: d(moved('other_receipt')),
        Returned_qty: d(moved('sales_return')),
        Issued_qty: d(moved('issue', 'consumption', 'internal_issue', 'vendor_return')),
        Trashed_qty: d(moved('rejection', 'shortage', 'trash')),
        MovetoBad_qty: d(moved('move_to_bad')),
        Transfered_qty: d(moved('transfer_out')),
        UnPacked_qty: d(moved('unpack')),
        ThatPeriod_CrValue: d(total(during, INS, measure)),
        ThatPeriod_DrValue: d(total(during, OUTS, measure)),
        Hold_qty: d(held(all, 'qty')),
        ThatPeriod_HoldValue: d(held(all, measure)),
        Closing_active_qty: d(closing - held(all, 'qty')),
        Closing_active_value: d(finalValue - held(all, measure)),
        Closing_qty: d(closing),
        final_value: d(finalValue),
        final_TrfChrg: d(sum(during.map((m) => m.transfer_charge))),
        warehouse: warehouse.location,
      })
    }
  }
  return records.sort((a, b) => byText(a.Product_sku, b.Product_sku) || byText(a.warehouse, b.warehouse))
}
