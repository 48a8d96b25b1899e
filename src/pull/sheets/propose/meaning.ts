/** The meaning of a column, by its heading and the headings above it. */
import { isMeasure } from '../measures.js'
import { type Concept, GROUPS, MEANINGS } from './words.js'

export interface Meaning {
  readonly concept: Concept | undefined
  /** The unit in brackets: Qty (Kgs). */
  readonly unit: string | undefined
}

/** `full` has the headings above it: `Inwards / Qty`. */
export function meaningOf(full: string, own: string): Meaning {
  const unit = unitInBrackets(own)
  const plain = plainHeading(own)
  const above = full === own ? [] : full.split(' / ').slice(0, -1).map(plainHeading)
  const group = Object.entries(GROUPS).find(([, words]) => above.some((one) => words.includes(one)))?.[0]
  const grouped =
    group === undefined ? undefined : (MEANINGS.get(`${group} ${plain}`) ?? inGroup(group, MEANINGS.get(plain)))
  return { concept: grouped ?? rateInPercent(own, plain) ?? MEANINGS.get(plain), unit }
}

/** Small letters and single spaces, without signs and brackets; # is a number, % is percent. */
export const plainHeading = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\([^)]*\)|\[[^\]]*\]/g, ' ')
    .replace(/\b(in )?(rs|inr|usd)\b\.?/g, ' ')
    .replaceAll('#', ' no ')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const unitInBrackets = (heading: string): string | undefined => {
  const [, inside] = /[([]\s*(?:in\s+)?([^)\]]+?)\s*[)\]]/i.exec(heading) ?? []
  return inside !== undefined && isMeasure(inside) ? inside : undefined
}

/** CGST % is a rate, and CGST an amount. */
function rateInPercent(own: string, plain: string): Concept | undefined {
  if (!/%|\bpercent/i.test(own)) return undefined
  const rates: Readonly<Record<string, Concept>> = {
    cgst: 'cgst_rate',
    sgst: 'sgst_rate',
    discount: 'discount_per',
    disc: 'discount_per',
  }
  const base = plain.replace(/\b(rate|percent|percentage)\b/g, '').trim()
  return rates[base] ?? (/\b(tax|gst|igst|vat)\b/.test(plain) ? 'tax_rate' : undefined)
}

const QTY_IN = { opening: 'opening_qty', in: 'in_qty', out: 'out_qty', closing: 'closing_qty' } as const
const VALUE_IN = { opening: 'opening_value', in: 'in_value', out: 'out_value', closing: 'closing_value' } as const
const RATE_IN = { opening: 'opening_rate', in: 'in_rate', out: 'out_rate', closing: 'closing_rate' } as const

function inGroup(group: string, concept: Concept | undefined): Concept | undefined {
  const key = group as keyof typeof QTY_IN
  if (concept === 'qty') return QTY_IN[key]
  if (concept === 'amount' || concept === 'total') return VALUE_IN[key]
  if (concept === 'rate' || concept === 'cost') return RATE_IN[key]
  return undefined
}
