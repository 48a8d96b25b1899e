/** Converts the values of a source to the form of an import file: plain decimals, true and false. */
import type { Cell, Column } from '../import/columns.js'
import type { SourceValue } from './source.js'

/** A value that it cannot convert stays as it is, and the loader refuses it. */
export function importCell(value: SourceValue, column: Column | undefined): Cell {
  if (value === null || column === undefined) return value
  switch (column.sqlType) {
    case 'boolean':
      return BOOLEANS[String(value).toLowerCase()] ?? value
    case 'numeric':
    case 'integer':
      return typeof value === 'string' ? decimal(value) : typeof value === 'number' ? withoutExponent(value) : value
    default:
      return String(value)
  }
}

const BOOLEANS: Readonly<Record<string, string>> = {
  ...{ '1': 'true', t: 'true', true: 'true' },
  ...{ '0': 'false', f: 'false', false: 'false' },
}

function decimal(value: string): string {
  const [, sign, whole, fraction = ''] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(value.trim()) ?? []
  if (whole === undefined || (whole === '' && fraction === '' && !/\d/.test(value))) return value
  const digits = `${whole || '0'}${fraction === '' ? '' : `.${fraction}`}`
  return digits === '0' ? '0' : `${sign}${digits}`
}

/** 1e-7 as 0.0000001. */
export function withoutExponent(value: number): number | string {
  const [, sign, first, more = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return value
  const shift = Number(exponent)
  const digits = `${first}${more}`
  return shift < 0 ? `${sign}0.${'0'.repeat(-shift - 1)}${digits}` : `${sign}${digits.padEnd(shift + 1, '0')}`
}
