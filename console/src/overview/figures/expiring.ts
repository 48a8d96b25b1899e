/** Batches in stock that expire soon. */
import { daysBetween, daysFrom, inWords } from '../../dates.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, list, SHOWN } from '../model.js'
import { type Source, text, withoutYear } from '../source.js'

const SNAPSHOT = 'partner.invetory-snapshot'
const SOON = 60

export function expiring({ now, rows: rowsOf }: Source): Figure {
  const soon = list(`Expiring within ${SOON} days`, `Nothing in stock expires within ${SOON} days.`)
  const view = {
    filter: [`expiry_date>=${now}`, `expiry_date<=${daysFrom(now, SOON)}`, 'Available_qty>0'],
    sort: 'expiry_date',
  }
  return {
    needs: [SNAPSHOT],
    list: soon,
    async load() {
      const { rows, total } = await rowsOf(SNAPSHOT, { date: now }, view, SHOWN)
      soon.total.value = total
      soon.href.value = reportUrl(SNAPSHOT, { date: now }, view)
      soon.lines.value = rows.map((row) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'batch_no')} · ${withoutYear(inWords(text(row, 'expiry_date')))}`,
        amount: String(daysBetween(now, text(row, 'expiry_date'))),
        unit: 'days left',
      }))
    },
  }
}
