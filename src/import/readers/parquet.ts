/** Reads Parquet files, a page of each column at a time; a "line" is the number of a row. */
import { type FileHandle, open } from 'node:fs/promises'
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet'
import { isListLike } from 'hyparquet/src/schema.js'
import { compressors } from 'hyparquet-compressors'
import { MillbookError } from '../../errors.js'
import type { Cell } from '../columns.js'
import type { Rows } from '../source.js'
import { columnReader } from './parquet-pages.js'
import { converterOf, isText, typeName } from './parquet-types.js'
import type { Listener } from './reader.js'

const ROWS_AT_A_TIME = 5000

/**
 * The rows of an entity differ in their keys, so a file with many rows cannot be small: real files take a byte or more per row. Without
 * a limit, a file of a few kilobytes that repeats one row would fill the disk of the database.
 */
const ROWS_PER_BYTE = 64
/** A file with fewer rows may have any size. */
const FEW_ROWS = 100_000

/** Resolves to the next cells of a column. */
type Take = (count: number) => Promise<Cell[]>

export async function* readParquet(file: string, name: string, { onBytes, onHeader }: Listener): AsyncGenerator<Rows> {
  const handle = await open(file)
  try {
    const buffer = bufferOf(handle, (await handle.stat()).size)
    const { metadata, schema } = await readSchema(buffer).catch((error: Error) => {
      throw new MillbookError(`${name}: not a Parquet file: ${error.message}`)
    })
    const rows = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0)
    if (rows > Math.max(FEW_ROWS, buffer.byteLength * ROWS_PER_BYTE))
      throw new MillbookError(
        `${name}: it claims ${rows} rows in ${buffer.byteLength} bytes, which cannot be rows with different keys; write the file again`,
      )
    const header = schema.children.map(({ element }) => element.name)
    const twice = header.find((column, i) => header.indexOf(column) !== i)
    if (twice !== undefined) throw new MillbookError(`${name}: the column ${twice} appears twice`)
    onHeader(header)
    const columns = schema.children.map((column) => columnIn(buffer, metadata, schema, column, name, onBytes))
    let line = 1
    for (const group of metadata.row_groups) {
      const takes = columns.map((openIn) => openIn(group))
      for (let left = Number(group.num_rows); left > 0; left -= ROWS_AT_A_TIME) {
        const count = Math.min(left, ROWS_AT_A_TIME)
        const taken: Cell[][] = []
        for (const take of takes) taken.push(await take(count))
        yield Array.from({ length: count }, (_, i) => ({
          line: line + i,
          header,
          cells: taken.map((cells) => cells[i]),
        }))
        line += count
      }
    }
  } finally {
    await handle.close()
  }
}

async function readSchema(file: AsyncBuffer): Promise<{ metadata: FileMetaData; schema: SchemaTree }> {
  const metadata = await parquetMetadataAsync(file)
  return { metadata, schema: parquetSchema(metadata) }
}

/** How to read a column of a row group. Throws for a type that an import does not read, before any row is read. */
function columnIn(
  file: AsyncBuffer,
  metadata: FileMetaData,
  schema: SchemaTree,
  column: SchemaTree,
  name: string,
  onBytes: (bytes: number) => void,
): (group: RowGroup) => Take {
  const { element } = column
  const withFileErrors = (take: Take): Take => {
    return (count) =>
      take(count).catch((cause: Error) => {
        throw new MillbookError(`${name}: the column ${element.name} cannot be read: ${cause.message}`, { cause })
      })
  }
  const chunks = (group: RowGroup) =>
    group.columns.flatMap(({ file_path, meta_data }) =>
      meta_data === undefined || file_path || meta_data.path_in_schema[0] !== element.name ? [] : meta_data,
    )
  if (isListOfTexts(column))
    return (group) => {
      const bytes = chunks(group).reduce((sum, chunk) => sum + Number(chunk.total_compressed_size), 0)
      return withFileErrors(listReader(file, { ...metadata, row_groups: [group] }, element.name, () => onBytes(bytes)))
    }
  const convert = column.children.length === 0 && element.repetition_type !== 'REPEATED' && converterOf(element)
  if (!convert)
    throw new MillbookError(
      `${name}: the column ${element.name} has the type ${typeName(element)}, which an import does not read; write it as text`,
    )
  return (group) => {
    const [chunk] = chunks(group)
    if (chunk === undefined) throw new MillbookError(`${name}: the column ${element.name} is stored in another file`)
    return withFileErrors(columnReader(file, chunk, Number(group.num_rows), [schema, column], convert, onBytes))
  }
}

function isListOfTexts(column: SchemaTree): boolean {
  if (column.children.length !== 1 || !isListLike(column)) return false
  let leaf: SchemaTree | undefined = column
  while (leaf?.children.length === 1) leaf = leaf.children[0]
  return leaf?.children.length === 0 && isText(leaf.element)
}

/** A list may continue on the next page: the library reads such columns, which are short, as a whole. */
function listReader(file: AsyncBuffer, metadata: FileMetaData, column: string, onRead: () => void): Take {
  let rows: Record<string, Cell>[] | undefined
  let row = 0
  return async (count) => {
    if (rows === undefined) {
      rows = await parquetReadObjects({ file, metadata, columns: [column], compressors })
      onRead()
    }
    row += count
    return rows.slice(row - count, row).map((cells) => cells[column])
  }
}

function bufferOf(handle: FileHandle, byteLength: number): AsyncBuffer {
  const read = async (start: number, end: number) => {
    const bytes = new Uint8Array(end - start)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
    return bytesRead === bytes.length ? bytes.buffer : bytes.buffer.slice(0, bytesRead)
  }
  return {
    byteLength,
    slice(start, end = byteLength) {
      const reading = read(start, end)
      // The library reads several slices at a time, and after the failure of one it awaits none of the others.
      reading.catch(() => {})
      return reading
    },
  }
}
