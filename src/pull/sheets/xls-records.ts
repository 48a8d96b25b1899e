/**
 * Checks the records of a workbook stream (MS-XLS) before a library decodes them: the library reads what is left of a truncated
 * stream without a word, and trusts counts and places. Records that no cell needs are blanked, so that it skips them.
 */
import { MOST_ROWS, OverLimit } from './limits.js'
import type { MergedRange } from './merged.js'
import { damaged } from './xls-container.js'

export interface Checked {
  /** In the order of the stream. */
  readonly sheets: readonly CheckedSheet[]
  /** Formulas without a result: `sheet row column`, from 0. */
  readonly uncalculated: ReadonlySet<string>
}

const [BOF, EOF, CONTINUE, BOUND_SHEET, FILE_PASS, FORMULA, MULRK, ARRAY, SUPBOOK, ROW, MERGED] = [
  ...[0x0809, 0x000a, 0x003c, 0x0085, 0x002f, 0x0006, 0x00bd, 0x0221, 0x01ae, 0x0208, 0x00e5],
] as const
/** Has no meaning for cells, and the library skips it. */
const SKIPPED = 0x00d7
/** Records of one cell. */
const CELLS = new Set([FORMULA, 0x0203, 0x0204, 0x0205, 0x027e, 0x00d6, 0x00fd, MULRK])
const KEPT = new Set([
  ...[BOF, EOF, BOUND_SHEET, ARRAY, SUPBOOK, ...CELLS],
  // Code page, dates from 1904, styles, formats, shared texts, texts of formulas, shared formulas, names.
  ...[0x0042, 0x0022, 0x00e0, 0x041e, 0x00fc, 0x0207, 0x04bc, 0x0017, 0x0018, 0x0218, 0x0023, 0x0223],
])
const MOST_CELLS = 1_000_000
const MOST_COLUMNS = 256

export interface CheckedSheet {
  readonly hidden: boolean
  readonly isTable: boolean
  /** Rows that are hidden, from 1. */
  readonly hiddenRows: ReadonlySet<number>
  readonly merged: readonly MergedRange[]
}

/** Throws for a stream that is not whole. Changes it. */
export function checkRecords(stream: Buffer): Checked {
  const bounds: (CheckedSheet & { at: number; hiddenRows: Set<number>; merged: MergedRange[] })[] = []
  const starts = new Set<number>()
  const uncalculated = new Set<string>()
  let [depth, cells, formulas, arrays, isKept] = [0, 0, 0, 0, false]
  let sheet = -1
  let current: (typeof bounds)[number] | undefined
  const inOrder = () => [...bounds].sort((a, b) => a.at - b.at)
  let at = 0
  if (stream.length >= 2 && stream.readUInt16LE(0) !== BOF && stream[0] === 9) throw tooOld()
  for (; at + 4 <= stream.length; ) {
    const [type, length] = [stream.readUInt16LE(at), stream.readUInt16LE(at + 2)]
    const body = at + 4
    if (depth === 0 && type !== BOF) break // padding
    if (body + length > stream.length) throw damaged('it is not complete')
    if (type === BOF && ++depth === 1) {
      starts.add(at)
      sheet = inOrder().findIndex((bound) => bound.at === at)
      current = inOrder()[sheet]
      if (at === 0) checkVersion(stream, body, length)
    }
    if (type === FILE_PASS)
      throw new Error('it is protected by a password: open it in a spreadsheet program, and save it without one')
    if (type === SUPBOOK && stream.subarray(body, body + length).includes(3) && isDde(stream, body))
      throw new Error('it has a link that fetches data from another program: break its links, and save it')
    if (type === BOUND_SHEET && depth === 1) {
      if (length < 8) throw damaged('its list of sheets is wrong')
      bounds.push({
        at: stream.readUInt32LE(body),
        hidden: ((stream[body + 4] as number) & 3) !== 0,
        isTable: stream[body + 5] === 0,
        ...{ hiddenRows: new Set(), merged: [] },
      })
    }
    if (CELLS.has(type) && depth === 1) {
      if (length < 6) throw damaged('it has a cell without a place')
      const [row, column] = [stream.readUInt16LE(body), stream.readUInt16LE(body + 2)]
      const count = type === MULRK ? Math.max(0, Math.floor((length - 6) / 6)) : 1
      if (row >= MOST_ROWS || column + count > MOST_COLUMNS) throw damaged(`it has a cell in column ${column + count}`)
      cells += count
      if (type === FORMULA) {
        formulas++
        if (isUncalculated(stream, body, length)) uncalculated.add(`${sheet} ${row} ${column}`)
      }
    }
    if (type === ARRAY) arrays++
    const own = depth === 1 ? current : undefined
    if (own !== undefined && type === ROW && length >= 14 && ((stream[body + 12] as number) & 0x20) !== 0)
      own.hiddenRows.add(stream.readUInt16LE(body) + 1)
    if (own !== undefined && type === MERGED) own.merged.push(...mergedIn(stream.subarray(body, body + length)))
    if (cells > MOST_CELLS)
      throw new OverLimit('it has more than 1,000,000 cells, for which an .xls needs too much memory: save it as .xlsx')
    if (formulas * arrays > 1e9) throw new OverLimit('it has too many formulas')
    isKept = type === CONTINUE ? isKept : KEPT.has(type) && (depth === 1 || (type === EOF && depth === 0))
    if (!isKept) stream.writeUInt16LE(SKIPPED, at)
    if (type === EOF) depth--
    at = body + length
  }
  if (depth !== 0 || starts.size === 0) throw damaged('it is not complete')
  if (!bounds.every((bound) => starts.has(bound.at))) throw damaged('a sheet is missing')
  return { sheets: inOrder(), uncalculated }
}

/** Ranges of rows and columns, from 0 (MS-XLS 2.4.168). */
function mergedIn(body: Buffer): MergedRange[] {
  const count = body.length < 2 ? 0 : Math.min(body.readUInt16LE(0), Math.floor((body.length - 2) / 8))
  return Array.from({ length: count }, (_, i) => ({
    first: body.readUInt16LE(2 + 8 * i) + 1,
    last: body.readUInt16LE(4 + 8 * i) + 1,
    place: body.readUInt16LE(6 + 8 * i),
  }))
}

function checkVersion(stream: Buffer, body: number, length: number): void {
  const version = length < 4 ? 0 : stream.readUInt16LE(body)
  if (version !== 0x0600 && version !== 0x0500) throw tooOld()
}

const tooOld = (): Error =>
  new Error('it is a workbook of Excel 4 or older: open it in a spreadsheet program, and save it as .xlsx')

/** Links to programs have no sheets, and a path in two parts. */
const isDde = (stream: Buffer, body: number): boolean => stream.readUInt16LE(body) === 0

/**
 * Programs that do not calculate write an empty text. A formula may give one too, but not if it asks to be calculated when the file
 * is opened, or ends with a calculation.
 */
function isUncalculated(stream: Buffer, body: number, length: number): boolean {
  const isEmpty = length >= 22 && stream[body + 6] === 3 && stream.readUInt16LE(body + 12) === 0xff_ff
  if (!isEmpty) return false
  const end = body + 22 + stream.readUInt16LE(body + 20)
  return (
    ((stream[body + 14] as number) & 1) === 1 || (end <= body + length && givesNumber(stream.subarray(body + 22, end)))
  )
}

/** Codes of SUM, AVERAGE, MIN, MAX, COUNT, ROUND, PRODUCT, SUMPRODUCT and SUMIF. */
const NUMERIC = new Set([0, 4, 5, 6, 7, 27, 183, 228, 345])

/** Whether the last token of a formula is a calculation (MS-XLS 2.5.198): + - * / ^, SUM, or another function with numbers. */
function givesNumber(tokens: Buffer): boolean {
  const last = tokens.at(-1) ?? 0
  if (last >= 0x03 && last <= 0x07) return true
  if (tokens.length < 4) return false
  if (tokens.at(-4) === 0x19 && tokens.at(-3) === 0x10) return true
  const isFunction = [0x21, 0x41, 0x61].includes(tokens.at(-3) ?? 0) || [0x22, 0x42, 0x62].includes(tokens.at(-4) ?? 0)
  return isFunction && NUMERIC.has(tokens.readUInt16LE(tokens.length - 2))
}
