/** Finds contradictions, as the entities declare them: the ones that a load would cause, or all. */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { type Cause, type Contradiction, changedRows, type Joined, type Loading, stagedRows } from '../checks.js'
import { entities } from '../entities.js'
import type { Entity } from '../entity.js'
import type { Part } from '../source.js'
import type { Problems } from './problems.js'
import { projection } from './projection.js'

const contradictions = entities.flatMap((entity) =>
  (entity.contradictions ?? []).map((contradiction) => ({ entity, contradiction })),
)

export const leftJoins = (joins: Readonly<Record<string, Joined>>): Sql =>
  raw(
    Object.entries(joins)
      .map(([alias, { table, by }]) => {
        const equal = Object.entries(by).map(([column, value]) => `${alias}.${column} = ${value}`)
        return `left join ${table} ${alias} on ${equal.join(' and ')}`
      })
      .join(' '),
  )

/** The joins and the condition that select the wrong rows among `m`. */
const wrongRows = ({ joins = {} }: Entity, { join: own = raw(''), wrong }: Contradiction): Sql =>
  sql`${leftJoins(joins)} ${own} where ${wrong}`

/** For `verify`: each check, with a statement that selects every contradiction as one text. */
export const allContradictions: readonly { readonly check: string; readonly wrong: Sql }[] = contradictions.map(
  ({ entity, contradiction }) => ({
    check: contradiction.check,
    wrong: sql`select distinct ${contradiction.message} as message
                 from ${identifier(entity.table)} m ${wrongRows(entity, contradiction)}`,
  }),
)

/** To be called after the merge: adds a problem for each contradiction that the load would cause. */
export async function findContradictions(
  tx: Queryable,
  parts: readonly Part[],
  { loaded, checked }: Loading,
  problems: Problems,
): Promise<void> {
  for (const { entity, contradiction } of contradictions) {
    const causes = causesOf(entity, contradiction).filter(
      (cause) => loaded.has(cause.entity) && !checked.has(cause.entity),
    )
    if (causes.length === 0) continue
    const suspects = causes.map((cause, rank) => suspectsOf(entity, cause, rank))
    const rows = await query<{ rank: number; line: string | null; value: string | null; message: string; n: string }>(
      tx,
      sql`select *, count(*) over () as n
            from (select distinct on (message) *
                    from (select m.rank, m.line, m.value, ${contradiction.message} as message
                            from (${join(suspects, ' union all ')}) m ${wrongRows(entity, contradiction)}) found
                   order by message, rank, line) each
           order by rank, line, message limit ${problems.most}::int`,
    )
    for (const { rank, line, value, message } of rows) {
      const { entity: name, column } = causes[rank] as OwnOrOther
      const file = parts.find((part) => part.entity.name === name)?.name ?? name
      problems.add({ file, line: Number(line ?? 1), column, value, message, ...(line === null && { noRow: true }) })
    }
    problems.count += Math.max(0, Number(rows[0]?.n ?? 0) - rows.length)
  }
}

/** The entity's own rows, or a change of another entity. */
type OwnOrOther = Omit<Cause, 'through'> & { readonly through?: Sql }

const causesOf = (entity: Entity, { column, causes = [] }: Contradiction): OwnOrOther[] =>
  column === undefined ? [] : [{ entity: entity.name, column }, ...causes]

/** The entity's rows `m` that a cause brings or concerns, each with the line and the value to show. */
function suspectsOf(entity: Entity, { entity: name, column, through }: OwnOrOther, rank: number): Sql {
  const { joins, columns } = projection(entity)
  const head = sql`select ${raw(String(rank))} as rank, s.line, s.${raw(column)}::text as value`
  const rest = (of: (column: (typeof columns)[number]) => Sql) => join(columns.map(of), ', ')
  return through === undefined
    ? sql`${head}, ${rest(({ stored, value }) => sql`${value} as ${stored}`)} from ${stagedRows(name)} s ${joins}`
    : sql`${head}, ${rest(({ stored }) => sql`m.${stored}`)}
            from ${changedRows(name)} c left join ${stagedRows(name)} s on s.line = c.line ${through}`
}
