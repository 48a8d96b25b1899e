/** Keeps the figures of closed periods, and finds which of them a load or an undo changes (docs/decisions/0051). */
import type { Engine, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, literal, raw, sql } from '../../db/sql.js'
import { watchWrites } from '../../db/written.js'
import {
  closedWithFigures,
  PERIOD_FIGURES,
  type PeriodFigure,
  periodRows,
  touchedSince,
  withFigures,
} from '../../ledger/period-figures.js'
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
          from (${withFigures(periodRows(closings, []), figures)}) f
          join (${periodRows(closings, figures)}) c on c.id = f.id
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
          select r.id, version_to_come(), ${names} from (${periodRows(changed, PERIOD_FIGURES)}) r`,
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

/** For `verify`: stored figures that differ from the data. */
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
