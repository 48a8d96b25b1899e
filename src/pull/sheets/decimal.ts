/** Exact decimals as texts, for the few calculations of a mapping; the database does all others. */

interface Scaled {
  readonly digits: bigint
  /** The number of fraction digits. */
  readonly scale: number
}

/** Undefined if it is not a plain decimal. */
function scaled(text: string): Scaled | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length }
}

function asText(digits: bigint, scale: number): string {
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const fraction = all.slice(all.length - scale).replace(/0+$/, '')
  const number = `${all.slice(0, all.length - scale)}${fraction === '' ? '' : `.${fraction}`}`
  return digits < 0n ? `-${number}` : number
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

const needed = (text: string): Scaled => {
  const read = scaled(text)
  if (read === undefined) throw new Error(`${text} is not a plain decimal`)
  return read
}

export const isDecimal = (text: string): boolean => scaled(text) !== undefined

export function add(a: string, b: string): string {
  const [x, y] = [needed(a), needed(b)]
  const scale = Math.max(x.scale, y.scale)
  return asText(x.digits * power(scale - x.scale) + y.digits * power(scale - y.scale), scale)
}

export const subtract = (a: string, b: string): string => add(a, b.startsWith('-') ? b.slice(1) : `-${b}`)

/** Below 0, 0 or above 0. */
export function compareDecimals(a: string, b: string): number {
  const difference = needed(subtract(a, b)).digits
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** A sum of many decimals. */
export class Total {
  #digits = 0n
  #scale = 0

  /** A text that is no plain decimal is left out. */
  add(text: string): void {
    const read = scaled(text)
    if (read === undefined) return
    if (read.scale > this.#scale) {
      this.#digits *= power(read.scale - this.#scale)
      this.#scale = read.scale
    }
    this.#digits += read.scale === this.#scale ? read.digits : read.digits * power(this.#scale - read.scale)
  }

  toString(): string {
    return asText(this.#digits, this.#scale)
  }
}

export function multiply(a: string, b: string): string {
  const [x, y] = [needed(a), needed(b)]
  return asText(x.digits * y.digits, x.scale + y.scale)
}

/** Undefined if the quotient has more than `most` fraction digits. */
export function divide(a: string, b: string, most: number): string | undefined {
  const [x, y] = [needed(a), needed(b)]
  const [above, below] = [x.digits * power(y.scale + most), y.digits * power(x.scale)]
  return above % below === 0n ? asText(above / below, most) : undefined
}

/** Halves are rounded away from zero, as PostgreSQL and spreadsheets do. A text that is not a plain decimal stays as it is. */
export function round(text: string, digits: number): string {
  const read = scaled(text)
  if (read === undefined || read.scale <= digits) return text
  const step = power(read.scale - digits)
  const size = read.digits < 0n ? -read.digits : read.digits
  const rounded = (size + step / 2n) / step
  return asText(read.digits < 0n ? -rounded : rounded, digits)
}
