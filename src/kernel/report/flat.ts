/**
 * Reports as flat tables, for protocols that have no objects inside records: a table for each shape of a report, and one for each of its
 * lists of lines. One rule names tables and columns in all such protocols.
 */
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { periodOf } from '../../period-words.js'
import { type RecordValue, valuesIn } from './columns.js'
import { type Field, type Fields, Integer, type Lines, type Scalar } from './fields.js'
import { keyed } from './keyed.js'
import type { Params } from './params.js'
import { type Report, type Shape, shapeNameFor } from './report.js'
import { isSorting } from './view.js'

/** Letters, digits and underscores; a letter beyond the basic plane is more than one character to some programs. */
const OTHER = /[^\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}_]|[\u{10000}-\u{10ffff}]/gu

/** A name in which every character that a name cannot have is `_`: `sales_order_status` for `sales.order-status`. */
export const plainName = (text: string): string => text.normalize('NFC').replace(OTHER, '_')

/** The function with the parameters of a report, beside the table that is asked for its usual ones. */
export const functionName = (table: string): string => `ask_${table}`

/** The names of a report's tables, by shape: `sales_gross_margin_customer` where a parameter selects the shape. */
export const tableName = ({ id }: Pick<Report, 'id'>, shape: string): string =>
  plainName(shape === '' ? id : `${id}_${shape.toLowerCase()}`)

/** A list of lines in a record. */
export interface List {
  /** The names on its path, joined by underscores: it follows the name of its document's table, and leads the names of its columns. */
  readonly name: string
  readonly path: readonly string[]
  readonly lines: Lines<Fields>
}

export function listsIn(fields: Fields, around: readonly string[] = []): List[] {
  return Object.entries(fields).flatMap(([name, field]: [string, Field]): List[] => {
    const path = [...around, name]
    if (field.kind === 'nested') return listsIn(field.fields, path)
    return field.kind === 'lines' ? [{ name: path.join('_'), path, lines: field }] : []
  })
}

/** A shape without objects and lists. */
export interface FlatShape extends Shape {
  readonly record: Readonly<Record<string, Scalar<unknown>>>
  /** The columns whose values are unique together; none is ever null. */
  readonly key: readonly string[]
}

/** The number of the row in the order of the report: the key where a part of the report's own key can be null. */
const ROW = '_row'
/** The number of a line in its document. */
const LINE = '_line'

/** The documents of a report, or with a list their lines, each with the key of its document. */
export function flatShape(report: Report, values: Readonly<Record<string, unknown>>, list?: string): FlatShape {
  const shape = keyed(report).shapes.get(shapeNameFor(report, values)) as Shape
  const documents = documentsOf(shape)
  if (list === undefined) return documents
  const found = listsIn(shape.record).find(({ name }) => name === list)
  if (found === undefined) throw new Error(`${report.id} has no list ${list}`)
  return linesOf(documents, found)
}

function documentsOf(shape: Shape): FlatShape {
  const { orderBy, query, listing, parts, cancelled } = shape
  const record = Object.fromEntries(valuesIn(shape.record).map(({ column, field }) => [column, field]))
  const key = orderBy.filter((by) => !isSorting(by)).map(({ column }) => column)
  const about = { ...(cancelled && { cancelled }) }
  if (key.every((column) => record[column] !== undefined && isKey(record[column])))
    return { ...about, record, orderBy, key, query, ...(listing && { listing }), ...(parts && { parts }) }
  const order = orderOf(shape, 'shown')
  return {
    ...about,
    record: { ...record, [ROW]: Integer('Number of the row in the order of the report.') },
    orderBy: [{ column: ROW, descending: false }],
    key: [ROW],
    query: (values, view) =>
      sql`select shown.*, row_number() over (order by ${order}) as ${identifier(ROW)} from (${query(values, view)}) shown`,
  }
}

/** Whether a field can be part of a key: it always has a value, and every caller sees it. */
const isKey = ({ absent, contact, type: { kind } }: Scalar<unknown>): boolean =>
  absent === undefined && contact === undefined && kind !== 'list' && kind !== 'object'

function linesOf(documents: FlatShape, { name, lines }: List): FlatShape {
  const { record, key, orderBy, query, cancelled } = documents
  // The state of the document too: whoever adds up lines leaves out the ones of cancelled documents.
  const state = cancelled !== undefined && record[cancelled.field] !== undefined ? [cancelled.field] : []
  const heads = [...new Set([...key, ...state])]
  const unshown = orderBy.map(({ column }) => column).filter((column) => !heads.includes(column))
  const inner = valuesIn(lines.fields)
  const columnOf = ({ column }: RecordValue): string => `${name}_${column}`
  const document = orderBy.map(({ column }) => sql`parent.${identifier(column)}`)
  const line = sql`row_number() over (partition by ${join(document, ', ')} order by ${orderOf(lines, 'line')})`
  return {
    ...(state.length > 0 && cancelled && { cancelled }),
    record: {
      ...Object.fromEntries(heads.map((column) => [column, record[column] as Scalar<unknown>])),
      [LINE]: Integer('Number of the line in its document, from 1.'),
      ...Object.fromEntries(inner.map((value) => [columnOf(value), value.field])),
    },
    key: [...key, LINE],
    orderBy: [...orderBy, { column: LINE, descending: false }],
    query: (values, view) => {
      const columns = [
        ...[...heads, ...unshown].map((column) => sql`parent.${identifier(column)}`),
        sql`${line} as ${identifier(LINE)}`,
        ...inner.map((value) => sql`line.${identifier(value.column)} as ${identifier(columnOf(value))}`),
      ]
      return sql`
        select ${join(columns, ', ')}
          from (${query(values, view)}) parent cross join lateral (${lines.query}) line`
    },
  }
}

const orderOf = ({ orderBy }: Pick<Shape, 'orderBy'>, from: string): Sql =>
  join(
    orderBy.map(
      ({ column, descending, nullsLast }) =>
        sql`${raw(from)}.${identifier(column)}${raw(`${descending ? ' desc' : ''}${nullsLast ? ' nulls last' : ''}`)}`,
    ),
    ', ',
  )

/** The words that ask a report for most, by preference. */
const WIDEST = ['ALL', 'MAT', 'WR', 'INV']

/**
 * The parameters of a report that is asked for none: this month, today, the widest word, values without tax. Undefined for a report that
 * needs a number or a code.
 */
export function usualParams(
  { request, shapedBy }: Pick<Report, 'request' | 'shapedBy'>,
  shape: string,
  today: string,
): Record<string, unknown> | undefined {
  const month = periodOf('this-month', today)
  const days: Record<string, string | undefined> = { from_date: month?.first, to_date: month?.last, date: today }
  const params: Record<string, unknown> = {}
  for (const [name, { type, required, insteadOf }] of Object.entries(request as Params)) {
    if (insteadOf !== undefined) return undefined
    if (name === shapedBy) params[name] = shape
    else if (type.kind === 'date' && days[name] !== undefined) params[name] = days[name]
    else if (!required) continue
    else if (type.kind === 'date') params[name] = today
    else if (type.kind === 'word') params[name] = WIDEST.find((word) => type.words.includes(word)) ?? type.words[0]
    else if (type.kind === 'zero-or-one') params[name] = 0
    else return undefined
  }
  return params
}

/** A table of a report: the documents of a shape, or one of their lists of lines. */
export interface FlatTable {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly report: Report
  /** The word that selects the shape; '' for a report with one. */
  readonly shape: string
  readonly list: string | undefined
  /** Its columns and rows. */
  readonly flat: FlatShape
  /** The parameters of its function. */
  readonly params: Params
}

/** All tables of reports, with their names, in every protocol. */
export const flatTables = (reports: readonly Report[]): FlatTable[] =>
  reports.flatMap((report) =>
    [...report.shapes].flatMap(([shape, { record }]) => {
      const values = report.shapedBy === undefined ? {} : { [report.shapedBy]: shape }
      const title = shape === '' ? report.title : `${report.title} (${shape.toLowerCase()})`
      return [undefined, ...listsIn(record).map((list) => list.name)].map((list) => ({
        ...namedTable(tableName(report, shape), title, report.summary, list),
        ...{ report, shape, list, flat: flatShape(report, values, list), params: tableParams(report) },
      }))
    }),
  )

/** The name, the title and the description of a table of documents or, with a list, of the table of their lines. */
export function namedTable(name: string, title: string, description: string, list: string | undefined) {
  if (list === undefined) return { name, title, description }
  return {
    name: `${name}_${list}`,
    title: `${title}: ${list.replaceAll('_', ' ')}`,
    description: `${description}: the lines, ${list}, with the key of their document`,
  }
}

/** The parameters with which a report can be asked for one of its tables: neither the one that selects the shape, nor the size of pages. */
export const tableParams = ({ request, shapedBy, perPageFrom }: Report): Params =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== shapedBy && name !== perPageFrom))
