/** Runs a report's SQL: the database selects the records, orders them and writes each as JSON text. */
import type { Db, Queryable } from '../db/connect.js'
import { checkStatement, query } from '../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../db/sql.js'
import { readTexts, streamTexts, type Texts } from '../db/texts.js'
import type { Field, Fields } from './fields.js'
import type { Page } from './paging.js'
import type { Params, Values } from './params.js'
import type { Report, Shape } from './report.js'

/** Restrictions on what the caller may see. */
export interface View {
  hideContacts: boolean
}

export interface PageOfRecords {
  /** JSON texts, as bytes from the database that Node never parses. */
  records: Texts
  /** Records of all pages. */
  total: number
}

/** All records in order, as JSON texts, in pieces. Aborting cancels the statement. */
export const runWhole = <P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  signal?: AbortSignal,
): AsyncGenerator<Texts, void> => streamTexts(db, wholeStatement(report, values, view), signal)

/** One page, maybe past the end, and the count of all records; run both in a transaction that sees one state of the data. */
export async function runPage<P extends Params>(
  tx: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  page: Page,
  signal?: AbortSignal,
): Promise<PageOfRecords> {
  const shape = report.shapeFor(values)
  const [records, [count]] = await Promise.all([
    readTexts(tx, recordsOf(shape, values, view, page), signal),
    query<{ total: string }>(tx, sql`select count(*) as total from (${shape.query(values)}) parent`),
  ])
  return { records, total: Number(count?.total) }
}

/** Throws if the database cannot run a shape of the report, for example because its query lacks a declared field. */
export async function checkReport(db: Db, report: Report): Promise<void> {
  const example = Object.fromEntries(Object.entries(report.request).map(([name, p]) => [name, p.read(p.example)]))
  for (const [name, shape] of report.shapes) {
    const values = report.shapedBy === undefined ? example : { ...example, [report.shapedBy]: name }
    const statement = recordsOf(shape, values, { hideContacts: false })
    try {
      await checkStatement(db, statement)
    } catch (error) {
      throw new Error(`report ${report.id}${name && ` (${name})`} cannot run: ${(error as Error).message}`)
    }
  }
}

/** The statement of `runWhole`. */
export const wholeStatement = <P extends Params>(report: Report<P>, values: Values<P>, view: View): Sql =>
  recordsOf(report.shapeFor(values), values, view)

/**
 * The statement whose rows are the records, as JSON text in the column `record`. SQL promises the order of the outermost
 * statement only. The inner order lets the database build the JSON after sort and limit; in nearly all plans it serves the
 * outer one too (`grn.list` gets an incremental sort on top).
 */
function recordsOf<P extends Params>(shape: Shape<P>, values: Values<P>, view: View, page?: Page): Sql {
  const ordered = sql`order by ${order(shape.orderBy)}`
  return sql`
    select (select row_to_json(r)::text from (select ${project(shape.record, '', view)}) r) as record
      from (select parent.* from (${shape.query(values)}) parent
            ${page === undefined ? ordered : windowOf(shape, values, page)}) parent
     ${ordered}`
}

/** A page after this many records is found by the key of its first record; before that, OFFSET is faster. */
const SEEK_FROM = 5000

function windowOf<P extends Params>({ query, orderBy, seekable }: Shape<P>, values: Values<P>, page: Page): Sql {
  const before = (page.number - 1) * page.size
  const ordered = sql`order by ${order(orderBy)} limit`
  if (!seekable || before < SEEK_FROM) return sql`${ordered} ${page.size}::bigint offset ${before}::bigint`
  const key = order(orderBy) // a plain list of columns, because a seekable order has no ` desc`
  return sql`
    where (${key}) >= (select ${key} from (${query(values)}) parent ${ordered} 1 offset ${before}::bigint)
    ${ordered} ${page.size}::bigint`
}

const order = (columns: readonly string[]): Sql =>
  join(
    columns.map((column) => {
      const [, name, desc] = /^(\w+)( desc)?$/.exec(column) ?? []
      if (name === undefined)
        throw new Error(`${column} is not a column to order by; write a name, or a name and " desc"`)
      return sql`parent.${identifier(name)}${raw(desc ?? '')}`
    }),
    ', ',
  )

/** The select list that turns the columns of `parent` into the fields of a record. */
function project(fields: Fields, prefix: string, view: View): Sql {
  return join(
    Object.entries(fields).map(
      ([name, field]) => sql`${toWire(field, `${prefix}${name}`, view)} as ${identifier(name)}`,
    ),
    ', ',
  )
}

function toWire(field: Field, column: string, view: View): Sql {
  switch (field.kind) {
    case 'scalar':
      return field.contact && view.hideContacts ? raw(`''`) : field.toWire(sql`parent.${identifier(column)}`)
    case 'nested':
      return sql`(select row_to_json(o) from (select ${project(field.fields, `${column}_`, view)}) o)`
    case 'lines':
      // Inside, `parent` is the line; the line's query, one level up, sees the record under that name. An aggregate over a
      // sorted subquery keeps its order (PostgreSQL manual, 9.21), and an index may deliver the lines sorted.
      return sql`(select coalesce('[' || string_agg(line, ',') || ']', '[]')::json
          from (select (select row_to_json(o)::text from (select ${project(field.fields, '', view)}) o) as line
                  from (${field.query}) parent order by ${order(field.orderBy)}) lines)`
  }
}
