/** Amounts of documents: which columns are about the whole document and which about a line, and what has to be calculated. */
import { type Context, only } from './context.js'
import type { Field } from './field.js'
import type { Doubt, FromObject } from './proposal.js'
import type { Concept } from './words.js'

type Kind = 'sale' | 'order' | 'purchase'

interface Amounts {
  readonly columns: Record<string, FromObject>
  readonly constants: Record<string, string>
  readonly doubts: readonly Doubt[]
}

const HEADS: readonly Concept[] = ['sub_total', 'round_off', 'shipping', 'adjustment']
const TAXES = ['cgst', 'sgst', 'igst', 'cess'] as const

/** The column says the same in all rows of a document, or stands in its first row only. */
function isOfHead(field: Field, { hasLines, isNested }: Shape): boolean {
  if (!hasLines || HEADS.includes(field.concept as Concept)) return true
  const { empty, same, other } = field.continued
  return isNested ? other === 0 : other === 0 && empty + same > 0
}

interface Shape {
  readonly hasLines: boolean
  readonly isNested: boolean
}

const braces = (fields: readonly Field[], sign = ' + '): string => fields.map(({ name }) => `{${name}}`).join(sign)

/** A number of the head: a column of the head, a calculation of several, or the sum over lines. */
const headFrom = (fields: readonly Field[], shape: Shape): FromObject | undefined => {
  const [first] = fields
  if (first === undefined) return undefined
  if (fields.every((field) => isOfHead(field, shape)))
    return fields.length === 1 ? first.name : { calc: braces(fields) }
  const own = fields.filter((field) => !isOfHead(field, shape))
  return { sum: own.length === 1 ? (own[0] as Field).name : braces(own) }
}

export function headAmounts(context: Context, kind: Kind, shape: Shape): Amounts {
  const doubts: Doubt[] = []
  const total = context.field('total')
  const ofHead = total !== undefined && isOfHead(total, shape)
  const taxable = context.field('sub_total') ?? context.field('amount')
  const each = TAXES.map((concept) => context.field(concept)).filter((field) => field !== undefined)
  const tax = context.field('tax_amount')
  const taxes = tax === undefined ? each : [tax]
  const extras = (['round_off', 'shipping', 'adjustment'] as const)
    .map((concept) => context.field(concept))
    .filter((field) => field !== undefined)
  const names = kind === 'sale' ? SALE : ORDER
  const totalFrom = total === undefined ? undefined : headFrom([total], shape)
  const taxableFrom = taxable === undefined ? undefined : headFrom([taxable], shape)
  const taxFrom =
    taxes.length > 0
      ? headFrom(taxes, shape)
      : ofHead && taxable !== undefined && isOfHead(taxable, shape)
        ? { calc: [total as Field, taxable, ...extras].map(({ name }) => `{${name}}`).join(' - ') }
        : undefined
  const constants: Record<string, string> = {}
  if (taxFrom === undefined) {
    constants[names.tax] = '0'
    doubts.push({ column: names.tax, reason: 'no column states a tax, so it is 0' })
  }
  // Without a total, it is the sum of what there is.
  const parts = [...(taxable === undefined ? [] : [taxable]), ...taxes]
  const final = totalFrom ?? headFrom(parts, shape)
  const before = taxableFrom ?? final
  if (taxable === undefined && final !== undefined)
    doubts.push({
      column: names.taxable,
      reason: `no column states the amount before tax, so ${total?.name ?? 'the total'} was taken`,
      needed: true,
    })
  const round = context.field('round_off')
  const isMixed = parts.some((field) => isOfHead(field, shape)) && parts.some((field) => !isOfHead(field, shape))
  if (total === undefined && isMixed)
    doubts.push({
      column: names.total,
      reason: 'some amounts are of the document and some of its lines: look at the total',
      needed: true,
    })
  const columns = only({
    [names.taxable]: before,
    [names.tax]: taxFrom,
    ...(kind === 'sale'
      ? {
          total_amt: ofHead && round !== undefined ? { calc: `{${(total as Field).name}} - {${round.name}}` } : final,
          ...{ final_amt: final, round_amt: ofHead ? round?.name : undefined },
          ...{ shipping: context.field('shipping')?.name, adjustment: context.field('adjustment')?.name },
        }
      : {
          total_amt: final,
          ...{
            shipping_amt: context.field('shipping')?.name,
            adjustment_amt: context.field('adjustment', 'round_off')?.name,
          },
        }),
  })
  return { columns, constants, doubts }
}

const SALE = { taxable: 'sub_total', tax: 'total_tax', total: 'total_amt' } as const
const ORDER = { taxable: 'taxable_amt', tax: 'tax_amt', total: 'total_amt' } as const

export function lineAmounts(context: Context, kind: Kind): Amounts {
  const shape = { hasLines: true, isNested: false }
  const ofLine = (...concepts: Concept[]) => {
    const field = context.field(...concepts)
    return field !== undefined && (field.continued.other > 0 || !isOfHead(field, shape)) ? field : undefined
  }
  const doubts: Doubt[] = []
  const constants: Record<string, string> = {}
  const rate = context.field('rate', 'cost')
  const amount =
    ofLine('amount') ??
    (context.has('total') && !ofLine('total') ? context.field('amount') : ofLine('amount', 'sub_total'))
  const qty = context.field('qty')
  const taxes = [ofLine('tax_amount')].filter((field) => field !== undefined)
  const each = taxes.length > 0 ? taxes : TAXES.map((concept) => ofLine(concept)).filter((field) => field !== undefined)
  if (rate === undefined) {
    constants['rate'] = '0'
    doubts.push({ column: 'rate', reason: 'no column states the price of one unit, so it is 0' })
  }
  const calculated: FromObject | undefined =
    qty !== undefined && rate !== undefined ? { calc: `{${qty.name}} * {${rate.name}}`, round: '2' } : undefined
  const value = amount?.name ?? calculated
  if (value === undefined)
    doubts.push({ column: 'taxable_amt', reason: 'no column states the amount of a line', needed: true })
  else if (amount === undefined)
    doubts.push({
      column: kind === 'sale' ? 'taxable_value' : 'taxable_amt',
      reason: 'no column states the amount of a line: it is calculated from quantity and price',
    })
  const total = ofLine('total')
  const withTax =
    total?.name ?? (each.length > 0 && amount !== undefined ? { calc: braces([amount, ...each]) } : undefined)
  if (kind === 'sale')
    return { columns: only({ rate: rate?.name, taxable_value: value, total_value: withTax }), constants, doubts }
  const columns = only({
    ...{
      rate: rate?.name,
      ...(kind === 'order' && { effective_rate: rate?.name }),
      tax_rate: context.field('tax_rate')?.name,
    },
    ...{ taxable_amt: value, total_amt: withTax },
  })
  if (kind === 'order' && rate === undefined) constants['effective_rate'] = '0'
  return { columns, constants, doubts }
}
