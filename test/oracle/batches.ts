/** Produced batches with their cost and their stock. */
import type { Batch, Company, Consumption } from '../setup/company.js'
import { books, key, total, warehouseKey } from './books.js'
import { divide, fixed, format, parse, sum } from './decimal.js'
import { byText } from './order.js'

interface Params {
  from_date: string
  to_date: string
}

/** Produced batches of a range, in the order in which reports show them. */
export const producedIn = (company: Company, { from_date, to_date }: Params) =>
  company.batch
    .filter((b): b is Batch & { batch_date: string; warehouse_id: number; qty: string; wastage: string } => {
      return b.source === 'PRODUCED' && (b.batch_date ?? '') >= from_date && (b.batch_date ?? '') <= to_date
    })
    .map((batch) => ({ ...batch, item: books(company).item.of(batch.item_id) }))
    .sort(
      (a, b) => byText(a.batch_date, b.batch_date) || byText(a.batch_no, b.batch_no) || byText(a.item.sku, b.item.sku),
    )

/** Its value without tax, less the value of returns. */
const exTaxOf = (row: Consumption) =>
  parse(row.val_bom, 4) + parse(row.val_short, 4) + parse(row.val_rej, 4) - parse(row.val_ret, 4)

export function batches(company: Company, params: Params) {
  const of = books(company)
  return producedIn(company, params).map(({ item, ...batch }) => {
    const rows = of.consumed.of(key(batch.item_id, batch.batch_no))
    const withTax = (row: Consumption) => exTaxOf(row) + parse(row.tax_val, 4)
    const incTax = sum(rows.map(withTax))
    const exTax = sum(rows.map(exTaxOf))
    const others = sum(rows.filter((row) => row.cost_head !== null).map(withTax))
    const actual = parse(batch.qty, 4) - parse(batch.wastage, 4)
    const perUnit = (cost: bigint) => format(actual === 0n ? 0n : divide(cost * 10_000n, actual), 4)
    const moved = of.moves.of(batch.item_id).filter((m) => m.batch_no === batch.batch_no)
    const received = total(moved, ['production_receipt'], 'qty')
    const warehouse = of.warehouse.of(batch.warehouse_id)
    return {
      batch_no: batch.batch_no,
      batch_date: batch.batch_date,
      product_name: item.name,
      product_sku: item.sku,
      batch_qty: fixed(batch.qty, 4),
      wastage: fixed(batch.wastage, 4),
      actual_qty: format(actual, 4),
      batch_cost_incTax: format(incTax, 4),
      unit_cost_incTax: perUnit(incTax),
      batch_cost_extax: format(exTax, 4),
      unit_cost_extax: perUnit(exTax),
      qc_status: batch.qc_status ?? '-',
      qty_pass: batch.qty_pass && fixed(batch.qty_pass, 4),
      qty_failed: batch.qty_failed && fixed(batch.qty_failed, 4),
      warehouse: warehouse.location,
      inv_status: received === 0n ? 'Pending' : received < actual ? 'Partial' : 'Received',
      prod_id: String(item.id),
      wh_id: warehouseKey(warehouse.code),
      OthCost_Inctax: format(others, 4),
      unit: item.unit,
    }
  })
}
