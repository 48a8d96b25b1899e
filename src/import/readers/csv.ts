/** Reads CSV as spreadsheets write it: quotes, line breaks inside quotes, CRLF or LF, with or without a byte order mark. */
import { MillbookError } from '../../errors.js'
import type { Rows } from '../source.js'
import type { Listener } from './reader.js'
import { LONGEST_ROW, readText } from './text.js'

/** `""` is an empty text; an empty cell without quotes is null. */
type CsvCell = string | null

export async function* readCsv(
  file: string,
  name: string,
  { onBytes, onHeader }: Listener,
  bytesAtATime?: number,
): AsyncGenerator<Rows> {
  let header: string[] | undefined
  let width = 0 // of the header, without columns at its end that have no name
  let line = 1
  let rest = ''

  /** The complete records of the text; an incomplete one at its end stays in `rest`. */
  function rowsOf(text: string, last: boolean): Rows {
    const rows: Rows = []
    let at = 0
    let quote = -1 // position of the next quote, searched again once passed
    while (at < text.length) {
      const end = text.indexOf('\n', at)
      if (end === -1 && !last) break
      const stop = end === -1 ? text.length : end
      if (header === undefined) checkSeparator(text.slice(at, stop), `${name}:${line}`)
      if (quote < at) quote = text.indexOf('"', at)
      if (quote === -1) quote = text.length
      if (quote >= stop) {
        const plain = text[stop - 1] === '\r' && stop > at ? text.slice(at, stop - 1) : text.slice(at, stop)
        if (plain.includes('\r'))
          throw new MillbookError(`${name}:${line}: a line ends with CR alone; save the file with LF or CRLF`)
        checkLength(plain.length)
        if (plain !== '') take(plainCells(plain), rows)
        line++
        at = stop + 1
        continue
      }
      const record = quotedRecord(text, at, last)
      if (record === undefined) break
      if (typeof record === 'string') throw new MillbookError(`${name}:${line}: ${record}`)
      checkLength(record.next - at)
      take(record.cells, rows)
      line += record.lines
      at = record.next
    }
    rest = text.slice(at)
    checkLength(rest.length)
    return rows
  }

  /** The record that begins at `line`: the header or a row. */
  function take(cells: CsvCell[], rows: Rows): void {
    if (header === undefined) {
      header = cells.map((cell) => (cell ?? '').trim())
      width = header.findLastIndex((column) => column !== '') + 1
      checkHeader(header, name)
      onHeader(header)
      return
    }
    if (cells.every((cell) => cell === null)) return // only commas: spreadsheets write them for empty rows
    if (cells.length === header.length) rows.push({ line, header, cells })
    else {
      const extra = cells.slice(header.length).some((cell) => cell !== null)
      const wrong = extra ? 'more' : cells.length < width ? 'fewer' : undefined
      rows.push({ line, header, cells: cells.slice(0, header.length), ...(wrong && { wrong }) })
    }
  }

  /** Limits the record that begins at `line`: a record that never ends would take the rest of the file into memory. */
  function checkLength(length: number): void {
    if (length > LONGEST_ROW)
      throw new MillbookError(
        `${name}:${line}: the record that begins here has more than ${LONGEST_ROW} characters; is there a quote that is never closed?`,
      )
  }

  const text = readText({ file, name, saveAs: '"CSV UTF-8"', line: () => line, onBytes, bytesAtATime })
  for await (const piece of text) yield rowsOf(rest + piece, false)
  yield rowsOf(rest, true)
  if (header === undefined) throw new MillbookError(`${name}: the file is empty; its first line names the columns`)
}

function plainCells(record: string): CsvCell[] {
  const cells: CsvCell[] = record.split(',')
  for (let i = 0; i < cells.length; i++) if (cells[i] === '') cells[i] = null
  return cells
}

/** A record with quotes; undefined if its end has not been read yet, a message if it is not CSV. */
function quotedRecord(
  text: string,
  from: number,
  last: boolean,
): { cells: CsvCell[]; next: number; lines: number } | string | undefined {
  const cells: CsvCell[] = []
  let at = from
  let lines = 0
  while (true) {
    if (text[at] === '"') {
      let cell = ''
      at++
      while (true) {
        const quote = text.indexOf('"', at)
        if (quote === -1) return last ? 'a quote is opened and never closed' : undefined
        cell += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
      for (const letter of cell) if (letter === '\n') lines++
      cells.push(cell)
    } else {
      const match = /[,\n]/g
      match.lastIndex = at
      const end = match.exec(text)?.index ?? text.length
      if (end === text.length && !last) return undefined
      const cell = text.slice(at, text[end] !== ',' && text[end - 1] === '\r' ? end - 1 : end)
      if (cell.includes('"'))
        return 'a cell contains a quote but does not begin with one; quote the whole cell and double the quotes in it'
      cells.push(cell === '' ? null : cell)
      at = end
    }
    if (at >= text.length) return last ? { cells, next: at, lines: lines + 1 } : undefined
    if (text[at] === '\r' && (text[at + 1] === '\n' || (last && at + 1 === text.length))) at++
    else if (text[at] === '\r' && at + 1 === text.length) return undefined
    if (at >= text.length || text[at] === '\n') return { cells, next: at + 1, lines: lines + 1 }
    if (text[at] !== ',') return 'a closing quote is not followed by a comma or the end of the line'
    at++
  }
}

/** Spreadsheets of many countries write semicolons. Checked before quotes, whose errors would hide the reason. */
function checkSeparator(header: string, place: string): void {
  if (header.includes(',') || !/[;\t]/.test(header)) return
  const other = header.includes(';') ? 'semicolons' : 'tabs'
  throw new MillbookError(`${place}: the columns are separated by ${other}; save the file with commas`)
}

function checkHeader(header: string[], name: string): void {
  const twice = header.find((column, i) => column !== '' && header.indexOf(column) !== i)
  if (twice !== undefined) throw new MillbookError(`${name}:1: the column ${twice} appears twice`)
  const gap = header.indexOf('')
  if (gap !== -1 && header.slice(gap).some((column) => column !== ''))
    throw new MillbookError(`${name}:1: column ${gap + 1} has no name`)
}
