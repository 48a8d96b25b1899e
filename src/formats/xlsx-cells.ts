/** The cells of a workbook: XML text, formats of numbers, and values typed as far as a cell can hold them exactly. */
import type { ValueColumn } from '../kernel/report/columns.js'
import { mostDigits } from '../kernel/report/fields.js'
import { objectWords } from '../object-words.js'
import { DAY_MS, momentOf } from './moment.js'
import { joined } from './table.js'

export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const OFFICE = 'http://schemas.openxmlformats.org'
export const MAIN = `${OFFICE}/spreadsheetml/2006/main`
/** The limit of one cell; the rest of a longer text is cut off, and the last sheet counts such cells. */
const LONGEST_TEXT = 32_767

const FONTS =
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFEDEDED"/></patternFill></fill></fills><borders count="1"><border/></borders>'
/** Lower numbers are built into Excel. */
const FIRST_FORMAT = 164
const PLAIN = 'General'

/** The styles of cells: formats of numbers, by their code, in the font of values or of totals; a cell refers to one by its index. */
export class Styles {
  readonly #codes: string[] = [PLAIN, '@']

  /** The style of values. Styles come in pairs: its bold form, for totals, follows it. */
  of(code: string): number {
    const known = this.#codes.indexOf(code)
    return 2 * (known >= 0 ? known : this.#codes.push(code) - 1)
  }

  readonly bold = 1

  /** The style of the header comes after all others. */
  get header(): number {
    return 2 * this.#codes.length
  }

  xml(): string {
    const formats = this.#codes.map(
      (code, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${escaped(code)}"/>`,
    )
    const cells = this.#codes.flatMap((_, i) =>
      ['fontId="0"', 'fontId="1" applyFont="1"'].map(
        (font) => `<xf numFmtId="${FIRST_FORMAT + i}" ${font} fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
      ),
    )
    return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join('')}</numFmts>${FONTS}<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length + 1}">${cells.join('')}<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
  }
}

/** A value as the inside of its cell: attributes and content. */
export type Cell = (value: unknown) => string

const DIGITS = /^-?\d+(?:\.\d+)?$/
/** A cell is a double. */
const MOST_DIGITS = 15

/** Whether a double holds all digits of a number; false for text that is not a number. */
export function holds(text: string): boolean {
  if (!DIGITS.test(text)) return false
  const significant = text.replace(/^-?0*/, '').replace('.', '')
  return (text.includes('.') ? significant.replace(/0+$/, '') : significant).length <= MOST_DIGITS
}

/** The format of the numbers of a column. */
export function numberCode(column: ValueColumn): string {
  const digits = 'digits' in column ? column.digits : 0
  const more = 'digits' in column ? mostDigits(column) - digits : 0
  return digits === 0 ? '0' : `0.${'0'.repeat(digits)}${'#'.repeat(more)}`
}

export function cellOf(column: ValueColumn, styles: Styles, onCut: () => void): Cell {
  const text: Cell = (value) => textCell(String(value), onCut)
  switch (column.kind) {
    case 'decimal':
    case 'number':
    case 'integer': {
      const style = styles.of(numberCode(column))
      return (value) => (holds(String(value)) ? ` s="${style}"><v>${value}</v>` : text(value))
    }
    case 'date':
    case 'timestamp': {
      const style = styles.of(column.kind === 'date' ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss')
      return (value) => serial(String(value), style) ?? text(value)
    }
    case 'time': {
      const style = styles.of('hh:mm:ss')
      return (value) => {
        const ms = momentOf(`1970-01-01 ${value}`)
        return ms === undefined ? text(value) : ` s="${style}"><v>${ms / DAY_MS}</v>`
      }
    }
    case 'flag':
      return (value) =>
        value === 'true' || value === 'false' ? ` t="b"><v>${value === 'true' ? 1 : 0}</v>` : text(value)
    case 'list':
      return (value) => textCell(joined(value), onCut)
    case 'object':
      return (value) => textCell(objectWords(value as Record<string, unknown>), onCut)
    default:
      return text
  }
}

/** Excel counts days from here and treats 1900 as a leap year: dates are right from March 1900 on. */
const EPOCH = Date.UTC(1899, 11, 30)
const FIRST_RIGHT_DAY = 61

/** The cell of a date or a time; undefined for a day that Excel would show as another day. */
function serial(text: string, style: number): string | undefined {
  const days = ((momentOf(text) ?? Number.NaN) - EPOCH) / DAY_MS
  return days >= FIRST_RIGHT_DAY ? ` s="${style}"><v>${days}</v>` : undefined
}

export function textCell(text: string, onCut = () => {}, style = 0): string {
  if (text.length > LONGEST_TEXT) onCut()
  return `${style === 0 ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${escaped(text.slice(0, LONGEST_TEXT))}</t></is>`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold these
const SPECIAL = /[&<>"]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\r]|_(?=x[0-9a-fA-F]{4}_)/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML text, with Excel's escapes for characters that XML cannot hold, and for texts that look like such an escape. */
export const escaped = (text: string): string =>
  text.replace(SPECIAL, (c) => ENTITIES[c] ?? `_x${c.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`)

/** A, B … Z, AA … */
export function letterOf(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest === 0 ? '' : letterOf(rest - 1)) + String.fromCharCode(65 + (index % 26))
}
