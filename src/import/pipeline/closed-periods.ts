/** Finds which figures of closed periods a load or an undo changes (docs/decisions/0051). */
import type { Engine, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { watchWrites } from '../../db/written.js'
import { PERIOD_FIGURES, type PeriodFigure, withFigures } from '../../ledger/period-figures.js'
import { showPresent, showVersion } from '../../store/history.js'
import type { WarningKind } from '../checks.js'
import type { Problems } from './problems.js'

/** The name of these warnings. */
export const CLOSED_CHECK = 'a figure of a closed period changes'

export interface ClosedChange {
  readonly period: string
  readonly figure: PeriodFigure
  readonly before: string
  readonly after: string
  readonly difference: string
}

/** The tables that the figures are read from. */
export const tablesOfFigures = [
  ...['stock_movement', 'goods_receipt', 'goods_receipt_line', 'sales_order', 'sales_order_line', 'sales_return'],
  ...['invoice', 'invoice_line', 'item', 'combo_line'],
]

/**
 * To be called after `beginVersion`, before anything is written. The returned function, to be called when everything is, finds the changed
 * figures. It computes figures only of periods in which a written row counts, from the past and from the present rows.
 */
export async function watchClosed(tx: Queryable, engine: Engine): Promise<() => Promise<ClosedChange[]>> {
  const none = async () => []
  if (!engine.keepsHistory) return none
  const [any] = await tx`select from closed_period where reopened_in is null limit 1`
  if (any === undefined) return none
  const written = await watchWrites(tx)
  return async () => {
    const tables = await written()
    if (tables !== null && !tables.some((table) => tablesOfFigures.includes(table))) return []
    const touched = await findTouched(tx)
    const of = (name: 'stock' | 'documents') => touched.filter((period) => period[name])
    const changes = [
      ...(await compare(tx, of('stock'), ['stock_value'])),
      ...(await compare(
        tx,
        of('documents'),
        PERIOD_FIGURES.filter((name) => name !== 'stock_value'),
      )),
    ]
    return changes.sort((a, b) => (a.period < b.period ? -1 : a.period > b.period ? 1 : 0))
  }
}

interface Touched {
  readonly period: string
  readonly first_day: string
  readonly last_day: string
  /** Whether a movement up to its last day was written, and a document that counts in it. */
  readonly stock: boolean
  readonly documents: boolean
}

/** The rows of a table that this transaction has written, as they are and as they were. */
const written = (table: string, columns: string): Sql => sql`(
  select ${raw(columns)} from ${identifier(table)} where known_from = version_to_come()
  union all
  select ${raw(columns)} from ${identifier(`past_${table}`)} where known_until = version_to_come())`

/** The profit of an invoice depends on the issues, the returns and the other invoices of its orders. */
const findTouched = (tx: Queryable): Promise<readonly Touched[]> =>
  query<Touched>(
    tx,
    sql`
    with movement as materialized (select * from ${written('stock_movement', 'movement_date, order_no, invoice_no')} m),
    combo as (
      select i.id from item i join past_item p on p.id = i.id and p.known_until = version_to_come() where p.type <> i.type
      union select combo_id from ${written('combo_line', 'combo_id')} c),
    written_order as (
      select order_no::text from movement
      union select order_no from ${written('sales_return', 'order_no')} r
      union select order_no from ${written('sales_order', 'order_no')} o
      union select order_no from ${written('sales_order_line', 'order_no')} l
      union select order_no from ${written('invoice_line', 'order_no')} x
      union select x.order_no from ${written('invoice', 'invoice_no')} n join invoice_line x on x.invoice_no = n.invoice_no
      union select l.order_no from sales_order_line l where l.item_id in (select id from combo)),
    written_invoice as (
      select invoice_no::text from movement
      union select invoice_no from ${written('invoice_line', 'invoice_no')} x
      union select x.invoice_no from invoice_line x join written_order o on o.order_no = x.order_no),
    day as materialized (
      select invoice_at::date as day from ${written('invoice', 'invoice_at')} n
      union select n.invoice_at::date from invoice n join written_invoice w on w.invoice_no = n.invoice_no
      union select receipt_date from ${written('goods_receipt', 'receipt_date')} r
      union select r.receipt_date from ${written('goods_receipt_line', 'po_no, grn_no')} l
              join goods_receipt r on r.po_no = l.po_no and r.grn_no = l.grn_no)
    select c.period, c.first_day::text, c.last_day::text,
           exists (select from movement m where m.movement_date <= c.last_day) as stock,
           exists (select from day d where d.day between c.first_day and c.last_day) as documents
      from closed_period c where c.reopened_in is null`,
  )

/** The figures of these periods that this transaction changes. */
async function compare(
  tx: Queryable,
  touched: readonly Touched[],
  figures: readonly PeriodFigure[],
): Promise<readonly ClosedChange[]> {
  if (touched.length === 0) return []
  const [now] = await tx<{ version: number }[]>`select version::float8 as version from data_version`
  await showVersion(tx, now?.version ?? 0)
  const before = await query<Known>(
    tx,
    sql`select period, first_day::text, last_day::text, ${raw(figures.map((name) => `${name}::text`).join())}
          from (${withFigures(recordsOf(touched, []), figures)}) f`,
  )
  await showPresent(tx)
  return await differing(tx, before, figures)
}

/** A period with figures of it. */
type Known = Pick<Touched, 'period' | 'first_day' | 'last_day'> & Readonly<Partial<Record<PeriodFigure, string>>>

const recordsOf = (periods: readonly object[], figures: readonly string[]): Sql => sql`
  select * from json_to_recordset(${JSON.stringify(periods)}::text::json)
    as r(period text, first_day date, last_day date${raw(figures.map((name) => `, ${name} numeric`).join(''))})`

/** The figures that differ in the rows that the transaction sees. */
const differing = (
  tx: Queryable,
  known: readonly Known[],
  figures: readonly PeriodFigure[],
): Promise<readonly ClosedChange[]> => {
  const values = figures.map((name) => sql`(${literal(name)}, k.${identifier(name)}, f.${identifier(name)})`)
  return query<ClosedChange>(
    tx,
    sql`select k.period, v.figure, v.before::text, v.after::text, (v.after - v.before)::text as difference
          from (${withFigures(recordsOf(known, []), figures)}) f
          join (${recordsOf(known, figures)}) k on k.period = f.period
         cross join lateral (values ${join(values, ', ')}) v(figure, before, after)
         where v.before <> v.after order by k.period`,
  )
}

/** For `verify`: the closings whose figures are not what their version knew. */
export async function closedMisfits(tx: Queryable): Promise<string[]> {
  const closings = await query<Known & { version: number }>(
    tx,
    sql`select period, first_day::text, last_day::text, version::float8 as version, ${raw(PERIOD_FIGURES.map((name) => `${name}::text`).join())}
          from closed_period where reopened_in is null`,
  )
  const misfits: string[] = []
  for (const version of new Set(closings.map(({ version }) => version))) {
    const of = closings.filter((closing) => closing.version === version)
    await showVersion(tx, version)
    const found = await differing(tx, of, PERIOD_FIGURES)
    await showPresent(tx)
    for (const { period, figure, before, after } of found)
      misfits.push(`${period}: ${nameOf(figure)} ${before} in the closing, ${after} as known at version ${version}`)
  }
  return misfits.sort()
}

const nameOf = (figure: PeriodFigure): string => figure.replace('_', ' ')

const inWords = ({ figure, before, after, difference }: ClosedChange): string =>
  `${nameOf(figure)} was ${before} and is ${after}, ${difference.startsWith('-') ? '' : '+'}${difference}`

/** A change in one line. */
export const closedLine = (change: ClosedChange): string => `${change.period}: ${inWords(change)}`

/** The changes as warnings of one kind, if there are any. */
export const closedWarnings = (changes: readonly ClosedChange[]): WarningKind[] =>
  changes.length === 0 ? [] : [{ check: CLOSED_CHECK, count: changes.length, examples: changes.map(closedLine) }]

/** The changes as errors, which refuse a load. */
export function refuseClosed(changes: readonly ClosedChange[], problems: Problems): void {
  for (const change of changes)
    problems.add({
      ...{ file: 'closed_periods', line: 1, column: change.period, value: null, noRow: true },
      message: inWords(change),
    })
}
