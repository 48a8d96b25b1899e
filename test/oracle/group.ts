/** Groups and comparisons computed in memory from the records of the whole report. */
import { divide, format, parse, sum } from './decimal.js'
import { bySort, type Cancelled, type Leaf, type Row, textOf } from './view.js'

export type Period = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'fy'

export interface Key {
  readonly leaf: Leaf
  readonly period?: Period
}

export interface Measure {
  readonly leaf: Leaf
  readonly function: 'sum' | 'avg' | 'min' | 'max' | 'count' | 'distinct'
}

export interface Grouping {
  readonly keys: readonly Key[]
  readonly measures: readonly Measure[]
}

/** The days of a request, and the month in which the financial year begins. */
export interface Calendar {
  readonly from: string
  readonly yearBegins: number
}

const DIGITS = 20

export const at = (row: Row, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Row | undefined)?.[name], row)

const isAbsent = (row: Row, { path, absent }: Leaf): boolean => {
  const value = at(row, path)
  return value === null || (absent !== undefined && value === absent)
}

function put(row: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inside = row
  for (const name of path.slice(0, -1)) {
    inside[name] ??= {}
    inside = inside[name] as Record<string, unknown>
  }
  inside[path.at(-1) as string] = value
}

const suffixed = (path: readonly string[], what: string) => [...path.slice(0, -1), `${path.at(-1)}_${what}`]
const pathOf = ({ leaf, period }: Key) => (period === undefined ? leaf.path : suffixed(leaf.path, period))
const two = (n: number) => String(n).padStart(2, '0')
const utc = (day: string) => new Date(`${day.slice(0, 10)}T00:00:00Z`)
const iso = (date: Date) => date.toISOString().slice(0, 10)

/** The first day of the period that has the day. */
function firstDay(period: Period, day: string, yearBegins: number): string {
  const date = utc(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (period) {
    case 'day':
      return iso(date)
    case 'week':
      while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1)
      return iso(date)
    case 'month':
      return `${year}-${two(month + 1)}-01`
    case 'quarter':
      return `${year}-${two(month - (month % 3) + 1)}-01`
    case 'year':
      return `${year}-01-01`
    case 'fy':
      return `${month + 1 >= yearBegins ? year : year - 1}-${two(yearBegins)}-01`
  }
}

/** The first day of the next period, or of the one before. */
function beside(period: Period, first: string, by: 1 | -1): string {
  const date = utc(first)
  if (period === 'day' || period === 'week') date.setUTCDate(date.getUTCDate() + by * (period === 'week' ? 7 : 1))
  else date.setUTCMonth(date.getUTCMonth() + by * (period === 'month' ? 1 : period === 'quarter' ? 3 : 12))
  return iso(date)
}

/** The ISO week belongs to the year of its Thursday. */
function weekOf(monday: string): string {
  const thursday = utc(monday)
  thursday.setUTCDate(thursday.getUTCDate() + 3)
  const year = thursday.getUTCFullYear()
  let week = 1
  while (true) {
    thursday.setUTCDate(thursday.getUTCDate() - 7)
    if (thursday.getUTCFullYear() !== year) return `${year}-W${two(week)}`
    week++
  }
}

function nameOf(period: Period, first: string): string {
  const [year = '', month = ''] = first.split('-')
  switch (period) {
    case 'day':
      return first
    case 'week':
      return weekOf(first)
    case 'month':
      return `${year}-${month}`
    case 'quarter':
      return `${year}-Q${(Number(month) + 2) / 3}`
    case 'year':
      return year
    case 'fy':
      return month === '01' ? year : `${year}-${two((Number(year) + 1) % 100)}`
  }
}

/** The group's value as the record shows it; null for a period of no day. */
function groupOf(row: Row, { leaf, period }: Key, { yearBegins }: Calendar): unknown {
  if (period === undefined) return at(row, leaf.path)
  return isAbsent(row, leaf) ? null : nameOf(period, firstDay(period, textOf(row, leaf), yearBegins))
}

const digitsOf = ({ kind, digits = 0 }: Leaf) => (kind === 'integer' ? 0 : digits)

function figure(rows: readonly Row[], { leaf, function: name }: Measure): unknown {
  const having = rows.filter((row) => !isAbsent(row, leaf))
  const numbers = () => having.map((row) => parse(textOf(row, leaf), DIGITS))
  switch (name) {
    case 'count':
      return having.length
    case 'distinct':
      return new Set(having.map((row) => textOf(row, leaf))).size
    case 'sum':
      return format(sum(numbers()) / 10n ** BigInt(DIGITS - digitsOf(leaf)), digitsOf(leaf))
    case 'avg': {
      if (having.length === 0) return null
      const digits = Math.max(2, leaf.upTo ?? digitsOf(leaf))
      return format(divide(sum(numbers()), BigInt(having.length) * 10n ** BigInt(DIGITS - digits)), digits)
    }
    default: {
      const [first] = [...having].sort(bySort([{ leaf, descending: name === 'max' }]))
      return first === undefined ? null : at(first, leaf.path)
    }
  }
}

/** The sums of all fields that can be added up. */
export const everySum = (leaves: readonly Leaf[], keys: readonly Key[]): Measure[] =>
  leaves
    .filter((leaf) => leaf.additive && !keys.some((key) => key.leaf === leaf && key.period === undefined))
    .map((leaf) => ({ leaf, function: 'sum' }))

/** With the units of the measured quantities, in the order of the record. */
export function withUnits({ keys, measures }: Grouping, leaves: readonly Leaf[]): Grouping {
  const units = measures.flatMap(({ leaf, function: name }) =>
    ['count', 'distinct'].includes(name) ? [] : [leaf.unit],
  )
  const missing = leaves.filter(
    (leaf) =>
      leaf.path.length === 1 &&
      units.includes(leaf.path[0] as string) &&
      !keys.some((key) => key.leaf === leaf && key.period === undefined),
  )
  return { keys: [...keys, ...missing.map((leaf) => ({ leaf }))], measures }
}

/** The grouped records, in the order of their groups. */
export function grouped(
  all: readonly Row[],
  { keys, measures }: Grouping,
  calendar: Calendar,
  {
    cancelled,
    filtered = [],
    hidesContacts = false,
  }: { cancelled?: Cancelled | undefined; filtered?: readonly string[]; hidesContacts?: boolean } = {},
): Row[] {
  const isNamed =
    cancelled !== undefined && [...filtered, ...keys.map(({ leaf }) => leaf.path.join('_'))].includes(cancelled.field)
  const isLeftOut = (row: Row) => cancelled !== undefined && !isNamed && row[cancelled.field] === cancelled.is
  const groups = new Map<string, Row[]>()
  for (const row of all) {
    const name = JSON.stringify(keys.map((key) => groupOf(row, key, calendar)))
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  const made = [...groups.values()].map((group) => {
    const rows = group.filter((row) => !isLeftOut(row))
    const record: Record<string, unknown> = {}
    for (const key of keys) put(record, pathOf(key), groupOf(group[0] as Row, key, calendar))
    record['rows'] = rows.length
    for (const measure of measures)
      put(
        record,
        measure.function === 'sum' ? measure.leaf.path : suffixed(measure.leaf.path, measure.function),
        hidesContacts && measure.leaf.contact && isExtreme(measure) ? '' : figure(rows, measure),
      )
    if (cancelled !== undefined) record['_cancelled'] = group.length - rows.length
    return record
  })
  return made.sort(byGroups(keys))
}

const isExtreme = ({ function: name }: Measure) => name === 'min' || name === 'max'

/** Null and markers last. */
const byGroups = (keys: readonly Key[]) =>
  bySort(
    keys.map((key) => ({
      descending: false,
      leaf: key.period === undefined ? key.leaf : { path: pathOf(key), kind: 'text', absent: null, additive: false },
    })),
  )

export const COMPARISONS = ['previous', 'month', 'quarter', 'year'] as const
type Comparison = (typeof COMPARISONS)[number]

/** The range before: as many whole months, as many days, or the same days a month, a quarter or a year before. */
export function before(from: string, to: string, by: Comparison): [string, string] {
  const next = utc(to)
  next.setUTCDate(next.getUTCDate() + 1)
  const isWhole = from.endsWith('-01') && iso(next).endsWith('-01')
  if (isWhole) {
    let count = by === 'previous' ? 0 : MONTHS[by]
    if (by === 'previous') while (shifted(from, count) < next) count++
    const end = shifted(iso(next), -count)
    end.setUTCDate(0)
    return [iso(shifted(from, -count)), iso(end)]
  }
  if (by !== 'previous') return [sameDayBefore(from, MONTHS[by]), sameDayBefore(to, MONTHS[by])]
  const days = (+next - +utc(from)) / 86_400_000
  const [start, end] = [utc(from), utc(from)]
  start.setUTCDate(start.getUTCDate() - days)
  end.setUTCDate(end.getUTCDate() - 1)
  return [iso(start), iso(end)]
}

/** The first of a month, months later. */
function shifted(first: string, months: number): Date {
  const date = utc(first)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date
}

const MONTHS = { month: 1, quarter: 3, year: 12 }

/** In a shorter month, its last day. */
function sameDayBefore(day: string, months: number): string {
  const first = shifted(`${day.slice(0, 8)}01`, -months)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(Number(day.slice(8)), last))
  return iso(first)
}

/** How many periods lie between the period of the first day of the range and this one. */
function placeOf(period: Period, name: string, { from, yearBegins }: Calendar): number {
  const start = firstDay(period, from, yearBegins)
  let [up, down] = [start, start]
  for (let place = 0; place < 200_000; place++) {
    if (nameOf(period, up) === name) return place
    if (nameOf(period, down) === name) return -place
    up = beside(period, up, 1)
    down = beside(period, down, -1)
  }
  throw new Error(`no ${period} ${name}`)
}

function nameAt(period: Period, place: number, { from, yearBegins }: Calendar): string {
  let first = firstDay(period, from, yearBegins)
  for (let i = 0; i !== place; i += Math.sign(place)) first = beside(period, first, place > 0 ? 1 : -1)
  return nameOf(period, first)
}

const NUMBERS = ['decimal', 'number', 'integer']

/** Records of both periods, matched by `keys`: groups, or the key of the report. `leaves` are the fields of these records. */
export function compared(
  [now, then]: readonly [readonly Row[], readonly Row[]],
  leaves: readonly Leaf[],
  keys: readonly Key[],
  [calendar, earlier]: readonly [Calendar, Calendar],
): Row[] {
  const keyed = keys.map((key) => pathOf(key).join('.'))
  const nameIn = (row: Row, of: Calendar) =>
    JSON.stringify(
      keys.map((key) => {
        const value = at(row, pathOf(key))
        return key.period === undefined || value === null ? value : placeOf(key.period, value as string, of)
      }),
    )
  const [present, past] = [
    new Map(now.map((row) => [nameIn(row, calendar), row])),
    new Map(then.map((row) => [nameIn(row, earlier), row])),
  ]
  return [...new Set([...present.keys(), ...past.keys()])].map((name) => {
    const [row, old] = [present.get(name), past.get(name)]
    const record: Record<string, unknown> = {}
    for (const leaf of leaves) {
      const { path, kind } = leaf
      const key = keys[keyed.indexOf(path.join('.'))]
      const shown = at((row ?? old) as Row, path)
      if (key?.period !== undefined && row === undefined && shown !== null)
        put(record, path, nameAt(key.period, placeOf(key.period, shown as string, earlier), calendar))
      else if (key !== undefined || !NUMBERS.includes(kind)) put(record, path, shown)
      else {
        const [a, b] = [row, old].map((side) => (side === undefined ? zero(leaf) : at(side, path)))
        put(record, path, a)
        put(record, ending(path, '__before'), b)
        put(record, ending(path, '__change'), difference(leaf, a, b))
      }
    }
    return record
  })
}

const ending = (path: readonly string[], end: string) => [...path.slice(0, -1), `${path.at(-1)}${end}`]

const shownAs = ({ kind, digits = 0, wire }: Leaf, units: bigint): unknown => {
  if (kind === 'integer')
    return wire === 'string' ? String(units / 10n ** BigInt(DIGITS)) : Number(units / 10n ** BigInt(DIGITS))
  if (kind === 'number') return Number(format(units, DIGITS))
  const exact = format(units, DIGITS)
  const end = exact.indexOf('.') + 1 + digits
  return digits === 0 ? exact.slice(0, end - 1) : exact.slice(0, end) + exact.slice(end).replace(/0+$/, '')
}
const zero = (leaf: Leaf) => shownAs(leaf, 0n)

function difference(leaf: Leaf, a: unknown, b: unknown): unknown {
  if ([a, b].some((value) => value === null || value === leaf.absent)) return null
  const [left, right] = [a, b].map((value) =>
    parse(leaf.kind === 'number' ? (value as number).toFixed(leaf.digits) : String(value), DIGITS),
  ) as [bigint, bigint]
  return shownAs(leaf, left - right)
}

/** In the order of the groups, which a comparison keeps. */
export const inOrder = (rows: readonly Row[], keys: readonly Key[]): Row[] => [...rows].sort(byGroups(keys))
