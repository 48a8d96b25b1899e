/**
 * The cost of goods that go out. Tally's export has the price of what was sold and not its cost, so the cost is the moving average
 * of what came in, item by item in the order of the vouchers.
 */
import { numberIn } from './formats.js'
import type { SheetCell } from './sheet.js'

interface Stock {
  /** In ten-thousandths, as the ledger has them. */
  qty: bigint
  value: bigint
  unit: string
}

const DIGITS = 4

export class Costs {
  readonly #stocks = new Map<string, Stock>()
  #day = ''

  /** Vouchers must come in the order of their dates. */
  isInOrder(day: string): boolean {
    const isLater = day >= this.#day
    if (isLater) this.#day = day
    return isLater
  }

  /** Goods that come in at a value. */
  add(item: string, quantity: SheetCell, value: SheetCell): void {
    const [amount, worth] = [measured(quantity), measured(value)]
    const stock = this.#stocks.get(item) ?? { qty: 0n, value: 0n, unit: amount?.unit }
    if (amount === undefined || worth === undefined || stock.unit !== amount.unit) this.#lose(item)
    else
      this.#stocks.set(item, { unit: amount.unit, qty: stock.qty + amount.number, value: stock.value + worth.number })
  }

  /** Takes goods out at `value`, or at their average; returns the cost. A fault if what came in is not in the file. */
  take(item: string, quantity: SheetCell, value?: SheetCell): SheetCell {
    const [amount, stock] = [measured(quantity), this.#stocks.get(item)]
    if (amount === undefined || stock === undefined || stock.unit !== amount.unit || stock.qty < amount.number) {
      this.#lose(item)
      return UNKNOWN
    }
    const given = value === undefined ? undefined : measured(value)?.number
    const cost = given ?? average(stock, amount.number)
    this.#stocks.set(item, { ...stock, qty: stock.qty - amount.number, value: stock.value - cost })
    return { value: asText(cost) }
  }

  /** Takes goods back at their average. */
  putBack(item: string, quantity: SheetCell): SheetCell {
    const [amount, stock] = [measured(quantity), this.#stocks.get(item)]
    if (amount === undefined || stock === undefined || stock.unit !== amount.unit || stock.qty <= 0n) return UNKNOWN
    const cost = average(stock, amount.number)
    this.#stocks.set(item, { ...stock, qty: stock.qty + amount.number, value: stock.value + cost })
    return { value: asText(cost) }
  }

  /** From here on, the cost of the item is not known. */
  #lose(item: string): void {
    this.#stocks.set(item, { qty: 0n, value: 0n, unit: '?' })
  }
}

const UNKNOWN = {
  fault:
    'is not known: the file must have the opening stock and all vouchers before this one in the order of their dates; export vouchers with their masters, from the beginning of the books',
} as const

function average({ qty, value }: Stock, amount: bigint): bigint {
  if (qty === 0n) return 0n
  if (amount === qty) return value
  const twice = (2n * value * amount) / qty
  return (twice + (twice < 0n ? -1n : 1n)) / 2n
}

function measured(cell: SheetCell): { number: bigint; unit: string } | undefined {
  if (typeof cell !== 'string') return undefined
  const read = numberIn(cell, '.')
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(read?.number ?? '') ?? []
  if (read === undefined || whole === '' || fraction.length > DIGITS) return undefined
  const number = BigInt(whole + fraction.padEnd(DIGITS, '0'))
  return { number: sign === '-' ? -number : number, unit: (read.unit ?? '').toLowerCase() }
}

function asText(number: bigint): string {
  const digits = String(number < 0n ? -number : number).padStart(DIGITS + 1, '0')
  return `${number < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`
}
