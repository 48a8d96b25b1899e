/** Sums over the ledger as SQL, for any query whose rows `m` are movements or sums of movements by kind. */
import { raw, type Sql, sql } from '../db/sql.js'
import { kinds, type MovementKind } from './kinds.js'

/** A measure of a movement: its quantity, or its booked value without or with tax. */
export type Measure = 'qty' | 'val' | 'val_tax'

const namesWhere = (test: (kind: (typeof kinds)[MovementKind]) => boolean): string =>
  Object.entries(kinds)
    .filter(([, kind]) => test(kind))
    .map(([name]) => `'${name}'`)
    .join(', ')

/** A measure of one row, with the sign of its kind's effect on the stock or on the held stock. */
export const signed = (effect: 'stock' | 'held', measure: Measure): Sql =>
  raw(`case when m.kind in (${namesWhere((k) => k[effect] === 1)}) then m.${measure}
            when m.kind in (${namesWhere((k) => k[effect] === -1)}) then -m.${measure} else 0 end`)

/** The same for stock or held stock, the one that the kind changes. */
export const change = (measure: Measure): Sql =>
  raw(`case when m.kind in (${namesWhere((k) => k.stock + k.held === 1)}) then m.${measure} else -m.${measure} end`)

/** Whether the kind of a row changes the stock, or the held stock. */
export const moves = (effect: 'stock' | 'held'): Sql => raw(`m.kind in (${namesWhere((k) => k[effect] !== 0)})`)

/** Whether the kind of a row brings goods into the stock, or takes them out. */
export const flows = (direction: 'in' | 'out'): Sql =>
  raw(`m.kind in (${namesWhere((k) => k.stock === (direction === 'in' ? 1 : -1))})`)

const sumOf = (expression: Sql, when: Sql): Sql => sql`coalesce(sum(${expression}) filter (where ${when}), 0)`

/** The stock after the movements of `when`. */
export const inStock = (measure: Measure, when: Sql): Sql => sumOf(signed('stock', measure), when)

/** The held stock after the movements of `when`. */
export const onHold = (measure: Measure, when: Sql): Sql => sumOf(signed('held', measure), when)

/** Total receipts, or total debits. */
export const flow = (direction: 'in' | 'out', measure: Measure, when: Sql): Sql =>
  sumOf(raw(`m.${measure}`), sql`${flows(direction)} and ${when}`)

/** The sum of one column of a stock status. */
export const column = <R extends 'fg' | 'material'>(
  report: R,
  name: Exclude<(typeof kinds)[MovementKind][R], null>,
  measure: Measure,
  when: Sql,
): Sql => sumOf(raw(`m.${measure}`), sql`m.kind in (${raw(namesWhere((k) => k[report] === name))}) and ${when}`)

export const transferCharges = (when: Sql): Sql => sumOf(raw('m.transfer_charge'), when)

const isTransfer = (name: string): boolean => name.startsWith('transfer')
const beyondTransfers = (sign: 1 | -1): string =>
  Object.entries(kinds)
    .filter(([name, { stock }]) => stock === sign && !isTransfer(name))
    .map(([name]) => `'${name}'`)
    .join(', ')

/** Whether a row brings goods into the company, or takes them out of it: a transfer does neither. */
export const passes = (direction: 'in' | 'out'): Sql =>
  raw(`m.kind in (${beyondTransfers(direction === 'in' ? 1 : -1)})`)

/** The quantity that came into the company, or left it. */
export const passedOver = (direction: 'in' | 'out'): Sql => sumOf(raw('m.qty'), passes(direction))

/** The quantity that left a warehouse for another one and has not arrived. */
export const inTransit = raw(
  `coalesce(sum(case m.kind when 'transfer_out' then m.qty when 'transfer_in' then -m.qty else 0 end), 0)`,
)

const USED = `'issue', 'internal_issue', 'consumption', 'unpack'`

/** How much one movement adds to the use of its item: sales less returns, consumption, own use, unpacking. */
export const used = (measure: Measure): Sql =>
  raw(`case when m.kind in (${USED}) then m.${measure} when m.kind = 'sales_return' then -m.${measure} else 0 end`)

/** Whether a movement counts as use. */
export const isUse: Sql = raw(`m.kind in (${USED}, 'sales_return')`)
