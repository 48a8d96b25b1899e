/**
 * Stored rows that a rejected row may be a new version of, and all rows of its document: they stay as they are, and `--replace` does
 * not remove them. Of a key that cannot be read as a whole, the readable columns decide.
 */
import type { Queryable } from '../../db/connect.js'
import { insertRows } from '../../db/insert.js'
import { query } from '../../db/query.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { type KeptBy, type Loading, stagedRows } from '../checks.js'
import type { Column } from '../columns.js'
import { type Entity, storedName } from '../entity.js'
import type { Part } from '../source.js'
import { mergeStatements } from './merge.js'
import type { Problems } from './problems.js'
import { projection } from './projection.js'
import { rejectedDocuments } from './rejected-documents.js'
import type { Rejects } from './rejects.js'

/** The rejected rows of a load, with the cells that can be read. */
const rejectedRows = (entity: string): Sql => raw(`millbook_staging.rejected_${entity}`)

/** Marks the rejected rows for which these columns decide. */
const markOf = ({ columns, isDocument }: KeptBy): string => (isDocument ? 'its document' : columns.join(','))

/** Of each set of columns, a condition: that the rejected row `s` keeps the stored row `t`. */
const keepingOf = (entity: Entity, kept: readonly KeptBy[]): Sql[] => {
  const projected = projection(entity).columns
  const names = Object.keys(entity.columns)
  return kept.map((by) => {
    const equal = by.columns.map((name) => {
      const stored = identifier(storedName(name, entity.columns[name] as Column))
      return sql`t.${stored} = ${projected[names.indexOf(name)]?.value as Sql}`
    })
    return join([sql`s.kept_by = ${literal(markOf(by))}`, ...equal], ' and ')
  })
}

/** Whether a rejected row keeps the stored row `t`. */
export function isKept(entity: Entity, kept: readonly KeptBy[]): Sql {
  const { joins } = projection(entity)
  const any = keepingOf(entity, kept).map(
    (same) => sql`exists (select from ${rejectedRows(entity.name)} s ${joins} where ${same})`,
  )
  return sql`(${join([raw('false'), ...any], ' or ')})`
}

const createRejected = (tx: Queryable, entity: string) =>
  query(
    tx,
    sql`create unlogged table ${rejectedRows(entity)} as select s.*, null::text as kept_by from ${stagedRows(entity)} s where false`,
  )

/** Puts the rejected rows of a part into a table, in the transaction of the merge. */
export async function stageRejected(tx: Queryable, part: Part, rejects: Rejects): Promise<readonly KeptBy[]> {
  const { entity } = part
  const rows = rejects.of(part).map(({ line, readable }) => {
    const by = { columns: entity.key.filter((name) => readable[name] != null), isDocument: false }
    return { by, cells: { line, ...readable, kept_by: markOf(by) } }
  })
  await createRejected(tx, entity.name)
  await insertRows(
    tx,
    rejectedRows(entity.name).text,
    rows.map(({ cells }) => cells),
  )
  return [...new Map(rows.map(({ by }) => [markOf(by), by])).values()]
}

/** Adds the documents of which a row was rejected to the tables of rejected rows, for all entities of such a document. */
export async function stageRejectedDocuments(
  tx: Queryable,
  parts: readonly Part[],
  rejects: Rejects,
  kept: Map<string, readonly KeptBy[]>,
): Promise<void> {
  for (const { by, parts: ofDocument, rejected } of rejectedDocuments(parts, rejects))
    for (const { entity } of ofDocument) {
      const keptBy = { columns: by, isDocument: true }
      if (!kept.has(entity.name)) await createRejected(tx, entity.name)
      kept.set(entity.name, [...(kept.get(entity.name) ?? []), keptBy])
      const cells = [...rejected.values()].map(({ key }) => Object.fromEntries(by.map((name, i) => [name, key[i]])))
      await insertRows(
        tx,
        rejectedRows(entity.name).text,
        cells.map((one) => ({ line: 0, ...one, kept_by: markOf(keptBy) })),
      )
    }
}

/** How many stored rows stay as they are because a row of the part, or of their document, was rejected. */
export async function countKept(tx: Queryable, entity: Entity, { kept, replaced }: Loading): Promise<number> {
  const by = (kept?.get(entity.name) ?? []).filter(({ columns }) => columns.length > 0 || replaced.has(entity.name))
  if (by.length === 0) return 0
  const { isOther } = mergeStatements(entity, { inFileOrder: true })
  const [row] = await query<{ n: number }>(
    tx,
    sql`select count(*)::float8 as n from ${identifier(entity.table)} t where ${isOther} and ${isKept(entity, by)}`,
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
  const versions = (kept?.get(entity.name) ?? []).filter(({ isDocument }) => !isDocument)
  const decides = decidesOf(entity)
  if (versions.length === 0 || decides.length === 0) return
  const { joins } = projection(entity)
  const { isOther } = mergeStatements(entity, { inFileOrder: true })
  const values = (alias: string) =>
    join(
      decides.map((name) => sql`${raw(alias)}.${identifier(name)}`),
      ', ',
    )
  for (const same of keepingOf(entity, versions)) {
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
