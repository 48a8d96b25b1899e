/** References that no foreign key enforces: the loader and `verify` look for rows that refer to nothing. */
import type { Queryable } from '../../db/connect.js'
import { identifier, join, type Sql, sql } from '../../db/sql.js'
import type { Column } from '../columns.js'
import { entities } from '../entities.js'
import { type Entity, type Reference, storedName } from '../entity.js'
import type { Part } from '../source.js'
import type { Problems } from './problems.js'

interface LooseReference {
  /** The name of a referring row in messages. */
  readonly row: string
  /** The first column that refers. */
  readonly column: string
  /** All columns that refer, as messages show them. */
  readonly columns: string
  /** The entity that the row refers to. */
  readonly entity: string
  /** Selects the key and the `value` of the rows that refer to nothing. */
  readonly dangling: Sql
}

const looseReference = (entity: Entity, { columns, table, to, entity: target }: Reference): LooseReference => {
  const stored = columns.map((name) => identifier(storedName(name, entity.columns[name] as Column)))
  const first = stored[0] as Sql
  const shown = columns.flatMap((name, i) => (entity.columns[name]?.lookup ? [] : [sql`m.${stored[i] as Sql}`]))
  const equal = stored.map((column, i) => sql`t.${identifier(to[i] as string)} = m.${column}`)
  return {
    row: entity.singular ?? entity.name,
    column: columns[0] as string,
    columns: columns.filter((name) => !entity.columns[name]?.lookup).join(', '),
    entity: target,
    dangling: sql`
      select m.${identifier(entity.key[0] as string)} as key, concat_ws(' ', ${join(shown, ', ')}) as value from ${identifier(entity.table)} m
       where m.${first} is not null
         and not exists (select from ${identifier(table)} t where ${join(equal, ' and ')})`,
  }
}

const looseReferences = entities.flatMap((entity) =>
  (entity.references ?? []).flatMap((reference) => (reference.noForeignKey ? looseReference(entity, reference) : [])),
)

/** For `verify`: each check, with a statement that selects every dangling reference as one text. */
export const allDangling: readonly { readonly check: string; readonly wrong: Sql }[] = looseReferences.map(
  ({ row, column, entity, dangling }) => ({
    check: `a ${row}’s ${column} is not in ${entity}`,
    wrong: sql`select d.key || ': ' || d.value from (${dangling}) d`,
  }),
)

/** To be called after rows of these entities were removed: adds a problem for each row that still refers to one of them. */
export async function findDangling(
  tx: Queryable,
  parts: readonly Part[],
  removed: ReadonlySet<string>,
  problems: Problems,
): Promise<void> {
  for (const { row, columns, entity, dangling } of looseReferences) {
    if (!removed.has(entity)) continue
    const rows = await tx.unsafe<{ key: string; value: string; total: string }[]>(
      `select d.*, count(*) over () as total from (${dangling.text}) d order by d.key limit ${problems.most}`,
    )
    const file = parts.find((part) => part.entity.name === entity)?.name ?? entity
    for (const { key, value } of rows)
      problems.add({
        ...{ file, line: 1, column: columns, value },
        message: `${row} ${key} refers to it, so it cannot be removed`,
        noRow: true,
      })
    problems.count += Math.max(0, Number(rows[0]?.total ?? 0) - rows.length)
  }
}
