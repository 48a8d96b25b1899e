/** Lines of bills of materials, and parts of combos. */
import type { Company } from '../setup/company.js'
import { books } from './books.js'
import { fixed } from './decimal.js'
import { byText } from './order.js'

const NO_BEGINNING = '0001-01-01'

export const bills = (company: Company, asked: { product_sku?: string; material_code?: string }) =>
  [
    ...company.bom_line,
    ...company.combo_line.map(({ combo_id, component_id, qty }) => ({
      ...{ product_id: combo_id, component_id, qty, kind: 'Part of a combo', valid_from: NO_BEGINNING, valid_to: null },
    })),
  ]
    .map((line) => ({
      line,
      product: books(company).item.of(line.product_id),
      material: books(company).item.of(line.component_id),
    }))
    .filter(({ product }) => !asked.product_sku || product.sku === asked.product_sku)
    .filter(({ material }) => !asked.material_code || material.sku === asked.material_code)
    .sort(
      (a, b) =>
        byText(a.product.sku, b.product.sku) ||
        byText(a.line.kind, b.line.kind) ||
        byText(a.material.sku, b.material.sku) ||
        byText(a.line.valid_from, b.line.valid_from),
    )
    .map(({ line, product, material }) => ({
      product_sku: product.sku,
      product_name: product.name,
      kind: line.kind,
      material_code: material.sku,
      material_name: material.name,
      qty: fixed(line.qty, 10),
      material_unit: material.unit,
      valid_from: line.valid_from === NO_BEGINNING ? null : line.valid_from,
      valid_to: line.valid_to,
    }))
