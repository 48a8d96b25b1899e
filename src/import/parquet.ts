/** Parquet files, read one group of rows at a time; a "line" is the number of the row. */
import { type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet'
import { asyncBufferFromFile } from 'hyparquet/src/node.js'
import { compressors } from 'hyparquet-compressors'
import { MillbookError } from '../errors.js'
import type { Cell } from './columns.js'
import type { Listener } from './read.js'
import type { Rows } from './source.js'

const ROWS_AT_A_TIME = 5000

export async function* readParquet(file: string, name: string, { onBytes, onHeader }: Listener): AsyncGenerator<Rows> {
  let metadata: FileMetaData
  const buffer = await asyncBufferFromFile(file)
  try {
    metadata = await parquetMetadataAsync(buffer)
  } catch (error) {
    throw new MillbookError(`${name}: not a Parquet file: ${(error as Error).message}`)
  }
  onHeader(parquetSchema(metadata).children.map(({ element }) => element.name))
  const exact = exactDecimals(metadata)
  let from = 0
  for (const group of metadata.row_groups) {
    const rowEnd = from + Number(group.num_rows)
    const objects = await parquetReadObjects({ file: buffer, metadata, rowStart: from, rowEnd, compressors })
    onBytes(Number(group.total_compressed_size ?? group.total_byte_size))
    for (let at = 0; at < objects.length; at += ROWS_AT_A_TIME)
      yield objects.slice(at, at + ROWS_AT_A_TIME).map((row, i) => ({
        line: from + at + i + 1,
        header: Object.keys(row),
        cells: Object.entries(row).map(([column, value]) => exact.get(column)?.(value) ?? (value as Cell)),
      }))
    from = rowEnd
  }
}

/** The reader would turn decimals into doubles: their type is taken off, and the whole numbers beneath are scaled here. */
function exactDecimals(metadata: FileMetaData): Map<string, (value: unknown) => Cell> {
  const exact = new Map<string, (value: unknown) => Cell>()
  for (const element of metadata.schema) {
    if (element.converted_type !== 'DECIMAL' && element.logical_type?.type !== 'DECIMAL') continue
    const scale = element.scale ?? 0
    delete element.converted_type
    delete element.logical_type
    exact.set(element.name, (value) => {
      if (value === null || value === undefined) return null
      const units = value instanceof Uint8Array ? signedBigInt(value) : BigInt(value as number | bigint)
      const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
      const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
      return units < 0n ? `-${text}` : text
    })
  }
  return exact
}

/** Big-endian two's complement. */
function signedBigInt(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}
