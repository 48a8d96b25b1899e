/**
 * Exact amounts as whole numbers: quantities in thousandths, document amounts and prices in paise, ledger values in
 * hundredths of a paisa. All of them stay far below 2^53, so that plain numbers hold them exactly.
 */

/** Thousandths of a unit. */
export type Qty = number
/** Hundredths of a rupee. */
export type Paise = number
/** Ten-thousandths of a rupee. */
export type Value = number

export const UNIT: Qty = 1000

const decimal = (n: number, digits: number): string => {
  const unit = 10 ** digits
  return n % unit === 0 ? String(n / unit) : (n / unit).toFixed(digits)
}
export const qtyText = (qty: Qty): string => decimal(qty, 3)
export const rupees = (paise: Paise): string => (paise / 100).toFixed(2)
export const valueText = (value: Value): string => decimal(value, 4)

/** The cost of a quantity at a price. */
export const priced = (qty: Qty, price: Paise): Paise => Math.round((qty * price) / UNIT)
export const booked = (paise: Paise): Value => paise * 100

/** The share of an amount for part of a quantity; the share for all of the quantity is the whole amount. */
export const share = (amount: number, part: number, of: number): number =>
  part === of ? amount : Math.round(amount * (part / of))
