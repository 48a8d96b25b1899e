/** A list: the first records of a view. The first field names a record, the last one is its amount, the others are details. */
import { isAbsent, isNumeric, type Row, shapeOf, valueIn } from '../catalogue.js'
import { daysBetween, inWords, today } from '../dates.js'
import { formatted, type Grouping, short, withoutZeros } from '../numbers.js'
import { headingOf } from '../people.js'
import {
  type Asked,
  at,
  behindGroup,
  columnNamed,
  equals,
  groupKey,
  isDated,
  isMoney,
  narrowed,
  pageOf,
  pathOfRows,
  shownAt,
  textAt,
  ungrouped,
  unitOf,
  valueColumn,
} from './definition.js'

/** Lines of a list. */
const SHOWN = 5

export interface Line {
  readonly label: string
  readonly details: readonly string[]
  readonly amount: string
  /** The unit, the currency, or how far away a day is. */
  readonly unit: string
  readonly href: string
}

/** The fields of the list; all groups and figures of a grouped view. */
export const fieldsOf = (of: Asked): readonly string[] => {
  if (of.group.length === 0 || of.fields.length > 0) return of.fields
  const measures = of.measures.map((one) => {
    const { field, period } = groupKey(one)
    return period === undefined || period === 'sum' ? field : `${field}_${period}`
  })
  return [...of.group.map((one) => groupKey(one).name), ...measures]
}

/** Also asks for the units of its quantities and for the keys of its records, by which each line is a link. */
export function pathOfList(of: Asked): string {
  if (of.group.length > 0) return pathOfRows(of, SHOWN)
  const units = of.fields.flatMap((name) => unitOf(columnNamed(of, name)) ?? [])
  return pathOfRows({ ...of, fields: [...new Set([...of.fields, ...units, ...keyFields(of)])] }, SHOWN)
}

const keyFields = ({ report, values }: Asked): string[] =>
  (shapeOf(report, values)?.key ?? []).flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))

export function linesOf(of: Asked, rows: readonly Row[], grouping: Grouping, currency: string): Line[] {
  const names = fieldsOf(of)
  const [label = '', ...rest] = names
  const amount = rest.at(-1) ?? ''
  return rows.slice(0, SHOWN).map((row) => ({
    label: shownAt(of, row, label) || '–',
    details: rest.slice(0, -1).flatMap((name) => detailOf(of, row, name, grouping)),
    ...amountOf(of, row, amount, grouping, currency),
    href: pageOf(behind(of, row)),
  }))
}

/** The record of a line, or the records of its group. */
function behind(of: Asked, row: Row): Asked {
  if (of.group.length > 0) return narrowed(ungrouped(of), behindGroup(of.group.map(groupKey), row))
  return narrowed(
    of,
    keyFields(of).map((name) => equals(name, at(row, name))),
  )
}

function detailOf(of: Asked, row: Row, name: string, grouping: Grouping): string[] {
  const text = textAt(row, name)
  if (text === '') return []
  const flat = columnNamed(of, name)
  if (flat === undefined) return [text]
  if (isAbsent(text, valueColumn(flat))) return []
  if (isDated(flat)) return [dayInWords(text)]
  if (!isNumeric(flat.column)) return [shownAt(of, row, name)]
  const words = headingOf(flat)
    .replace(/ quantity$/i, '')
    .toLowerCase()
  return [`${words} ${formatted(withoutZeros(text), grouping)}`]
}

function amountOf(of: Asked, row: Row, name: string, grouping: Grouping, currency: string) {
  const text = textAt(row, name)
  const flat = columnNamed(of, name)
  if (text === '') return { amount: '', unit: '' }
  if (flat !== undefined && isDated(flat)) return { amount: dayInWords(text), unit: away(text.slice(0, 10)) }
  // Money is short, like that of figures: the link has all its digits.
  if (isMoney(flat)) return { amount: `${currency}${short(Number(text), grouping)}`, unit: '' }
  const unit = unitOf(flat)
  return {
    amount: formatted(withoutZeros(text), grouping),
    unit: unit === undefined ? '' : String(valueIn(row, unit.split('.')) ?? ''),
  }
}

const dayInWords = (text: string): string => {
  const day = text.slice(0, 10)
  const words = inWords(day)
  return day.slice(0, 4) === today().slice(0, 4) ? words.slice(0, -5) : words
}

function away(day: string): string {
  const days = daysBetween(today(), day)
  const number = Math.abs(days)
  const words = `${number} ${number === 1 ? 'day' : 'days'}`
  return days === 0 ? 'today' : days < 0 ? `${words} ago` : `in ${words}`
}
