/** The partner's material master: today's stock of active items, and the quantity that could be made from it. */
import type { Company, Item } from '../setup/company.js'
import { bomOn, books, held, ITEM_TYPES, inStock } from './books.js'
import { today } from './calendar.js'
import { fixed, format, parse } from './decimal.js'
import { byText } from './order.js'

interface Params {
  item_type: 'MAT' | 'FG' | 'SFG'
  limit?: string | number
}

export function materialMaster(company: Company, { item_type, limit }: Params) {
  const of = books(company)
  const now = today(company.account['time_zone'] ?? 'UTC')
  const types = { MAT: ['MAT', 'SFG', 'FG', 'COMBO'], FG: ['FG', 'COMBO'], SFG: ['SFG'] }[item_type]
  const movesOf = (id: number) => of.moves.of(id).filter((m) => m.movement_date <= now)
  const active = (id: number) => inStock(movesOf(id), 'qty') - held(movesOf(id), 'qty')
  /** Whole units; stock has 4 fraction digits, a bill of materials 10. */
  const producible = (item: Item) => {
    const allowed = bomOn(of.bom.of(item.id), now, 'Component').map(({ component_id, qty }) => {
      const stock = active(component_id)
      return stock <= 0n ? 0n : (stock * 1_000_000n) / parse(qty, 10)
    })
    return allowed.reduce((least, n) => (n < least ? n : least), allowed[0] ?? 0n)
  }
  return company.item
    .filter((item) => item.active && types.includes(item.type))
    .sort((a, b) => byText(a.sku, b.sku))
    .slice(0, limit === undefined || limit === '' ? undefined : Number(limit))
    .map((item) => ({
      product_name: item.name,
      product_sku: item.sku,
      product_category: item.product_category,
      primary_category: item.primary_category,
      Item_Type: ITEM_TYPES[item.type],
      maxProducibleQuantity: String(producible(item)),
      inStockQuantity: movesOf(item.id).length === 0 ? null : format(inStock(movesOf(item.id), 'qty'), 4),
      uom: item.unit,
      reorder_level: fixed(item.reorder_level, 4),
    }))
}
