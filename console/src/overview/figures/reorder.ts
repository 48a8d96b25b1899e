/** Materials with a stock below their reorder level. */
import { withoutZeros } from '../../numbers.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, list, SHOWN } from '../model.js'
import { type Source, text } from '../source.js'

const MASTER = 'partner.material-master'
const ASKED = { item_type: 'MAT' }
const LOW = { filter: ['inStockQuantity<@reorder_level'], sort: 'inStockQuantity' }

export function reorder({ rows: rowsOf }: Source): Figure {
  const low = list('Under reorder level', 'Every item is above its reorder level.')
  return {
    needs: [MASTER],
    list: low,
    async load() {
      const { rows, total } = await rowsOf(MASTER, ASKED, LOW, SHOWN)
      low.total.value = total
      low.href.value = reportUrl(MASTER, ASKED, LOW)
      low.lines.value = rows.map((row) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'product_sku')} · reorder at ${withoutZeros(text(row, 'reorder_level'))}`,
        amount: text(row, 'inStockQuantity'),
        unit: text(row, 'uom'),
      }))
    },
  }
}
