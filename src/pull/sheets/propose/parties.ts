/** Rules for items, customers and vendors: from lists of them, and from the tables that only name them. */
import { type Context, type Draft, list, only, RANK } from './context.js'
import type { Field } from './field.js'
import type { Doubt, FromObject } from './proposal.js'
import { type Concept, ITEM_TYPES } from './words.js'

const address = (context: Context): Record<string, FromObject | undefined> => {
  const column = (concept: Concept) => context.field(concept)?.name
  return {
    ...{ address1: column('address1'), address2: column('address2'), city: column('city'), state: column('state') },
    ...{ country: column('country'), pincode: column('pincode'), gstn: column('gstn') },
    ...{ phone: column('phone'), email: column('email') },
  }
}

const billing = (context: Context): Record<string, FromObject | undefined> =>
  Object.fromEntries(Object.entries(address(context)).map(([name, from]) => [`billing_${name}`, from]))

/** A list of customers or vendors. */
export function partyList(context: Context): Draft[] | undefined {
  const name = context.field('customer', 'vendor', 'party', 'particulars', 'item')
  const isList = ['gstn', 'phone', 'email', 'address1', 'city', 'credit_days', 'contact'] as const
  if (name === undefined || context.has('date', 'invoice_date', 'order_date', 'hsn', 'unit', 'qty')) return undefined
  if (!isList.some((concept) => context.has(concept))) return undefined
  const isVendor =
    name.concept === 'vendor' || (name.concept !== 'customer' && context.about('customers', 'vendors') === 'vendors')
  const doubts: Doubt[] =
    name.concept === 'customer' || isVendor || context.about('customers') !== undefined
      ? []
      : [{ reason: 'nothing says whether these are customers or vendors; they were taken for customers' }]
  const code = context.field(
    ...(isVendor ? (['vendor_code', 'item_code'] as const) : (['customer_code', 'item_code'] as const)),
  )
  const own = isUnique(context, code) ? code?.name : { code: name.name }
  const columns = isVendor
    ? only({ code: own, name: name.name, credit_days: context.field('credit_days')?.name, ...address(context) })
    : only({ code: own, name: name.name, contact_person: context.field('contact')?.name, ...billing(context) })
  return [
    { entity: isVendor ? 'vendors' : 'customers', rank: RANK.list, columns, first: 'true', unless: name.name, doubts },
  ]
}

/** Every row has a code of its own. */
const isUnique = ({ table }: Context, field: Field | undefined): boolean =>
  field !== undefined && field.evidence.filled === table.rows && field.evidence.texts.size === table.rows

/** The customers or vendors of a list of documents; none if all of them are known. */
export function partiesOf(
  context: Context,
  entity: 'customers' | 'vendors',
  name: Field,
  code: Field | undefined,
): Draft[] {
  const unknown = context.unknown(entity, name)
  if (unknown.length === 0) return []
  const hasList = (context.known.lists.get(entity)?.names.size ?? 0) > 0
  const columns = only({
    ...{ code: code === undefined ? noFill(context.code(entity, name)) : code.name, name: name.name },
    ...(entity === 'customers' ? billing(context) : address(context)),
  })
  return [
    {
      ...{ entity, rank: RANK.sold, columns, first: 'any', unless: name.name },
      doubts: hasList
        ? [{ column: 'code', reason: `the list of ${entity} lacks ${list(unknown)}; this rule adds them` }]
        : code === undefined
          ? [
              {
                column: 'code',
                reason: `${entity} exist only by name, so a code is made from the name: ${list(unknown)}`,
              },
            ]
          : [],
    },
  ]
}

/** Rows that lack the name go on with a document above: they bring no other customer. */
const noFill = (from: FromObject): FromObject => {
  if (typeof from === 'string') return from
  const { fill, ...rest } = from
  return rest
}

/** Where the unit of items is: a column, the cells of a quantity, or the heading. A price is often for another unit. */
export function unitFrom(
  context: Context,
  ...quantities: readonly (Field | undefined)[]
): { from?: FromObject; constant?: string; doubts: Doubt[] } {
  const unit = context.field('unit')
  if (unit !== undefined) return { from: unit.name, doubts: [] }
  for (const field of quantities) {
    if (field === undefined) continue
    const { units, filled } = field.evidence
    const stated = [...units.values()].reduce((sum, count) => sum + count, 0)
    if (stated > 0) {
      const names = [...units.keys()]
      const doubts =
        stated < filled
          ? [
              {
                column: 'unit',
                reason: `${filled - stated} of ${filled} cells of ${field.name} state no unit: their items need one`,
                needed: true as const,
              },
            ]
          : []
      if (names.length === 1 && stated < filled)
        return {
          constant: names[0] as string,
          doubts: [
            {
              column: 'unit',
              reason: `only ${stated} of ${filled} cells state their unit, ${names[0]}; it was taken for all`,
              needed: true,
            },
          ],
        }
      return { from: { column: field.name, take: 'unit' }, doubts }
    }
    if (field.unit !== undefined) return { constant: field.unit, doubts: [] }
  }
  return {
    constant: 'NOS',
    doubts: [{ column: 'unit', reason: 'no column says in which unit the items are kept: NOS is a guess' }],
  }
}

/** The type of items by a column of words, or by what the table is about. */
export function typeFrom(context: Context, fallback: 'FG' | 'MAT'): Pick<Draft, 'columns' | 'constants' | 'doubts'> {
  const field = context.field('item_type')
  const words = field?.evidence.words
  const typed = words?.map((word) => [word, ITEM_TYPES.find(([pattern]) => pattern.test(word))] as const)
  if (
    field !== undefined &&
    typed !== undefined &&
    typed.length > 0 &&
    typed.every(([, found]) => found !== undefined)
  ) {
    const types = Object.fromEntries(typed.map(([word, found]) => [word, found?.[1] ?? 'FG']))
    const kinds = Object.fromEntries(typed.map(([word, found]) => [word, found?.[2] ?? '']))
    const hasMaterials = Object.values(kinds).some((kind) => kind !== '')
    return {
      columns: {
        type: { column: field.name, values: types },
        ...(hasMaterials && { material_kind: { column: field.name, values: kinds } }),
      },
      doubts: [
        {
          column: 'type',
          reason: `by ${field.name}: ${Object.entries(types)
            .map(([word, type]) => `${word} is ${type}`)
            .join(', ')}`,
        },
      ],
    }
  }
  const isMaterial = fallback === 'MAT'
  return {
    columns: {},
    constants: isMaterial ? { type: 'MAT', material_kind: 'RAW' } : { type: 'FG' },
    doubts: [
      {
        column: 'type',
        reason: isMaterial
          ? 'all of these items were taken for raw materials (MAT, RAW)'
          : 'all of these items were taken for finished goods (FG); MAT is material, SFG semi-finished, SRV service',
      },
    ],
  }
}

/** The items that a table names; none if all of them are known. */
export function itemsOf(
  context: Context,
  {
    name,
    code,
    rank,
    quantities,
    type = 'FG',
  }: {
    name: Field
    code: Field | undefined
    rank: number
    quantities: readonly (Field | undefined)[]
    type?: 'FG' | 'MAT'
  },
): Draft[] {
  const unknown = context.unknown('items', code ?? name)
  if (unknown.length === 0) return []
  const hasList = (context.known.lists.get('items')?.names.size ?? 0) > 0
  const unit = unitFrom(context, ...quantities)
  const kind = typeFrom(context, context.about('raw') !== undefined && rank !== RANK.sold ? 'MAT' : type)
  return [
    {
      ...{ entity: 'items', rank, first: 'any', unless: (code ?? name).name },
      columns: only({
        ...{ sku: code?.name ?? context.code('items', name), name: name.name, unit: unit.from },
        ...{ hsn: context.field('hsn')?.name, product_category: context.field('category')?.name },
        ...kind.columns,
      }),
      constants: { ...(unit.constant !== undefined && { unit: unit.constant }), ...kind.constants },
      doubts: [
        ...(hasList
          ? [{ column: 'sku', reason: `the list of items lacks ${list(unknown)}; this rule adds them` }]
          : []),
        ...unit.doubts,
        ...(kind.doubts ?? []),
      ],
    },
  ]
}

/** A list of items; the ones without a code get one from their name. */
export function itemList(context: Context): Draft[] | undefined {
  const name = context.field('item', 'particulars', 'description')
  const code = context.field('item_code')
  const signs = ['unit', 'hsn', 'rate', 'mrp', 'cost', 'category', 'reorder_level', 'item_type'] as const
  if ((name ?? code) === undefined || context.has('date', 'invoice_date', 'order_date', 'batch_no')) return undefined
  if (!signs.some((sign) => context.has(sign)) && code === undefined) return undefined
  const shown = name ?? (code as Field)
  const unit = unitFrom(context, context.field('closing_qty', 'opening_qty', 'qty'))
  const kind = typeFrom(context, context.about('raw', 'items') === 'raw' ? 'MAT' : 'FG')
  const repeated = code !== undefined && code.evidence.texts.size < code.evidence.filled - code.evidence.faults
  const lacking = code === undefined || repeated ? context.table.rows : context.table.rows - code.evidence.filled
  const draftOf = (sku: FromObject, more: Pick<Draft, 'unless' | 'only' | 'doubts'>): Draft => ({
    ...{ entity: 'items', rank: RANK.list, first: 'true', ...more },
    columns: only({
      ...{ sku, name: shown.name, unit: unit.from },
      ...{ product_category: context.field('category')?.name, hsn: context.field('hsn')?.name },
      ...{ mrp: context.field('mrp')?.name, tax_rate: context.field('tax_rate')?.name },
      ...{ reorder_level: context.field('reorder_level')?.name, active: context.field('active')?.name },
      ...kind.columns,
    }),
    constants: { ...(unit.constant !== undefined && { unit: unit.constant }), ...kind.constants },
  })
  const doubts = [...unit.doubts, ...(kind.doubts ?? [])]
  if (code === undefined || repeated)
    return [
      draftOf(
        { code: shown.name },
        {
          unless: shown.name,
          doubts: [
            ...(repeated
              ? [{ column: 'sku', reason: `${code.name} is repeated, so codes are made from ${shown.name}` }]
              : []),
            ...doubts,
          ],
        },
      ),
    ]
  if (lacking === 0 || name === undefined) return [draftOf(code.name, { unless: code.name, doubts })]
  return [
    draftOf(code.name, { unless: code.name, doubts }),
    draftOf(
      { code: name.name },
      {
        unless: name.name,
        only: [{ column: code.name }],
        doubts: [{ column: 'sku', reason: `${lacking} rows have no ${code.name}: their code is made from the name` }],
      },
    ),
  ]
}
