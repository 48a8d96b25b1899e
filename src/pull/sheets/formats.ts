/** Reads numbers, dates and words as people write them into sheets. */
import { MillbookError } from '../../errors.js'
import type { Column } from '../../import/columns.js'
import { importCell } from '../values.js'
import type { SheetCell } from './sheet.js'

/** How the texts of a sheet are written. */
export interface Formats {
  /** Reads a date, and maybe a time, as an import has it; undefined if it is written in another way. */
  readonly date: (text: string) => string | undefined
  /** The sign before fractions. */
  readonly decimal: '.' | ','
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<short>\\d{2})',
  MMM: '(?<name>[a-z]{3})[a-z]*',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
}

/** A format such as DD-MMM-YY or DD/MM/YYYY hh:mm. Without one, dates are written as in an import. */
export function dateReader(format: string | undefined): Formats['date'] {
  if (format === undefined) return (text) => text
  const source = format.replace(/YYYY|YY|MMM|MM|DD|hh|mm|ss|./g, (part) =>
    Object.hasOwn(TOKENS, part) ? (TOKENS[part] as string) : part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'),
  )
  if (!/year|short/.test(source) || !/month|name/.test(source) || !/day/.test(source))
    throw new MillbookError(`the date format ${format} lacks year, month or day: write it like DD-MMM-YYYY or DD/MM/YY`)
  const pattern = new RegExp(`^${source}$`, 'i')
  return (text) => {
    const found = pattern.exec(text)?.groups
    if (found === undefined) return undefined
    const { year, short, name, month, day = '', hour, minute = '00', second = '00' } = found
    const number = name === undefined ? Number(month) : MONTHS.indexOf(name.toLowerCase()) + 1
    const two = (part: string | number) => String(part).padStart(2, '0')
    const date = `${year ?? `20${short}`}-${two(number)}-${two(day)}`
    return hour === undefined ? date : `${date} ${two(hour)}:${minute}:${second}`
  }
}

/** A cell as the import's column wants it; what is written in no known way is left to the loader, which says so. */
export function cellFor(cell: SheetCell, column: Column | undefined, { date, decimal }: Formats): string | null {
  if (cell === null) return null
  if (typeof cell === 'object') return String(importCell(cell.value, column))
  const text = cell.trim()
  if (text === '') return null
  switch (column?.sqlType) {
    case 'numeric':
    case 'integer':
      return String(importCell(numberIn(text, decimal) ?? text, column))
    case 'date':
    case 'timestamp(0)':
      return String(importCell(date(text) ?? text, column))
    case 'boolean':
      return /^(yes|y|true|1|x)$/i.test(text) ? 'true' : /^(no|n|false|0)$/i.test(text) ? 'false' : text
    default:
      return text
  }
}

/** `1,234.50 Nos`, `₹ 1,23,456.00`, `(12.00)` and `12.00-` as plain decimals; undefined if there is no number. */
function numberIn(text: string, decimal: '.' | ','): string | undefined {
  const thousands = decimal === '.' ? ',' : '.'
  const [, minus, digits = '', after = ''] = /^[\p{Sc}\s]*([-(]?)[\p{Sc}\s]*(\d[\d.,' \u00a0]*)(.*)$/u.exec(text) ?? []
  if (digits === '') return undefined
  const plain = digits
    .replaceAll(thousands, '')
    .replace(/[' \u00a0]/g, '')
    .replace(decimal, '.')
  if (!/^\d+(\.\d*)?$/.test(plain)) return undefined
  return `${minus !== '' || /^-/.test(after) ? '-' : ''}${plain}`
}

/** The word after a number: the unit of `12 Nos`. */
export const unitIn = (text: string): string | null => /\d\s*([^\d\s.,()-][^\d()]*?)\s*$/u.exec(text)?.[1] ?? null
