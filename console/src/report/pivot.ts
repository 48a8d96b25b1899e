/** A pivot: the values of the last group are its columns. Totals only where they are true. */
import type { Flat, Row } from '../catalogue.js'
import { type Key, withoutCancelled } from './answer.js'
import { addTo, type Figure, figureIn, type Groups, isUnitOf, textOf, valueInWords } from './groups.js'
import { nameOf, numberNamed } from './periods.js'

/** More columns than this are refused. */
const MOST_COLUMNS = 400

export interface Pivot {
  /** The keys of the rows, then one for each value of the last group, then the totals of rows. */
  readonly columns: readonly Flat[]
  readonly rows: readonly Row[]
  readonly totals: Row | undefined
  readonly rowKeys: readonly Key[]
  readonly columnKey: Key
  /** The value of the last group by the name of its column. */
  readonly values: ReadonlyMap<string, string | null>
  /** A sentence on cancelled documents or totals that are left out, and why. */
  readonly note: string | undefined
}

const TOTAL = '_total'

/** Why there is no pivot, as a text. */
export function pivotOf({ rows, total, answer }: Groups, figure: Figure): Pivot | string {
  const { keys } = answer
  const columnKey = keys.filter(({ isUnit }) => !isUnit).at(-1) as Key
  const rowKeys = keys.filter((key) => key !== columnKey)
  const values = columnValues(rows, columnKey)
  if (values.length > MOST_COLUMNS)
    return `${values.length} columns are too many for a pivot: choose a longer period or another order of groups, or filter the rows.`
  const names = new Map(values.map((value, at) => [value, `_${at}`]))
  const isWhole = rows.length === total
  const units = new Set(
    rows.flatMap((row) => keys.filter((key) => isUnitOf(figure, key)).map((key) => textOf(row, key))),
  )
  const hasRowTotals = figure.isAdditive && isWhole && !isUnitOf(figure, columnKey)
  const hasColumnTotals = figure.isAdditive && isWhole && units.size < 2
  const byKey = new Map<string, Record<string, unknown>>()
  const totals: Record<string, unknown> = {}
  for (const row of rows) {
    const id = JSON.stringify(rowKeys.map((key) => textOf(row, key)))
    let line = byKey.get(id)
    if (line === undefined) {
      line = Object.fromEntries(rowKeys.map((key) => [key.flat.name, textOf(row, key)]))
      byKey.set(id, line)
    }
    const name = names.get(textOf(row, columnKey)) as string
    const value = figureIn(row, figure.flat)
    line[name] = addTo(line[name] as string | undefined, value)
    if (hasRowTotals) line[TOTAL] = addTo(line[TOTAL] as string | undefined, value)
    if (hasColumnTotals) {
      totals[name] = addTo(totals[name] as string | undefined, value)
      totals[TOTAL] = addTo(totals[TOTAL] as string | undefined, value)
    }
  }
  const { flat } = figure
  const column = (name: string, label: string): Flat => ({
    ...{
      name,
      path: [name],
      label,
      isFirst: true,
      isBare: true as const,
      column: { ...flat.column, name } as Flat['column'],
    },
    ...(flat.change && { change: flat.change }),
  })
  return {
    ...{
      rowKeys,
      columnKey,
      note: [cancelledWords(rows), noteOf(figure, isWhole, total, units)].filter(Boolean).join(' ') || undefined,
    },
    columns: [
      ...rowKeys.map((key) => ({ ...key.flat, path: [key.flat.name], isFirst: true })),
      ...values.map((value, at) => column(`_${at}`, valueInWords(value, columnKey))),
      ...(hasRowTotals ? [column(TOTAL, 'Total')] : []),
    ],
    rows: [...byKey.values()],
    totals: hasColumnTotals ? totals : undefined,
    values: new Map(values.map((value, at) => [`_${at}`, value])),
  }
}

/** In order, null last; periods without a gap. */
function columnValues(rows: readonly Row[], key: Key): (string | null)[] {
  const found = [...new Set(rows.map((row) => textOf(row, key)))]
  const some = found.filter((value) => value !== null)
  const none = found.length > some.length ? [null] : []
  const { period } = key
  const numbers = period === undefined ? [] : some.map((value) => numberNamed(period, value))
  if (period !== undefined && numbers.length > 0 && numbers.every((number) => number !== undefined)) {
    const [from, to] = [Math.min(...numbers), Math.max(...numbers)]
    if (to - from < MOST_COLUMNS)
      return [...Array.from({ length: to - from + 1 }, (_, at) => nameOf(period, from + at)), ...none]
  }
  const isNumber = ['decimal', 'integer', 'number'].includes(key.flat.column.kind)
  return [...some.sort((a, b) => (isNumber ? Number(a) - Number(b) : a < b ? -1 : 1)), ...none]
}

function cancelledWords(rows: readonly Row[]): string | undefined {
  const words = withoutCancelled(rows)
  return words && `The figures are ${words}.`
}

function noteOf({ isAdditive, measure }: Figure, isWhole: boolean, total: number, units: ReadonlySet<string | null>) {
  if (!isWhole)
    return `Only a part of ${total} groups is shown, so there are no totals: filter the rows, or choose longer periods.`
  if (!isAdditive) {
    const words = {
      avg: 'averages',
      min: 'smallest values',
      max: 'largest values',
      distinct: 'numbers of different values',
    }
    return `No totals: ${words[measure?.function as keyof typeof words]} cannot be added up.`
  }
  if (units.size < 2) return undefined
  return `No totals of columns: the rows are in ${units.size} units, which cannot be added up.`
}
