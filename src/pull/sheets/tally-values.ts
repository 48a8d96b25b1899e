/** The values of Tally's tags: dates, quantities in two units, and amounts in another currency. */
import type { SheetCell } from './sheet.js'

/** Undecided words that Tally writes for nothing. */
const NOTHING = /^(not applicable|any|end of list)$/i

export function tallyCell(name: string, given: string): SheetCell {
  const text = given.trim()
  if (text === '') return null
  if (/(DATE|DATEON|APPLICABLEFROM|MFDON)$/.test(name) && /^\d{8}$/.test(text))
    return { value: `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` }
  if (/^(TRACKINGNUMBER|ORDERNO)$/.test(name) && NOTHING.test(text)) return null
  // 24 Nos = 2 Box: the quantity in the base unit is the first.
  if (/(QTY|OPENINGBALANCE)$/.test(name)) return (/^(.*?)\s+=\s/.exec(text)?.[1] ?? text).trim()
  // EUR 5.00 @ ₹ 90/EUR = ₹ 450.00: the amount in the company's currency is the last.
  if (/(AMOUNT|VALUE)$/.test(name)) return text.includes('=') ? inBase(text) : text
  // $ 5.00 = ₹ 450.00/Nos
  if (/RATE$/.test(name) && text.includes('=')) return text.slice(text.lastIndexOf('=') + 1).trim()
  return text
}

/** The sign stands before the first amount, the second one or both. */
function inBase(text: string): string {
  const last = text.slice(text.lastIndexOf('=') + 1).trim()
  return text.startsWith('-') && !last.startsWith('-') ? `-${last}` : last
}
