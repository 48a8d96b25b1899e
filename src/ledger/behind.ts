/** The movements behind a figure of the stock reports: which of them count in it, and with which sign. */
import { raw, type Sql, sql } from '../db/sql.js'
import { type FgColumn, kinds, type MaterialColumn, type MovementKind } from './kinds.js'

type Kind = (typeof kinds)[MovementKind]
type Sign = (kind: Kind) => number

interface Counted {
  /** Before the first day of the range, from the first to the last day, or up to the last day. */
  readonly period: 'before' | 'during' | 'until'
  /** The sign with which movements of a kind count; 0 if they do not. Materials have other columns than goods. */
  readonly goods: Sign
  readonly materials: Sign
}

const stock: Sign = (kind) => kind.stock
const none: Sign = () => 0
const when =
  (test: (kind: Kind) => boolean): Sign =>
  (kind) =>
    Number(test(kind))
const fg = (name: FgColumn) => when((kind) => kind.fg === name)
const material = (name: MaterialColumn) => when((kind) => kind.material === name)

const during = (goods: Sign, materials: Sign): Counted => ({ period: 'during', goods, materials })
const always = (period: Counted['period'], sign: Sign): Counted => ({ period, goods: sign, materials: sign })

/** Figures by the words that name the columns of the stock reports. */
const figures = {
  Opening: always('before', stock),
  Receipts: during(
    when((kind) => kind.fg?.startsWith('Receipts') === true),
    material('Receipts'),
  ),
  Receipts_PRD: during(fg('Receipts_PRD'), none),
  Receipts_PUR: during(fg('Receipts_PUR'), none),
  Receipts_TRF: during(fg('Receipts_TRF'), none),
  Receipts_OTH: during(fg('Receipts_OTH'), none),
  Returned: during(fg('Returned'), none),
  Issued: during(fg('Issued'), none),
  Consumption: during(none, material('Consumption')),
  Reject: during(none, material('Reject')),
  Shortage: during(none, material('Shortage')),
  Trashed: during(fg('Trashed'), material('Trashed')),
  MovetoBad: during(fg('MovetoBad'), material('MovetoBad')),
  Transfered: during(fg('Transfered'), none),
  Transfer: during(none, material('Transfer')),
  UnPacked: during(fg('UnPacked'), none),
  Cr: always(
    'during',
    when((kind) => kind.stock === 1),
  ),
  Dr: always(
    'during',
    when((kind) => kind.stock === -1),
  ),
  TrfChrg: always('during', stock),
  Hold: always('until', (kind) => kind.held),
  Active: always('until', (kind) => kind.stock - kind.held),
  Closing: always('until', stock),
} satisfies Record<string, Counted>

export type Figure = keyof typeof figures
export const figureNames = Object.keys(figures) as Figure[]

/** The change of the stock in the range. */
const change = always('during', stock)

const names = (sign: Sign, wanted: number): string =>
  Object.entries(kinds)
    .filter(([, kind]) => sign(kind) === wanted)
    .map(([name]) => `'${name}'`)
    .join(', ')

const isOneOf = (list: string): Sql => raw(list === '' ? 'false' : `m.kind in (${list})`)

interface Asked {
  readonly figure: Figure | undefined
  readonly tax: boolean
  /** The first and the last day. */
  readonly from: Sql
  readonly to: Sql
  /** The type of the item. */
  readonly type: Sql
}

/** For rows `m` of the ledger: a condition for the rows that count, and their quantity and value with the right sign. */
export function behind({ figure, tax, from, to, type }: Asked): Readonly<Record<'where' | 'qty' | 'value', Sql>> {
  const { period, goods, materials } = figure === undefined ? change : figures[figure]
  const counts = (sign: 1 | -1): Sql => {
    const [ofGoods, ofMaterials] = [names(goods, sign), names(materials, sign)]
    if (ofGoods === ofMaterials) return isOneOf(ofGoods)
    return sql`case ${type} when 'MAT' then ${isOneOf(ofMaterials)} else ${isOneOf(ofGoods)} end`
  }
  const signed = (amount: string) => sql`case when ${counts(1)} then ${raw(amount)} else ${raw(`-${amount}`)} end`
  const days = {
    before: sql`m.movement_date < ${from}`,
    during: sql`m.movement_date between ${from} and ${to}`,
    until: sql`m.movement_date <= ${to}`,
  }[period]
  const qty = signed('m.qty')
  return figure === 'TrfChrg'
    ? { where: sql`${days} and m.transfer_charge > 0`, qty, value: raw('m.transfer_charge') }
    : { where: sql`${days} and (${counts(1)} or ${counts(-1)})`, qty, value: signed(tax ? 'm.val_tax' : 'm.val') }
}
