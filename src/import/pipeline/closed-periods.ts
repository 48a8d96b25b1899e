/** Keeps the figures of closed periods, and finds which of them a load or an undo changes (docs/decisions/0051). */
import type { Engine, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { watchWrites } from '../../db/written.js'
import { closedWithFigures, PERIOD_FIGURES, type PeriodFigure, withFigures } from '../../ledger/period-figures.js'
import { lockClosings, showPresent, showVersion } from '../../store/history.js'
import type { ClosedChange, WarningKind } from '../checks.js'
import type { Problems } from './problems.js'

/** The name of these warnings. */
export const CLOSED_CHECK = 'a figure of a closed period changes'

/** A closing with figures. */
type Closing = {
  readonly id: number
  readonly period: string
  readonly version: number
  readonly first_day: string
  readonly last_day: string
} & Readonly<Record<PeriodFigure, string>>

/**
 * To be called before a transaction with `beginVersion` writes anything. The returned function, to be called when everything is written,
 * keeps the changed figures and resolves to them.
 */
export async function watchClosed(tx: Queryable, engine: Engine): Promise<() => Promise<readonly ClosedChange[]>> {
  if (!engine.keepsHistory) return async () => []
  const written = await watchWrites(tx)
  return async () => {
    await lockClosings(tx, 'load')
    const closings = await closingsWith(tx, 'f')
    if (closings.length === 0 || (await written())?.length === 0) return []
    const [now] = await tx<{ version: number }[]>`select version::float8 as version from data_version`
    const changes: ClosedChange[] = []
    for (const [figures, touched] of await touchedSince(tx, now?.version ?? 0, closings))
      changes.push(...(await differing(tx, touched, figures)))
    await keep(tx, closings, changes)
    return changes.sort((a, b) => (a.period < b.period ? -1 : a.period > b.period ? 1 : 0))
  }
}

/** To be called in a transaction that wrote data by other ways than a load: computes and keeps all figures. */
export async function keepAllClosed(tx: Queryable): Promise<void> {
  await lockClosings(tx, 'load')
  const closings = await closingsWith(tx, 'f')
  await keep(tx, closings, await differing(tx, closings, PERIOD_FIGURES))
}

/** The closed periods, with the figures of their closing `c`, or as they became `f`. */
const closingsWith = (tx: Queryable, of: 'c' | 'f'): Promise<readonly Closing[]> =>
  query<Closing>(
    tx,
    sql`select c.id, c.period, c.version::float8 as version, c.first_day::text, c.last_day::text,
               ${raw(PERIOD_FIGURES.map((name) => `${of}.${name}::text`).join())}
          from ${closedWithFigures} where c.reopened_in is null order by c.period`,
  )

/** By figures: the closings in which a row counts that was written after a version. */
async function touchedSince(
  tx: Queryable,
  version: number,
  closings: readonly Closing[],
): Promise<readonly (readonly [readonly PeriodFigure[], readonly Closing[]])[]> {
  /** The rows that are no longer as that version had them: as they are, and as they were. */
  const written = (table: string, columns: string): Sql => sql`(
    select ${raw(columns)} from ${identifier(table)} where known_from > ${version}::int
    union all
    select ${raw(columns)} from ${identifier(`past_${table}`)} where known_until > ${version}::int)`
  // The profit of an invoice depends on the issues, the returns and the other invoices of its orders.
  const touched = await query<{ id: number; stock: boolean; documents: boolean }>(
    tx,
    sql`
    with movement as materialized (select * from ${written('stock_movement', 'movement_date, order_no, invoice_no')} m),
    combo as (
      select i.id from item i join past_item p on p.id = i.id and p.known_until > ${version}::int where p.type <> i.type
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
    select c.id, exists (select from movement m where m.movement_date <= c.last_day) as stock,
           exists (select from day d where d.day between c.first_day and c.last_day) as documents
      from (${rowsOf(closings, [])}) c`,
  )
  const are = (name: 'stock' | 'documents') =>
    closings.filter(({ id }) => touched.some((one) => one.id === id && one[name]))
  return [
    [['stock_value'], are('stock')],
    [['sales', 'margin', 'purchases'], are('documents')],
  ]
}

const rowsOf = (closings: readonly object[], figures: readonly string[]): Sql => sql`
  select * from json_to_recordset(${JSON.stringify(closings)}::text::json)
    as r(id integer, period text, first_day date, last_day date${raw(figures.map((name) => `, ${name} numeric`).join(''))})`

/** The figures of closings that differ in the rows that the transaction sees. */
async function differing(
  tx: Queryable,
  closings: readonly Closing[],
  figures: readonly PeriodFigure[],
): Promise<readonly ClosedChange[]> {
  if (closings.length === 0) return []
  const values = figures.map((name) => sql`(${literal(name)}, c.${identifier(name)}, f.${identifier(name)})`)
  return await query<ClosedChange>(
    tx,
    sql`select c.period, v.figure, v.before::text, v.after::text, (v.after - v.before)::text as difference
          from (${withFigures(rowsOf(closings, []), figures)}) f
          join (${rowsOf(closings, figures)}) c on c.id = f.id
         cross join lateral (values ${join(values, ', ')}) v(figure, before, after)
         where v.before <> v.after order by c.period`,
  )
}

/** Stores the figures of changed closings, for the version to come. */
async function keep(tx: Queryable, closings: readonly Closing[], changes: readonly ClosedChange[]): Promise<void> {
  const names = raw(PERIOD_FIGURES.join())
  const changed = closings.flatMap((closing) => {
    const own = changes.filter(({ period }) => period === closing.period)
    return own.length === 0 ? [] : { ...closing, ...Object.fromEntries(own.map((one) => [one.figure, one.after])) }
  })
  if (changed.length > 0)
    await query(
      tx,
      sql`insert into closed_figure (closing, version, ${names})
          select r.id, version_to_come(), ${names} from (${rowsOf(changed, PERIOD_FIGURES)}) r`,
    )
}

/** For `verify`: the closings whose figures are not what their version knew. */
export async function wronglyClosed(tx: Queryable): Promise<string[]> {
  const closings = await closingsWith(tx, 'c')
  const wrong: string[] = []
  const add = (found: readonly ClosedChange[], version: number) => {
    for (const { period, figure, before, after } of found)
      wrong.push(`${period}: ${nameOf(figure)} ${before} in the closing, ${after} as known at version ${version}`)
  }
  for (const version of new Set(closings.map((closing) => closing.version))) {
    const own = closings.filter((closing) => closing.version === version)
    for (const [figures, touched] of await touchedSince(tx, version, own)) {
      // What nothing has touched since is faster to compute from the present rows.
      const others = own.filter((closing) => !touched.includes(closing))
      add(await differing(tx, others, figures), version)
      await showVersion(tx, version)
      add(await differing(tx, touched, figures), version)
      await showPresent(tx)
    }
  }
  return wrong.sort()
}

/** For `verify`: the kept figures that are not those of the data. */
export const staleFigures = async (tx: Queryable): Promise<string[]> =>
  (await differing(tx, await closingsWith(tx, 'f'), PERIOD_FIGURES)).map(
    ({ period, figure, before, after }) => `${period}: ${nameOf(figure)} ${before} is kept, it is ${after}`,
  )

const nameOf = (figure: PeriodFigure): string => figure.replace('_', ' ')

const inWords = ({ figure, before, after, difference }: ClosedChange): string =>
  `${nameOf(figure)} was ${before} and is ${after}, ${difference.startsWith('-') ? '' : '+'}${difference}`

/** A change in one line. */
export const closedLine = (change: ClosedChange): string => `${change.period}: ${inWords(change)}`

/** The changes as warnings of one kind, if there are any. */
export const closedWarnings = (changes: readonly ClosedChange[]): WarningKind[] =>
  changes.length === 0
    ? []
    : [
        {
          ...{ kind: 'closed-period', check: CLOSED_CHECK, count: changes.length },
          ...{ examples: changes.map(closedLine), changes },
        },
      ]

/** The changes as errors, which refuse a load. */
export function refuseClosed(changes: readonly ClosedChange[], problems: Problems): void {
  for (const change of changes)
    problems.add({
      ...{ file: 'closed periods', line: 0, column: change.period, value: null, noRow: true },
      message: `${inWords(change)}; to accept it, load without --refuse-closed`,
    })
}
