/** Overdue deliveries of vendors: their number, by the month in which they were due, and the latest. */
import { inWords } from '../../dates.js'
import { negated } from '../../numbers.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, list, putPoint, SHOWN, tile } from '../model.js'
import { type Source, text, withoutYear } from '../source.js'

const PENDING = 'partner.pending-deliveries'
const LATE = { filter: ['days_no<0'], sort: 'days_no' }

export function overdue({ months, year, rows: rowsOf, noPoints }: Source): Figure {
  const href = reportUrl(PENDING, year, LATE)
  const count = tile({ title: 'Overdue deliveries', href }, noPoints())
  const latest = list('Overdue from vendors', 'Every vendor is on time.')
  return {
    needs: [PENDING],
    tiles: [count],
    list: latest,
    async load() {
      const { rows, total } = await rowsOf(PENDING, year, LATE, 5000)
      count.value.value = String(total)
      if (rows[0] !== undefined) count.note.value = `up to ${negated(text(rows[0], 'days_no'))} days late`
      for (const [at, { from_date, to_date }] of months.entries()) {
        const due = rows.map((row) => text(row, 'delivery_date')).filter((day) => day >= from_date && day <= to_date)
        putPoint(count.trend, at, String(due.length))
      }
      latest.total.value = total
      latest.href.value = href
      latest.lines.value = rows.slice(0, SHOWN).map((row) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'po_no')} · ${text(row, 'seller_name')} · due ${withoutYear(inWords(text(row, 'delivery_date')))}`,
        amount: negated(text(row, 'days_no')),
        unit: 'days late',
      }))
    },
  }
}
