/** Bills of materials and contents of combos, through all levels: how much of each part a quantity of a product needs. */
import { type Read, type ReadRow, type Sql, sql } from '../../db/sql.js'
import { Problem } from '../../errors.js'
import { validOn } from '../shared/words.js'

/** Quantities are whole numbers of 1/10,000. */
export const UNITS = 10_000n
const QTY_DIGITS = 4
/** Fraction digits of a quantity in a bill of materials. */
const RATIO_DIGITS = 10

/** The bills that hold on a day, and the contents of combos, as rows for `readBills`; a service has no component. */
export const billLines = (day: Sql): Read => ({
  columns: ['product', 'product_sku', 'component', 'sku', 'qty'],
  query: sql`
    select p.id as product, p.sku as product_sku, case when i.type <> 'SRV' then i.id end as component, i.sku, l.qty
      from (select b.product_id, b.component_id, b.qty from bom_line b where b.kind = 'Component' and ${validOn(day)}
            union all
            select combo_id, component_id, qty from combo_line) l
      join item p on p.id = l.product_id
      join item i on i.id = l.component_id
     where p.type <> 'SRV'`,
})

/** An item of a bill. */
export interface Part {
  readonly id: number
  readonly sku: string
  /** Whether it has a bill; else it is bought. */
  readonly isMade: boolean
  /** What one unit needs of other items, each once, without services. */
  readonly needs: readonly { readonly part: Part; readonly ratio: bigint }[]
}

interface Collected extends Part {
  isMade: boolean
  readonly needs: { part: Part; ratio: bigint }[]
}

export interface Bills {
  /** Products before their components. */
  readonly parts: readonly Part[]
  /** Fraction digits of the ratios, which are whole numbers of the last digit. */
  readonly digits: number
}

/** Ratios have as few digits as all of them need, because the numbers of each level have the digits of the level above and these. */
export function readBills(rows: readonly ReadRow[]): Bills {
  const ratios = rows.map(({ qty }) => unitsOf(qty ?? '0', RATIO_DIGITS))
  let digits = RATIO_DIGITS
  while (digits > 0 && ratios.every((ratio) => ratio % 10n ** BigInt(RATIO_DIGITS - digits + 1) === 0n)) digits--
  const scale = 10n ** BigInt(RATIO_DIGITS - digits)
  const parts = new Map<string, Collected>()
  const partOf = (id: string, sku: string | null) => {
    const part = parts.get(id) ?? { id: Number(id), sku: sku ?? '', isMade: false, needs: [] }
    parts.set(id, part)
    return part
  }
  rows.forEach(({ product, product_sku, component, sku }, i) => {
    const made = partOf(product as string, product_sku as string | null)
    made.isMade = true
    if (component == null) return
    const part = partOf(component, sku as string | null)
    const ratio = (ratios[i] as bigint) / scale
    const known = made.needs.find((need) => need.part === part)
    if (known === undefined) made.needs.push({ part, ratio })
    else known.ratio += ratio
  })
  return { parts: inOrder([...parts.values()]), digits }
}

/** Sorts products before their components. A load refuses a bill that contains itself, but an earlier version may have loaded one. */
function inOrder(parts: readonly Part[]): Part[] {
  const users = new Map(parts.map((part) => [part, 0]))
  for (const { needs } of parts) for (const { part } of needs) users.set(part, (users.get(part) ?? 0) + 1)
  const sorted = parts.filter((part) => users.get(part) === 0)
  for (const { needs } of sorted)
    for (const { part } of needs) {
      const left = (users.get(part) ?? 0) - 1
      users.set(part, left)
      if (left === 0) sorted.push(part)
    }
  if (sorted.length < parts.length) throw containsItself(parts.filter((part) => (users.get(part) ?? 0) > 0))
  return sorted
}

/** Each of these parts is used by another one of them. */
function containsItself(parts: readonly Part[]): Problem {
  const path: Part[] = []
  let at = parts[0] as Part
  while (!path.includes(at)) {
    path.push(at)
    at = parts.find(({ needs }) => needs.some(({ part }) => part === at)) as Part
  }
  const cycle = [at, ...path.slice(path.indexOf(at)).reverse()].map(({ sku }) => sku).join(' → ')
  return new Problem('conflict', {
    detail: `A bill of materials contains itself: ${cycle}. Correct one of these bills and load it again.`,
  })
}

/** A decimal text as a whole number of its last digit. */
export function unitsOf(text: string, digits = QTY_DIGITS): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(digits, '0'))
}

/** A whole number of 10^-digits as an exact decimal text. */
export function decimalOf(units: bigint, digits = QTY_DIGITS): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  return `${units < 0n ? '-' : ''}${text.slice(0, text.length - digits)}${digits > 0 ? `.${text.slice(-digits)}` : ''}`
}

/** Rounded up; `b` is positive. */
export const divideUp = (a: bigint, b: bigint): bigint => (a > 0n ? (a + b - 1n) / b : -(-a / b))
