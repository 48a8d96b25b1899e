/** The tables that files have for records, computed without code of src/formats/. */
import { type Column, columnsOf, keyOf, type ValueColumn } from '../../src/kernel/report/columns.js'
import { mostDigits } from '../../src/kernel/report/fields.js'
import { labelOf } from '../../src/kernel/report/labels.js'
import type { Shape } from '../../src/kernel/report/report.js'

type Row = Record<string, unknown>

export interface ExpectedColumn {
  readonly name: string
  readonly heading: string
  readonly kind: string
  readonly digits: number
  readonly upTo: number
  readonly additive: boolean
  /** The name of the column that has the unit. */
  readonly unit?: string
  /** Says whether the document is cancelled; lines in CSV do not have it. */
  readonly state?: boolean
}

export interface ExpectedTable {
  readonly sheet: string
  readonly columns: readonly ExpectedColumn[]
  readonly rows: readonly (readonly (string | null)[])[]
}

interface Value {
  readonly path: readonly string[]
  readonly column: ValueColumn
}

function valuesIn(columns: readonly Column[], around: readonly string[] = []): Value[] {
  return columns.flatMap((column): Value[] => {
    const path = [...around, column.name]
    if (column.kind === 'nested') return valuesIn(column.columns, path)
    return column.kind === 'lines' ? [] : [{ path, column }]
  })
}

function listsIn(columns: readonly Column[], around: readonly string[] = []): { path: string[]; columns: Column[] }[] {
  return columns.flatMap((column) => {
    const path = [...around, column.name]
    if (column.kind === 'nested') return listsIn(column.columns, path)
    return column.kind === 'lines' ? [{ path, columns: [...column.columns] }] : []
  })
}

const at = (record: Row, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Row | undefined)?.[name], record)

/** The text of a cell; null for an empty one. */
function textOf({ path, column }: Value, record: Row): string | null {
  const value = at(record, path)
  const isText = column.kind === 'text' || column.kind === 'word'
  if (value === null || value === undefined || (!isText && value === column.absent)) return null
  if (column.kind === 'list') return (value as string[]).join(', ')
  if (column.kind === 'object') return JSON.stringify(value)
  return column.kind === 'number' ? Number(value).toFixed(column.digits) : String(value)
}

const described = ({ path, column }: Value, prefix = '', additive = column.additive): ExpectedColumn => ({
  ...{ name: `${prefix}${path.join('_')}`, heading: labelOf(path.join('.')), kind: column.kind, additive },
  digits: 'digits' in column ? column.digits : 0,
  upTo: 'digits' in column ? mostDigits(column) : 0,
  ...(column.unit !== undefined && { unit: `${prefix}${column.unit}` }),
})

/** One row per record. */
export function documentsOf(shape: Shape, records: readonly Row[]): ExpectedTable {
  const columns = columnsOf(shape)
  const values = valuesIn(columns)
  return {
    sheet: listsIn(columns).length > 0 ? 'Documents' : 'Report',
    columns: values.map((value) => described(value)),
    rows: records.map((record) => values.map((value) => textOf(value, record))),
  }
}

/** For each list, one row per line with the key of its document, and with its state in a workbook. */
export function listsOf(shape: Shape, records: readonly Row[]): ExpectedTable[] {
  const columns = columnsOf(shape)
  const own = valuesIn(columns)
  const named = (name: string | undefined) => own.filter(({ path }) => path.join('_') === name)
  const key = keyOf(shape).flatMap(({ column }) => named(column))
  const state = named(shape.cancelled?.field).filter((value) => !key.includes(value))
  return listsIn(columns).map(({ path, columns }) => {
    const values = valuesIn(columns)
    const taken = [...key, ...state].map((value) => described(value).heading)
    /** A line has the name of its list in headings that the document has too. */
    const heading = (value: Value) =>
      taken.includes(described(value).heading) ? { heading: labelOf([...path, ...value.path].join('.')) } : {}
    return {
      sheet: labelOf(path.at(-1) as string),
      columns: [
        ...key.map((value) => described(value, '', false)),
        ...state.map((value) => ({ ...described(value, '', false), state: true })),
        ...values.map((value) => ({ ...described(value, `${path.join('_')}_`), ...heading(value) })),
      ],
      rows: records.flatMap((record) =>
        (at(record, path) as Row[]).map((line) => [
          ...[...key, ...state].map((value) => textOf(value, record)),
          ...values.map((value) => textOf(value, line)),
        ]),
      ),
    }
  })
}

/** The table without the state of the document. */
export function withoutState({ sheet, columns, rows }: ExpectedTable): ExpectedTable {
  const kept = [...columns.keys()].filter((i) => !columns[i]?.state)
  return {
    sheet,
    columns: kept.map((i) => columns[i] as ExpectedColumn),
    rows: rows.map((row) => kept.map((i) => row[i] as string | null)),
  }
}
