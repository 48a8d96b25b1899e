/** The components of active finished goods and combos, by their bills of materials. */
import type { Company, Item } from '../setup/company.js'
import { bomOn, books } from './books.js'
import { today } from './calendar.js'
import { fixed } from './decimal.js'
import { byText } from './order.js'

export function fgBom(company: Company, { date }: { date?: string }) {
  const of = books(company)
  const day = date || today(company.account['time_zone'] ?? 'UTC')
  const parts = (item: Item, kind: string) =>
    bomOn(of.bom.of(item.id), day, kind)
      .map(({ component_id, qty }) => ({ component: of.item.of(component_id), qty }))
      .sort((a, b) => byText(a.component.sku, b.component.sku))
  return company.item
    .filter((item) => item.active && ['FG', 'COMBO'].includes(item.type))
    .sort((a, b) => byText(a.sku, b.sku))
    .map((item) => ({
      product_name: item.name,
      product_sku: item.sku,
      product_uom: item.unit,
      materials: parts(item, 'Component').map(({ component, qty }) => ({
        material_name: component.name,
        material_code: component.sku,
        req_qty: fixed(qty, 10),
        material_uom: component.unit,
      })),
      by_products: parts(item, 'By-product').map(({ component, qty }) => ({
        material_name: component.name,
        material_code: component.sku,
        qty: fixed(qty, 10),
        material_uom: component.unit,
      })),
    }))
}
