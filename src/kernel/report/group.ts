/** Groups: one record for each combination of values of some fields, with the number of records, sums and other measures. */
import { identifier, join, literal, quotient, raw, type Sql, sql } from '../../db/sql.js'
import { put } from './choose.js'
import { type RecordValue, valuesIn } from './columns.js'
import { Decimal, type Field, type Fields, Integer, mostDigits, OrNull, Quantity, scalar, Text } from './fields.js'
import { type Condition, columnOf, comparable, where } from './filter.js'
import { nameOf, numberOf, PERIODS, type Period } from './periods.js'
import type { Shape } from './report.js'
import type { View } from './rights.js'
import { CANCELLED, leavesOut, ROWS } from './totals.js'

const MOST_GROUPS = 10
const MOST_MEASURES = 50

export const FUNCTIONS = ['sum', 'avg', 'min', 'max', 'count', 'distinct'] as const
type Function = (typeof FUNCTIONS)[number]

/** A column of the grouped records by which they are grouped. */
export interface GroupKey {
  readonly value: RecordValue
  /** Only for a group by day, week, month, quarter, year or financial year. */
  readonly period?: Period
  readonly column: string
  readonly path: readonly string[]
}

interface Measure {
  readonly value: RecordValue
  readonly function: Function
  readonly column: string
  readonly path: readonly string[]
}

export interface Grouping {
  readonly keys: readonly GroupKey[]
  readonly measures: readonly Measure[]
}

type Find = (name: string) => RecordValue | string
type Refuse = (field: string, message: string) => void

/** Reads `group` and `measures`; undefined after an error, which `refuse` gets as a message without its subject. */
export function readGrouping(
  { record }: Shape,
  group: string,
  measures: string | undefined,
  find: Find,
  refuse: Refuse,
): Grouping | undefined {
  let isValid = true
  const refuseNamed = (field: 'group' | 'measures', message: string) => {
    isValid = false
    refuse(field, message)
  }
  const keys = listed(group, MOST_GROUPS, (message) => refuseNamed('group', message)).flatMap((text) => {
    const key = readKey(text, find)
    if (typeof key !== 'string') return [key]
    refuseNamed('group', key)
    return []
  })
  const chosen =
    measures === undefined
      ? valuesIn(record).flatMap((value) =>
          value.field.additive && !keys.some(({ column }) => column === value.column) ? [measureOf('sum', value)] : [],
        )
      : listed(measures, MOST_MEASURES, (message) => refuseNamed('measures', message)).flatMap((text) => {
          if (text === ROWS) return []
          const measure = readMeasure(text, find)
          if (typeof measure !== 'string') return [measure]
          refuseNamed('measures', measure)
          return []
        })
  const grouping = { keys: [...keys, ...unitsOf(chosen, keys, record)], measures: chosen }
  const columns = new Set([ROWS, CANCELLED])
  for (const [field, all] of [
    ['group', grouping.keys],
    ['measures', chosen],
  ] as const)
    for (const { column, path } of all) {
      if (columns.has(column)) refuseNamed(field, `gives the column ${path.join('.')} twice`)
      columns.add(column)
    }
  return isValid ? grouping : undefined
}

function listed(text: string, most: number, refuse: (message: string) => void): string[] {
  const all = text.split(',').map((one) => one.trim())
  if (all.length > most) refuse(`must be at most ${most} names, not ${all.length}`)
  return all.slice(0, most)
}

const CALL = /^([a-z]+)\s*\(\s*([^()]*?)\s*\)$/

function readKey(text: string, find: Find): GroupKey | string {
  const [, name, inside = ''] = CALL.exec(text) ?? []
  if (name === undefined) {
    const value = find(text)
    return typeof value === 'string' ? value : { value, column: value.column, path: value.path }
  }
  const period = PERIODS.find((one) => one === name)
  if (period === undefined) return `must be a field or one of ${PERIODS.join(', ')} of a date, not ${quoted(text)}`
  const value = find(inside)
  if (typeof value === 'string') return value
  if (value.field.type.kind !== 'date' && value.field.type.kind !== 'timestamp')
    return `names ${quoted(text)}, but ${inside} is not a date`
  return { value, period, ...named(value, period) }
}

function readMeasure(text: string, find: Find): Measure | string {
  const [, name, inside = ''] = CALL.exec(text) ?? []
  const found = FUNCTIONS.find((one) => one === name)
  if (found === undefined)
    return `must be ${ROWS} or one of ${FUNCTIONS.join(', ')} of a field, such as sum(total_amt), not ${quoted(text)}`
  const value = find(inside)
  if (typeof value === 'string') return value
  const { kind } = value.field.type
  if (found === 'sum' && !value.field.additive)
    return `names ${quoted(text)}, but the sum of ${inside} means nothing; choose avg, min or max`
  if (found === 'avg' && !isNumber(value)) return `names ${quoted(text)}, but ${inside} is not a number`
  if ((found === 'min' || found === 'max') && kind === 'flag')
    return `names ${quoted(text)}, but ${inside} is true or false; choose count or distinct`
  return measureOf(found, value)
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60))

export const isNumber = ({ field: { type } }: RecordValue): boolean =>
  type.kind === 'decimal' || type.kind === 'number' || type.kind === 'integer'

const measureOf = (name: Function, value: RecordValue): Measure => ({
  value,
  function: name,
  ...(name === 'sum' ? { column: value.column, path: value.path } : named(value, name)),
})

/** `invoice_date_month`, `rate_avg` */
const named = ({ column, path }: RecordValue, what: string) => ({
  column: `${column}_${what}`,
  path: [...path.slice(0, -1), `${path.at(-1)}_${what}`],
})

/** Quantities of different units are not added up: the unit is a group too. */
function unitsOf(measures: readonly Measure[], keys: readonly GroupKey[], record: Fields): GroupKey[] {
  const units = new Set(
    measures.flatMap(({ function: name, value }) => (hasUnit(name) ? (value.field.unit ?? []) : [])),
  )
  return valuesIn(record)
    .filter(({ column }) => units.has(column) && !keys.some((key) => key.column === column))
    .map((value) => ({ value, column: value.column, path: value.path }))
}

const hasUnit = (name: Function): boolean => name !== 'count' && name !== 'distinct'

/** The number of the period of the `i`th key, in a column of the query beside its name. */
export const numberColumn = (i: number): Sql => identifier(`_number ${i}`)

/**
 * One record for each group. Cancelled documents count only if their state is grouped or filtered; otherwise each group has their number beside
 * its figures, and a group of cancelled documents only is there too.
 */
export function groupedShape(
  { record, query, cancelled }: Shape,
  { keys, measures }: Grouping,
  conditions: readonly Condition[],
  filtered: ReadonlySet<string>,
): Shape {
  const named = new Set([...filtered, ...keys.map(({ value }) => value.column)])
  const isLeftOut = leavesOut(cancelled, named)
    ? sql`(shown.${identifier(cancelled.field)} is not distinct from ${literal(cancelled.is)})`
    : undefined
  const counts = isLeftOut && sql`not left_out`
  const measured = [...new Set(measures.map(({ value }) => value))]
  return {
    record: groupedRecord(record, keys, measures, cancelled !== undefined),
    orderBy: keys.map(({ column }) => ({ column, descending: false, nullsLast: true })),
    query: (values, view) => {
      const taken = [
        ...keys.map((key, i) => sql`${keyOf(key, view)} as ${key.period ? numberColumn(i) : identifier(key.column)}`),
        ...measured.map((value, i) => sql`${typed(value, view)} as ${valueColumn(i)}`),
        ...(isLeftOut ? [sql`${isLeftOut} as left_out`] : []),
      ]
      const groups = keys.map((key, i) => (key.period ? numberColumn(i) : identifier(key.column)))
      const figures = measures.map(
        (measure) =>
          sql`${figureOf(measure, valueColumn(measured.indexOf(measure.value)), counts)} as ${identifier(measure.column)}`,
      )
      const numbers = [
        sql`${counting(raw('count(*)'), counts)} as ${identifier(ROWS)}`,
        ...(cancelled
          ? [sql`${isLeftOut ? raw('count(*) filter (where left_out)') : raw('0')} as ${identifier(CANCELLED)}`]
          : []),
      ]
      const names = keys.flatMap(({ period, column }, i) =>
        period ? [sql`${nameOf(period, sql`grouped.${numberColumn(i)}`)} as ${identifier(column)}`] : [],
      )
      return sql`
        select ${join([sql`grouped.*`, ...names], ', ')}
          from (select ${join([...groups, ...numbers, ...figures], ', ')}
                  from (select ${join(taken, ', ')} from (${query(values, view)}) shown ${where(conditions, view)}) counted
                 group by ${join(groups, ', ')}) grouped`
    },
  }
}

const valueColumn = (i: number): Sql => identifier(`_value ${i}`)

const keyOf = ({ value, period }: GroupKey, view: View): Sql =>
  period === undefined ? typed(value, view) : numberOf(period, sql`(${comparable(value, view)})::date`)

/** The value as the record shows it, with a type that the record's field can show again. */
function typed(value: RecordValue, view: View): Sql {
  const { type, absent } = value.field
  const { kind } = type
  // Without a cast to text: Citus sends the groups of a column of a domain as values of the domain, and then refuses them as texts.
  if (kind === 'text' && typeof absent !== 'string') return sql`(${columnOf(value, view)} collate "C")`
  const shown = comparable(value, view)
  return kind === 'date' || kind === 'time' ? sql`(${shown})::${raw(kind)}` : shown
}

/** The aggregate over the records that count. */
const counting = (aggregate: Sql, counts: Sql | undefined): Sql =>
  counts === undefined ? aggregate : sql`${aggregate} filter (where ${counts})`

function figureOf({ function: name }: Measure, column: Sql, counts: Sql | undefined): Sql {
  const of = (aggregate: Sql) => counting(aggregate, counts)
  switch (name) {
    case 'sum':
      return sql`coalesce(${of(sql`sum(${column})`)}, 0)`
    case 'avg':
      return quotient(of(sql`sum(${column})`), sql`nullif(${of(sql`count(${column})`)}, 0)`)
    case 'min':
      return of(sql`min(${column})`)
    case 'max':
      return of(sql`max(${column})`)
    case 'count':
      return of(sql`count(${column})`)
    case 'distinct':
      return of(sql`count(distinct ${column})`)
  }
}

function groupedRecord(
  from: Fields,
  keys: readonly GroupKey[],
  measures: readonly Measure[],
  hasCancelled: boolean,
): Fields {
  const record: Record<string, Field> = {}
  for (const key of keys) put(record, key.path, from, keyField(key))
  record[ROWS] = Integer(`Number of records in the group${hasCancelled ? ', without cancelled ones' : ''}.`)
  for (const measure of measures) put(record, measure.path, from, measureField(measure))
  if (hasCancelled)
    record[CANCELLED] = Integer(
      'Number of cancelled documents in the group, which no figure has. They count if the groups or a filter name their state.',
    )
  return record
}

const WORDS: Readonly<Record<Period, string>> = {
  day: 'Day, `2026-04-01`',
  week: 'ISO week, `2026-W15`',
  month: 'Month, `2026-04`',
  quarter: 'Quarter, `2026-Q2`',
  year: 'Year, `2026`',
  fy: 'Financial year of the account, `2026-27`',
}

function keyField({ value: { field, path }, period }: GroupKey): Field {
  if (period !== undefined) return OrNull(Text(`${WORDS[period]}, of \`${path.join('.')}\`.`))
  const { behind: _, extra: __, additive: ___, ...kept } = field
  return kept
}

function measureField({ function: name, value: { field, path } }: Measure): Field {
  const { type, unit, description, contact } = field
  const of = `\`${path.join('.')}\``
  const digits = 'digits' in type ? type.digits : 0
  switch (name) {
    case 'sum':
      return unit === undefined ? Decimal(digits, description) : Quantity(digits, unit, description)
    case 'avg':
      return OrNull(
        withUnit(scalar<string>({ kind: 'decimal', digits: averageDigits(type) }, `Average of ${of}.`), unit),
      )
    case 'min':
    case 'max':
      return OrNull({
        ...withUnit(scalar(type, `${name === 'min' ? 'Smallest' : 'Largest'} value of ${of}.`), unit),
        ...(contact && { contact }),
      })
    case 'count':
      return Integer(`Number of records that have ${of}.`)
    case 'distinct':
      return Integer(`Number of different values of ${of}.`)
  }
}

const withUnit = <F>(field: F, unit: string | undefined): F => (unit === undefined ? field : { ...field, unit })

/** An average of whole numbers has digits too. */
const averageDigits = (type: RecordValue['field']['type']): number =>
  'digits' in type ? Math.max(2, mostDigits(type)) : 2
