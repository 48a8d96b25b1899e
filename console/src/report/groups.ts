/** The groups of a view, fetched whole for a pivot or a chart of one figure. */
import { allRows, type View } from '../ask.js'
import {
  type CatalogueReport,
  type Flat,
  isAbsent,
  isNumeric,
  type Row,
  type ValueColumn,
  type Values,
  valueIn,
} from '../catalogue.js'
import { add } from '../numbers.js'
import { inWordsOf, nameOf } from '../people.js'
import { type Answer, answerOf, BEFORE, CHANGE, type Key, listOf, type Measure, ROWS } from './answer.js'
import { namedInWords } from './periods.js'

/** A figure of groups that a pivot or a chart can show. */
export interface Figure {
  readonly flat: Flat
  /** Undefined for the number of rows. */
  readonly measure: Measure | undefined
  /** Whether the values of several groups can be added up. */
  readonly isAdditive: boolean
}

/** The numbers of an answer, the chosen figures before the number of rows. */
export function figuresOf({ columns, keys, measures }: Answer): Figure[] {
  const taken = new Set(keys.map(({ flat }) => flat.name))
  const figures = columns
    .filter((flat) => isNumeric(flat.column) && !taken.has(flat.name))
    .map((flat): Figure => {
      const name = flat.name.replace(new RegExp(`(${BEFORE}|${CHANGE})$`), '')
      const measure = measures.find((one) => one.flat.name === name)
      return {
        flat,
        measure,
        isAdditive: measure === undefined || measure.function === 'sum' || measure.function === 'count',
      }
    })
  return [...figures.filter(({ measure }) => measure), ...figures.filter(({ measure }) => measure === undefined)]
}

export const figureNamed = (answer: Answer, name: string | undefined): Figure | undefined => {
  const figures = figuresOf(answer)
  return figures.find(({ flat }) => flat.name === name) ?? figures[0]
}

const isDatedKey = ({ period, flat }: Key): boolean => period !== undefined || flat.column.kind === 'date'

/** The group along the axis: dates wherever they stand among the groups, else the first group. */
export const axisOf = (keys: readonly Key[]): Key | undefined => keys.find(isDatedKey) ?? keys[0]

/** Whether a chart of these groups is over time. */
export const isOverTime = (keys: readonly Key[]): boolean => keys.some(isDatedKey)

/** The view with this figure only, so that its groups are no finer than the figure needs. Conditions on groups may need the others. */
export function viewOfFigure(view: View, { flat, measure }: Figure, order?: 'largest'): View {
  const measures = view.having?.length ? view.measures : (measure?.text ?? ROWS)
  const names = new Set([flat.name.replace(new RegExp(`(${BEFORE}|${CHANGE})$`), ''), flat.name])
  const sort = listOf(view.sort).filter(
    (one) => names.has(one.replace(/^-/, '')) || listOf(view.group).includes(one.replace(/^-/, '')),
  )
  return {
    ...view,
    fields: undefined,
    measures,
    sort: sort.join() || (order === 'largest' ? `-${flat.name}` : undefined),
  }
}

export interface Groups {
  readonly rows: readonly Row[]
  readonly total: number
  readonly version: number
  readonly answer: Answer
}

export async function groupsOf(
  report: CatalogueReport,
  values: Values,
  view: View,
  most: number,
  signal: AbortSignal,
): Promise<Groups> {
  const found = await allRows(report, values, view, { most, signal })
  return { ...found, answer: answerOf(report, values, view) }
}

/** Whether a key is the unit in which the figure is measured. */
export const isUnitOf = ({ measure }: Figure, key: Key): boolean => {
  const column = measure?.source.column
  return column !== undefined && 'unit' in column && column.unit === key.flat.path.join('_') && key.period === undefined
}

export const textOf = (row: Row, { flat }: Key): string | null => {
  const value = valueIn(row, flat.path)
  return isAbsent(value, flat.column as ValueColumn) ? null : String(value)
}

/** A value of a key as people read it. */
export function valueInWords(text: string | null, { period, flat }: Key): string {
  if (text === null || text === '') return `no ${nameOf(flat).toLowerCase()}`
  return period === undefined ? inWordsOf(text, flat.column as ValueColumn) : namedInWords(period, text)
}

export const figureIn = (row: Row, flat: Flat): string | undefined => {
  const value = valueIn(row, flat.path)
  return value === null || value === undefined || value === '' ? undefined : String(value)
}

export const addTo = (sum: string | undefined, value: string | undefined): string | undefined =>
  value === undefined ? sum : sum === undefined ? value : add(sum, value)
