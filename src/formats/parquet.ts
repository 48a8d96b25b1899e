/**
 * Parquet with exact types: decimals as DECIMAL(38, n), dates, times and timestamps in the account's local time, lines as lists of structs.
 * A marker in place of a value, such as `-`, is null.
 */
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type Column, columnsOf, type ValueColumn } from '../kernel/report/columns.js'
import { mostDigits } from '../kernel/report/fields.js'
import { type JsonObject, recordReader } from '../kernel/report/record-reader.js'
import { ownView } from '../kernel/report/view.js'
import type { Format } from './format.js'
import { DAY_MS, momentOf } from './moment.js'

/** Bytes of JSON in a row group, roughly. */
const GROUP_BYTES = 2 * 2 ** 20
const PRECISION = 38
/** Bytes of a DECIMAL(38, n). */
const DECIMAL_BYTES = 16

export default {
  name: 'parquet',
  label: 'Parquet',
  share: 0.06,
  contentType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  namesRequest: true,
  async *encode(records, { report, values, version, known }) {
    const shape = report.shapeFor(values)
    const columns = columnsOf(shape)
    const read = recordReader(shape)
    const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...columns.flatMap(schemaOf)]
    const bytes = new ByteWriter()
    const writer = new ParquetWriter({
      writer: bytes,
      statistics: false, // the writer compares bytes, which is not the order of signed numbers
      schema,
      kvMetadata: [
        { key: 'millbook.report', value: report.id },
        { key: 'millbook.version', value: version },
        { key: 'millbook.parameters', value: JSON.stringify({ ...values, ...ownView(report), ...known }) },
      ],
    })
    /** Takes the bytes that the writer has made since the last call. */
    const take = () => {
      const piece = Buffer.from(bytes.getBytes())
      bytes.index = 0
      return piece
    }
    const typed = columns.map(typedOf)
    const group = columns.map((): unknown[] => [])
    const flush = async () => {
      const rowGroupSize = group[0]?.length ?? 0
      if (rowGroupSize === 0) return
      const columnData = columns.map(({ name }, i) => ({ name, data: group[i] as unknown[] }))
      await writer.write({ columnData, rowGroupSize })
      for (const data of group) data.length = 0
    }
    let size = 0
    for await (const run of records.texts()) {
      for (const text of run) {
        const record = read(text)
        for (const [i, { name }] of columns.entries()) group[i]?.push(typed[i]?.(record[name]))
        size += text.length
      }
      if (size < GROUP_BYTES) continue
      await flush()
      yield take()
      size = 0
    }
    await flush()
    // Set last: with this type from the beginning, the writer would encode the decimals itself, which took longer than all the rest.
    for (const element of schema) if (element.logical_type?.type === 'DECIMAL') element.converted_type = 'DECIMAL'
    writer.finish()
    yield take()
  },
} satisfies Format

/** The elements of a column, followed by the elements inside it. */
function schemaOf(column: Column): SchemaElement[] {
  const { name } = column
  switch (column.kind) {
    case 'nested':
      return [
        { name, repetition_type: 'REQUIRED', num_children: column.columns.length },
        ...column.columns.flatMap(schemaOf),
      ]
    case 'lines':
      return [
        ...listOf(name),
        { name: 'element', repetition_type: 'REQUIRED', num_children: column.columns.length },
        ...column.columns.flatMap(schemaOf),
      ]
    case 'list':
      return [
        ...listOf(name),
        { name: 'element', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      ]
    default:
      // A marker is null too.
      return [{ name, repetition_type: column.absent === undefined ? 'REQUIRED' : 'OPTIONAL', ...elementOf(column) }]
  }
}

const listOf = (name: string): SchemaElement[] => [
  { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
]

const decimal = (scale: number): Partial<SchemaElement> => ({
  ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: DECIMAL_BYTES },
  ...{ logical_type: { type: 'DECIMAL', precision: PRECISION, scale }, precision: PRECISION, scale },
})

function elementOf(column: ValueColumn): Partial<SchemaElement> {
  switch (column.kind) {
    case 'decimal':
    case 'number':
      return decimal(mostDigits(column))
    case 'integer':
      return column.wire === 'number' ? { type: 'INT64' } : decimal(0)
    case 'date':
      return { type: 'INT32', converted_type: 'DATE' }
    case 'timestamp':
      return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } }
    case 'time':
      return { type: 'INT32', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MILLIS' } }
    case 'flag':
      return { type: 'BOOLEAN' }
    default:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
  }
}

type Typed = (value: unknown) => unknown

/** Converts a value of the record to the value to write. */
function typedOf(column: Column): Typed {
  switch (column.kind) {
    case 'nested':
    case 'lines': {
      const members = column.columns.map((inner) => [inner.name, typedOf(inner)] as const)
      const object = (value: unknown) =>
        Object.fromEntries(members.map(([name, typed]) => [name, typed((value as JsonObject | undefined)?.[name])]))
      return column.kind === 'nested' ? object : (value) => ((value ?? []) as unknown[]).map(object)
    }
    case 'list':
      return (value) => value ?? []
    default: {
      const typed = scalarOf(column)
      const { absent } = column
      return (value) =>
        value === null || value === undefined || (absent !== undefined && value === absent)
          ? null
          : typed(value as string)
    }
  }
}

function scalarOf(column: ValueColumn): (text: string) => unknown {
  switch (column.kind) {
    case 'decimal':
    case 'number':
      return decimals(mostDigits(column))
    case 'integer':
      return column.wire === 'number' ? BigInt : decimals(0)
    case 'date':
      return (text) => Number(momentOf(text)) / DAY_MS
    case 'timestamp':
      return (text) => BigInt(momentOf(text) as number)
    case 'time':
      return (text) => momentOf(`1970-01-01 ${text}`)
    case 'flag':
      return (text) => text === 'true'
    case 'object':
      return (value) => JSON.stringify(value)
    default:
      return (text) => text
  }
}

/** Cached decimals per column: most cells have one of a few values, such as zero. */
const REMEMBERED = 1000

/** Decimals as bytes, the most significant first: the number times ten to its fraction digits, as a signed integer. */
function decimals(digits: number): (text: string) => Uint8Array {
  const known = new Map<string, Uint8Array>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const at = text.indexOf('.')
    const fraction = at < 0 ? 0 : text.length - at - 1
    const made = integerBytes((at < 0 ? text : text.slice(0, at) + text.slice(at + 1)) + '0'.repeat(digits - fraction))
    if (known.size >= REMEMBERED) known.clear()
    known.set(text, made)
    return made
  }
}

const LONGEST_SAFE = 15

function integerBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(DECIMAL_BYTES)
  if (text.length <= LONGEST_SAFE) {
    // No DataView, because its buffer is outside the heap: that took more memory than all the rest.
    let rest = Number(text)
    for (let at = DECIMAL_BYTES - 1; at >= 0 && rest !== 0; at--) {
      bytes[at] = rest >>> 0
      rest = Math.floor(rest / 256)
    }
  } else {
    const view = new DataView(bytes.buffer)
    const value = BigInt(text)
    view.setBigInt64(0, value >> 64n)
    view.setBigUint64(8, BigInt.asUintN(64, value))
  }
  return bytes
}
