/** Runs a report: the database finds the records, orders them and writes each one's JSON text. */
import type { Db, Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../db/sql.js'
import type { Field, Fields } from './fields.js'
import type { Page } from './paging.js'
import type { Params, Values } from './params.js'
import type { Report, Shape } from './report.js'

/** What the caller may see. */
export interface View {
  hideContacts: boolean
}

export interface PageOfRecords {
  /** JSON texts, in the database's bytes: no one here reads them. */
  records: Buffer[]
  /** Of all pages. */
  total: number
}

const RECORDS_AT_A_TIME = 2000

/** All records, in order, as JSON texts, in runs of bounded length. */
export async function* runWhole<P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
): AsyncGenerator<Buffer[]> {
  const statement = recordsOf(report.shapeFor(values), values, view)
  for await (const rows of query(db, statement).raw().cursor(RECORDS_AT_A_TIME)) yield bytesOf(rows)
}

/** One page, and the number of all records, also past the end. The transaction has one state of the data for both. */
export async function runPage<P extends Params>(
  tx: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  page: Page,
): Promise<PageOfRecords> {
  const shape = report.shapeFor(values)
  const [rows, [count]] = await Promise.all([
    query(tx, recordsOf(shape, values, view, page)).raw(),
    query<{ total: string }>(tx, sql`select count(*) as total from (${shape.query(values)}) parent`),
  ])
  return { records: bytesOf(rows), total: Number(count?.total) }
}

/** The only column of each. */
const bytesOf = (rows: Iterable<unknown>): Buffer[] => Array.from(rows as Iterable<[Buffer]>, ([record]) => record)

/** Throws unless the database could run every shape of the report: each field and each column of the order is there. */
export async function checkReport(db: Db, report: Report): Promise<void> {
  const example = Object.fromEntries(Object.entries(report.request).map(([name, p]) => [name, p.read(p.example)]))
  for (const [name, shape] of report.shapes) {
    const values = report.shapedBy === undefined ? example : { ...example, [report.shapedBy]: name }
    const statement = recordsOf(shape, values, { hideContacts: false })
    try {
      await db.unsafe(statement.text, statement.values as never[]).describe()
    } catch (error) {
      throw new Error(`report ${report.id}${name && ` (${name})`} cannot run: ${(error as Error).message}`)
    }
  }
}

/** What `runWhole` runs. */
export const wholeStatement = <P extends Params>(report: Report<P>, values: Values<P>, view: View): Sql =>
  recordsOf(report.shapeFor(values), values, view)

/**
 * The statement whose rows are the records: `record` is the JSON text of each. The order stands in the outermost statement,
 * as SQL asks; the planner sees that the inner one has it already, so that records are put together after the sort and limit.
 */
function recordsOf<P extends Params>(shape: Shape<P>, values: Values<P>, view: View, page?: Page): Sql {
  const ordered = sql`order by ${order(shape.orderBy)}`
  return sql`
    select (select row_to_json(r)::text from (select ${project(shape.record, '', view)}) r) as record
      from (select parent.* from (${shape.query(values)}) parent
            ${page === undefined ? ordered : windowOf(shape, values, page)}) parent
     ${ordered}`
}

/** From how many records before a page on it is worth looking up where it begins. */
const LATE = 5000

function windowOf<P extends Params>({ query, orderBy, seekable }: Shape<P>, values: Values<P>, page: Page): Sql {
  const before = (page.number - 1) * page.size
  const ordered = sql`order by ${order(orderBy)} limit`
  if (!seekable || before < LATE) return sql`${ordered} ${page.size}::bigint offset ${before}::bigint`
  const key = order(orderBy) // without any ` desc`, the list of its columns
  return sql`
    where (${key}) >= (select ${key} from (${query(values)}) parent ${ordered} 1 offset ${before}::bigint)
    ${ordered} ${page.size}::bigint`
}

const order = (columns: readonly string[]): Sql =>
  join(
    columns.map((column) => {
      const [, name, desc] = /^(\w+)( desc)?$/.exec(column) ?? []
      if (name === undefined) throw new Error(`not a column to order by: ${column}`)
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
      // Inside, `parent` is the line; only the line's query, one level up, still sees the record under that name. An aggregate
      // over a sorted subquery keeps its order (PostgreSQL manual, 9.21), and an index may have the lines sorted.
      return sql`(select coalesce('[' || string_agg(line, ',') || ']', '[]')::json
          from (select (select row_to_json(o)::text from (select ${project(field.fields, '', view)}) o) as line
                  from (${field.query}) parent order by ${order(field.orderBy)}) lines)`
  }
}
