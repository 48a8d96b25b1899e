/**
 * Reads one column of a row group, page by page. The library decodes a row group as a whole, which may be the whole file;
 * here its decoders run for one page at a time.
 */
import type { AsyncBuffer, ColumnMetaData, SchemaTree } from 'hyparquet'
import { Encodings, PageTypes } from 'hyparquet/src/constants.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import type { ColumnDecoder, Encoding, PageHeader } from 'hyparquet/src/types.js'
import { compressors } from 'hyparquet-compressors'
import type { Cell } from '../columns.js'
import type { Stored } from './parquet-types.js'

/** Gives its cells in order, each once. */
interface Page {
  length: number
  next(): Cell
}

const NOTHING: Page = { length: 0, next: () => null }

/** Most headers are shorter; one with long statistics is read again with more bytes. */
const HEADER_BYTES = 4096

/** The library allocates an object per word before it converts the word. */
const WORDS_AT_A_TIME = 10_000

/** Writers make pages of about a megabyte, or one page per column and row group. */
const MOST_PAGE_BYTES = 1 << 29

/** Returns a function that resolves to the column's next `count` cells. */
export function columnReader(
  file: AsyncBuffer,
  chunk: ColumnMetaData,
  rows: number,
  path: SchemaTree[],
  convert: (value: Stored) => Cell,
  onBytes: (bytes: number) => void,
): (count: number) => Promise<Cell[]> {
  const pages = readPages(file, chunk, rows, path, convert, onBytes)
  let page = NOTHING
  let left = 0
  return async (count) => {
    const cells: Cell[] = []
    while (cells.length < count) {
      if (left === 0) {
        page = NOTHING // frees the last page before the next one is read
        const next = await pages.next()
        if (next.done) throw new Error('there are fewer values than rows')
        page = next.value
        left = page.length
      }
      for (const stop = Math.min(count, cells.length + left); cells.length < stop; left--) cells.push(page.next())
    }
    return cells
  }
}

async function* readPages(
  file: AsyncBuffer,
  chunk: ColumnMetaData,
  rows: number,
  path: SchemaTree[],
  convert: (value: Stored) => Cell,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Page, undefined> {
  const { type, codec } = chunk
  const element = (path.at(-1) as SchemaTree).element
  const column: ColumnDecoder = {
    ...{ pathInSchema: chunk.path_in_schema, type, element, schemaPath: path, codec, compressors },
    parsers: DEFAULT_PARSERS,
  }
  let dictionary: Cell[] = []
  let at = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
  const end = at + Number(chunk.total_compressed_size)
  let left = rows
  while (at < end) {
    const [header, length] = await readHeader(file, at, end)
    const start = at + length
    at = start + header.compressed_page_size
    if (at > end) throw new Error('a page is cut off')
    const bytes = new Uint8Array(await file.slice(start, at))
    onBytes(length + header.compressed_page_size)
    const { dictionary_page_header: words, data_page_header: v1, data_page_header_v2: v2 } = header
    // The decoders allocate memory for the sizes that a header claims.
    left -= v1?.num_values ?? v2?.num_values ?? 0
    if (left < 0) throw new Error('there are more values than rows')
    const most = header.uncompressed_page_size
    if (most > MOST_PAGE_BYTES || (words?.num_values ?? 0) > most) throw new Error('a page claims too large a size')
    const unpacked = () => decompressPage(bytes, header.uncompressed_page_size, codec, compressors)
    if (header.type === 'DICTIONARY_PAGE' && words !== undefined) {
      const page = words.num_values === 0 ? bytes : unpacked() // some codecs fail on the page of a column without values
      const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 }
      dictionary = []
      for (let left = words.num_values; left > 0; left -= WORDS_AT_A_TIME)
        for (const word of readPlain(reader, type, Math.min(left, WORDS_AT_A_TIME), element.type_length))
          dictionary.push(convert(word))
    } else if (header.type === 'DATA_PAGE' && v1 !== undefined) yield pageOf(readDataPage(unpacked(), v1, column), v1)
    else if (header.type === 'DATA_PAGE_V2' && v2 !== undefined) yield pageOf(readDataPageV2(bytes, header, column), v2)
    else if (header.type !== 'INDEX_PAGE') throw new Error(`an unknown kind of page: ${header.type}`)
  }

  function pageOf(
    { definitionLevels, dataPage }: ReturnType<typeof readDataPage>,
    { num_values: length, encoding }: { num_values: number; encoding: Encoding },
  ): Page {
    // A page with few distinct values may have millions of rows: one byte per row says whether it has a value, four give
    // the number of the word.
    const isThere = definitionLevels?.length ? Uint8Array.from(definitionLevels) : undefined
    const words = encoding.endsWith('_DICTIONARY') ? dictionary : undefined
    const values = words ? Uint32Array.from(dataPage as number[]) : dataPage
    // Numbers are converted when they are read; texts at once, because they take less memory afterwards.
    const isConverted = Array.isArray(values)
    if (isConverted) for (let i = 0; i < values.length; i++) values[i] = convert(values[i])
    let row = 0
    let value = 0
    return {
      length,
      next() {
        if (isThere?.[row++] === 0) return null
        const stored = values[value++] as Stored
        const cell = words ? words[stored as number] : isConverted ? stored : convert(stored)
        if (cell === undefined) throw new Error('a value is missing')
        return cell
      },
    }
  }
}

/** The header of the page that begins here, and its length. */
async function readHeader(file: AsyncBuffer, start: number, end: number): Promise<[PageHeader, number]> {
  for (let bytes = HEADER_BYTES; ; bytes *= 16) {
    const stop = Math.min(start + bytes, end)
    const reader = { view: new DataView(await file.slice(start, stop)), offset: 0 }
    try {
      const header = headerOf(deserializeTCompactProtocol(reader))
      // A header that is cut off decodes without an error, up to the end of the bytes.
      if (reader.offset < reader.view.byteLength || stop === end) return [header, reader.offset]
    } catch (error) {
      if (stop === end) throw error
    }
  }
}

/**
 * The fields have the numbers of the format's definition, parquet.thrift. Sizes are checked, because with a damaged one the
 * decoders would not terminate.
 */
function headerOf(fields: ReturnType<typeof deserializeTCompactProtocol>): PageHeader {
  const { field_1: type, field_5: v1, field_7: dictionary, field_8: v2 } = fields
  return {
    type: PageTypes[type] as PageHeader['type'],
    ...{ uncompressed_page_size: size(fields.field_2), compressed_page_size: size(fields.field_3) },
    ...(v1 && { data_page_header: { num_values: size(v1.field_1), encoding: Encodings[v1.field_2] } }),
    ...(dictionary && { dictionary_page_header: { num_values: size(dictionary.field_1) } }),
    ...(v2 && {
      data_page_header_v2: {
        ...{ num_values: size(v2.field_1), num_nulls: size(v2.field_2), num_rows: size(v2.field_3) },
        encoding: Encodings[v2.field_4],
        ...{ definition_levels_byte_length: size(v2.field_5), repetition_levels_byte_length: size(v2.field_6) },
        is_compressed: v2.field_7 ?? true,
      },
    }),
  }
}

function size(value: unknown): number {
  if (!Number.isInteger(value) || (value as number) < 0) throw new Error('the header of a page is damaged')
  return value as number
}
