/** Warns of what real books contain: disagreements with the ledger, and documents that do not add up. */
import type { Queryable } from '../../db/connect.js'
import { join, raw, type Sql, sql } from '../../db/sql.js'
import { type Loading, stagedRows } from '../checks.js'
import { entities } from '../entities.js'
import { touchedDisagreements } from './agreements.js'

const SHOWN = 100

export interface Warnings {
  count: number
  /** The first of them. */
  first: string[]
}

export async function findWarnings(tx: Queryable, loading: Loading): Promise<Warnings> {
  const found: Warnings = { count: 0, first: [] }
  for (const statement of [...(await touchedDisagreements(tx, loading)), ...doubtsAbout(loading)]) {
    const rows = await tx.unsafe<{ warning: string; total: string }[]>(
      `select warning, count(*) over () as total from (${statement.text}) w(warning) limit ${SHOWN}`,
      statement.values as never[],
    )
    found.count += Number(rows[0]?.total ?? 0)
    found.first.push(...rows.slice(0, SHOWN - found.first.length).map((row) => row.warning))
  }
  return found
}

const doubtsAbout = ({ loaded, empty }: Loading): Sql[] =>
  entities
    .flatMap(({ doubts = [] }) => doubts)
    .flatMap((doubt) => {
      const names = doubt.entities.filter((entity) => loaded.has(entity))
      if (names.length === 0) return []
      const numbers = (column: string) =>
        join(
          names.map((entity) => sql`select s.${raw(column)} from ${stagedRows(entity)} s`),
          ' union all ',
        )
      return doubt.query((column) => (empty ? raw('true') : sql`d.${raw(column)} in (${numbers(column)})`))
    })
