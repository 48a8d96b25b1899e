/** Reads numbers, dates and words as people write them into sheets. */
import { MillbookError } from '../../errors.js'
import type { Column } from '../../import/columns.js'
import { importCell } from '../values.js'
import { isMeasure } from './measures.js'
import type { Fault, Known, SheetCell } from './sheet.js'

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
  ss: '(?<second>\\d{2})(?:[.,]\\d+)?',
  AM: '(?<half>[ap])\\.?m\\.?',
}

/** Formats such as DD-MMM-YY or DD/MM/YYYY hh:mm, of which the first that fits counts. Without one, dates are written as in an import. */
export function dateReader(formats: readonly string[]): Formats['date'] {
  if (formats.length === 0) return (text) => text
  const readers = formats.map(readerOf)
  return (text) => {
    for (const read of readers) {
      const date = read(text)
      if (date !== undefined) return date
    }
    return undefined
  }
}

function readerOf(format: string): Formats['date'] {
  const source = format.replace(/YYYY|YY|MMM|MM|DD|hh|mm|ss|AM|./g, (part) =>
    Object.hasOwn(TOKENS, part) ? (TOKENS[part] as string) : part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'),
  )
  if (!/year|short/.test(source) || !/month|name/.test(source) || !/day/.test(source))
    throw new MillbookError(`the date format ${format} lacks year, month or day: write it like DD-MMM-YYYY or DD/MM/YY`)
  const pattern = new RegExp(`^${source}$`, 'i')
  return (text) => {
    const found = pattern.exec(text)?.groups
    if (found === undefined) return undefined
    const { year, short, name, month, day = '', hour, minute = '00', second = '00', half } = found
    const number = name === undefined ? Number(month) : MONTHS.indexOf(name.toLowerCase()) + 1
    if (number === 0) return undefined
    const two = (part: string | number) => String(part).padStart(2, '0')
    const date = `${year ?? `${Number(short) < 70 ? 20 : 19}${short}`}-${two(number)}-${two(day)}`
    if (hour === undefined) return date
    const ofDay = half === undefined ? Number(hour) : hourOf(Number(hour), half)
    return ofDay === undefined ? undefined : `${date} ${two(ofDay)}:${minute}:${second}`
  }
}

/** 12 AM is midnight, 12 PM is noon; there is no 13 PM. */
const hourOf = (hour: number, half: string): number | undefined =>
  hour < 1 || hour > 12 ? undefined : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)

/** A cell in the form of the import's column, and what it says of its unit and currency. */
export interface Reading {
  /** A text that cannot be read stays as it is, and the loader refuses it. */
  readonly text: string | null
  /** The unit of a quantity, or the unit that a price is for. */
  readonly unit?: string | undefined
  /** A currency's code, or its sign. */
  readonly currency?: string | undefined
  /** Calculated from a quantity in this unit, and a price that may be for another one. */
  readonly isBare?: true
}

export function readCell(cell: Exclude<SheetCell, Fault>, column: Column | undefined, formats: Formats): Reading {
  if (cell === null) return { text: null }
  if (typeof cell === 'object') return readKnown(cell, column)
  const text = cell.trim()
  if (text === '') return { text: null }
  switch (column?.sqlType) {
    case 'numeric':
    case 'integer':
      return readNumber(text, column, formats.decimal)
    case 'date':
    case 'timestamp(0)':
      return { text: String(importCell(formats.date(text) ?? text, column)) }
    case 'boolean':
      return { text: /^(yes|y|true|1|x)$/i.test(text) ? 'true' : /^(no|n|false|0)$/i.test(text) ? 'false' : text }
    default:
      return { text }
  }
}

function readKnown({ value, percent, unit, currency, shown, isOdd }: Known, column: Column | undefined): Reading {
  if (column?.sqlType !== 'numeric' && column?.sqlType !== 'integer')
    return { text: String(importCell(column?.sqlType.startsWith('text') ? (shown ?? value) : value, column)) }
  if (isOdd) return { text: shown ?? value }
  const number = column.inPercent ? (percent ?? value) : value
  return asReading({ number, unit: unit ?? null, per: false, currency }, column) ?? { text: `${value} ${unit}` }
}

function readNumber(text: string, column: Column, decimal: Formats['decimal']): Reading {
  const found = numberIn(column.inPercent ? text.replace(/\s*%$/, '') : text, decimal)
  // With a decimal comma, the loader would misread the point of 12.50: make it refuse the text and say why.
  if (found === undefined) return { text: /\d[.,]\d/.test(text) ? `${text} (with decimal: ${decimal})` : text }
  return asReading(found, column) ?? { text }
}

/** Undefined if the number states something that the column cannot have. */
function asReading({ number, unit: stated, per, currency }: Written, column: Column): Reading | undefined {
  const isAmount = column.measure === 'amount' || column.isValue === true
  const isMoney = isAmount || column.measure === 'price'
  if (per && column.measure !== 'price') return undefined
  // A word after an amount is its currency; after a quantity, PEN and CUP are units.
  const behind = isMoney && !per && stated !== null && isCurrency(stated) ? stated : undefined
  const unit = behind === undefined ? (stated ?? undefined) : undefined
  if (unit !== undefined && isAmount) return undefined
  return { text: String(importCell(number, column)), unit, currency: currency ?? behind }
}

/** A currency's sign or code before the digits. */
const SIGN = String.raw`(?:(?<mark>[A-Z]{0,2}\p{Sc}|Rs\.?)|(?<code>[A-Z]{3}))?\s*`
/** A word without digits, or a measure of area or volume. */
const UNIT = String.raw`(?:[\p{L}\p{Sc}"][^\d%()+/-]*?|[cdkm]?m[23]|(?:ft|in|yd)[23])`
/** Words after a number that change its value: 2 Cr may be two crore, or two on the credit side. */
const SCALE = /^(k|cr|dr|crores?|la(kh|c)s?|thousand|mio|mn|millions?|mrd|bn|billions?|tsd|bps|negative|minus)\b/iu
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
/** KGS, the som of Kyrgyzstan, is kilograms in most sheets. */
export const isCurrency = (text: string): boolean =>
  (CURRENCIES.has(text.toUpperCase()) && !isMeasure(text)) || /^\p{Sc}$|^rs\.?$/iu.test(text)

/**
 * Digits in groups of three with the same sign between all groups, or with commas as in India (1,23,456). Anything else is not a
 * number: dropping every comma would turn 1,5 into 15.
 */
const written = (decimal: string, thousands: string): RegExp => {
  const whole = String.raw`[1-9]\d{0,2}(?<sign>[${thousands}'’ \u00a0\u202f])\d{3}(?:\k<sign>\d{3})*`
  const indian = thousands === ',' ? String.raw`|[1-9]\d?(?:,\d{2})+,\d{3}` : ''
  // 5,- and 5/- are prices without a fraction.
  const number = String.raw`(?<whole>${whole}${indian}|\d*)(?:[${decimal}](?:-{1,2}|(?<fraction>\d*))|/-)?`
  const end = String.raw`(?<after>-?)\s*(?:(?<per>/|per\s)?\s*(?<unit>${UNIT}))?\s*(?:(?<last>\))\s*(?<more>${UNIT})?)?`
  const second = SIGN.replace('<code>', '<second>').replace('<mark>', '<inner>')
  return new RegExp(String.raw`^${SIGN}(?<before>[-−–+(]?)\s*${second}${number}\s*${end}$`, 'iu')
}

const WRITTEN = { '.': written('.', ','), ',': written(',', '.') } as const

interface Written {
  /** A plain decimal. */
  readonly number: string
  readonly unit: string | null
  /** The unit is the one that a price is for. */
  readonly per: boolean
  readonly currency: string | undefined
}

/** `1,234.50 Nos`, `₹ 1,23,456.00`, `(12.00)`, `12.00-` and `35.00/kg`; undefined if it is written in another way. */
export function numberIn(text: string, decimal: Formats['decimal']): Written | undefined {
  const found = WRITTEN[decimal].exec(text)?.groups
  if (found === undefined) return undefined
  const { whole = '', fraction = '', before = '', after = '', last = '', code, second, mark, inner } = found
  const unit = found['unit'] ?? found['more'] ?? null
  const isMinus = /[-−–(]/.test(before)
  const isOdd =
    (whole === '' && fraction === '') ||
    (before === '(') !== (last === ')') ||
    (after === '-' && (before !== '' || unit !== null)) ||
    [code, second].some((one) => one !== undefined && !CURRENCIES.has(one.toUpperCase())) ||
    [code, second, mark, inner].filter((one) => one !== undefined).length > 1 ||
    (unit !== null && SCALE.test(unit))
  if (isOdd) return undefined
  const digits = `${whole.replace(/\D/g, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
  return {
    number: `${isMinus || after === '-' ? '-' : ''}${digits}`,
    ...{
      unit: unit?.trim() ?? null,
      per: found['per'] !== undefined,
      currency: mark ?? inner ?? (code ?? second)?.toUpperCase(),
    },
  }
}

/** The word after a number: the unit of `12 Nos`. */
export const unitIn = (text: string, decimal: Formats['decimal']): string | null =>
  numberIn(text, decimal)?.unit ?? null
