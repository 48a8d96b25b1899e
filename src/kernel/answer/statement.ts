/** Runs a report's SQL: the database selects the records, orders them and writes each as JSON text. */
import { statementsOf, withComputed } from '../../db/computed.js'
import type { Db, Queryable } from '../../db/connect.js'
import { checkStatement, query } from '../../db/query.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { readTexts, streamTexts, type Texts } from '../../db/texts.js'
import type { Field, Fields } from '../report/fields.js'
import type { OrderColumn } from '../report/order.js'
import { LARGEST_PAGE } from '../report/paging.js'
import type { Params, Values } from '../report/params.js'
import { type Report, type Shape, unionOf } from '../report/report.js'
import { type View, WHOLE } from '../report/rights.js'

/**
 * All records in order, as JSON texts, in pieces. Aborting cancels the statement. `tx` must be a transaction that sees one
 * version of the data if the report computes values.
 */
export async function* runWhole<P extends Params>(
  tx: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  signal?: AbortSignal,
): AsyncGenerator<Texts, void> {
  yield* streamTexts(tx, await withComputed(tx, wholeStatement(report, values, view), signal), signal)
}

/** Where a page begins: `skip` records after the record with this key, or after the first record if there is no key. */
export interface Start {
  readonly key?: readonly string[]
  readonly skip: number
}

/** The records of one page; none if the data has another version. Aborting cancels the statement. */
export const runPage = <P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  start: Start,
  size: number,
  version: string,
  signal?: AbortSignal,
): Promise<Texts> => readTexts(db, pageStatement(report, values, view, start, size, version), signal)

/** The statement of `runPage`. */
export function pageStatement<P extends Params>(
  report: Report<P>,
  values: Values<P>,
  view: View,
  start: Start,
  size: number,
  version: string,
): Sql {
  const shape = report.shapeFor(values)
  const literal = raw(String(PAGE_SIZES.find((literal) => size <= literal) ?? LARGEST_PAGE))
  const { source, window } = shape.parts
    ? fromParts(shape, shape.parts(values, view), start, literal)
    : { source: shape.query(values, view), window: from(shape, values, view, start) }
  const condition = sql`where (select id from data_version) = ${version}`
  const records = recordsOf(shape, source, view, sql`${window} limit ${literal}`, condition)
  return sql`${records} limit ${size}::bigint`
}

/**
 * The limit of a page stands in its statement twice: as a parameter, and inside that as one of these literals. PostgreSQL keeps
 * the generic plan of a prepared statement only if it expects no better plan for the actual values. For `limit $1` the planner
 * assumes 10 % of all rows; the literal caps that estimate. A plan that sorts first still counts as slow.
 */
const PAGE_SIZES = [20, 200, LARGEST_PAGE]

/** The key of every `step`th record from the first on, as JSON arrays that begin with the number of records before it. Aborting cancels the statement. */
export function runKeys<P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  step: number,
  signal?: AbortSignal,
): Promise<Texts> {
  const { query, orderBy } = report.shapeFor(values)
  const key = order(orderBy)
  return readTexts(
    db,
    sql`select json_build_array(number - 1, ${key})::text as record
          from (select ${key}, row_number() over (order by ${key} rows unbounded preceding) as number
                  from (${query(values, view)}) parent) parent -- rows, because PostgreSQL 15 would compare each key with the last
         where number % ${raw(String(step))} = 1 order by number`,
    signal,
  )
}

/** The same for each value of the first column of the order; undefined for a listing that does not declare its counts. */
export async function runCounts<P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  signal?: AbortSignal,
): Promise<Texts | undefined> {
  const { counts } = report.shapeFor(values)
  if (counts === undefined) return undefined
  return await readTexts(
    db,
    sql`select json_build_array(sum(records) over (order by first) - records, first)::text as record
          from (select first, sum(records) as records from (${unionOf(counts(values, view))}) counted group by first) counted
         order by first`,
    signal,
  )
}

/** How many records there are from a key on. */
export async function runCount<P extends Params>(
  db: Queryable,
  report: Report<P>,
  values: Values<P>,
  view: View,
  key: readonly string[],
): Promise<number> {
  const shape = report.shapeFor(values)
  const [row] = await query<{ count: string }>(
    db,
    sql`select count(*) as count from (${shape.query(values, view)}) parent where ${atLeast(shape, key)}`,
  )
  return Number(row?.count)
}

/** Throws if the database cannot run a shape of the report, for example because its query lacks a declared field. */
export async function checkReport(db: Db, report: Report): Promise<void> {
  for (const { shape, statement } of exampleStatements(report))
    try {
      for (const each of statementsOf(statement)) await checkStatement(db, each)
    } catch (error) {
      throw new Error(`report ${report.id}${shape && ` (${shape})`} cannot run: ${(error as Error).message}`, {
        cause: error,
      })
    }
}

/** The statement of each shape of a report, with the example of each parameter. */
export function exampleStatements(report: Report): { shape: string; statement: Sql }[] {
  const example = Object.fromEntries(Object.entries(report.request).map(([name, p]) => [name, p.read(p.example)]))
  return [...report.shapes].map(([name, shape]) => {
    const values = report.shapedBy === undefined ? example : { ...example, [report.shapedBy]: name }
    return { shape: name, statement: recordsOf(shape, shape.query(values, WHOLE), WHOLE) }
  })
}

/** The statement of `runWhole`. */
export function wholeStatement<P extends Params>(report: Report<P>, values: Values<P>, view: View): Sql {
  const shape = report.shapeFor(values)
  return recordsOf(shape, shape.query(values, view), view)
}

/**
 * The statement whose rows are the records, as JSON text in the column `record`. SQL promises the order of the outermost
 * statement only. The inner order lets the database build the JSON after sort and limit; in nearly all plans it serves the
 * outer one too (`grn.list` gets an incremental sort on top).
 */
function recordsOf(
  { record, orderBy }: Pick<Shape, 'record' | 'orderBy'>,
  source: Sql,
  view: View,
  window?: Sql,
  condition = raw(''),
): Sql {
  const ordered = sql`order by ${order(orderBy)}`
  return sql`
    select ${expressionOf(record, view)} as record
      from (select parent.* from (${source}) parent ${window ?? ordered}) parent
     ${condition} ${ordered}`
}

/** The records from a start on, in order, for a limit to follow. */
function from<P extends Params>(shape: Shape<P>, values: Values<P>, view: View, { key, skip }: Start): Sql {
  const columns = order(shape.orderBy)
  const ordered = sql`order by ${columns}`
  if (key === undefined) return sql`${ordered} offset ${skip}::bigint`
  const found = sql`where ${atLeast(shape, key)}`
  if (skip === 0) return sql`${found} ${ordered}`
  // Skipping reads only the keys of the skipped records, which an index has in most cases.
  return sql`${found} and (${columns}) >= (
    select ${columns} from (${shape.query(values, view)}) parent ${found} ${ordered} limit 1 offset ${skip}::bigint) ${ordered}`
}

/**
 * The same for a listing that consists of parts: each part is read from the start on and has a limit, because PostgreSQL plans a sorted
 * part of a union as if all of its rows were read.
 */
function fromParts<P extends Params>(
  shape: Shape<P>,
  parts: readonly Sql[],
  { key, skip }: Start,
  limit: Sql,
): { source: Sql; window: Sql } {
  const columns = order(shape.orderBy)
  const window = sql`order by ${columns}`
  const found = key === undefined ? raw('true') : atLeast(shape, key)
  const each = (selected: Sql, condition: Sql, limit: Sql) =>
    unionOf(
      parts.map((part) => sql`select ${selected} from (${part}) parent where ${condition} ${window} limit ${limit}`),
    )
  if (skip === 0) return { source: each(raw('parent.*'), found, limit), window }
  const first = sql`select ${columns} from (${each(columns, found, sql`${skip}::bigint + 1`)}) parent ${window} limit 1 offset ${skip}::bigint`
  const rest = sql`${found} and (${columns}) >= (select * from first_row)`
  return { source: sql`with first_row as (${first}) ${each(raw('parent.*'), rest, limit)}`, window }
}

/**
 * A key may have the first columns of the order only. The second condition follows from the first, and lets an index find the first column if
 * the others come from other tables.
 */
const atLeast = <P extends Params>({ orderBy }: Shape<P>, key: readonly string[]): Sql =>
  sql`(${order(orderBy.slice(0, key.length))}) >= (${join(
    key.map((value) => sql`${value}`),
    ', ',
  )}) and ${order(orderBy.slice(0, 1))} >= ${key[0] as string}`

const order = (columns: readonly OrderColumn[]): Sql =>
  join(
    columns.map(({ column, descending, nullsLast }) => {
      const direction = `${descending ? ' desc' : ''}${nullsLast ? ' nulls last' : ''}`
      return sql`parent.${identifier(column)}${raw(direction)}`
    }),
    ', ',
  )

/** A cache of expressions by record: building one takes as long as answering from memory. */
const expressions = { shown: new WeakMap<Fields, Sql>(), hidden: new WeakMap<Fields, Sql>() }

function expressionOf(record: Fields, view: View): Sql {
  const known = view.hideContacts ? expressions.hidden : expressions.shown
  const expression = known.get(record) ?? objectOf(record, '', view)
  known.set(record, expression)
  return expression
}

/** A function of PostgreSQL takes at most 100 arguments; each field is two. */
const FIELDS_AT_A_TIME = 49

/** The JSON text of an object made from the columns of `parent`. `row_to_json` takes longer (docs/decisions/0017). */
function objectOf(fields: Fields, prefix: string, view: View): Sql {
  let closing = ''
  const members = Object.entries(fields).map(([name, field], i) => {
    const column = sql`parent.${identifier(`${prefix}${name}`)}`
    // Writing its quotes with the member names halves the time for a string that needs no escaping.
    const bare = field.kind === 'scalar' && field.absent === undefined ? field.betweenQuotes?.(column) : undefined
    const before = `${closing}${i === 0 ? '{' : ','}${JSON.stringify(name)}:${bare ? '"' : ''}`
    closing = bare ? '"' : ''
    return sql`${literal(before)}, ${bare ?? toJson(field, `${prefix}${name}`, view)}`
  })
  const parts: Sql[] = []
  for (let i = 0; i < members.length; i += FIELDS_AT_A_TIME)
    parts.push(sql`concat(${join(members.slice(i, i + FIELDS_AT_A_TIME), ', ')})`)
  return sql`(${join(parts, ' || ')} || ${literal(`${closing}}`)})`
}

function toJson(field: Field, column: string, view: View): Sql {
  switch (field.kind) {
    case 'scalar':
      return field.contact && view.hideContacts ? literal('""') : field.toJson(sql`parent.${identifier(column)}`)
    case 'nested':
      return objectOf(field.fields, `${column}_`, view)
    case 'lines':
      // Inside, `parent` is the line; the line's query, one level up, sees the record under that name. An aggregate over a
      // sorted subquery keeps its order (PostgreSQL manual, 9.21), and an index may deliver the lines sorted.
      return sql`(select coalesce('[' || string_agg(line, ',') || ']', '[]')
          from (select ${objectOf(field.fields, '', view)} as line
                  from (${field.query}) parent order by ${order(field.orderBy)}) lines)`
  }
}
