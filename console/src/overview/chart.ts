/** A chart: the groups, or the first records, of a view as lines, columns or bars. */

import { daysBetween, daysFrom, shortMonth, today } from '../dates.js'
import { add } from '../numbers.js'
import type { Bar, Series } from '../parts/charts.js'
import type { Answer } from './answers.js'
import {
  type Asked,
  at,
  behindGroup,
  columnNamed,
  groupKey,
  inMonth,
  isMoney,
  isUnfinished,
  monthsIn,
  narrowed,
  type Pin,
  pageOf,
  pathOfRows,
  shownAt,
  textAt,
  ungrouped,
  unitOf,
  wordsFor,
} from './definition.js'
import { MOST_POINTS, ROWS } from './figure.js'
import { fieldsOf } from './list.js'

/** Bars of a chart by name. */
const MOST_BARS = 8
/** Series that can be told apart. */
const MOST_SERIES = 2

export type Style = NonNullable<Pin['style']>

export const styleOf = ({ style }: Pin, of: Asked): Style =>
  style ?? (groupKey(of.group[0] ?? '').period === undefined ? 'bars' : 'columns')

export const pathOfChart = (of: Asked, style: Style): string =>
  pathOfRows(of, style === 'bars' ? MOST_BARS : MOST_POINTS)

/** The name of the column along the axis, and those of the drawn figures. */
function columnsOf(of: Asked): { x: string; figures: readonly string[] } {
  const [x = '', ...others] = fieldsOf(of)
  const keys = of.group.map((one) => groupKey(one).name)
  const figures = others.filter((name) => !keys.includes(name))
  return { x, figures: figures.length === 0 ? [ROWS] : figures.slice(0, MOST_SERIES) }
}

const wordsOf = (of: Asked, name: string): string => (name === ROWS ? 'Records' : wordsFor(of, name))

export function seriesOf(of: Asked, { rows }: Answer): Series[] {
  const { x, figures } = columnsOf(of)
  const [text] = of.group
  const key = text === undefined ? undefined : groupKey(text)
  const isByMonth = key?.period === 'month' && of.range !== undefined
  const known = new Map(rows.map((row) => [textAt(row, x), row]))
  const points = isByMonth && of.range ? monthsIn(of.range) : [...known.keys()]
  const now = today().slice(0, 7)
  return figures.map((name) => ({
    name: wordsOf(of, name),
    points: points.map((point) => {
      const row = known.get(point) ?? {}
      const isMonth = /^\d{4}-\d\d$/.test(point)
      const label = isMonth ? shortMonth(`${point}-01`) : point
      const isOpen = isMonth && point === now && of.range !== undefined && isUnfinished(of.range)
      return {
        label,
        ...(isOpen && { unfinished: true }),
        value: String(at(row, name) ?? '0'),
        href:
          key === undefined
            ? pageOf(of)
            : pageOf(narrowed(ungrouped(of), isByMonth ? inMonth(key.field, point) : behindGroup([key], row))),
      }
    }),
  }))
}

export function barsOf(of: Asked, { rows }: Answer): { bars: Bar[]; names: string[] } {
  const { x, figures } = columnsOf(of)
  const keys = of.group.map(groupKey)
  const units = [...new Set(figures.flatMap((name) => unitOf(columnNamed(of, name)) ?? []))]
  return {
    names: figures.map((name) => wordsOf(of, name)),
    bars: rows.slice(0, MOST_BARS).map((row) => ({
      label: [x, ...keys.slice(1).map(({ name }) => name), ...units]
        .map((name) => shownAt(of, row, name) || '–')
        .join(' · '),
      values: figures.map((name) => String(at(row, name) ?? '0')),
      href: pageOf(narrowed(ungrouped(of), behindGroup(keys, row))),
    })),
  }
}

/** The first days of the ages; the last one has no end. */
const AGES = [0, 7, 30, 90]

/** The records of groups by day, by their age. */
export function agesOf(of: Asked, { rows }: Answer): { bars: Bar[]; names: string[] } {
  const { x, figures } = columnsOf(of)
  const { field } = groupKey(of.group[0] ?? '')
  const now = today()
  const ageOf = (day: string) => Math.max(0, daysBetween(day, now))
  const bars = AGES.map((from, i): Bar => {
    const to = AGES[i + 1]
    const inside = rows.filter((row) => {
      const age = ageOf(textAt(row, x))
      return age >= from && (to === undefined || age < to)
    })
    const filter = [
      `${field}<=${daysFrom(now, -from)}`,
      ...(to === undefined ? [] : [`${field}>${daysFrom(now, -to)}`]),
    ]
    return {
      label: to === undefined ? `${from}+ days` : `${from}–${to - 1} days`,
      values: figures.map((name) => inside.reduce((sum, row) => add(sum, String(at(row, name) ?? '0')), '0')),
      href: pageOf({ ...narrowed(ungrouped(of), filter), sort: field }),
    }
  })
  return { bars, names: figures.map((name) => wordsOf(of, name)) }
}

/** The unit on the axis: the currency of amounts, or nothing. */
export function unitOfChart(of: Asked, currency: string): string | undefined {
  const { figures } = columnsOf(of)
  return figures.every((name) => isMoney(columnNamed(of, name))) ? currency : undefined
}
