/** Runs a report's SQL: the database selects the records, orders them and writes each as JSON text. */
import type { Db, Queryable } from '../db/connect.js'
import { checkStatement, query } from '../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../db/sql.js'
import { readTexts, streamTexts, type Texts } from '../db/texts.js'
import type { Field, Fields } from './fields.js'
import type { Params, Values } from './params.js'
import type { Report, Shape } from './report.js'

/** Restrictions on what the caller may see. */
export interface View {
  hideContacts: boolean
}

/** All records in order, as JSON texts, in pieces. Aborting cancels the statement. */
export const runWhole = <P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  signal?: AbortSignal,
): AsyncGenerator<Texts, void> => streamTexts(db, wholeStatement(report, values, view), signal)

/** Where a page begins: so many records after the record with a key, or after the first one. */
export interface Start {
  readonly key?: readonly string[]
  readonly skip: number
}

/** The records of one page. */
export const runPage = <P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  start: Start,
  size: number,
): Promise<Texts> => {
  const shape = report.shapeFor(values)
  return readTexts(db, recordsOf(shape, values, view, sql`${from(shape, values, start)} limit ${size}::bigint`))
}

/** The key of every `step`th record from the first on, as JSON arrays. */
export function runKeys<P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  step: number,
): Promise<Texts> {
  const { query, orderBy } = report.shapeFor(values)
  const key = order(orderBy)
  return readTexts(
    db,
    sql`select json_build_array(${key})::text as record
          from (select ${key}, row_number() over (order by ${key}) as number from (${query(values)}) parent) parent
         where number % ${raw(String(step))} = 1 order by number`,
  )
}

/** How many records there are from a key on. */
export async function runCount<P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  key: readonly string[],
): Promise<number> {
  const shape = report.shapeFor(values)
  const [row] = await query<{ count: string }>(
    db,
    sql`select count(*) as count from (${shape.query(values)}) parent where ${atLeast(shape, key)}`,
  )
  return Number(row?.count)
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
function recordsOf<P extends Params>(shape: Shape<P>, values: Values<P>, view: View, window?: Sql): Sql {
  const ordered = sql`order by ${order(shape.orderBy)}`
  return sql`
    select (select row_to_json(r)::text from (select ${projectionOf(shape.record, view)}) r) as record
      from (select parent.* from (${shape.query(values)}) parent ${window ?? ordered}) parent
     ${ordered}`
}

/** The records from a start on, in order, for a limit to follow. */
function from<P extends Params>(shape: Shape<P>, values: Values<P>, { key, skip }: Start): Sql {
  const columns = order(shape.orderBy)
  const ordered = sql`order by ${columns}`
  if (key === undefined) return sql`${ordered} offset ${skip}::bigint`
  const found = sql`where ${atLeast(shape, key)}`
  if (skip === 0) return sql`${found} ${ordered}`
  // The skipped records are counted by their keys alone, which mostly takes no more than an index.
  return sql`${found} and (${columns}) >= (
    select ${columns} from (${shape.query(values)}) parent ${found} ${ordered} limit 1 offset ${skip}::bigint) ${ordered}`
}

/** The second condition follows from the first, and lets an index find the first column if the others are of other tables. */
const atLeast = <P extends Params>({ orderBy }: Shape<P>, key: readonly string[]): Sql =>
  sql`(${order(orderBy)}) >= (${join(
    key.map((value) => sql`${value}`),
    ', ',
  )}) and ${order(orderBy.slice(0, 1))} >= ${key[0] as string}`

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

/** Projections by record: putting one together takes as long as answering from memory. */
const projections = { shown: new WeakMap<Fields, Sql>(), hidden: new WeakMap<Fields, Sql>() }

function projectionOf(record: Fields, view: View): Sql {
  const known = view.hideContacts ? projections.hidden : projections.shown
  const projection = known.get(record) ?? project(record, '', view)
  known.set(record, projection)
  return projection
}

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
