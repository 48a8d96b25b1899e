/** Removes stored rows that `--replace` no longer finds in the file, and reports rows that it cannot remove. */
import { query } from '../../db/query.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import type { Transaction } from '../../ledger/write.js'
import { hasState } from '../../sqlstate.js'
import { entities } from '../entities.js'
import { type Entity, storedName } from '../entity.js'
import type { Part } from '../source.js'
import { mergeStatements } from './merge.js'
import type { Problems } from './problems.js'

/** Resolves to how many rows it removed. Adds a problem for each one that another row refers to. */
export async function removeOthers(
  tx: Transaction,
  { entity, name }: Part,
  problems: Problems,
  isKept?: Sql,
): Promise<number> {
  if (entity.key.length === 0) return 0
  const { isOther } = mergeStatements(entity, { inFileOrder: true, isKept })
  const table = identifier(entity.table)
  const remove = (more = raw('')) =>
    tx
      .savepoint((inner) => query(inner, sql`delete from ${table} t where ${isOther} ${more}`))
      .catch((error: { detail?: string }) => {
        if (!hasState(error, 'foreign_key_violation')) throw error
        return { count: undefined, detail: error.detail }
      })
  const { count } = await remove()
  if (count !== undefined) return count
  const users = await usersOf(tx, entity)
  const used = await query<{ key: string; used_by: string; total: number }>(
    tx,
    sql`with used as materialized (
          select t as stored, case ${join(
            users.map(({ refers }, i) => sql`when exists (${refers(raw('t'))}) then ${raw(`${i}`)}`),
            ' ',
          )} end as nth
            from ${table} t where ${isOther})
        select ${keyOf(entity, raw('(u.stored)'))} as key, count(*) over ()::int as total,
               case u.nth ${join(
                 users.map(({ said, refers }, i) => sql`when ${raw(`${i}`)} then (${refers(raw('(u.stored)'), said)})`),
                 ' ',
               )} end as used_by
          from used u where u.nth is not null order by 1 limit ${raw(`${problems.most}`)}`,
  )
  for (const { key, used_by } of used) {
    const message = `is no longer among the rows, but ${used_by} uses it; remove that row too, or keep this one`
    problems.add({ file: name, line: 1, column: entity.key.join(', '), value: key, message, noRow: true })
  }
  problems.count += (used[0]?.total ?? 0) - used.length
  // Remove the other rows, so that the next entity's check names only rows that a remaining row refers to.
  const unused = users.map(({ refers }) => sql`and not exists (${refers(raw('t'))})`)
  const others = await remove(join(unused, ' '))
  if (others.count !== undefined) return others.count
  const message = `cannot remove the rows that are no longer in it, because a table that is not Millbook's refers to them: ${others.detail}`
  problems.add({ file: name, line: 1, column: entity.key.join(', '), value: null, message, noRow: true })
  return 0
}

interface User {
  /** The referring row `r` in messages. */
  readonly said: Sql
  /** Selects a row that refers to this one. */
  readonly refers: (stored: Sql, said?: Sql) => Sql
}

/** Finds referring tables by the foreign keys that the loader may read, tables of entities first. */
async function usersOf(tx: Transaction, entity: Entity): Promise<readonly User[]> {
  const keys = await query<{ table: string; own: string[]; by: string[] }>(
    tx,
    sql`select c.conrelid::regclass::text as table,
               to_json(array(select a.attname::text from unnest(c.confkey) with ordinality k(number, nth)
                               join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.number order by k.nth)) as own,
               to_json(array(select a.attname::text from unnest(c.conkey) with ordinality k(number, nth)
                               join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number order by k.nth)) as by
          from pg_constraint c join pg_class r on r.oid = c.conrelid
         where c.contype = 'f' and c.confrelid = to_regclass(${literal(entity.table)})
           and has_schema_privilege(r.relnamespace, 'usage') and has_table_privilege(r.oid, 'select')
         order by c.conname`,
  )
  const place = ({ table }: { table: string }) => {
    const at = entities.findIndex((one) => one.table === table)
    return at === -1 ? entities.length : at
  }
  return keys
    .toSorted((a, b) => place(a) - place(b))
    .map(({ table, own, by }) => {
      const user = entities.find((one) => one.table === table)
      const name = literal(user?.singular ?? user?.name ?? `a row of ${table}`)
      const said = user === undefined ? name : sql`concat_ws(' ', ${name}, ${keyOf(user, raw('r'))})`
      const refers = (stored: Sql, said = raw('')) => {
        const equal = by.map((column, i) => sql`r.${identifier(column)} = ${stored}.${identifier(own[i] as string)}`)
        return sql`select ${said} from ${raw(table)} r where ${join(equal, ' and ')} ${raw(said.text === '' ? '' : 'order by 1 limit 1')}`
      }
      return { said, refers }
    })
}

/** The key of a row, as its file has it. */
function keyOf({ key, columns }: Entity, row: Sql): Sql {
  const names = key.flatMap((name) => {
    const column = columns[name]
    if (column === undefined) return []
    const stored = sql`${row}.${identifier(storedName(name, column))}`
    if (column.lookup)
      return sql`(select k.ref from (${column.lookup.ids}) k where k.id = ${stored} order by 1 limit 1)`
    return column.fallback === null ? stored : sql`nullif(${stored}::text, ${literal(column.fallback)})`
  })
  return names.length === 0 ? raw('null') : sql`concat_ws(' ', ${join(names, ', ')})`
}
