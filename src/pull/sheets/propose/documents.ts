/** Rules for lists of documents with their lines: sales, orders and purchases. */

import { currenciesOf } from '../measures.js'
import { headAmounts, lineAmounts } from './amounts.js'
import { type Context, type Draft, fillOf, only, RANK } from './context.js'
import type { Field } from './field.js'
import { type Money, moneyOf } from './money.js'
import { itemsOf, partiesOf } from './parties.js'
import type { Doubt, FromObject, RowRuleObject } from './proposal.js'
import { type Concept, VOUCHERS } from './words.js'

type Kind = 'sale' | 'order' | 'purchase'

export interface DocumentTable {
  readonly number: Field
  readonly day: Field
  readonly item: Field | undefined
  readonly code: Field | undefined
  readonly party: Field | undefined
  readonly qty: Field | undefined
  /** Lines stand below their head, in the same column as the party. */
  readonly isNested: boolean
}

export function documentRules(context: Context): Draft[] | undefined {
  const found = documentTable(context)
  if (found === undefined) return undefined
  const { kind, doubts: kindDoubts } = kindOf(context, found)
  const { day, item, code, party, qty, isNested } = found
  const vouchers = vouchersFrom(context, kind)
  const key = keyFrom(context, found, vouchers.types)
  const hasLines = (item ?? code) !== undefined && qty !== undefined
  const heads: readonly RowRuleObject[] = isNested ? [{ column: day.name }] : []
  const lines: readonly RowRuleObject[] = isNested ? [{ column: day.name }] : []
  const partyEntity = kind === 'purchase' ? 'vendors' : 'customers'
  const partyCode = context.field(kind === 'purchase' ? 'vendor_code' : 'customer_code')
  const money = moneyOf(context, { hasLines, isNested })
  const head = headAmounts(context, kind, money)
  const currency = currencyFrom(context, money)
  const names = NAMES[kind]
  const status = statusFrom(context, kind)
  const partyFrom = partyCode === undefined ? party && context.code(partyEntity, party) : context.cell(partyCode)
  const year = key.yearBegins === undefined ? {} : { yearBegins: key.yearBegins }
  const headDraft: Draft = {
    ...year,
    ...{ entity: names.heads, rank: 0, ...(hasLines && !isNested && { first: 'true' as const }) },
    columns: only({
      [names.number]: isNested ? noFill(key.from) : key.from,
      [names.party]: isNested ? noFill(partyFrom) : partyFrom,
      ...dates(context, kind, found),
      ...head.columns,
      ...(kind === 'sale' && {
        kind: vouchers.kind,
        place_of_supply: headCell(context, 'place_of_supply'),
        customer_gstn: headCell(context, 'gstn'),
      }),
      ...{
        reference: headCell(context, 'reference'),
        ...(kind === 'order' && { po_no: headCell(context, 'customer_po') }),
      },
      ...status.columns,
      ...currency.columns,
    }),
    constants: { ...head.constants, ...(kind === 'order' && { order_type: 'B2B/Retail' }), ...currency.constants },
    only: vouchers.only,
    leaveOut: [...heads, ...status.leaveOut],
    doubts: [
      ...kindDoubts,
      ...(party === undefined && partyCode === undefined
        ? [
            {
              reason: `no column names the ${kind === 'purchase' ? 'vendor' : 'customer'}, so these documents have none`,
              needed: true as const,
            },
          ]
        : []),
      ...key.doubts.map((doubt) => ({ ...doubt, column: names.number })),
      ...vouchers.doubts,
      ...head.doubts,
      ...status.doubts,
      ...currency.doubts,
    ],
  }
  const drafts = [headDraft]
  if (party !== undefined)
    drafts.push(
      ...partiesOf(context, partyEntity, isNested ? { ...party, evidence: party.evidence } : party, partyCode).map(
        (draft) => ({
          ...draft,
          ...(isNested && { leaveOut: heads, doubts: [] }),
        }),
      ),
    )
  if (!hasLines) return drafts
  const name = item ?? (code as Field)
  const line = lineAmounts(context, kind, money)
  drafts.push(
    ...itemsOf(context, {
      ...{ name, code: context.itemCode, rank: kind === 'purchase' ? RANK.bought : RANK.sold },
      ...{ quantities: [qty], type: kind === 'purchase' ? 'MAT' : 'FG' },
    }).map((draft) => ({ ...draft, ...(isNested && { only: lines }) })),
    {
      ...year,
      entity: names.lines,
      rank: 0,
      columns: only({
        ...{ [names.number]: key.from, line_no: { count: key.count } },
        // A line without an item is a charge or a sum: it must not become more of the item above.
        sku: context.itemCode?.name ?? noFill(context.code('items', name)),
        ...(item !== undefined && { description: context.field('description')?.name }),
        ...{ qty: qty.name, unit: context.field('unit')?.name },
        ...line.columns,
      }),
      ...{
        constants: line.constants,
        only: isNested ? lines : vouchers.only,
        leaveOut: status.leaveOut,
        doubts: line.doubts,
      },
    },
  )
  return drafts
}

const NAMES = {
  sale: { heads: 'invoices', lines: 'invoice_items', number: 'invoice_no', party: 'customer_code' },
  order: { heads: 'sales_orders', lines: 'sales_order_items', number: 'order_no', party: 'customer_code' },
  purchase: { heads: 'purchase_orders', lines: 'purchase_order_items', number: 'po_no', party: 'vendor_code' },
} as const

function noFill(from: FromObject): FromObject
function noFill(from: FromObject | undefined): FromObject | undefined
function noFill(from: FromObject | undefined): FromObject | undefined {
  if (from === undefined || typeof from === 'string') return from
  const { fill, ...rest } = from
  if (fill === 'all') return from
  return rest.column !== undefined && Object.keys(rest).length === 1 ? rest.column : rest
}

const headCell = (context: Context, concept: Concept): FromObject | undefined => {
  const field = context.field(concept)
  if (field?.continued.other !== 0) return undefined
  return field.merged.apart > 0 ? { column: field.name, fill: 'all' } : field.name
}

function documentTable(context: Context): DocumentTable | undefined {
  const number = context.field('invoice_no', 'order_no', 'po_no', 'voucher_no')
  const day = context.field('invoice_date', 'order_date', 'date')
  if (number === undefined || day === undefined || context.has('in_qty', 'produced_qty', 'batch_date')) return undefined
  const named = context.field('item')
  const particulars = context.field('particulars')
  const isNested =
    named === undefined &&
    particulars !== undefined &&
    context.has('qty') &&
    (context.table.numbering?.continuedWithoutDay ?? 0) > 0
  const party = context.field('customer', 'vendor', 'party', 'particulars')
  const item = isNested
    ? particulars
    : (named ??
      (party === particulars ? undefined : particulars) ??
      (context.has('qty') ? context.field('description') : undefined))
  if (!context.has('qty') && !context.has('total', 'amount', 'sub_total')) return undefined
  return { number, day, item, code: context.field('item_code'), party, qty: context.field('qty'), isNested }
}

function kindOf(context: Context, { number, party }: DocumentTable): { kind: Kind; doubts: Doubt[] } {
  if (number.concept === 'po_no' || party?.concept === 'vendor') return { kind: 'purchase', doubts: purchaseDoubt }
  if (number.concept === 'invoice_no' && party?.concept === 'customer') return { kind: 'sale', doubts: [] }
  if (number.concept === 'order_no') return { kind: 'order', doubts: [] }
  const words = context.field('voucher_type')?.evidence.texts
  const count = (pattern: RegExp) =>
    [...(words ?? [])].reduce((sum, [word, rows]) => sum + (pattern.test(word) ? rows : 0), 0)
  const [sold, bought] = [count(VOUCHERS.sale) + count(VOUCHERS.credit), count(VOUCHERS.purchase)]
  if (sold !== bought) return sold > bought ? { kind: 'sale', doubts: [] } : { kind: 'purchase', doubts: purchaseDoubt }
  const about = context.about('sales_order', 'purchase', 'sale')
  if (about === 'sales_order') return { kind: 'order', doubts: [] }
  if (about === 'purchase') return { kind: 'purchase', doubts: purchaseDoubt }
  if (about === 'sale' || number.concept === 'invoice_no' || party?.concept === 'customer')
    return { kind: 'sale', doubts: [] }
  return {
    kind: 'sale',
    doubts: [
      {
        reason: 'nothing says whether these documents are sales or purchases; they were taken for sales invoices',
        needed: true,
      },
    ],
  }
}

const purchaseDoubt: Doubt[] = [
  { reason: 'purchases are loaded as purchase orders; goods receipts need a list of their own' },
]

interface Key {
  readonly from: FromObject
  /** What the numbers of lines are counted in. */
  readonly count: string
  readonly doubts: readonly Doubt[]
  readonly yearBegins?: number
}

/** The number of the document; with the year, if numbers begin anew each year. */
function keyFrom(
  context: Context,
  { number, day }: Pick<DocumentTable, 'number' | 'day'>,
  types: readonly string[],
): Key {
  const numbering = context.table.numbering
  const column = number.name
  const shared = numbering?.shared(types) ?? []
  const type = shared.length > 0 ? context.field('voucher_type') : undefined
  const before = type === undefined ? '' : `{${type.name}}/`
  const typed: Doubt[] =
    type === undefined
      ? []
      : [{ reason: `several types of vouchers have the number ${shared[0]}, so the key has the type` }]
  const repeated = numbering?.repeated(context.known.date) ?? []
  // The template fills all of its columns alike.
  const how = fillOf(day, 'down') === 'all' ? 'all' : fillOf(number, 'down')
  const fill = how === undefined ? {} : { fill: how }
  if (repeated.length === 0) {
    const doubts: Doubt[] = numbering?.isPlain
      ? [
          {
            reason: `if numbers such as ${number.evidence.examples[0]} begin anew each year, use text: "${before}{${column}}/{${day.name}|year}" here and in the lines`,
          },
        ]
      : []
    if (type === undefined) return { from: context.cell(number), count: column, doubts }
    const template = `${before}{${column}}`
    return { from: { text: template, ...fill }, count: template, doubts: [...typed, ...doubts] }
  }
  const year = numbering?.yearFor(context.known.date, context.known.isIndian ? [4, 1, 7, 10] : [1, 4, 7, 10])
  if (year === undefined)
    return {
      ...{ from: context.cell(number), count: column },
      doubts: [
        {
          reason: `the numbers ${repeated.slice(0, 3).join(', ')} stand on several days of a year: find another column that tells documents apart`,
          needed: true,
        },
      ],
    }
  const template = `${before}{${column}}/{${day.name}|year}`
  return {
    ...{ from: { text: template, ...fill }, count: template, yearBegins: year.begins },
    doubts: [
      ...typed,
      {
        reason: `numbers begin anew each year (such as ${repeated.slice(0, 3).join(', ')}), so the key has the year, which begins in month ${year.begins}${year.isSure ? '' : '; the sheet does not tell the month, so set year_begins'}`,
        ...(!year.isSure && { needed: true as const }),
      },
    ],
  }
}

function dates(context: Context, kind: Kind, { day }: DocumentTable): Record<string, FromObject | undefined> {
  if (kind === 'sale')
    return { invoice_at: noFill(context.cell(day)), due_date: noFill(context.cell(context.field('due_date') ?? day)) }
  const delivery = headCell(context, 'delivery_date')
  return kind === 'order'
    ? { order_date: noFill(context.cell(day)), exp_dispatch_date: delivery }
    : { po_date: noFill(context.cell(day)), delivery_date: delivery }
}

/** Which types of vouchers the rule takes. */
function vouchersFrom(
  context: Context,
  kind: Kind,
): { only: RowRuleObject[]; types: readonly string[]; kind?: FromObject; doubts: Doubt[] } {
  const field = context.field('voucher_type')
  const words = field?.evidence.words
  if (field === undefined || words === undefined) return { only: [], types: [], doubts: [] }
  const own = words.filter((word) => (kind === 'purchase' ? VOUCHERS.purchase : VOUCHERS.sale).test(word))
  const credits = kind === 'sale' ? words.filter((word) => VOUCHERS.credit.test(word)) : []
  const others = words.filter((word) => !own.includes(word) && !credits.includes(word))
  if (own.length === 0) return { only: [], types: words, doubts: [] }
  const values = Object.fromEntries([
    ...own.map((word) => [word, 'INVOICE']),
    ...credits.map((word) => [word, 'CREDIT NOTE']),
  ])
  return {
    only: others.length > 0 ? [{ column: field.name, like: [...own, ...credits] }] : [],
    types: [...own, ...credits],
    ...(credits.length > 0 && { kind: { column: field.name, values } }),
    doubts: [
      ...(others.length > 0 ? [{ reason: `rows of ${others.slice(0, 5).join(', ')} are left out` }] : []),
      ...(credits.length > 0
        ? [{ column: 'kind', reason: 'quantities and amounts of credit notes must be negative', needed: true as const }]
        : []),
    ],
  }
}

function statusFrom(
  context: Context,
  kind: Kind,
): { columns: Record<string, FromObject>; leaveOut: RowRuleObject[]; doubts: Doubt[] } {
  const field = context.field('status')
  const words = field?.evidence.words
  if (field === undefined || words === undefined) return { columns: {}, leaveOut: [], doubts: [] }
  const [isDraft, isCancelled, isClosed] = [
    /draft|pending approval/i,
    /cancel|void/i,
    /clos|deliver|complete|invoiced|fulfil|received|billed/i,
  ]
  const drafts = words.filter((word) => isDraft.test(word))
  const open = kind === 'sale' ? 'Submitted' : 'OPEN'
  const stateOf = (word: string) =>
    isCancelled.test(word)
      ? kind === 'sale'
        ? 'Cancelled'
        : 'CANCELLED'
      : kind !== 'sale' && isClosed.test(word)
        ? 'CLOSED'
        : open
  const values = Object.fromEntries(words.filter((word) => !drafts.includes(word)).map((word) => [word, stateOf(word)]))
  return {
    columns: { [kind === 'sale' ? 'status' : 'state']: { column: field.name, values } },
    leaveOut: drafts.length > 0 ? [{ column: field.name, like: drafts }] : [],
    doubts: [
      {
        column: kind === 'sale' ? 'status' : 'state',
        reason: `${Object.entries(values)
          .map(([word, state]) => `${word} is ${state}`)
          .join(', ')}${drafts.length > 0 ? `; ${drafts.join(', ')} is left out` : ''}`,
      },
    ],
  }
}

/** Only if a document is in another currency than the books. */
function currencyFrom(
  context: Context,
  money: Money,
): { columns: Record<string, FromObject | undefined>; constants: Record<string, string>; doubts: Doubt[] } {
  const columns = currencyColumns(context)
  if (columns['currency'] !== undefined) return { columns, constants: {}, doubts: [] }
  const own = context.known.masters.currency
  const used = [money.taxable, money.total, money.price, ...money.taxes].filter((field) => field !== undefined)
  const codes = new Set(
    used.flatMap(({ currency }) => {
      const all = currency === undefined ? [] : currenciesOf(currency)
      return all.includes(own) ? own : all.slice(0, 1)
    }),
  )
  const [code] = codes
  if (code === undefined || (code === own && codes.size === 1)) return { columns: {}, constants: {}, doubts: [] }
  return {
    columns: {},
    constants: { currency: code },
    doubts: [
      {
        column: 'currency',
        reason: `the headings name ${[...codes].join(' and ')}${context.field('exchange_rate') === undefined ? ', and no column has the exchange rate' : ''}`,
        needed: true,
      },
    ],
  }
}

function currencyColumns(context: Context): Record<string, FromObject | undefined> {
  const currency = context.field('currency')
  const rate = context.field('exchange_rate')
  if (
    currency === undefined ||
    [...currency.evidence.texts.keys()].every((text) => text === context.known.masters.currency)
  )
    return {}
  const ones = rate?.evidence.words?.filter((word) => Number(word) === 1) ?? []
  return {
    currency: currency.name,
    ...(rate && {
      exchange_rate:
        ones.length > 0 ? { column: rate.name, values: Object.fromEntries(ones.map((one) => [one, ''])) } : rate.name,
    }),
  }
}
