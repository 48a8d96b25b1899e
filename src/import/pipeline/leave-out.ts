/** Movements of archived years: a load leaves them out, and refuses to move one to a later year or back. */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { literal, raw, sql } from '../../db/sql.js'
import { hasLeft, ledgerBegins } from '../../ledger/first-day.js'
import { stagedRows, type WarningKind } from '../checks.js'
import type { Part } from '../source.js'
import { checkRepeated } from './check.js'
import type { Problems } from './problems.js'
import type { Staged } from './stage.js'

/** Resolves to what is left, and to what a load should warn of. */
export async function leaveOutArchived(
  tx: Queryable,
  { entity, name: file }: Part,
  staged: Staged,
  problems: Problems,
): Promise<{ staged: Staged; warnings: readonly WarningKind[] }> {
  const begins = staged.rows === 0 ? undefined : await ledgerBegins(tx)
  if (begins === undefined) return { staged, warnings: [] }
  const rows = stagedRows(entity.name)
  const day = sql`${literal(begins)}::date`
  const most = sql`${problems.most}::int`
  const crossing = await query<{ line: string; was: string; to: string; total: string }>(
    tx,
    sql`select s.line, coalesce('of ' || t.movement_date, 'archived') as was, s.movement_date::text as to, count(*) over () as total
          from ${rows} s left join stock_movement t on t.movement_no = s.movement_no
         where case when t.movement_no is null then s.movement_date >= ${day} and ${hasLeft(raw('s.movement_no'))}
                    else (t.movement_date < ${day}) <> (s.movement_date < ${day}) end
         order by s.line limit ${most}`,
  )
  for (const { line, was, to } of crossing)
    problems.add({
      ...{ file, line: Number(line), column: 'movement_date', value: to },
      message: `the movement is ${was}, and no movement can go to or from a day before ${begins}, because those are archived: book the change as movements of their own, or take the years back with millbook archive --undo`,
    })
  problems.count += Math.max(0, Number(crossing[0]?.total ?? 0) - crossing.length)
  const unknown = await query<{ text: string; total: string }>(
    tx,
    sql`select 'movement ' || s.movement_no || ' of ' || s.movement_date || ' is new, and is left out: days before ' || ${day} || ' are archived' as text,
               count(*) over () as total
          from ${rows} s
         where s.movement_date < ${day} and not ${hasLeft(raw('s.movement_no'))}
           and not exists (select from stock_movement t where t.movement_no = s.movement_no)
         order by s.line limit ${most}`,
  )
  // The check of all other rows could not see these.
  const [any] = await query(tx, sql`select from ${rows} s where s.movement_date < ${day} limit 1`)
  if (any !== undefined) await checkRepeated(tx, entity, file, staged, problems)
  const { count } = await query(tx, sql`delete from ${rows} s where s.movement_date < ${day}`)
  const known = count - Number(unknown[0]?.total ?? 0)
  const warnings: WarningKind[] = []
  if (unknown.length > 0)
    warnings.push({
      ...{ check: 'movements of archived years are new', count: count - known },
      examples: unknown.map(({ text }) => text),
    })
  if (known > 0)
    warnings.push({
      ...{ check: 'the file has movements of archived years', count: 1 },
      examples: [
        known === 1
          ? `1 of the movements is before ${begins}: it is archived, and counts as unchanged without a comparison`
          : `${known.toLocaleString('en')} of the movements are before ${begins}: they are archived, and count as unchanged without a comparison`,
      ],
    })
  return { staged: { ...staged, rows: staged.rows - count, skipped: staged.skipped + count }, warnings }
}
