/** The parts of a chart from the groups of a view: slots on the axis, and series in each. Sums are exact. */
import type { View } from '../ask.js'
import type { CatalogueReport, Row, ValueColumn, Values } from '../catalogue.js'
import { today } from '../dates.js'
import { compare, sum, trimmed } from '../numbers.js'
import { isAccountMoney, leastDigits } from '../people.js'
import { BEFORE, type Key, withoutCancelled } from './answer.js'
import {
  addTo,
  axisOf,
  type Figure,
  figureIn,
  type Groups,
  isOverTime,
  isUnitOf,
  textOf,
  valueInWords,
} from './groups.js'
import { nameOf, numberNamed, unfinished } from './periods.js'
import { rowsBehind } from './rows-behind.js'
import { rangeOf } from './view.js'

export interface Value {
  /** Exact; undefined if there is none. */
  readonly now: string | undefined
  readonly before?: string | undefined
  readonly href?: string
  readonly hrefBefore?: string
}

export interface Slot {
  readonly label: string
  /** One for each series. */
  readonly values: readonly Value[]
  /** Why a period has not all of its days: "until 19 Nov 2026". */
  readonly unfinished?: string | undefined
  /** All rows of the slot. */
  readonly href?: string
  /** The sum of the groups that have no bar: longer than all others, so it is written and not drawn. */
  readonly isRest?: true
}

export interface Graph {
  readonly slots: readonly Slot[]
  readonly series: readonly string[]
  readonly isTime: boolean
  readonly isCompared: boolean
  /** The units in the data; a chart shows one of them. */
  readonly units: readonly string[]
  readonly unit: string | undefined
  /** A sentence about the groups that the chart leaves out. */
  readonly note: string | undefined
}

/** For the length of a bar; the exact value is its text. */
export const size = (value: string | undefined): number => (value === undefined ? 0 : Number(value))

/** More bars are added up as the rest. */
export const MOST_BARS = 12
/** More series are added up as the others. */
export const MOST_SERIES = 7
/** More periods have no room. */
const MOST_PERIODS = 800

interface Asked {
  readonly report: CatalogueReport
  readonly values: Values
  readonly view: View
}

interface Sum {
  now: string | undefined
  before: string | undefined
  row: Row
}

const OTHERS = Symbol('the other series')
type SeriesName = string | typeof OTHERS

export function graphOf(
  asked: Asked,
  { rows: all, total, answer }: Groups,
  figure: Figure,
  chosenUnit?: string,
): Graph {
  const { keys } = answer
  const first = axisOf(keys) as Key
  const others = keys.filter((key) => key !== first)
  const unitKey = keys.find((key) => isUnitOf(figure, key))
  const units = unitKey === undefined ? [] : [...new Set(all.map((row) => textOf(row, unitKey) ?? ''))]
  const unit = units.includes(chosenUnit ?? '') ? chosenUnit : units[0]
  const rows = unitKey === undefined ? all : all.filter((row) => (textOf(row, unitKey) ?? '') === unit)
  const before = answer.columns.find(({ name }) => name === `${figure.flat.name}${BEFORE}`)
  const seriesKeys = others.filter((key) => key !== unitKey)
  const linkKeys = (more: readonly Key[]) => [first, ...more, ...(unitKey && unitKey !== first ? [unitKey] : [])]
  const seriesOf = (row: Row): string => JSON.stringify(seriesKeys.map((key) => textOf(row, key)))

  const names = largestSeries(rows, figure, seriesOf)
  const series: SeriesName[] = names.length > MOST_SERIES + 1 ? [...names.slice(0, MOST_SERIES), OTHERS] : names
  const left = new Set(names.slice(series.includes(OTHERS) ? MOST_SERIES : names.length))
  const drawn = figure.isAdditive ? series : series.filter((name) => name !== OTHERS)

  const slots = new Map<string | null, Map<SeriesName, Sum>>()
  for (const row of rows) {
    const at = textOf(row, first)
    const name = left.has(seriesOf(row)) ? OTHERS : seriesOf(row)
    const sums = slots.get(at) ?? new Map<SeriesName, Sum>()
    slots.set(at, sums)
    const sum = sums.get(name) ?? { now: undefined, before: undefined, row }
    sums.set(name, sum)
    sum.now = addTo(sum.now, figureIn(row, figure.flat))
    if (before !== undefined) sum.before = addTo(sum.before, figureIn(row, before))
  }
  const least = leastDigits(figure.flat.column as ValueColumn)
  const value = (sum: Sum | undefined, name: SeriesName): Value => {
    if (sum === undefined)
      return { now: figure.isAdditive && isTime ? '0' : undefined, ...(before && figure.isAdditive && { before: '0' }) }
    const more = name === OTHERS ? undefined : linkKeys(seriesKeys)
    return {
      now: sum.now && trimmed(sum.now, least),
      ...(before && { before: sum.before && trimmed(sum.before, least) }),
      ...(more && { href: rowsBehind(asked, more, sum.row, figure.flat.name.endsWith(BEFORE)) }),
      ...(more && before && { hrefBefore: rowsBehind(asked, more, sum.row, true) }),
    }
  }
  const range = rangeOf(asked.values)
  const isTime = isOverTime([first])
  const period = first.period ?? 'day'
  const ordered = isTime ? inTime([...slots.keys()], period) : [...slots.keys()]
  const made = ordered.map((at): Slot => {
    const sums = slots.get(at)
    const [some] = sums?.values() ?? []
    const number = isTime && at !== null ? numberNamed(period, at) : undefined
    return {
      label:
        at === null || number === undefined || first.period !== undefined
          ? valueInWords(at, first)
          : valueInWords(at, { ...first, period }),
      values: drawn.map((name) => value(sums?.get(name), name)),
      ...(number !== undefined && { unfinished: unfinished(period, number, today(), range) }),
      ...(some !== undefined && { href: rowsBehind(asked, linkKeys([]), some.row, figure.flat.name.endsWith(BEFORE)) }),
    }
  })
  const isLargestFirst = figure.isAdditive && drawn.length > 1 && asked.view.sort === `-${figure.flat.name}`
  return {
    ...{ isTime, units, unit, isCompared: before !== undefined },
    slots: isTime ? made : withRest(isLargestFirst ? largestFirst(made) : made, figure, total > all.length),
    series: drawn.map((name) =>
      name === OTHERS
        ? `${left.size} others`
        : (JSON.parse(name) as (string | null)[])
            .map((text, at) => valueInWords(text, seriesKeys[at] as Key))
            .join(' · '),
    ),
    note: noteOf(all, total, figure, left.size),
  }
}

/** The series with the largest sums first; of averages, in the order of the answer. */
function largestSeries(rows: readonly Row[], { flat, isAdditive }: Figure, seriesOf: (row: Row) => string): string[] {
  const sums = new Map<string, string>()
  for (const row of rows) sums.set(seriesOf(row), addTo(sums.get(seriesOf(row)), figureIn(row, flat)) ?? '0')
  if (!isAdditive || sums.size <= MOST_SERIES + 1) return [...sums.keys()]
  const size = (text: string) => text.replace(/^-/, '')
  return [...sums].sort(([, a], [, b]) => compare(size(b), size(a))).map(([name]) => name)
}

/** All periods between the first and the last one; a date without a value last. */
function inTime(found: readonly (string | null)[], period: NonNullable<Key['period']>): (string | null)[] {
  const numbers = found.flatMap((at) => (at === null ? [] : (numberNamed(period, at) ?? [])))
  const none = found.includes(null) ? [null] : []
  if (numbers.length === 0) return none
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)]
  const all =
    to - from >= MOST_PERIODS
      ? [...new Set(numbers)].sort((a, b) => a - b)
      : Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return [...all.map((number) => nameOf(period, number)), ...none]
}

/** The service orders the groups; a slot has several of them. */
function largestFirst(slots: readonly Slot[]): Slot[] {
  const sums = new Map(slots.map((slot) => [slot, sum(slot.values.flatMap(({ now }) => now ?? []))]))
  return [...slots].sort((a, b) => compare(sums.get(b) as string, sums.get(a) as string))
}

/** The first slots, and the sum of the others. */
function withRest(slots: readonly Slot[], { isAdditive }: Figure, isPart: boolean): Slot[] {
  if (slots.length <= MOST_BARS + 1 && !isPart) return [...slots]
  const shown = slots.slice(0, MOST_BARS)
  const rest = slots.slice(MOST_BARS)
  if (!isAdditive || isPart || rest.length === 0) return shown
  const sums = (side: 'now' | 'before', at: number) =>
    rest.reduce<string | undefined>((sum, { values }) => addTo(sum, values[at]?.[side]), undefined)
  return [
    ...shown,
    {
      label: `${rest.length} others`,
      isRest: true,
      values: shown[0]?.values.map((_, at) => ({ now: sums('now', at), before: sums('before', at) })) ?? [],
    },
  ]
}

function noteOf(rows: readonly Row[], total: number, { isAdditive }: Figure, left: number): string | undefined {
  const cancelled = withoutCancelled(rows)
  const parts = [
    ...(cancelled === undefined ? [] : [`Drawn ${cancelled}.`]),
    ...(total > rows.length
      ? [`Drawn from the first ${rows.length} of ${total} groups: filter the rows, or choose longer periods.`]
      : !isAdditive && left > 0
        ? [`${left} more series have no room here; the table has them.`]
        : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** The unit of a figure on the axis: the unit of the data, or the currency of an amount. */
export const unitInWords = (
  { flat }: Figure,
  unit: string | undefined,
  currency: string | undefined,
): string | undefined => unit ?? (isAccountMoney(flat) ? currency : undefined)
