/** What active finished goods and combos are made of, by their bills of materials. */
import type { Company } from '../setup/company.js'
import { books } from './books.js'
import { fixed } from './decimal.js'
import { byText } from './order.js'

export function fgBom(company: Company) {
  const of = books(company)
  return company.item
    .filter((item) => item.active && ['FG', 'COMBO'].includes(item.type))
    .sort((a, b) => byText(a.sku, b.sku))
    .map((item) => ({
      product_name: item.name,
      product_sku: item.sku,
      product_uom: item.unit,
      materials: of.bom
        .of(item.id)
        .map(({ component_id, qty }) => ({ component: of.item.of(component_id), qty }))
        .sort((a, b) => byText(a.component.sku, b.component.sku))
        .map(({ component, qty }) => ({
          material_name: component.name,
          material_code: component.sku,
          req_qty: fixed(qty, 10),
          material_uom: component.unit,
        })),
    }))
}
