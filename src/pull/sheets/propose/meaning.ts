/** The meaning of a column, by its heading and the headings above it. */
import { isMeasure } from '../measures.js'
import { type Concept, GROUPS, MEANINGS } from './words.js'

export interface Meaning {
  readonly concept: Concept | undefined
  /** The unit in brackets, or below the name: Qty (Kgs). */
  readonly unit: string | undefined
  /** The currency, as a code or a sign: Amount (USD). */
  readonly currency: string | undefined
  /** The word that makes its numbers larger: Amount (Rs. in lakhs). */
  readonly scale: string | undefined
}

/** Codes that headings have; other codes are words too: ALL, TOP. */
const CODES =
  'INR|USD|EUR|GBP|AED|SAR|QAR|KWD|OMR|BHD|JPY|CNY|CHF|CAD|AUD|NZD|SGD|HKD|MYR|THB|IDR|PHP|VND|BDT|LKR|NPR|PKR|KES|NGN|ZAR|BRL|MXN|TRY|PLN|SEK|NOK|DKK'
const CURRENCY = new RegExp(String.raw`(?:US|A|S|HK|NZ)?\p{Sc}|\b(?:${CODES}|Rs)\b`, 'iu')
const SCALE =
  /\b(?:lakhs?|lacs?|crores?|(?<=\b(?:in|rs\.?|₹)\s*)cr|thousands?|millions?|mio|mn|billions?|bn)\b|(?<!\d)['’]?000['’]?s?\b/iu

/** The word by which a text says that numbers are in lakhs, thousands or the like. */
export const scaleIn = (text: string): string | undefined => SCALE.exec(text)?.[0]

/** `full` has the headings above it: `Inwards / Qty`. */
export function meaningOf(full: string, own: string): Meaning {
  const above = full === own ? [] : full.split(' / ').slice(0, -1)
  const [currency, scale] = [CURRENCY.exec(full)?.[0], scaleIn(full)]
  // Under the names, a second row may have units and currencies: Qty over Kgs.
  const name = above.at(-1)
  if (name !== undefined && isUnitOnly(own)) {
    const found = meaningOf([...above.slice(0, -1), name].join(' / '), name)
    return { concept: found.concept, unit: found.unit ?? unitOf(own), currency, scale }
  }
  const unit = unitInBrackets(own)
  const plain = plainHeading(own)
  const groups = above.map(plainHeading)
  const group = Object.entries(GROUPS).find(([, words]) => groups.some((one) => words.includes(one)))?.[0]
  const grouped =
    group === undefined ? undefined : (MEANINGS.get(`${group} ${plain}`) ?? inGroup(group, MEANINGS.get(plain)))
  // A heading in two lines: Item over Code.
  const joined = name === undefined ? undefined : MEANINGS.get(plainHeading(`${name} ${own}`))
  const concept = grouped ?? joined ?? rateInPercent(own, plain) ?? MEANINGS.get(plain) ?? taxAt(own)
  return { concept, unit, currency, scale }
}

/** Small letters and single spaces, without signs and brackets; # is a number, % is percent. */
export const plainHeading = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\([^)]*\)|\[[^\]]*\]/g, ' ')
    .replace(IN_CURRENCY, ' ')
    .replaceAll('#', ' no ')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const IN_CURRENCY = new RegExp(String.raw`\b(?:in )?(?:rs|${CODES})\b\.?`, 'giu')

const bare = (own: string): string => own.replace(/^[\s([]+|[\s)\]]+$/g, '').replace(/^in\s+/i, '')

/** `Kgs`, `(Rs.)`, `Rs./Kg` */
export const isUnitOnly = (own: string): boolean => {
  if (MEANINGS.get(plainHeading(own)) === 'unit') return false // Unit and Units are names of columns
  const text = bare(own)
  const [before = '', after] = text.split('/').map((part) => part.trim())
  const isMoney = (part: string) => CURRENCY.exec(part)?.[0].length === part.replace(/\.$/, '').length
  if (after !== undefined) return isMoney(before) && isMeasure(after)
  return text !== '' && (isMeasure(text) || isMoney(text))
}

const unitOf = (own: string): string | undefined => (isMeasure(bare(own)) ? bare(own) : undefined)

const unitInBrackets = (heading: string): string | undefined => {
  const [, inside] = /[([]\s*(?:in\s+)?([^)\]]+?)\s*[)\]]/i.exec(heading) ?? []
  return inside !== undefined && isMeasure(inside) ? inside : undefined
}

/** CGST % is a rate, and CGST an amount. */
function rateInPercent(own: string, plain: string): Concept | undefined {
  if (!/%|\bpercent/i.test(own) || /\d/.test(own)) return undefined
  const rates: Readonly<Record<string, Concept>> = {
    cgst: 'cgst_rate',
    sgst: 'sgst_rate',
    discount: 'discount_per',
    disc: 'discount_per',
  }
  const base = plain.replace(/\b(rate|percent|percentage)\b/g, '').trim()
  return rates[base] ?? (/\b(tax|gst|igst|vat)\b/.test(plain) ? 'tax_rate' : undefined)
}

/** The amount of a tax of one rate, in its own column: Input CGST @ 2.5%. */
function taxAt(own: string): Concept | undefined {
  const plain = plainHeading(own.replace(/@?\s*\d+(\.\d+)?\s*%?/g, ' '))
    .replace(/\b(input|output|add|less)\b/g, ' ')
    .trim()
  const taxes: Readonly<Record<string, Concept>> = { gst: 'tax_amount', tax: 'tax_amount', vat: 'tax_amount' }
  const found = MEANINGS.get(plain)
  if (found === 'cgst' || found === 'sgst' || found === 'igst' || found === 'cess') return found
  return /\d/.test(own) ? taxes[plain] : undefined
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
