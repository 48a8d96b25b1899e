/** Amounts of documents: which columns are about the whole document and which about a line, and what has to be calculated. */
import { type Context, only } from './context.js'
import type { Field } from './field.js'
import { type Money, taxRateOf } from './money.js'
import type { Doubt, FromObject } from './proposal.js'
import type { Concept } from './words.js'

type Kind = 'sale' | 'order' | 'purchase'

interface Amounts {
  readonly columns: Record<string, FromObject>
  readonly constants: Record<string, string>
  readonly doubts: readonly Doubt[]
}

const braces = (fields: readonly Field[], minus: readonly Field[] = []): string =>
  [fields.map(({ name }) => `{${name}}`).join(' + '), ...minus.map(({ name }) => `{${name}}`)].join(' - ')

export function headAmounts(context: Context, kind: Kind, money: Money): Amounts {
  const doubts: Doubt[] = [...money.doubts]
  const { total, taxable, taxes, isOfHead } = money
  const minus = money.discount === undefined ? [] : [money.discount]
  /** A number of the head: a column of the head, a calculation of several, or the sum over lines. */
  const headFrom = (fields: readonly Field[], less: readonly Field[] = []): FromObject | undefined => {
    const [first] = fields
    if (first === undefined) return undefined
    if (fields.every(isOfHead)) return fields.length + less.length === 1 ? first.name : { calc: braces(fields, less) }
    const own = fields.filter((field) => !isOfHead(field))
    return { sum: own.length + less.length === 1 ? (own[0] as Field).name : braces(own, less) }
  }
  const ofHead = total !== undefined && isOfHead(total)
  const extras = (['round_off', 'shipping', 'adjustment'] as const)
    .map((concept) => context.field(concept))
    .filter((field) => field !== undefined)
  const names = kind === 'sale' ? SALE : ORDER
  const totalFrom = total === undefined ? undefined : headFrom([total])
  const taxableFrom = taxable === undefined ? undefined : headFrom([taxable], minus)
  const taxFrom =
    taxes.length > 0
      ? headFrom(taxes)
      : ofHead && taxable !== undefined && isOfHead(taxable)
        ? { calc: [total as Field, taxable, ...extras].map(({ name }) => `{${name}}`).join(' - ') }
        : undefined
  const constants: Record<string, string> = {}
  if (taxFrom === undefined) {
    constants[names.tax] = '0'
    doubts.push({ column: names.tax, reason: 'no column states a tax, so it is 0' })
  }
  // Without a total, it is the sum of what there is.
  const parts = [...(taxable === undefined ? [] : [taxable]), ...taxes]
  const final = totalFrom ?? headFrom(parts, minus)
  const before = taxableFrom ?? final
  if (taxable === undefined && final !== undefined)
    doubts.push({
      column: names.taxable,
      reason: `no column states the amount before tax, so ${total?.name ?? 'the total'} was taken`,
      needed: true,
    })
  const round = context.field('round_off')
  const isMixed = parts.some(isOfHead) && !parts.every(isOfHead)
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

export function lineAmounts(context: Context, kind: Kind, money: Money): Amounts {
  const isOfLine = (field: Field) => field.continued.other > 0 || !money.isOfHead(field)
  const ofLine = (...concepts: Concept[]) => {
    const field = context.field(...concepts)
    return field !== undefined && isOfLine(field) ? field : undefined
  }
  const doubts: Doubt[] = []
  const constants: Record<string, string> = {}
  const rate = money.price
  const amount =
    money.taxable?.meaning === 'amount' && isOfLine(money.taxable)
      ? money.taxable
      : (ofLine('amount') ??
        (context.has('total') && !ofLine('total') ? context.field('amount') : ofLine('amount', 'sub_total')))
  const qty = context.field('qty')
  const each = money.taxes.filter(isOfLine)
  const minus = amount === money.taxable && money.discount !== undefined ? [money.discount] : []
  if (rate === undefined) {
    constants['rate'] = '0'
    doubts.push({
      column: 'rate',
      reason:
        context.field('rate', 'cost') === undefined
          ? 'no column states the price of one unit, so it is 0'
          : 'no price is loaded, see above: it is 0',
    })
  }
  const calculated: FromObject | undefined =
    qty !== undefined && rate !== undefined ? { calc: `{${qty.name}} * {${rate.name}}`, round: '2' } : undefined
  const stated = amount && (minus.length === 0 ? amount.name : { calc: braces([amount], minus) })
  const value = stated ?? calculated
  if (value === undefined)
    doubts.push({ column: 'taxable_amt', reason: 'no column states the amount of a line', needed: true })
  else if (amount === undefined)
    doubts.push({
      column: kind === 'sale' ? 'taxable_value' : 'taxable_amt',
      reason: 'no column states the amount of a line: it is calculated from quantity and price',
    })
  const total = money.total !== undefined && isOfLine(money.total) ? money.total : undefined
  const withTax =
    total?.name ?? (each.length > 0 && amount !== undefined ? { calc: braces([amount, ...each], minus) } : undefined)
  if (kind === 'sale')
    return { columns: only({ rate: rate?.name, taxable_value: value, total_value: withTax }), constants, doubts }
  const taxRate = taxRateOf(context, money.taxes)
  if (taxRate !== undefined && !/%|percent|rate/i.test(taxRate.heading))
    doubts.push({ column: 'tax_rate', reason: `${taxRate.name} was taken for a rate in percent` })
  const columns = only({
    ...{ rate: rate?.name, ...(kind === 'order' && { effective_rate: rate?.name }), tax_rate: taxRate?.name },
    ...{ taxable_amt: value, total_amt: withTax },
  })
  if (kind === 'order' && rate === undefined) constants['effective_rate'] = '0'
  return { columns, constants, doubts }
}
