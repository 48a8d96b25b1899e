/** Reads the rows of a CSV file as programs of many countries write it. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { parse } from 'csv-parse'
import { encodingOf } from './kind.js'
import { checkColumns, LONGEST_ROW, OverLimit } from './limits.js'
import type { SheetRow } from './sheet.js'

export interface CsvOptions {
  readonly separator: string
  /** A name that TextDecoder knows. */
  readonly encoding: string
}

export async function* readSheetCsv(file: string, { separator, encoding }: CsvOptions): AsyncGenerator<SheetRow> {
  const parser = parse({
    ...{ delimiter: separator, bom: true, info: true, relax_column_count: true, relax_quotes: true },
    skip_empty_lines: true,
    record_delimiter: await lineEnds(file),
    max_record_size: LONGEST_ROW,
  })
  const feed = async () => {
    let decoder: InstanceType<typeof TextDecoder> | undefined
    const decode = (chunk?: Buffer) => {
      if (decoder === undefined) {
        const marked = markedEncoding(chunk)
        const guessed = encodingOf(chunk ?? new Uint8Array())
        if (marked === undefined && guessed !== 'utf-8' && !/^utf-?16/i.test(encoding))
          throw new Error(`its text is ${guessed}: set encoding: ${guessed} in the mapping`)
        decoder = new TextDecoder(marked ?? encoding, { fatal: true })
      }
      try {
        return decoder.decode(chunk, { stream: chunk !== undefined })
      } catch {
        const other = encoding === 'utf-8' ? 'windows-1252' : 'utf-8'
        throw new Error(`its text is not ${encoding}: set its encoding in the mapping, such as encoding: ${other}`)
      }
    }
    // Text of another encoding with letters beyond ASCII is hardly ever valid UTF-8.
    const isOther = !/^utf-?(8|16)/i.test(encoding)
    const utf8 = new TextDecoder('utf-8', { fatal: true })
    let [isUtf8, isAscii] = [true, true]
    const look = (chunk: Buffer) => {
      isAscii &&= chunk.every((byte) => byte < 0x80)
      try {
        utf8.decode(chunk, { stream: true })
      } catch {
        isUtf8 = false
      }
    }
    for await (const chunk of createReadStream(file)) {
      if (isOther && isUtf8) look(chunk)
      if (!parser.write(decode(chunk))) await new Promise((resolve) => parser.once('drain', resolve))
    }
    if (isOther && isUtf8 && !isAscii)
      throw new Error('its text is utf-8, but the mapping names another encoding: set encoding: utf-8')
    parser.end(decode())
  }
  feed().catch((error) => parser.destroy(error))
  try {
    yield* rowsOf(parser)
  } catch (error) {
    if ((error as { code?: string }).code !== 'CSV_MAX_RECORD_SIZE') throw error
    throw new OverLimit(
      `a row has more than ${LONGEST_ROW.toLocaleString('en')} characters, perhaps behind a quote without its end`,
    )
  }
}

async function* rowsOf(parser: AsyncIterable<unknown>): AsyncGenerator<SheetRow> {
  let counted = 0
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
    // The parser gives the line on which a record ends, and counts CRLF inside quotes as two lines.
    const [signs, breaks] = [count(record, /[\r\n]/g), count(record, /\r\n|\r|\n/g)]
    counted += signs - breaks
    const line = info.lines - counted - breaks
    checkColumns(record.length, line)
    if (record.some((cell) => OPEN_QUOTE.test(cell)))
      throw new Error(
        `row ${line} has a cell that begins with a quote without its end: remove the quote, or write it twice`,
      )
    yield { line, cells: record.map((cell) => (cell === '' ? null : cell)) }
  }
}

/** Files that were put together have lines that end in both ways; an old Mac writes only the first sign. */
async function lineEnds(file: string): Promise<string[]> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1 << 16), 0, 1 << 16, 0)
    const bytes = buffer.subarray(0, bytesRead)
    return bytes.includes(10) || !bytes.includes(13) ? ['\r\n', '\n'] : ['\r']
  } finally {
    await handle.close()
  }
}

/** The parser takes such a cell for text up to the next quote, with all rows between. */
const OPEN_QUOTE = /^"[\s\S]*[\r\n]/

const count = (cells: readonly string[], what: RegExp): number =>
  cells.reduce((sum, cell) => sum + (cell.match(what)?.length ?? 0), 0)

/** The encoding that a byte order mark names. */
function markedEncoding(bytes: Uint8Array = new Uint8Array()): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}
