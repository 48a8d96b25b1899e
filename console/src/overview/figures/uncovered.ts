/** Open demand that the stock in its warehouse does not cover. */
import { add, compare, negated } from '../../numbers.js'
import { filterText, literal } from '../../report/filters.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, list, SHOWN } from '../model.js'
import { type Source, text } from '../source.js'

const DEMAND = 'sales.demand-status'
const GOODS = 'inventory.fg-stock-status'
/** The most products that a link names. */
const NAMED = 30

export function uncovered({ now, year, rows }: Source): Figure {
  const short = list('Stock cannot cover', 'Stock covers every open order.')
  const asked = { type: 'CONSOLIDATED', ...year }
  return {
    needs: [DEMAND, GOODS],
    list: short,
    async load() {
      const [demand, goods] = await Promise.all([
        rows(DEMAND, asked),
        rows(GOODS, { type: 'ALL', tax: '0', from_date: now, to_date: now }),
      ])
      const there = new Map(
        goods.rows.map((row) => [`${row['Product_sku']}\n${row['warehouse']}`, text(row, 'Closing_active_qty')]),
      )
      const gaps = demand.rows
        .map((row) => ({
          row,
          gap: add(text(row, 'Remaining_qty'), negated(there.get(`${row['product_sku']}\n${row['warehouse']}`) ?? '0')),
        }))
        .filter(({ gap }) => compare(gap, '0') > 0)
        .sort((a, b) => compare(b.gap, a.gap))
      const skus = [...new Set(gaps.map(({ row }) => text(row, 'product_sku')))].slice(0, NAMED)
      const filter = filterText({ field: 'product_sku', operator: '=', value: skus.map(literal).join('|') })
      short.total.value = gaps.length
      short.href.value = reportUrl(DEMAND, asked, skus.length === 0 ? {} : { filter: [filter], sort: '-Remaining_qty' })
      short.lines.value = gaps.slice(0, SHOWN).map(({ row, gap }) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'product_sku')} · ${text(row, 'warehouse')}`,
        amount: gap,
        unit: `${text(row, 'UoM')} short`,
      }))
    },
  }
}
