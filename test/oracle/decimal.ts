/** Exact decimals without any library and without SQL: a bigint that counts units of a fixed fraction. */

/** Reads `12.5` as 125000 for 4 digits; more digits than that are an error. */
export function parse(text: string, digits: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === '' || fraction.length > digits) throw new Error(`not a decimal of ${digits} digits: ${text}`)
  const units = BigInt(whole + fraction.padEnd(digits, '0'))
  return sign === '-' ? -units : units
}

export function format(units: bigint, digits: number): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  return `${units < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** A decimal with exactly this number of fraction digits. */
export const fixed = (text: string, digits: number): string => format(parse(text, digits), digits)

/** A decimal with at least `digits` fraction digits, and up to `most` if it has them. */
export const upTo = (text: string, digits: number, most: number): string => {
  const [whole, fraction] = fixed(text, most).split('.') as [string, string]
  return `${whole}.${fraction.slice(0, digits)}${fraction.slice(digits).replace(/0+$/, '')}`
}

/** The price of one unit. */
export const price = (text: string, digits: number): string => upTo(text, digits, 6)

export const sum = (units: Iterable<bigint>): bigint => {
  let total = 0n
  for (const unit of units) total += unit
  return total
}

const size = (units: bigint) => (units < 0n ? -units : units)

/** Rounded half away from zero. */
export const divide = (a: bigint, b: bigint): bigint => {
  const rounded = (2n * size(a) + size(b)) / (2n * size(b))
  return a < 0n === b < 0n ? rounded : -rounded
}
