/** An exact sum of decimals that are given as texts. */

/** Below it, a double times a power of ten is less than half from the whole number that it stands for. */
const EXACT = 2 ** 50

export class Sum {
  readonly #digits: number
  readonly #factor: number
  /** In units of the last digit: a part as a double, because sums of BigInts take longer, and the rest. */
  #small = 0
  #large = 0n

  /** `digits` is the most fraction digits of a value. */
  constructor(digits: number) {
    this.#digits = digits
    this.#factor = 10 ** digits
  }

  add(text: string): void {
    const units = Number(text) * this.#factor
    if (Math.abs(units) >= EXACT) {
      const [whole = '', fraction = ''] = text.split('.')
      this.#large += BigInt(whole + fraction.padEnd(this.#digits, '0'))
      return
    }
    this.#small += Math.round(units)
    if (Math.abs(this.#small) < EXACT) return
    this.#large += BigInt(this.#small)
    this.#small = 0
  }

  /** Adds another sum with as many digits. */
  addSum(other: Sum): void {
    this.#large += other.#total
  }

  get #total(): bigint {
    return this.#large + BigInt(this.#small)
  }

  toString(): string {
    const total = this.#total
    const units = String(total < 0n ? -total : total).padStart(this.#digits + 1, '0')
    const whole = units.slice(0, units.length - this.#digits)
    return `${total < 0n ? '-' : ''}${whole}${this.#digits === 0 ? '' : `.${units.slice(-this.#digits)}`}`
  }
}
