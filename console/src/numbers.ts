/** Decimals as the service sends them: strings of digits, which are grouped for display and never rounded. */

export type Grouping = 'indian' | 'international'

/** A number taken apart for display. */
export interface Shown {
  readonly sign: '' | '−'
  /** Grouped whole digits. */
  readonly whole: string
  /** The decimal point and the fraction up to its last digit that is not 0; may be empty. */
  readonly fraction: string
  /** The trailing zeros, with the point if `fraction` is empty. */
  readonly zeros: string
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/

export function taken(text: string, grouping: Grouping): Shown | undefined {
  const found = NUMBER.exec(text)
  if (found === null) return undefined
  const [, minus = '', whole = '', fraction = ''] = found
  const kept = fraction.replace(/0+$/, '')
  const zeros = fraction.slice(kept.length)
  return {
    sign: minus === '' ? '' : '−',
    whole: grouped(whole, grouping),
    fraction: kept === '' ? '' : `.${kept}`,
    zeros: kept === '' && zeros !== '' ? `.${zeros}` : zeros,
  }
}

/** 12,34,567 or 1,234,567. */
export function grouped(digits: string, grouping: Grouping): string {
  if (digits.length <= 3) return digits
  const last = digits.slice(-3)
  const rest = digits.slice(0, -3)
  const size = grouping === 'indian' ? /\B(?=(\d{2})+$)/g : /\B(?=(\d{3})+$)/g
  return `${rest.replace(size, ',')},${last}`
}

export function formatted(text: string, grouping: Grouping): string {
  const shown = taken(text, grouping)
  return shown === undefined ? text : `${shown.sign}${shown.whole}${shown.fraction}${shown.zeros}`
}

/** A number without the zeros at its end, but with `least` fraction digits if it has as many: `12.50` for `12.5000`. */
export function trimmed(text: string, least: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  const kept = fraction.slice(0, Math.max(fraction.replace(/0+$/, '').length, least))
  return kept === '' ? whole : `${whole}.${kept}`
}

/** `170` for `170.0000`. */
export const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

/** For tiles and axes: 3 significant digits with a unit, such as 1.24 Cr or 12.4 M; the exact value is shown beside it. */
export function short(value: number, grouping: Grouping): string {
  const units: readonly (readonly [number, string])[] =
    grouping === 'indian'
      ? [[1e12, ' L Cr'], [1e7, ' Cr'], [1e5, ' L'], [1e3, ' K']]
      : [[1e12, ' T'], [1e9, ' B'], [1e6, ' M'], [1e3, ' K']] // biome-ignore format: two lists of the same form
  const size = Math.abs(value)
  const [divisor, unit] = units.find(([least]) => size >= least) ?? [1, '']
  const digits = size / divisor >= 100 ? 0 : size / divisor >= 10 ? 1 : 2
  const [whole = '', fraction] = (size / divisor)
    .toFixed(divisor === 1 && Number.isInteger(value) ? 0 : digits)
    .split('.')
  const text = `${grouped(whole, grouping)}${fraction === undefined ? '' : `.${fraction}`}${unit}`
  return value < 0 ? `−${text}` : text
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/**
 * Reads JSON and keeps a number as its text if a float would lose digits or trailing zeros. Browsers that do not expose the
 * text of a number (some before 2025) keep the float.
 */
export const parseExact = (json: string): unknown =>
  (JSON.parse as (text: string, reviver: Reviver) => unknown)(json, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? context.source
      : value,
  )

/** Adds exactly: both numbers are scaled to the longer fraction. */
export function add(a: string, b: string): string {
  const digits = Math.max(fractionOf(a).length, fractionOf(b).length)
  return unscaled(scaled(a, digits) + scaled(b, digits), digits)
}

export const sum = (texts: readonly string[]): string => texts.reduce(add, '0')

export const negated = (text: string): string =>
  /^-/.test(text) ? text.slice(1) : /[1-9]/.test(text) ? `-${text}` : text

/** −1, 0 or 1. */
export function compare(a: string, b: string): number {
  const digits = Math.max(fractionOf(a).length, fractionOf(b).length)
  const [x, y] = [scaled(a, digits), scaled(b, digits)]
  return x < y ? -1 : x > y ? 1 : 0
}

export const fractionOf = (text: string): string => text.split('.')[1] ?? ''

function scaled(text: string, digits: number): bigint {
  const [whole = '0'] = text.split('.')
  return BigInt(whole + fractionOf(text).padEnd(digits, '0'))
}

function unscaled(value: bigint, digits: number): string {
  const text = String(value < 0n ? -value : value).padStart(digits + 1, '0')
  const at = text.length - digits
  const plain = digits === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`
  return value < 0n ? `-${plain}` : plain
}
