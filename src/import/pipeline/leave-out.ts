/** Movements of archived years: a load leaves them out, and refuses to move one to a later year or back. */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { literal, sql } from '../../db/sql.js'
import { ledgerBegins } from '../../ledger/first-day.js'
import { stagedRows } from '../checks.js'
import type { Part } from '../source.js'
import type { Problems } from './problems.js'
import type { Staged } from './stage.js'

/** Resolves to what is left, and to what a load should warn of. */
export async function leaveOutArchived(
  tx: Queryable,
  { entity, name: file }: Part,
  staged: Staged,
  problems: Problems,
): Promise<{ staged: Staged; warning?: string }> {
  const begins = staged.rows === 0 ? undefined : await ledgerBegins(tx)
  if (begins === undefined) return { staged }
  const rows = stagedRows(entity.name)
  const day = sql`${literal(begins)}::date`
  const crossing = await query<{ line: string; from: string; to: string; total: string }>(
    tx,
    sql`select s.line, t.movement_date::text as from, s.movement_date::text as to, count(*) over () as total
          from ${rows} s join stock_movement t on t.movement_no = s.movement_no
         where (t.movement_date < ${day}) <> (s.movement_date < ${day}) order by s.line limit ${problems.most}::int`,
  )
  for (const { line, from, to } of crossing)
    problems.add({
      ...{ file, line: Number(line), column: 'movement_date', value: to },
      message: `the movement is of ${from}, and no movement can go to or from a day before ${begins}, because those are archived: book the change as movements of their own, or take the years back with millbook archive --undo`,
    })
  problems.count += Math.max(0, Number(crossing[0]?.total ?? 0) - crossing.length)
  const { count } = await query(tx, sql`delete from ${rows} s where s.movement_date < ${day}`)
  return {
    staged: { ...staged, rows: staged.rows - count, skipped: staged.skipped + count },
    ...(count > 0 && {
      warning:
        count === 1
          ? `1 of the movements is before ${begins}: it is archived, and counts as unchanged without a comparison`
          : `${count.toLocaleString('en')} of the movements are before ${begins}: they are archived, and count as unchanged without a comparison`,
    }),
  }
}
