/** Cells of spreadsheets: numbers with the words of their format, dates by their serial number, formulas and errors. */
import { withoutExponent } from '../values.js'
import { numberIn } from './formats.js'
import { type NumberFormat, readNumberFormat, type Shown, wordsFor } from './number-format.js'
import type { Fault, SheetCell } from './sheet.js'

/** Programs that do not calculate write such formulas. */
export const UNCALCULATED: Fault = {
  fault: 'is a formula without its result: open the file in a spreadsheet program, and save it',
}
/** Millbook fetches nothing, and the stored result says nothing about the day of the pull. */
export const FETCHES: Fault = {
  fault: 'is a formula that fetches data from elsewhere: copy the column, and paste it as values',
}

/** Of 1234567890123456, Excel keeps 1234567890123450. */
const TOO_LONG: Fault = {
  fault: 'is a number of more than 15 digits, of which spreadsheet programs keep 15: write it as a text',
}

export const errorCell = (text: string): Fault => ({ fault: `is ${text}` })

const FETCHING =
  /\b(WEBSERVICE|RTD|DDE|IMPORT(DATA|XML|HTML|FEED|RANGE)|STOCKHISTORY|SQL\.REQUEST|CUBE\w+)\s*\(|\|\s*'/i

/** The fault of a formula that fetches. Links to other workbooks keep their stored value. */
export const formulaFault = (formula: string): Fault | undefined =>
  FETCHING.test(formula.replace(/"[^"]*"/g, '""')) ? FETCHES : undefined

/** A spreadsheet shows 15 digits of a number, and calculates with a few more. */
const asShown = (number: number): number => Number(number.toPrecision(15))

export function numberCell(given: number, format: NumberFormat | undefined, is1904: boolean): SheetCell {
  if (!Number.isFinite(given)) return { fault: 'is no number that could be read' }
  if (Number.isInteger(given) && Math.abs(given) >= 1e15) return TOO_LONG
  const number = asShown(given)
  const value = String(withoutExponent(number === 0 ? 0 : number))
  switch (format?.kind) {
    case 'date':
      return dayCell(number + (is1904 ? 1462 : 0))
    case 'duration':
      return { fault: `is a duration, ${value} days: show it as a number` }
    case 'percent':
      return { value, percent: String(withoutExponent(asShown(number * 100))) }
    default: {
      const shown = format && wordsFor(format, number)
      return shown === undefined ? { value } : withWords(value, number, shown)
    }
  }
}

function withWords(value: string, number: number, { before, after, zeros, isScaled }: Shown): SheetCell {
  const digits = value.replace('-', '')
  const filled = zeros !== undefined && Number.isInteger(number) ? digits.padStart(zeros, '0') : digits
  const shown = `${number < 0 ? '-' : ''}${before}${filled}${after}`.trim()
  const [front, behind] = [before.trim(), after.trim()]
  if (front === '' && behind === '') return { value, shown }
  if (front === '' && behind === '%') return { value, percent: value }
  const read = isScaled ? undefined : numberIn(`${front} ${digits} ${behind}`.trim(), '.')
  if (read === undefined || read.number !== digits) return { value, shown, isOdd: true }
  const { unit, currency, per } = read
  if (per) return { value, shown, isOdd: true }
  return { value, ...(unit !== null && { unit }), ...(currency !== undefined && { currency }) }
}

const [FIRST_DAY, LAST_DAY] = [61, 2_958_466]

/** Days since 30 December 1899; a whole number is a date, any other one has a time. Excel counts days before March 1900 in another way. */
function dayCell(serial: number): SheetCell {
  if (serial > 0 && serial < 1) return { value: clockOf(serial) }
  if (!(serial >= FIRST_DAY && serial < LAST_DAY))
    return { fault: `is shown as a date, but its number is ${withoutExponent(asShown(serial))}` }
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * 86_400) * 1000).toISOString()
  return { value: moment.slice(0, 19).replace('T00:00:00', '').replace('T', ' ') }
}

/** A date as ISO 8601 writes it. */
export function isoDayCell(text: string): SheetCell {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:[.,]\d+)?Z?)?$/.exec(text) ?? []
  if (day === undefined || day < '1900-03-01') return { fault: `is shown as a date, but its value is ${text}` }
  return { value: time === undefined || time === '00:00:00' ? day : `${day} ${time}` }
}

/** A time as ISO 8601 writes durations: PT14H30M00S. */
export function isoTimeCell(text: string): SheetCell {
  const [, hours = '', minutes = '', seconds = ''] = /^PT(\d+)H(\d\d)M(\d\d)(?:[.,]\d+)?S$/.exec(text) ?? []
  if (hours === '' || Number(hours) > 23) return { fault: `is a duration, ${text}: show it as a number` }
  return { value: `${hours.padStart(2, '0')}:${minutes}:${seconds}` }
}

const clockOf = (day: number): string => new Date(Math.round(day * 86_400) * 1000).toISOString().slice(11, 19)

/** Reads each format once. */
export function formatReader(): (code: string) => NumberFormat {
  const read = new Map<string, NumberFormat>()
  return (code) => {
    const known = read.get(code) ?? readNumberFormat(code)
    read.set(code, known)
    return known
  }
}
