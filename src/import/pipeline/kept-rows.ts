/**
 * Stored rows that a rejected row may be a new version of: they stay as they are, and `--replace` does not remove them. Of a key
 * that cannot be read as a whole, the readable columns decide.
 */
import type { Queryable } from '../../db/connect.js'
import { insertRows } from '../../db/insert.js'
import { query } from '../../db/query.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { type Loading, stagedRows } from '../checks.js'
import type { Column } from '../columns.js'
import { type Entity, storedName } from '../entity.js'
import type { Part } from '../source.js'
import { mergeStatements } from './merge.js'
import type { Problems } from './problems.js'
import { projection } from './projection.js'
import type { Rejects } from './rejects.js'

/** The readable columns of the keys of rejected rows, each set of them once. */
export type ReadableKeys = readonly (readonly string[])[]

/** The rejected rows of a load, with the cells that can be read. */
const rejectedRows = (entity: string): Sql => raw(`millbook_staging.rejected_${entity}`)

/** Of each set of readable columns, a condition: that the stored row `t` has the key of a rejected row `s`. */
const versionsOf = (entity: Entity, readable: ReadableKeys): Sql[] => {
  const { columns } = projection(entity)
  const names = Object.keys(entity.columns)
  return readable.map((key) => {
    const equal = key.map((name) => {
      const stored = identifier(storedName(name, entity.columns[name] as Column))
      return sql`t.${stored} = ${columns[names.indexOf(name)]?.value as Sql}`
    })
    return join([sql`s.readable = ${literal(key.join(','))}`, ...equal], ' and ')
  })
}

/** Whether the stored row `t` may be an earlier version of a rejected row. */
export function isKept(entity: Entity, readable: ReadableKeys): Sql {
  const { joins } = projection(entity)
  const any = versionsOf(entity, readable).map(
    (same) => sql`exists (select from ${rejectedRows(entity.name)} s ${joins} where ${same})`,
  )
  return sql`(${join([raw('false'), ...any], ' or ')})`
}

/** Puts the rejected rows of a part into a table, in the transaction of the merge. */
export async function stageRejected(tx: Queryable, part: Part, rejects: Rejects): Promise<ReadableKeys> {
  const { entity } = part
  const rows = rejects.of(part)
  const readableKey = (row: (typeof rows)[number]) => entity.key.filter((name) => row.readable[name] != null)
  const table = rejectedRows(entity.name)
  await query(
    tx,
    sql`create unlogged table ${table} as select s.*, null::text as readable from ${stagedRows(entity.name)} s where false`,
  )
  await insertRows(
    tx,
    table.text,
    rows.map((row) => ({ line: row.line, ...row.readable, readable: readableKey(row).join(',') })),
  )
  return [...new Map(rows.map((row) => [readableKey(row).join(','), readableKey(row)])).values()]
}

/** How many stored rows stay as they are because a row of the part was rejected. */
export async function countKept(tx: Queryable, entity: Entity, { kept, replaced }: Loading): Promise<number> {
  const readable = (kept?.get(entity.name) ?? []).filter((key) => key.length > 0 || replaced.has(entity.name))
  if (readable.length === 0) return 0
  const { isOther } = mergeStatements(entity, { inFileOrder: true })
  const [row] = await query<{ n: number }>(
    tx,
    sql`select count(*)::float8 as n from ${identifier(entity.table)} t where ${isOther} and ${isKept(entity, readable)}`,
  )
  return row?.n ?? 0
}

/** Columns that decide what the quantities and amounts of other rows mean. */
const decidesOf = ({ decides = [], columns }: Entity): readonly string[] => [
  ...decides,
  ...['currency', 'exchange_rate'].filter((name) => Object.hasOwn(columns, name)),
]

/** Adds a problem for each rejected row that may change what the quantities or amounts of other rows mean. */
export async function findDeciding(
  tx: Queryable,
  part: Part,
  { kept }: Loading,
  rejects: Rejects,
  problems: Problems,
): Promise<void> {
  const { entity, name: file } = part
  const readable = kept?.get(entity.name) ?? []
  const decides = decidesOf(entity)
  if (readable.length === 0 || decides.length === 0) return
  const { joins } = projection(entity)
  const { isOther } = mergeStatements(entity, { inFileOrder: true })
  const values = (alias: string) =>
    join(
      decides.map((name) => sql`${raw(alias)}.${identifier(name)}`),
      ', ',
    )
  for (const same of versionsOf(entity, readable)) {
    const rows = await query<{ line: string }>(
      tx,
      sql`select distinct s.line::text as line from ${rejectedRows(entity.name)} s ${joins}, ${identifier(entity.table)} t
           where ${same} and ${isOther} and (${values('s')}) is distinct from (${values('t')}) order by 1`,
    )
    for (const { line } of rows) {
      const key = rejects.of(part).find((row) => row.line === Number(line))?.key
      problems.add({
        ...{ file, line: Number(line), column: decides.join(', '), value: null, ...(key && { key }) },
        message: `the row cannot be rejected, because it may change ${decides.join(' or ')}, which decide what other rows mean; correct it`,
      })
    }
  }
}
