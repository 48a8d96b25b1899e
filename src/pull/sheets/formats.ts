/** Reads numbers, dates and words as people write them into sheets. */
import { MillbookError } from '../../errors.js'
import type { Column } from '../../import/columns.js'
import { importCell } from '../values.js'
import type { Fault, SheetCell } from './sheet.js'

/** How the texts of a sheet are written. */
export interface Formats {
  /** Converts a date, and maybe a time, to the form of an import; undefined if it is written in another way. */
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
    if (number === 0) return undefined
    const two = (part: string | number) => String(part).padStart(2, '0')
    const date = `${year ?? `${Number(short) < 70 ? 20 : 19}${short}`}-${two(number)}-${two(day)}`
    return hour === undefined ? date : `${date} ${two(hour)}:${minute}:${second}`
  }
}

/** A cell in the form of the import's column. A text that it cannot read stays as it is, and the loader refuses it. */
export function cellFor(
  cell: Exclude<SheetCell, Fault>,
  column: Column | undefined,
  { date, decimal }: Formats,
): string | null {
  if (cell === null) return null
  if (typeof cell === 'object')
    return String(importCell(column?.inPercent ? (cell.percent ?? cell.value) : cell.value, column))
  const text = cell.trim()
  if (text === '') return null
  switch (column?.sqlType) {
    case 'numeric':
    case 'integer':
      return numberFor(text, column, decimal)
    case 'date':
    case 'timestamp(0)':
      return String(importCell(date(text) ?? text, column))
    case 'boolean':
      return /^(yes|y|true|1|x)$/i.test(text) ? 'true' : /^(no|n|false|0)$/i.test(text) ? 'false' : text
    default:
      return text
  }
}

function numberFor(text: string, column: Column, decimal: Formats['decimal']): string {
  const number = numberIn(column.inPercent ? text.replace(/\s*%$/, '') : text, decimal)
  if (number !== undefined) return String(importCell(number.number, column))
  // With a decimal comma, the loader would misread the point of 12.50: make it refuse the text and say why.
  return /\d[.,]\d/.test(text) ? `${text} (with decimal: ${decimal})` : text
}

/** A currency's sign or code before the digits. */
const SIGN = String.raw`(?:[A-Z]{0,2}\p{Sc}|Rs\.?|(?<code>[A-Z]{3}))?\s*`
/** A word without digits, or a measure of area or volume. */
const UNIT = String.raw`(?:[\p{L}\p{Sc}"][^\d%()+-]*?|[cdkm]?m[23]|(?:ft|in|yd)[23])`
/** Words after a number that change its value: 2 Cr may be two crore, or two on the credit side. */
const SCALE = /^(k|cr|dr|crores?|la(kh|c)s?|thousand|mio|mn|millions?|mrd|bn|billions?|tsd|bps|negative|minus)\b/iu
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/**
 * Digits in groups of three with the same sign between all groups, or with commas as in India (1,23,456). Anything else is not a
 * number: dropping every comma would turn 1,5 into 15.
 */
const written = (decimal: string, thousands: string): RegExp => {
  const whole = String.raw`[1-9]\d{0,2}(?<sign>[${thousands}'’ \u00a0\u202f])\d{3}(?:\k<sign>\d{3})*`
  const indian = thousands === ',' ? String.raw`|[1-9]\d?(?:,\d{2})+,\d{3}` : ''
  // 5,- and 5/- are prices without a fraction.
  const number = String.raw`(?<whole>${whole}${indian}|\d*)(?:[${decimal}](?:-{1,2}|(?<fraction>\d*))|/-)?`
  const end = String.raw`(?<after>-?)\s*(?<unit>${UNIT})?\s*(?:(?<last>\))\s*(?<more>${UNIT})?)?`
  return new RegExp(
    String.raw`^${SIGN}(?<before>[-−–+(]?)\s*${SIGN.replace('<code>', '<second>')}${number}\s*${end}$`,
    'iu',
  )
}

const WRITTEN = { '.': written('.', ','), ',': written(',', '.') } as const

/** `1,234.50 Nos`, `₹ 1,23,456.00`, `(12.00)` and `12.00-` as plain decimals; undefined if it is written in another way. */
function numberIn(text: string, decimal: Formats['decimal']): { number: string; unit: string | null } | undefined {
  const found = WRITTEN[decimal].exec(text)?.groups
  if (found === undefined) return undefined
  const { whole = '', fraction = '', before = '', after = '', last = '', code, second } = found
  const unit = found['unit'] ?? found['more'] ?? null
  const isMinus = /[-−–(]/.test(before)
  const isOdd =
    (whole === '' && fraction === '') ||
    (before === '(') !== (last === ')') ||
    (after === '-' && (before !== '' || unit !== null)) ||
    [code, second].some((one) => one !== undefined && !CURRENCIES.has(one.toUpperCase())) ||
    (unit !== null && SCALE.test(unit))
  if (isOdd) return undefined
  const digits = `${whole.replace(/\D/g, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
  return { number: `${isMinus || after === '-' ? '-' : ''}${digits}`, unit }
}

/** The word after a number: the unit of `12 Nos`. */
export const unitIn = (text: string, decimal: Formats['decimal']): string | null =>
  numberIn(text, decimal)?.unit ?? null
