/** Material stock status, material by material over all warehouses. */
import type { Company } from '../setup/company.js'
import { books, held, INS, inStock, type Measure, total } from './books.js'
import { format, sum } from './decimal.js'
import { byText } from './order.js'

const columns = {
  Receipts: INS,
  Consumption: ['issue', 'consumption', 'unpack', 'internal_issue'],
  Reject: ['rejection', 'vendor_return'],
  Shortage: ['shortage'],
  Transfer: ['transfer_out'],
  MovetoBad: ['move_to_bad'],
  Trashed: ['trash', 'value_decrease'],
}
const prefixes = ['Opening', ...Object.keys(columns), 'Hold', 'Active', 'Closing']
const measures: Measure[] = ['qty', 'val', 'val_tax']

interface Params {
  type: 'PCK' | 'RAW' | 'CON' | 'TOOL'
  from_date: string
  to_date: string
}

export function matStockStatus(company: Company, { type, from_date, to_date }: Params) {
  return company.item
    .filter((item) => item.type === 'MAT' && item.material_kind === type)
    .sort((a, b) => byText(a.sku, b.sku))
    .flatMap((item) => {
      const all = books(company)
        .moves.of(item.id)
        .filter((m) => m.movement_date <= to_date)
      if (all.length === 0) return []
      const before = all.filter((m) => m.movement_date < from_date)
      const during = all.filter((m) => m.movement_date >= from_date)
      const figures = new Map<string, bigint>()
      for (const measure of measures) {
        const set = (prefix: string, units: bigint) => figures.set(`${prefix}_${measure}`, units)
        const moved = Object.entries(columns).map(([name, kinds]) => [name, total(during, kinds, measure)] as const)
        const [[, receipts], ...outs] = moved as [(typeof moved)[0], ...typeof moved]
        const opening = inStock(before, measure)
        const closing = opening + receipts - sum(outs.map(([, units]) => units))
        for (const [name, units] of moved) set(name, units)
        set('Opening', opening)
        set('Hold', held(all, measure))
        set('Active', closing - held(all, measure))
        set('Closing', closing)
      }
      const named = prefixes.flatMap((prefix) => measures.map((measure) => `${prefix}_${measure}`))
      return {
        Date_period: `${from_date} to ${to_date}`,
        MaterialCode: item.sku,
        MaterialName: item.name,
        UoM: item.unit,
        primary_category: item.primary_category,
        Category: item.product_category,
        ...Object.fromEntries(named.map((name) => [name, format(figures.get(name) ?? 0n, 4)])),
      }
    })
}
