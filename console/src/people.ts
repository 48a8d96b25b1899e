/** How people read values: words in place of codes, currencies, the digits of a number, short headings. */
import { type Flat, type Row, type ValueColumn, valueIn } from './catalogue.js'
import { account } from './company.js'
import { labelOf } from './labels.js'

/** The heading of a column: short where the report declares one. */
export const headingOf = ({ name, column, label }: Flat): string => label ?? column.heading ?? labelOf(name)

/** The words for a column, in full. */
export const nameOf = ({ name, label }: Flat): string => label ?? labelOf(name)

/** A value as people read it. */
export function inWordsOf(raw: string, { kind, inWords }: Pick<ValueColumn, 'kind' | 'inWords'>): string {
  if (kind === 'flag') return raw === 'true' ? 'Yes' : raw === 'false' ? 'No' : raw
  return (inWords !== undefined && Object.hasOwn(inWords, raw) ? inWords[raw] : undefined) ?? raw
}

/** A value as a cell shows it: times without seconds. */
export const shownText = (raw: string, column: Pick<ValueColumn, 'kind' | 'inWords'>): string =>
  column.kind === 'timestamp' ? raw.replace(/^(.{10} \d\d:\d\d):\d\d/, '$1 ').trim() : inWordsOf(raw, column)

/** The currency of an amount if it is not the account's. `record` is the whole record, also for a value of its lines. */
export function ownCurrency({ currency }: Pick<ValueColumn, 'currency'>, record: Row | undefined): string | undefined {
  if (currency === undefined || currency === 'account' || record === undefined) return undefined
  const code = valueIn(record, currency.field.split('.'))
  return typeof code === 'string' && code !== account.value?.currency ? code : undefined
}

/** Whether the column has amounts in the account's currency, which its heading then names. */
export const isAccountMoney = ({ column, isBare }: Flat): boolean =>
  !isBare && 'currency' in column && column.currency === 'account'

const formats = new Map<string, { readonly sign: string; readonly digits: number }>()

function currencyFormat(code: string): { readonly sign: string; readonly digits: number } {
  const known = formats.get(code)
  if (known !== undefined) return known
  let found = { sign: code, digits: 2 }
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' })
    const sign = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? code
    found = { sign, digits: format.resolvedOptions().maximumFractionDigits ?? 2 }
  } catch {} // not a currency that the browser knows
  formats.set(code, found)
  return found
}

/** `₹` for INR; the code where the browser knows no sign. */
export const currencySign = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : currencyFormat(code).sign

/** Fraction digits that a number shows even if they are zeros: those of its currency; a quantity needs none. */
export function leastDigits(column: Pick<ValueColumn, 'currency'>, record?: Row): number {
  if (column.currency === undefined) return 0
  const code = ownCurrency(column, record) ?? account.value?.currency
  return code === undefined ? 2 : currencyFormat(code).digits
}

/** A description without the marks of Markdown, for a tooltip. */
export const plainText = (description: string): string => description.replaceAll('`', '')

const HAS_DIRECTION = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/

/** A text from the data, inside a sentence: writing from the right, and its marks, do not turn the words around it. */
export const isolated = (text: string): string => (HAS_DIRECTION.test(text) ? `\u2068${text}\u2069` : text)
