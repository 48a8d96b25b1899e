/** Active finished goods, combos and semi-finished goods. */
import type { Company, Item } from '../setup/company.js'
import { ITEM_TYPES } from './books.js'
import { byText } from './order.js'

export const finishedGoods = (company: Company) => itemMaster(company, ['FG', 'COMBO', 'SFG'])

export const itemMaster = ({ item }: Company, types: Item['type'][]) =>
  item
    .filter((i) => i.active && types.includes(i.type))
    .sort((a, b) => byText(a.sku, b.sku))
    .map((i) => ({
      item_name: i.name,
      item_sku: i.sku,
      item_unit: i.unit,
      item_product_category: i.product_category,
      item_primary_category: i.primary_category,
      item_business_nature: i.business_nature,
      item_type: ITEM_TYPES[i.type],
    }))
