/** Two versions of a report's records beside each other: what `against` compares, and the records of its totals and tables. */
import { objectWords } from '../../object-words.js'
import { type Column, columnsOf, keyOf, type LinesColumn, valuesIn } from './columns.js'
import { type Field, type Fields, OrNull, type Scalar, scalar, Text, Word } from './fields.js'
import { type JsonObject, recordReader } from './record-reader.js'
import { type Report, type Shape, withShapes } from './report.js'

export const CHANGES = ['new', 'gone', 'changed'] as const
export type Change = (typeof CHANGES)[number]

const BEFORE = '__before'
const AFTER = '__after'
const DIFFERENCE = '__difference'

/** A value of a record, or a list of its lines as a whole. */
interface Compared {
  /** With a dot before the member of an object. */
  readonly name: string
  readonly path: readonly string[]
  readonly isList: boolean
  /** Whether it is sent as a JSON number. */
  readonly isBare: boolean
}

function comparedIn(columns: readonly Column[], around: readonly string[] = []): Compared[] {
  return columns.flatMap((column) => {
    const path = [...around, column.name]
    if (column.kind === 'nested') return comparedIn(column.columns, path)
    const isBare = column.kind === 'number' || (column.kind === 'integer' && column.wire === 'number')
    return [{ name: path.join('.'), path, isList: column.kind === 'lines', isBare }]
  })
}

/** Writes the difference of two records with the same key; `before` or `after` is undefined for a new record or one that is gone. */
export type WriteDifference = (before: Buffer | undefined, after: Buffer | undefined) => Buffer

export function differenceWriter(shape: Shape): WriteDifference {
  const read = recordReader(shape)
  const keys = new Set(keyOf(shape).map(({ path = [] }) => path.join('.')))
  const all = comparedIn(columnsOf(shape))
  const [key, others] = [all.filter(({ name }) => keys.has(name)), all.filter(({ name }) => !keys.has(name))]
  const json = ({ isBare, isList, path }: Compared, record: JsonObject, text: Buffer) => {
    const value = at(isList ? JSON.parse(text.toString()) : record, path)
    return isBare && typeof value === 'string' ? value : JSON.stringify(value ?? null)
  }
  const member = (one: Compared, text: string) => `${JSON.stringify(one.name)}:${text}`
  return (before, after) => {
    const change: Change = before === undefined ? 'new' : after === undefined ? 'gone' : 'changed'
    const sides = [before, after].map((text) => (text === undefined ? undefined : { text, record: read(text) }))
    const [was, is] = sides
    const of = (one: Compared, side: (typeof sides)[number]) => side && json(one, side.record, side.text)
    const names = key.map((one) => member(one, of(one, is ?? was) ?? 'null'))
    const fields = others.flatMap((one) => {
      const [old, now] = [of(one, was), of(one, is)]
      return (old ?? 'null') === (now ?? 'null')
        ? []
        : [member(one, `{"before":${old ?? 'null'},"after":${now ?? 'null'}}`)]
    })
    return Buffer.from(`{"change":"${change}","key":{${names.join(',')}},"fields":{${fields.join(',')}}}`)
  }
}

const at = (record: JsonObject | undefined, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], record)

/** The report whose only record has each total as it was, as it is, and the difference, also for each unit. */
export function totalsAgainst(report: Report): Report {
  const shapes = [...report.shapes].map(([name, shape]) => [name, { ...shape, record: both(shape.record) }] as const)
  return withShapes(report, new Map(shapes))
}

function both(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]: [string, Field]): [string, Field][] => {
      if (field.kind === 'nested') return [[name, { ...field, fields: both(field.fields) }]]
      if (field.kind === 'lines') {
        const { unit, ...sums } = field.fields
        return [[name, { ...field, fields: { unit, ...both(sums) } }]]
      }
      const of = (about: string): Field => {
        const one = { ...scalar(field.type, about), ...(field.unit !== undefined && { unit: field.unit }) }
        return field.absent === undefined ? one : OrNull(one)
      }
      return [
        [`${name}${BEFORE}`, of(`As it was known. ${field.description}`)],
        [`${name}${AFTER}`, of(field.description)],
        [`${name}${DIFFERENCE}`, of(`\`${name}${AFTER}\` − \`${name}${BEFORE}\`.`)],
      ]
    }),
  )
}

/** The record of such totals. */
export function writeTotals(shape: Shape, before: Buffer, after: Buffer): Buffer {
  const read = recordReader(shape)
  return Buffer.from(differ(columnsOf(shape), read(before), read(after)))
}

function differ(columns: readonly Column[], was: JsonObject, is: JsonObject): string {
  const members = columns.flatMap((column): string[] => {
    const { name } = column
    if (column.kind === 'lines') return [`${JSON.stringify(name)}:[${byUnit(column, was[name], is[name]).join(',')}]`]
    if (column.kind === 'nested')
      return [`${JSON.stringify(name)}:${differ(column.columns, was[name] as JsonObject, is[name] as JsonObject)}`]
    const [old, now] = [was[name], is[name]] as [string | null, string | null]
    const quote = column.kind === 'decimal' || (column.kind === 'integer' && column.wire === 'string') ? '"' : ''
    const json = (value: string | null) => (value === null ? 'null' : `${quote}${value}${quote}`)
    const change = old === null || now === null ? null : minus(String(now), String(old))
    return [
      `${JSON.stringify(name + BEFORE)}:${json(old)}`,
      `${JSON.stringify(name + AFTER)}:${json(now)}`,
      `${JSON.stringify(name + DIFFERENCE)}:${json(change)}`,
    ]
  })
  return `{${members.join(',')}}`
}

/** The sums in each unit, which only one of the two versions may have. */
function byUnit({ columns }: LinesColumn, was: unknown, is: unknown): string[] {
  const [before, after] = [was, is].map((rows) => new Map((rows as JsonObject[]).map((row) => [row['unit'], row]))) as [
    Map<unknown, JsonObject>,
    Map<unknown, JsonObject>,
  ]
  const units = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) =>
    a === null ? 1 : b === null ? -1 : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))),
  )
  const sums = columns.filter(({ name }) => name !== 'unit')
  /** The sums of no records, in place of a version that has none in this unit. */
  const zeros = (like: JsonObject | undefined): JsonObject =>
    Object.fromEntries(
      sums.map(({ name }) => {
        const value = like?.[name] as string | null
        return [name, value === null ? null : minus(value, value)]
      }),
    )
  return units.map((unit) => {
    const [old, now] = [before.get(unit), after.get(unit)]
    const members = differ(sums, old ?? zeros(now), now ?? zeros(old))
    return `{"unit":${JSON.stringify(unit)},${members.slice(1)}`
  })
}

/** The exact difference of two decimals, with the digits of the one that has more. */
export function minus(a: string, b: string): string {
  const digits = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0))
  const units = (text: string) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(digits, '0'))
  }
  const difference = units(a) - units(b)
  const text = (difference < 0n ? -difference : difference).toString().padStart(digits + 1, '0')
  const point = text.length - digits
  return `${difference < 0n ? '-' : ''}${text.slice(0, point)}${digits > 0 ? `.${text.slice(point)}` : ''}`
}

const FIELD_COLUMNS = {
  field: OrNull(Text('The field that changed; null for a record that is new or gone.')),
  before: OrNull(Text('Its value as it was known; of a list of lines, their number.')),
  after: OrNull(Text('Its value as it is now, or as `as_known` knows it.')),
}

/** The column of a table that says how a record changed. */
export const CHANGE = '_change'

/** The report of a table of differences: one row for each changed field, or for a record that is new or gone. */
export function differencesReport(report: Report): Report {
  const shapes = [...report.shapes].map(([name, shape]) => {
    const fields = new Map(valuesIn(shape.record).map(({ path, field }) => [path.join('.'), field]))
    const key = keyOf(shape).flatMap(({ path = [] }): [string, Scalar<unknown>][] => {
      const field = fields.get(path.join('.'))
      return field === undefined ? [] : [[path.join('_'), field]]
    })
    const record: Fields = {
      [CHANGE]: Word(CHANGES, '`new` since the earlier version, `gone`, or `changed`.'),
      ...Object.fromEntries(key),
      ...FIELD_COLUMNS,
    }
    const { headings: _, people: __, ...others } = shape
    return [name, { ...others, record }] as const
  })
  return withShapes(report, new Map(shapes))
}

interface Difference {
  readonly change: Change
  readonly key: JsonObject
  readonly fields: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

/** The rows of a difference in such a table. */
export function rowsOfDifference(text: Buffer): Buffer[] {
  const { change, key, fields } = JSON.parse(text.toString()) as Difference
  const named = Object.fromEntries(Object.entries(key).map(([name, value]) => [name.replaceAll('.', '_'), value]))
  const row = (field: string | null, before: unknown, after: unknown) =>
    Buffer.from(JSON.stringify({ [CHANGE]: change, ...named, field, before: asText(before), after: asText(after) }))
  if (change !== 'changed') return [row(null, null, null)]
  return Object.entries(fields).map(([name, { before, after }]) => row(name, before, after))
}

const asText = (value: unknown): string | null =>
  value === null || value === undefined
    ? null
    : Array.isArray(value) && value.some((one) => typeof one === 'object')
      ? `${value.length} ${value.length === 1 ? 'line' : 'lines'}`
      : Array.isArray(value)
        ? value.join(', ')
        : typeof value === 'object'
          ? objectWords(value as JsonObject)
          : String(value)
