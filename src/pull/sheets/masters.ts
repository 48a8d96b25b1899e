/** The items, customers and vendors that sheets refer to: stored ones, and the ones that the sheets bring in. */
import { createHash } from 'node:crypto'
import type { Queryable } from '../../db/connect.js'
import type { Entity } from '../../import/entity.js'
import { type Ratio, unitRatio } from './measures.js'

interface ItemUnits {
  stock: string
  /** Its further units. */
  readonly others: Map<string, Ratio>
}

/** Entities whose rows have a code and a name. */
const NAMED: Readonly<Record<string, readonly [code: string, name: string]>> = {
  items: ['sku', 'name'],
  customers: ['code', 'name'],
  vendors: ['code', 'name'],
}

const plain = (name: string): string => name.normalize('NFKC').replace(/\s+/g, ' ').trim().toUpperCase()

export class Masters {
  /** The account's currency. */
  currency: string
  readonly #units = new Map<string, ItemUnits>()
  /** By entity and name: the codes. */
  readonly #codes = new Map<string, Set<string>>()
  /** By entity and made code: the name that it was made from. */
  readonly #made = new Map<string, string>()
  /** By document: its currency, if it is not the account's. */
  readonly #currencies = new Map<string, string>()
  /** By line of a purchase or sales order: its item. */
  readonly #lines = new Map<string, string>()

  constructor(currency = 'INR') {
    this.currency = currency
  }

  static async stored(db: Queryable): Promise<Masters> {
    const [account] = await db<{ currency: string }[]>`select currency from account`
    const masters = new Masters(account?.currency)
    for (const { sku, name, unit } of await db<
      Record<'sku' | 'name' | 'unit', string>[]
    >`select sku, name, unit from item`)
      masters.#addItem(sku, name, unit)
    const units = await db<Record<'sku' | 'unit' | 'factor' | 'divisor', string>[]>`
      select i.sku, u.unit, trim_scale(u.factor)::text as factor, trim_scale(u.divisor)::text as divisor
        from item_unit u join item i on i.id = u.item_id`
    for (const { sku, unit, factor, divisor } of units) masters.#units.get(sku)?.others.set(unit, [factor, divisor])
    for (const entity of ['customers', 'vendors'] as const) {
      const rows = await db.unsafe<{ code: string; name: string }[]>(`select code, name from ${entity.slice(0, -1)}`)
      for (const { code, name } of rows) masters.#addName(entity, code, name)
    }
    return masters
  }

  /** Notes a row that the sheets bring in. */
  note({ name: entity }: Entity, value: (column: string) => string | null): void {
    const [code, named] = NAMED[entity] ?? []
    const own = code === undefined ? null : value(code)
    if (own !== null && named !== undefined) this.#addName(entity, own, value(named) ?? own)
    switch (entity) {
      case 'account':
        this.currency = value('currency') ?? this.currency
        break
      case 'items':
        if (own !== null) this.#addItem(own, undefined, value('unit') ?? '')
        break
      case 'item_units':
        this.#units
          .get(value('sku') ?? '')
          ?.others.set(value('unit') ?? '', [value('factor') ?? '1', value('divisor') ?? '1'])
        break
      case 'purchase_order_items':
      case 'sales_order_items':
        this.#lines.set(lineKey(entity, value), value('sku') ?? '')
        break
      default:
    }
    const currency = value('currency')
    if (currency !== null && entity !== 'account' && currency !== this.currency)
      this.#currencies.set(`${DOCUMENTS[entity]} ${numberOf(value)}`, currency)
  }

  #addItem(sku: string, name: string | undefined, unit: string): void {
    const known = this.#units.get(sku)
    if (known === undefined) this.#units.set(sku, { stock: unit, others: new Map() })
    else known.stock = unit
    if (name !== undefined) this.#addName('items', sku, name)
  }

  #addName(entity: string, code: string, name: string): void {
    const key = `${entity} ${plain(name)}`
    const codes = this.#codes.get(key) ?? new Set()
    codes.add(code)
    this.#codes.set(key, codes)
  }

  /** Whether there is one with this name, or an item with this code. */
  knows(entity: string, text: string): boolean {
    return this.#codes.has(`${entity} ${plain(text)}`) || (entity === 'items' && this.#units.has(text))
  }

  /** The code of the row with this name; made from the name if there is none. Throws a text for people. */
  codeOf(entity: string, name: string): string {
    const codes = [...(this.#codes.get(`${entity} ${plain(name)}`) ?? [])]
    if (codes.length === 1) return codes[0] as string
    if (codes.length > 1)
      throw new Ambiguous(
        `there are ${codes.length} ${entity} of this name: ${codes.slice(0, 3).join(', ')}; name it by its code`,
      )
    const made = codeFrom(name)
    const key = `${entity} ${made}`
    const other = this.#made.get(key)
    if (other !== undefined && other !== plain(name))
      throw new Ambiguous(
        `the code ${made} would be made from two names, ${other} and ${plain(name)}; give one of them another code by values`,
      )
    this.#made.set(key, plain(name))
    return made
  }

  /** The units of the item that a row is about; undefined if it is not known. */
  unitsFor({ name: entity, columns }: Entity, value: (column: string) => string | null): ItemUnits | undefined {
    const sku = ITEM_COLUMNS.map((column) => (column in columns ? value(column) : null)).find((one) => one !== null)
    const found = sku ?? this.#lines.get(lineKey(LINES[entity] ?? '', value))
    return found === undefined ? undefined : this.#units.get(found)
  }

  /** The currency of the document that a row belongs to. */
  currencyFor({ name: entity }: Entity, value: (column: string) => string | null): string {
    return value('currency') ?? this.#currencies.get(`${DOCUMENTS[entity]} ${numberOf(value)}`) ?? this.currency
  }
}

/** More than one row fits a name. */
export class Ambiguous extends Error {}

/** Columns that name the item of a row's quantities, the most exact first. */
const ITEM_COLUMNS = ['component', 'material', 'sku', 'product'] as const
/** Lines that take their item from the line of an order. */
const LINES: Readonly<Record<string, string>> = {
  goods_receipt_items: 'purchase_order_items',
  returns: 'sales_order_items',
}
const DOCUMENTS: Readonly<Record<string, string>> = {
  ...{ purchase_orders: 'po', purchase_order_items: 'po', purchase_order_taxes: 'po' },
  ...{ goods_receipts: 'po', goods_receipt_items: 'po', goods_receipt_taxes: 'po' },
  ...{ sales_orders: 'so', sales_order_items: 'so', sales_order_taxes: 'so', returns: 'so' },
  ...{ invoices: 'in', invoice_items: 'in', invoice_taxes: 'in' },
}
const numberOf = (value: (column: string) => string | null): string =>
  value('invoice_no') ?? value('po_no') ?? value('order_no') ?? ''
const lineKey = (entity: string, value: (column: string) => string | null): string =>
  JSON.stringify([
    entity,
    value('po_no') ?? value('order_no'),
    value('po_line_no') ?? value('order_line_no') ?? value('line_no'),
  ])

const LONGEST = 40

/** `Steel rod, 12 mm` becomes STEEL-ROD-12-MM. Equal names have equal codes, in every run. */
function codeFrom(name: string): string {
  const code = plain(name)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  if (code !== '' && code.length <= LONGEST) return code
  const mark = createHash('sha256').update(plain(name)).digest('hex').slice(0, 6).toUpperCase()
  return `${code.slice(0, LONGEST - 7).replace(/-$/, '')}-${mark}`
}

/** How a unit that a cell states relates to the units of an item. */
export type Related =
  | { readonly is: 'stock' }
  /** One of the item's further units, by its name there. */
  | { readonly is: 'other'; readonly unit: string; readonly ratio: Ratio }
  /** A measure that converts exactly, such as grams of an item in kilograms. */
  | { readonly is: 'measure'; readonly ratio: Ratio }

export function relate(unit: string, { stock, others }: ItemUnits): Related | undefined {
  const same = (other: string) => {
    const ratio = unitRatio(unit, other)
    return ratio !== undefined && ratio[0] === ratio[1]
  }
  if (unit === stock) return { is: 'stock' }
  const exact = others.get(unit)
  if (exact !== undefined) return { is: 'other', unit, ratio: exact }
  if (same(stock)) return { is: 'stock' }
  for (const [name, ratio] of others) if (same(name)) return { is: 'other', unit: name, ratio }
  const ratio = unitRatio(unit, stock)
  return ratio && { is: 'measure', ratio }
}
