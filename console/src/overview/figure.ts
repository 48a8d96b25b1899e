/** A figure: the sum of a field over the records of a view, its change, and the line of its trend. */
import type { Row } from '../catalogue.js'
import { today } from '../dates.js'
import { add, compare } from '../numbers.js'
import type { Point } from '../parts/charts.js'
import type { Answer } from './answers.js'
import {
  type Asked,
  asked,
  at,
  columnNamed,
  groupKey,
  isMoney,
  monthsIn,
  type Pin,
  pathOfRows,
  pathOfTotals,
  textAt,
  unitOf,
} from './definition.js'
import { pathOfList } from './list.js'

export const ROWS = 'rows'
/** Most groups of a trend or a chart. */
export const MOST_POINTS = 500
/** Units that a quantity is shown in. */
const MOST_UNITS = 5

export interface Figure {
  /** Exact. */
  readonly value: string
  readonly before: string | undefined
  /** The unit of a quantity, `%`, or nothing for a number of records and for money. */
  readonly unit: string | undefined
  readonly isMoney: boolean
  /** Of a percentage: the unit of what it was computed from; empty without one. */
  readonly ofUnit: string
  /** The same figure in other units. */
  readonly others: readonly { readonly value: string; readonly unit: string }[]
}

/** Whether the figure is the sum over the groups of its view: it then shares the answer of a chart of them. */
const isOverGroups = ({ definition }: Pin, of: Asked): boolean => definition !== undefined && of.group.length > 0

/** Whether the figure needs no more than the number of records. */
const onlyCounts = ({ field }: Pin, of: Asked): boolean => field === ROWS && of.compare === undefined

const unitFieldOf = ({ field = ROWS }: Pin, of: Asked): string | undefined => unitOf(columnNamed(of, field))

/** The figure's only request. Quantities are asked for by their unit: pieces and kilograms are not added up. */
export function pathOfFigure(pin: Pin, of: Asked): string {
  const { field = ROWS } = pin
  if (isOverGroups(pin, of)) return pathOfRows(of, MOST_POINTS)
  if (onlyCounts(pin, of)) return pathOfList(of) // the question of a list of these records, so that both share an answer
  const unit = unitFieldOf(pin, of)
  if (unit === undefined) return pathOfTotals(of)
  const fields = pin.of === undefined ? [field] : [field, pin.of]
  const measures = fields.map((one) => `sum(${one})`)
  const grouped = { ...of, fields: [], group: [unit], measures, sort: `-${fields.at(-1)}`, having: [] }
  return pathOfRows(grouped, MOST_UNITS)
}

export function figureOf(pin: Pin, of: Asked, { rows, total }: Answer): Figure {
  const { field = ROWS } = pin
  const none = { unit: undefined, isMoney: false, ofUnit: '', others: [] }
  if (isOverGroups(pin, of)) {
    if (total > rows.length) throw new Error('This figure has too many groups to be added up. Choose a shorter period.')
    const sum = rows.reduce((all, row) => add(all, String(at(row, field) ?? '0')), '0')
    return { ...none, value: sum, before: undefined, isMoney: isMoney(columnNamed(of, field)) }
  }
  if (onlyCounts(pin, of)) return { ...none, value: String(total), before: undefined }
  const unit = unitFieldOf(pin, of)
  const [first = {}] = rows
  const before = of.compare === undefined ? undefined : shownOf(first, pin, '__before')
  if (pin.of !== undefined) {
    const others = rows.slice(1).flatMap((row) => {
      const value = shownOf(row, pin)
      return value === undefined || unit === undefined ? [] : [{ value, unit: textAt(row, unit) }]
    })
    const ofUnit = unit === undefined ? '' : textAt(first, unit)
    return { ...none, value: shownOf(first, pin) ?? '0', before, unit: '%', ofUnit, others }
  }
  const value = String(at(first, field) ?? '0')
  if (unit === undefined) return { ...none, value, before, isMoney: isMoney(columnNamed(of, field)) }
  return {
    ...{ ...none, value, before, unit: textAt(first, unit) },
    others: rows.slice(1).map((row) => ({ value: textAt(row, field), unit: textAt(row, unit) })),
  }
}

/** The value of a record; undefined if it is a percentage of nothing. */
function shownOf(row: Row, { field = ROWS, of }: Pin, suffix = ''): string | undefined {
  const value = at(row, `${field}${suffix}`)
  if (of === undefined) return value === null || value === undefined ? undefined : String(value)
  const whole = Number(at(row, `${of}${suffix}`) ?? 0)
  return whole === 0 ? undefined : ((100 * Number(value ?? 0)) / whole).toFixed(2)
}

/** The request of the trend; undefined if there is none, or the reader may not see it. */
export function askedTrend({ trend }: Pin): Asked | undefined {
  return trend === undefined ? undefined : asked(trend.definition)
}

export const pathOfTrend = (of: Asked): string => pathOfRows(of, MOST_POINTS)

/** One point a month; a month that is not over is left out of sums, because it would look like a drop. */
export function trendOf(pin: Pin, of: Asked, { rows }: Answer, unit: string | undefined): Point[] {
  const { field = ROWS } = pin.trend ?? {}
  const measured = { ...pin, field }
  const [text] = of.group
  if (text === undefined)
    return rows.map((row) => ({ label: textAt(row, of.fields[0] ?? ''), value: shownOf(row, measured) }))
  const { name, period } = groupKey(text)
  const unitField = unitOf(columnNamed(of, field))
  const ofUnit = rows.filter((row) => unitField === undefined || pin.of !== undefined || at(row, unitField) === unit)
  // A percentage is shown in the unit of most records, which comes first.
  const chosen = unitField === undefined || pin.of === undefined ? ofUnit : inFirstUnit(rows, unitField, pin.of)
  if (period !== 'month' || of.range === undefined)
    return chosen.map((row) => ({ label: textAt(row, name), value: shownOf(row, measured) }))
  const byMonth = new Map(chosen.map((row) => [textAt(row, name), row]))
  const now = today().slice(0, 7)
  return monthsIn(of.range)
    .filter((month) => month < now)
    .map((month) => ({
      label: month,
      value: shownOf(byMonth.get(month) ?? {}, measured) ?? (pin.of ? undefined : '0'),
    }))
}

function inFirstUnit(rows: readonly Row[], unitField: string, whole: string): readonly Row[] {
  const most = rows.reduce<Row | undefined>(
    (best, row) => (best === undefined || compare(textAt(row, whole), textAt(best, whole)) > 0 ? row : best),
    undefined,
  )
  return most === undefined ? [] : rows.filter((row) => at(row, unitField) === at(most, unitField))
}

export interface Change {
  readonly direction: number
  /** `12.4 %`, `1.20 points`. */
  readonly text: string
  readonly tone: 'good' | 'bad' | 'neutral'
  /** A word that says the same as the colour. */
  readonly word: string
}

/** The change since the period before; undefined if there was nothing to compare with. */
export function changeOf(
  { value, before, unit }: Figure,
  good: Pin['good'],
  shown: (n: number) => string,
): Change | undefined {
  if (before === undefined) return undefined
  const direction = compare(value, before)
  const difference = Math.abs(Number(value) - Number(before))
  const share = Number(before) === 0 ? undefined : (100 * difference) / Math.abs(Number(before))
  const text =
    unit === '%'
      ? `${difference.toFixed(2)} points`
      : share === undefined
        ? shown(difference)
        : share >= 1000
          ? 'over 999 %'
          : `${share.toFixed(1)} %`
  const tone = direction === 0 || good === undefined ? 'neutral' : direction > 0 === (good === 'more') ? 'good' : 'bad'
  const word = tone === 'good' ? 'better' : tone === 'bad' ? 'worse' : ''
  return { direction, text, tone, word }
}
