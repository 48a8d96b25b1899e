/** The value of the stock at the end of each month. */
import type { Company, Item } from '../setup/company.js'
import { books, inStock } from './books.js'
import { format, sum } from './decimal.js'

interface Params {
  tax: 0 | 1 | '0' | '1'
  from_date: string
  to_date: string
}

export function stockValue(company: Company, { tax, from_date, to_date }: Params) {
  const measure = Number(tax) === 1 ? 'val_tax' : 'val'
  const records = []
  for (let month = from_date.slice(0, 7); month <= to_date.slice(0, 7); month = after(month)) {
    const last = new Date(Date.parse(`${after(month)}-01T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
    const date = last < to_date ? last : to_date
    const value = (holds: (item: Item) => boolean) =>
      sum(
        company.item.filter(holds).map(({ id }) =>
          inStock(
            books(company)
              .moves.of(id)
              .filter((m) => m.movement_date <= date),
            measure,
          ),
        ),
      )
    const d = (...types: Item['type'][]) =>
      format(
        value(({ type }) => types.includes(type)),
        4,
      )
    const kind = (name: string) =>
      format(
        value(({ material_kind }) => material_kind === name),
        4,
      )
    records.push({
      ...{ month, date, total_value: d('FG', 'COMBO', 'SFG', 'MAT', 'SRV'), finished_value: d('FG', 'COMBO') },
      ...{
        semi_finished_value: d('SFG'),
        material_value: d('MAT'),
        raw_value: kind('RAW'),
        packing_value: kind('PCK'),
      },
      ...{ consumable_value: kind('CON'), tool_value: kind('TOOL') },
    })
  }
  return records
}

/** The month after this one. */
function after(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return number === 12
    ? `${String(year + 1).padStart(4, '0')}-01`
    : `${month.slice(0, 5)}${String(number + 1).padStart(2, '0')}`
}
