/** Periods of the calendar: their numbers and names in SQL, for groups by day, week, month, quarter, year or financial year. */
import { raw, type Sql, sql } from '../../db/sql.js'

export const PERIODS = ['day', 'week', 'month', 'quarter', 'year', 'fy'] as const
export type Period = (typeof PERIODS)[number]

/** A Monday before all dates of business, so that weeks are counted from 0. */
const FIRST = sql`date '0001-01-01'`
const year = (day: Sql): Sql => sql`date_part('year', ${day})`
/** Months of the calendar year before the financial year. */
const MONTHS_BEFORE = sql`(select year_begins - 1 from account)`

/** The number of the period that has this day. Periods of one kind are numbered without gaps. */
export function numberOf(period: Period, day: Sql): Sql {
  switch (period) {
    case 'day':
      return sql`(${day} - ${FIRST})`
    case 'week':
      return sql`((${day} - ${FIRST}) / 7)`
    case 'month':
      return sql`(${year(day)} * 12 + date_part('month', ${day}) - 1)::integer`
    case 'quarter':
      return sql`(${year(day)} * 4 + date_part('quarter', ${day}) - 1)::integer`
    case 'year':
      return sql`${year(day)}::integer`
    case 'fy':
      return sql`${year(sql`(${day} - make_interval(months => ${MONTHS_BEFORE}))`)}::integer`
  }
}

/** The name of the period with this number. Names of one kind sort as their periods do. */
export function nameOf(period: Period, number: Sql): Sql {
  const ofYear = (n: Sql) => sql`to_char(make_date(${n}, 1, 1), 'YYYY')`
  const name = () => {
    switch (period) {
      case 'day':
        return sql`to_char(${FIRST} + ${number}, 'YYYY-MM-DD')`
      case 'week':
        return sql`to_char(${FIRST} + ${number} * 7, 'IYYY-"W"IW')`
      case 'month':
        return sql`to_char(make_date(${number} / 12, ${number} % 12 + 1, 1), 'YYYY-MM')`
      case 'quarter':
        return sql`${ofYear(sql`${number} / 4`)} || '-Q' || (${number} % 4 + 1)`
      case 'year':
        return ofYear(number)
      case 'fy':
        return sql`
          ${ofYear(number)} || case when ${MONTHS_BEFORE} = 0 then '' else '-' || lpad(((${number} + 1) % 100)::text, 2, '0') end`
    }
  }
  return sql`(${name()}) collate ${raw('"C"')}`
}
