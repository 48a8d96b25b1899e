/** Checks staged rows against each other and against stored rows, with SQL made from the entity. */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import type { Entity, Rule } from '../entity.js'
import type { Missing, Problems } from './problems.js'
import { projection, s } from './projection.js'
import type { Staged } from './stage.js'

/** A value as a person writes it. */
const shown = ({ columns }: Entity, name: string): Sql =>
  columns[name]?.sqlType === 'numeric' ? sql`trim_scale(${s(name)})::text` : sql`${s(name)}::text`

interface Finding {
  readonly column: string
  readonly wrong: Sql
  readonly message: string
  readonly missing?: Missing
  readonly repeated?: true
}

/** Adds a problem for each staged row for which `wrong` holds. */
async function find(
  tx: Queryable,
  entity: Entity,
  file: string,
  problems: Problems,
  { column, wrong, message, ...more }: Finding,
): Promise<void> {
  const rows = await query<{ line: string; value: string | null; total: string }>(
    tx,
    sql`select s.line, ${column === '' ? raw('null') : shown(entity, column)} as value, count(*) over () as total
          from ${stagedRows(entity.name)} s ${projection(entity).joins} where ${wrong} order by s.line limit ${problems.most}::int`,
  )
  for (const { line, value } of rows) problems.add({ file, line: Number(line), column, value, message, ...more })
  problems.count += Math.max(0, Number(rows[0]?.total ?? 0) - rows.length)
}

/** Adds a problem for each row whose key an earlier row has. */
export async function checkRepeated(
  tx: Queryable,
  entity: Entity,
  file: string,
  { ascending }: Staged,
  problems: Problems,
): Promise<void> {
  if (ascending) return
  const twice = repeatedKeys(entity)
  const same = entity.key.map((name) => sql`e.${identifier(name)} = ${s(name)}`)
  const [any] = await query(tx, sql`${twice} limit 1`)
  if (any === undefined) return
  await find(tx, entity, file, problems, {
    column: entity.key[0] as string,
    wrong: sql`exists (select from (${twice}) e where ${join(same, ' and ')} and e.line < s.line)`,
    message: `there is an earlier row with the same ${entity.key.join(', ')}`,
    repeated: true,
  })
}

/**
 * Adds a problem for each repeated key, broken rule and missing row. References to `broken` tables, which lack rows because
 * of an earlier problem, are not checked.
 */
export async function checkStaged(
  tx: Queryable,
  entity: Entity,
  file: string,
  rows: Staged,
  broken: ReadonlySet<string>,
  problems: Problems,
): Promise<void> {
  const staged = stagedRows(entity.name)
  const { columns } = projection(entity)
  const names = Object.keys(entity.columns)
  const resolved = (name: string) => columns[names.indexOf(name)]?.value as Sql
  const report = (column: string, wrong: Sql, message: string, missing?: Missing) =>
    find(tx, entity, file, problems, { column, wrong, message, ...(missing && { missing }) })

  if (entity.key.length === 0)
    await report('', sql`s.line > (select min(line) from ${staged})`, 'there may be only one row')
  else await checkRepeated(tx, entity, file, rows, problems)

  // One pass over all rules; a pass per rule only if one is broken.
  const rules = entity.rules ?? []
  const [any] =
    rules.length === 0 ? [] : await query(tx, sql`select 1 from ${staged} s where not (${allHold(rules)}) limit 1`)
  if (any !== undefined)
    for (const { column, holds, expects } of rules) await report(column, sql`not (${holds})`, `expected ${expects}`)

  for (const [name, { lookup }] of Object.entries(entity.columns)) {
    if (lookup === undefined || broken.has(lookup.table)) continue
    await report(
      name,
      sql`${s(name)} is not null and ${resolved(name)} is null`,
      `there is no such row in ${lookup.entity}`,
      { entity: lookup.entity, by: [name], to: [] },
    )
  }
  for (const { columns: by, table, to, entity: target, zeroIsNone } of entity.references ?? []) {
    if ([table, ...by.map((name) => entity.columns[name]?.lookup?.table ?? '')].some((name) => broken.has(name)))
      continue
    const given = by.map((name) => sql`${resolved(name)} is not null`)
    if (zeroIsNone) given.push(sql`${resolved(by[0] as string)} <> 0`)
    const matches = by.map((name, i) => sql`t.${identifier(to[i] as string)} = ${resolved(name)}`)
    await report(
      by[0] as string,
      sql`${join(given, ' and ')} and not exists (select from ${identifier(table)} t where ${join(matches, ' and ')})`,
      `there is no such row in ${target}${by.length > 1 ? ` (by ${by.join(', ')})` : ''}`,
      { entity: target, by, to },
    )
  }
}

/** Selects each key that several staged rows have, with its first line: by grouping, not by a lookup per row. */
export const repeatedKeys = (entity: Entity): Sql => {
  const key = join(entity.key.map(identifier), ', ')
  return sql`select min(line) as line, ${key} from ${stagedRows(entity.name)} group by ${key} having count(*) > 1`
}

export const allHold = (rules: readonly Rule[] = []): Sql =>
  join([raw('true'), ...rules.map(({ holds }) => sql`coalesce(${holds}, true)`)], ' and ')
