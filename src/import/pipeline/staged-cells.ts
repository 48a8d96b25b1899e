/** Reads rows back from a staging table, for messages about them. */
import type { Db } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, raw, sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import type { Entity } from '../entity.js'
import type { Part } from '../source.js'
import type { Problems, RowKey } from './problems.js'

/** The cells of the staged rows in these lines, by line, and of all rows with the same key as a row in `repeated`. */
export async function stagedCells(
  db: Db,
  entity: Entity,
  lines: readonly number[],
  repeated: readonly number[] = [],
): Promise<ReadonlyMap<number, RowKey>> {
  const staged = stagedRows(entity.name)
  const names = Object.keys(entity.columns)
  const texts = names.map((name) => sql`${identifier(name)}::text`)
  const isIn = (some: readonly number[]) => sql`line = any(${some.map(String)}::bigint[])`
  const key = join(entity.key.map(identifier), ', ')
  const others =
    repeated.length === 0 ? raw('') : sql`or (${key}) in (select ${key} from ${staged} where ${isIn(repeated)})`
  const rows = await query<{ line: string; cells: (string | null)[] }>(
    db,
    sql`select line::text, to_json(array[${join(texts, ', ')}]) as cells from ${staged}
         where ${isIn(lines)} ${others} order by line`,
  )
  return new Map(
    rows.map(({ line, cells }) => [Number(line), Object.fromEntries(names.map((name, i) => [name, cells[i] ?? null]))]),
  )
}

export const keyOf = ({ key }: Entity, row: RowKey): RowKey =>
  Object.fromEntries(key.map((name) => [name, row[name] ?? null]))

/** Adds the keys of their rows to errors of staged rows. */
export async function nameRows(db: Db, parts: readonly Part[], problems: Problems): Promise<void> {
  for (const { entity, name } of parts) {
    const lines = problems.found.flatMap(({ file, line, key, noRow }) =>
      file === name && key === undefined && noRow !== true ? [line] : [],
    )
    if (lines.length === 0 || entity.key.length === 0) continue
    const rows = await stagedCells(db, entity, lines)
    problems.nameRows(name, (line) => {
      const row = rows.get(line)
      return row && keyOf(entity, row)
    })
  }
}
