/** The partner's item master: active finished goods and combos. */
import type { Company } from '../setup/company.js'
import { ITEM_TYPES } from './books.js'
import { fixed, price } from './decimal.js'
import { byText } from './order.js'

export const fgItemMaster = (company: Company) =>
  company.item
    .filter((item) => item.active && ['FG', 'COMBO'].includes(item.type))
    .sort((a, b) => byText(a.sku, b.sku))
    .map((item) => ({
      product_name: item.name,
      product_sku: item.sku,
      product_category: item.product_category,
      primary_category: item.primary_category,
      Item_Type: ITEM_TYPES[item.type],
      business_nature: item.business_nature,
      hsn: item.hsn,
      uom: item.unit,
      mrp: price(item.mrp, 2),
      tax_rate: fixed(item.tax_rate, 2),
      reorder_level: fixed(item.reorder_level, 4),
    }))
