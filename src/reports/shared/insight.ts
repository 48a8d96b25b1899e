/** Parameters and SQL that the insight reports share. */
import { quotient, raw, type Sql, sql } from '../../db/sql.js'
import { Decimal, Integer, NotAdditive, OrNull } from '../../kernel/report/fields.js'
import { DayOrToday, Defaulting, OneOf, WholeNumber } from '../../kernel/report/params.js'
import { today } from '../shared/words.js'

/** The day of a report: with all movements, orders and receipts up to its end. */
export const asOn = DayOrToday('The day, `YYYY-MM-DD`; its movements are included. Today by default.', '2026-06-30')

/** The days before and with `as_on` from which the pace of use is measured. */
export const windowDays = Defaulting(
  WholeNumber('number', 3660, 'Number of days that end with `as_on`, from which the pace is measured.', 90),
  90,
)

/** The day that `as_on` means, as SQL. */
export const dayOf = (as_on: string | undefined): Sql => (as_on === undefined ? today : sql`${as_on}::date`)

export const stockTypes = ['ALL', 'FG', 'SFG', 'RAW', 'PCK'] as const
export type StockType = (typeof stockTypes)[number]

/** Which items a report has. */
export const stockType = Defaulting(
  OneOf(
    stockTypes,
    '`FG` finished goods and combos, `SFG` semi-finished goods, `RAW` raw materials, `PCK` packing materials, `ALL` every item that is not a service.',
    {
      ALL: 'All items',
      FG: 'Finished goods',
      SFG: 'Semi-finished goods',
      RAW: 'Raw materials',
      PCK: 'Packing materials',
    },
  ),
  'ALL',
)

/** Whether the item `i` is of the type. */
export const isOfType = (type: StockType): Sql =>
  raw(
    {
      ALL: `i.type <> 'SRV'`,
      FG: `i.type in ('FG', 'COMBO')`,
      SFG: `i.type = 'SFG'`,
      RAW: `i.material_kind = 'RAW'`,
      PCK: `i.material_kind = 'PCK'`,
    }[type],
  )

/** What vendors and customers have in common. */
export const deliveryMeaning = `Lines of cancelled orders, of services and
without an item do not count, nor lines that order nothing (a quantity of 0 or less).`

export const deliveryFields = {
  lines: Integer('Lines that were promised in the range.'),
  in_full: Integer('Lines that are complete.'),
  on_time: Integer('Lines that were complete by the promised day.'),
  on_time_in_full_percent: NotAdditive(Decimal(2, '`on_time` in percent of `lines`.')),
  days_late: OrNull(
    NotAdditive(
      Decimal(2, 'Mean days after the promised day, over the lines that were completed late; null if none was.'),
    ),
  ),
}

/**
 * Computes these fields over lines with the columns `qty` (ordered), `done` (delivered), and the days `promised` and `completed`; `completed`
 * is null while the line is not complete.
 */
export const deliveryColumns: Sql = sql`
  count(*) as lines, count(*) filter (where done >= qty) as in_full, count(*) filter (where completed <= promised) as on_time,
  ${quotient(raw('100 * count(*) filter (where completed <= promised)'), raw('count(*)'))} as on_time_in_full_percent,
  ${quotient(
    raw('sum(completed - promised) filter (where completed > promised)'),
    raw('nullif(count(*) filter (where completed > promised), 0)'),
  )} as days_late`
