/** Reads SQL access in tests: calls of its functions, and what the rows of a report's JSON mean as rows of SQL. */
import type { Db } from '../../src/db/connect.js'
import { identifier } from '../../src/db/sql.js'
import { type FlatTable, flatTables, functionName } from '../../src/kernel/report/flat.js'
import type { Report } from '../../src/kernel/report/report.js'
import { flatRecords } from './odata.js'

type Row = Record<string, unknown>

/** The parameters of a request that a function takes, as SQL. */
export const argumentsOf = ({ params }: FlatTable, request: Row): string =>
  Object.entries(request)
    .filter(([name]) => name in params)
    .map(([name, value]) => `${identifier(name).text} => ${literal(value)}`)
    .join(', ')

const literal = (value: unknown): string => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`)

/** All rows, each value as text, in the order in which the statement has them. */
export async function rowsOf(db: Pick<Db, 'unsafe'>, from: string): Promise<Row[]> {
  const rows = await db.unsafe<{ row: Row }[]>(
    `select (select json_object_agg(key, value) from json_each_text(to_json(t))) as row from ${from} t`,
  )
  return rows.map(({ row }) => row)
}

export const callOf = (schema: string, table: FlatTable, request: Row): string =>
  `${schema}.${identifier(functionName(table.name)).text}(${argumentsOf(table, request)})`

/** The tables of the shape that a request selects. */
export function tablesFor(report: Report, request: Row): FlatTable[] {
  const { shapedBy } = report
  const shape = shapedBy === undefined ? '' : String(request[shapedBy] ?? report.request[shapedBy]?.byDefault)
  return flatTables([report]).filter((table) => table.shape === shape)
}

/** The rows of a table that records of a report mean, in the columns that both have. */
export function expectedRows(table: FlatTable, records: readonly Row[], hides: 'contacts' | 'nothing'): Row[] {
  const { report, shape, list, flat } = table
  const hidden = (name: string) =>
    hides === 'contacts' && (flat.record[name]?.contact === true || /(^|_)contact_person$/.test(name))
  return flatRecords(report, shape, records, '', list).map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !hidden(name))
        .map(([name, value]) => [name, plainOf(table, name, value)]),
    ),
  )
}

/** The same of the rows of a function or view: REST shows no hidden keys. */
export const shownRows = (table: FlatTable, rows: readonly Row[], names: readonly string[]): Row[] =>
  rows.map((row) => Object.fromEntries(names.map((name) => [name, plainOf(table, name, row[name])])))

/** A value in one form: a number without zeros at its end, the texts of a list in one text. */
function plainOf({ flat }: FlatTable, name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  switch (flat.record[name]?.type.kind) {
    case 'decimal':
    case 'number':
    case 'integer':
      return String(value)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '')
    case 'list':
      return String(value).startsWith('[') ? (JSON.parse(String(value)) as string[]).join(', ') : value
    case 'object':
      return typeof value === 'string' ? JSON.parse(value) : value
    default:
      return String(value)
  }
}
