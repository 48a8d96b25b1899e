/** A value formatted for people; copying gives the raw value. */
import type { JSX } from 'preact'
import { objectWords } from '../../../src/object-words.js'
import { type Flat, isAbsent, isNumeric, type Row, type ValueColumn } from '../catalogue.js'
import { account } from '../company.js'
import { taken, trimmed } from '../numbers.js'
import { currencySign, leastDigits, ownCurrency, shownText } from '../people.js'
import { grouping } from '../preferences.js'

interface NumProps {
  text: string
  /** Fraction digits that are shown even if they are zeros; every digit without it. */
  least?: number
  /** Fraction digits of the longest number of its column: shorter ones leave room, so that the points are aligned. */
  digits?: number
  /** Only of a change: whether more or less of its figure is good. */
  better?: Flat['change']
}

/** A decimal with its trailing zeros dimmed, and an amount with the digits beyond its currency's; a negative one also has a minus, a positive change a plus. */
export function Num({ text, least, digits = 0, better }: NumProps): JSX.Element {
  const shown = taken(least === undefined ? text : trimmed(text, least), grouping.value)
  if (shown === undefined) return <bdi>{text}</bdi>
  const { sign, whole, fraction, zeros } = shown
  const has = Math.max(0, fraction.length + zeros.length - 1)
  // Digits beyond those of the currency are dimmed like zeros at the end.
  const bright = least === undefined || least === 0 ? fraction.length : Math.min(fraction.length, least + 1)
  const dim = fraction.slice(bright) + zeros
  // A point has a width, too.
  const room = digits > has ? (has === 0 ? '.' : '') + '0'.repeat(digits - has) : undefined
  const isChange = better !== undefined && /[1-9]/.test(text)
  const tone = isChange ? changeTone(better, sign === '') : sign === '' ? '' : 'negative'
  return (
    <span class={`num ${tone}`.trim()} data-raw={text} data-room={room}>
      {isChange && sign === '' ? '+' : sign}
      {whole}
      {fraction.slice(0, bright)}
      {dim !== '' && <span class="zeros">{dim}</span>}
    </span>
  )
}

const changeTone = (better: NonNullable<Flat['change']>, grew: boolean): string =>
  better === 'neutral' ? 'even' : grew === (better === 'more') ? 'good' : 'bad'

/** Colours of status words; the word itself is always shown, too. */
const TONES: Readonly<Record<string, string>> = {
  Cancelled: 'bad',
  CANCELLED: 'bad',
  Rejected: 'bad',
  'QC Fail': 'bad',
  'QC Hold': 'warn',
  Pending: 'warn',
  Partial: 'warn',
  'PARTIAL RECEIVED': 'warn',
  'PARTIAL ISSUED': 'warn',
  'Partial Issued': 'warn',
  'Partial Received': 'warn',
  'Under Approval': 'warn',
  RECEIVED: 'good',
  Received: 'good',
  ISSUED: 'good',
  Closed: 'good',
  Approved: 'good',
  'QC Pass': 'good',
  Expired: 'bad',
  'At risk': 'warn',
  Safe: 'good',
}

export interface CellProps {
  value: unknown
  column: ValueColumn
  /** The whole record: it has the currency of an amount. */
  record?: Row | undefined
  /** Fraction digits of the longest number of its column. */
  digits?: number | undefined
  better?: Flat['change']
}

export function Cell({ value, column, record, digits, better }: CellProps): JSX.Element {
  if (isAbsent(value, column) || value === '')
    return typeof value === 'string' && value !== '' ? (
      <bdi class="absent">{value}</bdi>
    ) : (
      <span class="absent" data-raw="">
        –
      </span>
    )
  if (isNumeric(column)) {
    const own = ownCurrency(column, record)
    const number = (
      <Num text={String(value)} least={leastDigits(column, record)} digits={digits ?? 0} {...(better && { better })} />
    )
    return own === undefined ? (
      number
    ) : (
      <span>
        <span class="currency">{own}</span> {number}
      </span>
    )
  }
  const raw = Array.isArray(value)
    ? value.join(', ')
    : column.kind === 'object'
      ? objectWords(value as Record<string, unknown>)
      : String(value)
  const text = shownText(raw, column)
  const tone = column.kind === 'word' ? TONES[raw] : undefined
  return (
    <bdi
      {...(tone !== undefined && { class: `word ${tone}` })}
      title={column.kind === 'timestamp' ? raw : text}
      {...(text !== raw && { 'data-raw': raw })}
    >
      {text}
    </bdi>
  )
}

/** A quantity with its unit, an amount with its currency: for places without a heading. */
export function Figure({ value, column, record, better }: CellProps): JSX.Element {
  const cell = <Cell {...{ value, column, record }} {...(better && { better })} />
  if (isAbsent(value, column)) return cell
  const unit = column.unit === undefined ? undefined : record?.[column.unit]
  const isOwn = ownCurrency(column, record) !== undefined
  const money = column.currency === undefined || isOwn ? undefined : currencySign(account.value?.currency)
  return (
    <span class="figure">
      {money !== undefined && <span class="currency">{money}</span>}
      {cell}
      {unit !== undefined && unit !== null && (
        <>
          {' '}
          <bdi class="unit">{String(unit)}</bdi>
        </>
      )}
    </span>
  )
}

/** A description with its code, such as `from_date`, set as code. */
export const Described = ({ text }: { text: string }): JSX.Element => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)
