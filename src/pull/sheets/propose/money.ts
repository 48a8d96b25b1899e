/** Which columns of a list of documents are the amounts before tax, the taxes and the totals: their sums decide, not only their names. */
import type { Context } from './context.js'
import type { Field } from './field.js'
import { type Compared, isBorneOut } from './figures.js'
import type { Doubt } from './proposal.js'
import type { Concept } from './words.js'

export interface Shape {
  readonly hasLines: boolean
  readonly isNested: boolean
}

export interface Money {
  /** Before tax. */
  readonly taxable: Field | undefined
  /** Not yet subtracted from it. */
  readonly discount: Field | undefined
  readonly taxes: readonly Field[]
  readonly total: Field | undefined
  /** The price of one unit. */
  readonly price: Field | undefined
  readonly doubts: readonly Doubt[]
  isOfHead(field: Field): boolean
}

const HEADS: readonly Concept[] = ['sub_total', 'round_off', 'shipping', 'adjustment']
const TAXES = ['cgst', 'sgst', 'igst', 'cess'] as const
/** No tax on goods is higher. */
const HIGHEST_RATE = 40

/** The column says the same in all rows of a document, or stands in its first row only. */
function looksOfHead(field: Field, { hasLines, isNested }: Shape): boolean {
  if (!hasLines || HEADS.includes(field.meaning as Concept)) return true
  const { empty, same, other } = field.continued
  return isNested ? other === 0 : other === 0 && empty + same > 0
}

interface Choice {
  readonly base: Field
  readonly discount: Field | undefined
  readonly taxes: readonly Field[]
  readonly total: Field
  readonly compared: Compared
}

export function moneyOf(context: Context, shape: Shape): Money {
  const { figures } = context.table
  const [base, total] = [context.field('sub_total', 'amount'), context.field('total')]
  const [price, qty] = [context.field('rate', 'cost'), context.field('qty')]
  const bases = context.every('sub_total', 'amount')
  const amounts = [...context.every('total'), ...context.every('amount')]
  const { sure, possible } = taxesOf(context)
  // Equal amounts in all lines of a document look like the amount of the document: the price tells.
  const ofLines = new Set(
    qty === undefined || price === undefined
      ? []
      : bases.flatMap((one) =>
          one.meaning === 'amount' && isBorneOut(figures.product(qty, price, one)) ? one.place : [],
        ),
  )
  const isOfHead = (field: Field) => !ofLines.has(field.place) && looksOfHead(field, shape)
  const plain = { price, isOfHead, taxable: base, discount: undefined, taxes: sure[0] ?? [], total }
  if (shape.isNested || base === undefined) return { ...plain, doubts: [] }
  const sets = sure.length > 0 ? [...sure, ...possible] : [[], ...possible]
  const chosen = choose(context, { bases: [base, ...bases], totals: amounts, sets, named: total, isOfHead })
  const isProven = chosen !== undefined && isBorneOut(chosen.compared)
  const priced = priceOf(context, {
    ...{ qty, price, amounts: [...bases, ...amounts] },
    total: isProven && chosen.taxes.length > 0 ? chosen.total : undefined,
  })
  const { compared = 0, wrong } = chosen?.compared ?? {}
  // Without a tax in the sheet, the one of a document is what is left.
  const isLeft = sure.length === 0 && total !== undefined && isOfHead(total) && isOfHead(base)
  if (!isProven)
    return {
      ...{ ...plain, price: priced.price },
      doubts: [
        ...(sure.length === 0 && possible.length > 0
          ? [
              {
                reason: `${possible[0]?.[0]?.name} may be rates or amounts: it was taken for rates in percent, and the tax is 0`,
                needed: true as const,
              },
            ]
          : []),
        ...(chosen === undefined || compared === 0 || isLeft
          ? []
          : [
              { reason: `${sumWords(chosen)} is not ${chosen.total.name}, such as in ${wrong}`, needed: true as const },
            ]),
        ...priced.doubts,
      ],
    }
  const { taxes, discount } = chosen
  const isPlain =
    chosen.base.place === base.place && chosen.total.place === (total ?? chosen.total).place && discount === undefined
  // Without a tax, the amount after the discount is all there is.
  const isAfter = taxes.length === 0 && discount !== undefined
  return {
    ...{ price: priced.price, isOfHead, taxes },
    taxable: isAfter ? chosen.total : chosen.base,
    discount: isAfter ? undefined : discount,
    total: isAfter ? undefined : chosen.total,
    doubts: [
      ...(isPlain && (taxes.length === 0 || (sure as readonly unknown[]).includes(taxes))
        ? []
        : [{ reason: `${sumWords(chosen)} is ${chosen.total.name} in the rows, so these columns were taken` }]),
      ...priced.doubts,
    ],
  }
}

const sumWords = ({ base, discount, taxes }: Pick<Choice, 'base' | 'discount' | 'taxes'>): string =>
  `${base.name}${discount === undefined ? '' : ` less ${discount.name}`}${taxes.map(({ name }) => ` + ${name}`).join('')}`

/** The first columns that add up; the ones that their names suggest are tried first, and are the choice if none add up. */
function choose(
  context: Context,
  {
    bases,
    totals,
    sets,
    named,
    isOfHead,
  }: {
    bases: readonly Field[]
    totals: readonly Field[]
    sets: readonly (readonly Field[])[]
    named: Field | undefined
    isOfHead: Money['isOfHead']
  },
): Choice | undefined {
  const extras = context.every('round_off', 'shipping', 'adjustment')
  let first: Choice | undefined
  for (const discount of [undefined, ...context.every('discount')])
    for (const taxes of sets)
      for (const base of bases)
        for (const total of named === undefined ? totals : [named, ...totals]) {
          const isNothing = taxes.length === 0 && discount === undefined && named === undefined
          if (isNothing || base.place === total.place || taxes.some(({ place }) => place === total.place)) continue
          for (const more of extras.length === 0 ? [[]] : [extras, []]) {
            const minus = discount === undefined ? [] : [discount]
            const compared = context.table.figures.sum([base, ...taxes, ...more], minus, total, isOfHead)
            const choice = { base, discount, taxes, total, compared }
            if (isBorneOut(compared)) return choice
            first ??= choice
          }
        }
  return first
}

/** Sets of columns that are the taxes together, the likeliest first, and sets that only a sum can prove. */
function taxesOf(context: Context): { sure: Field[][]; possible: Field[][] } {
  const whole = context.every('tax_amount')
  const bare = context.every('tax_rate').filter(isBare)
  // GST over 900.00 is an amount, over 18 a rate.
  const high = bare.filter(isNoRate)
  const filled = (sets: Field[][]) => sets.filter((set) => set.length > 0)
  const several = whole.length > 1 ? [whole] : []
  return {
    sure: filled([whole.slice(0, 1), context.every(...TAXES), ...several, high.slice(0, 1)]),
    possible: filled([bare.slice(0, 1), bare.slice(1, 2)]),
  }
}

const isBare = ({ heading }: Field): boolean => !/%|percent|rate/i.test(heading)

const isNoRate = (field: Field): boolean =>
  isBare(field) && field.evidence.percents === 0 && field.evidence.largest > HIGHEST_RATE

/** The rate of the taxes in percent. */
export const taxRateOf = (context: Context, taxes: readonly Field[]): Field | undefined =>
  context
    .every('tax_rate')
    .find(
      (field) =>
        !isNoRate(field) &&
        !taxes.some(({ place }) => place === field.place) &&
        (field.evidence.percents > 0 || field.evidence.largest >= 1),
    )

/** Quantity times price is one of the amounts; a price for a dozen or a hundred is no price of one unit. */
function priceOf(
  { table: { figures }, every }: Context,
  {
    qty,
    price,
    amounts,
    total,
  }: { qty: Field | undefined; price: Field | undefined; amounts: readonly Field[]; total: Field | undefined },
): { price: Field | undefined; doubts: Doubt[] } {
  const [first] = amounts
  // Cells in several units need not fit the price.
  if (qty === undefined || price === undefined || first === undefined || qty.evidence.units.size > 1)
    return { price, doubts: [] }
  const all = amounts.map((amount) => figures.product(qty, price, amount))
  const [own] = all
  if (own === undefined || own.compared === 0) return { price, doubts: [] }
  const fitting = amounts.filter((_, at) => isBorneOut(all[at] as Compared))
  if (fitting.length > 0 && fitting.every(({ place }) => place === total?.place))
    return {
      price,
      doubts: [
        {
          column: 'rate',
          reason: `${qty.name} times ${price.name} is ${fitting[0]?.name}, so the prices may include the tax`,
          needed: true,
        },
      ],
    }
  if (fitting.length > 0) return { price, doubts: [] }
  const isReduced = every('discount', 'discount_per').length > 0
  const { ratio, wrong } = own
  if (isReduced && (ratio === undefined || (ratio >= 1 && ratio < 2))) return { price, doubts: [] }
  const reason = `${qty.name} times ${price.name} is not ${first.name}, such as in ${wrong}`
  // One row does not tell a price for a dozen from a wrong number.
  if (ratio === undefined) return { price, doubts: [{ column: 'rate', reason, needed: true }] }
  return {
    price: undefined,
    doubts: [
      {
        column: 'rate',
        reason: `${reason}: it is the price of ${Math.round(ratio * 1000) / 1000} units, so it is not loaded`,
        needed: true,
      },
    ],
  }
}
