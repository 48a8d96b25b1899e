/** Warns of flaws that real books contain: disagreements with the ledger, and documents that do not add up. */
import type { Queryable } from '../../db/connect.js'
import { join, raw, sql } from '../../db/sql.js'
import { type Loading, stagedRows, type WarningCheck, type WarningKind } from '../checks.js'
import { entities } from '../entities.js'
import { touchedDisagreements } from './agreements.js'

/** Examples of all kinds together. */
const SHOWN = 100

export interface Warnings {
  count: number
  /** One kind per check, each with examples: many warnings of one kind do not hide another. */
  kinds: WarningKind[]
  /** The examples of all kinds. */
  first: string[]
}

export const noWarnings = (): Warnings => ({ count: 0, kinds: [], first: [] })

/** `found` are warnings that were found already. */
export async function findWarnings(
  tx: Queryable,
  loading: Loading,
  found: readonly WarningKind[] = [],
): Promise<Warnings> {
  const kinds = [...found]
  for (const { check, wrong } of [
    ...(await touchedDisagreements(tx, loading)),
    ...doubtsAbout(loading),
    ...entities.flatMap(({ name, changes }) => (loading.loaded.has(name) && changes?.warning) || []),
  ]) {
    const rows = await tx.unsafe<{ warning: string; total: string }[]>(
      `select warning, count(*) over () as total from (${wrong.text}) w(warning) limit ${SHOWN}`,
      wrong.values as never[],
    )
    if (rows.length > 0)
      kinds.push({ check, count: Number(rows[0]?.total), examples: rows.map(({ warning }) => warning) })
  }
  return gathered(kinds)
}

/** These warnings, with as many examples of each kind as there is room for. */
export function gathered(found: readonly WarningKind[]): Warnings {
  const share = fairShare(found.map(({ examples }) => examples.length))
  const kinds = found.map((kind) => ({ ...kind, examples: kind.examples.slice(0, share) }))
  return {
    count: kinds.reduce((sum, { count }) => sum + count, 0),
    kinds,
    first: kinds.flatMap(({ examples }) => examples),
  }
}

/** The most examples per kind that keep all kinds together within `SHOWN`: a kind with fewer leaves room to others. */
function fairShare(found: readonly number[]): number {
  let [room, kinds] = [SHOWN, found.length]
  for (const number of found.toSorted((a, b) => a - b)) {
    if (number * kinds > room) return Math.max(1, Math.floor(room / kinds))
    room -= number
    kinds--
  }
  return SHOWN
}

/** For `verify`: each doubt, with a statement that selects every doubtful document as one text. */
export const allDoubts: readonly WarningCheck[] = entities
  .flatMap(({ doubts = [] }) => doubts)
  .map(({ check, query }) => ({ check, wrong: query(() => raw('true')) }))

const doubtsAbout = ({ loaded, empty }: Loading): WarningCheck[] =>
  entities
    .flatMap(({ doubts = [] }) => doubts)
    .flatMap(({ check, ...doubt }) => {
      const names = doubt.entities.filter((entity) => loaded.has(entity))
      if (names.length === 0) return []
      const numbers = (column: string) =>
        join(
          names.map((entity) => sql`select s.${raw(column)} from ${stagedRows(entity)} s`),
          ' union all ',
        )
      return {
        check,
        wrong: doubt.query((column) => (empty ? raw('true') : sql`d.${raw(column)} in (${numbers(column)})`)),
      }
    })
