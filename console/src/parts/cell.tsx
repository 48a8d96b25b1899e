/** A value formatted for people; copying gives the raw value. */
import type { JSX } from 'preact'
import { isAbsent, isNumeric, type ValueColumn } from '../catalogue.js'
import { taken } from '../numbers.js'
import { grouping } from '../preferences.js'

/** A decimal with its trailing zeros dimmed; a negative one also has a minus. */
export function Num({ text }: { text: string }): JSX.Element {
  const shown = taken(text, grouping.value)
  if (shown === undefined) return <span>{text}</span>
  const { sign, whole, fraction, zeros } = shown
  return (
    <span class={sign === '' ? 'num' : 'num negative'} data-raw={text}>
      {sign}
      {whole}
      {fraction}
      {zeros !== '' && <span class="zeros">{zeros}</span>}
    </span>
  )
}

/** The change of a figure: its sign is always shown, its colour only if more or less of the figure is good. */
export function Change({ text, better }: { text: string; better: 'more' | 'less' | 'neutral' }): JSX.Element {
  const shown = taken(text, grouping.value)
  const isZero = !/[1-9]/.test(text)
  if (shown === undefined || isZero) return <Num text={text} />
  const grew = shown.sign === ''
  const tone = better === 'neutral' ? 'even' : grew === (better === 'more') ? 'good' : 'bad'
  return (
    <span class={`num change ${tone}`} data-raw={text}>
      {grew ? '+' : '−'}
      {shown.whole}
      {shown.fraction}
      {shown.zeros !== '' && <span class="zeros">{shown.zeros}</span>}
    </span>
  )
}

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
}

export function Cell({ value, column }: { value: unknown; column: ValueColumn }): JSX.Element {
  if (isAbsent(value, column) || value === '')
    return typeof value === 'string' && value !== '' ? (
      <span class="absent">{value}</span>
    ) : (
      <span class="absent" data-raw="">
        –
      </span>
    )
  if (Array.isArray(value)) return <span title={value.join(', ')}>{value.join(', ')}</span>
  if (isNumeric(column)) return <Num text={String(value)} />
  const text = String(value)
  const tone = column.kind === 'word' ? TONES[text] : undefined
  return tone === undefined ? <span title={text}>{text}</span> : <span class={`word ${tone}`}>{text}</span>
}
