/**
 * The tables that a load works on if the database is distributed: local tables of the same names, with the stored rows that
 * matter to the load. All checks and merges run on these as on one server; then the load writes the differences to the cluster.
 * The tables exist only in the load's transaction.
 */
import type { Queryable } from '../db.js'
import type { CopyRows, Wanted, Work } from '../engine.js'
import { migrations, VIEWS } from '../migrate.js'
import { identifier } from '../sql.js'
import { copies } from './copies.js'

const WORK = 'millbook_work'

/** The views of one server, which reports and checks read; a distributed database has tables in their place. */
const views = migrations.flatMap(({ name, text }) => (name === VIEWS ? [text] : [])).join('\n')

export async function openWork(tx: Queryable, { tables, copyRelevant }: Wanted): Promise<Work> {
  // One connection to each node: a node has all of a load or nothing of it.
  await tx.unsafe(`set local citus.multi_shard_modify_mode to 'sequential'; set local client_min_messages to warning`)
  const [{ schema } = { schema: 'public' }] = await tx<{ schema: string }[]>`select current_schema()::text as schema`
  const stored = (table: string) => `${identifier(schema).text}.${identifier(table).text}`
  const work = (table: string) => `${WORK}.${identifier(table).text}`
  const before = (table: string) => `${WORK}.${identifier(`before_${table}`).text}`
  const columns = await columnsOf(tx, schema)

  for (const table of tables)
    await tx.unsafe(`create unlogged table ${work(table)} (like ${stored(table)} including all excluding identity)`)
  for (const { table, column, sequence } of await identitiesOf(tx, tables))
    await tx.unsafe(`alter table ${work(table)} alter ${identifier(column).text} set default nextval('${sequence}')`)
  const copy: CopyRows = async (table, where = '') => {
    const { all } = columns(table)
    const names = all.map((name) => `t.${identifier(name).text}`).join(', ')
    await tx.unsafe(
      `insert into ${work(table)} (${list(all)}) select ${names} from ${stored(table)} t ${where}${where && ' on conflict do nothing'}`,
    )
  }
  if (copyRelevant === undefined) for (const table of tables) await copy(table)
  else await copyRelevant(tx, stored, copy)

  await tx.unsafe(`set local search_path to ${WORK}, ${identifier(schema).text}`)
  await tx.unsafe(views)
  const changing = [
    ...tables.map((table) => ({ table, rows: `select ${list(columns(table).all)} from ${work(table)}` })),
    ...copies.map(({ table, rows }) => ({ table, rows: `select ${list(columns(table).all)} from (${rows.text}) c` })),
  ]
  for (const { table, rows } of changing)
    await tx.unsafe(`create unlogged table ${before(table)} as ${rows}; analyze ${before(table)}`)
  for (const table of tables) await tx.unsafe(`analyze ${work(table)}`)
  // `not valid` checks only rows that the load writes: copied rows may refer to rows that were not copied.
  for (const { of_table, name, definition } of await tx<{ of_table: string; name: string; definition: string }[]>`
    select of_table, name, definition from millbook_work.foreign_key`)
    await tx.unsafe(
      `alter table ${work(of_table)} add constraint ${identifier(name).text} ${definition} ${copyRelevant === undefined ? '' : 'not valid'}`,
    )

  const written = new Set<string>()
  return {
    async checkCopies(rewrite) {
      if (rewrite)
        for (const { table } of copies) {
          const names = list(columns(table).all)
          await tx.unsafe(`delete from ${stored(table)}`)
          await tx.unsafe(`insert into ${stored(table)} (${names}) select ${names} from ${before(table)}`)
          written.add(table)
        }
      const found: Record<string, number> = {}
      for (const { table } of copies) {
        const local = `${WORK}.${identifier(`copy_${table}`).text}`
        const names = list(columns(table).all)
        await tx.unsafe(`create unlogged table ${local} as select ${names} from ${stored(table)}`)
        const [row] = await tx.unsafe<{ n: number }[]>(
          `select count(*)::int as n from (
             (select ${names} from ${local} except all select ${names} from ${before(table)}) union all
             (select ${names} from ${before(table)} except all select ${names} from ${local})) d`,
        )
        await tx.unsafe(`drop table ${local}`)
        found[table] = row?.n ?? 0
      }
      return found
    },
    async store() {
      for (const { table, rows } of changing) {
        const { all, key } = columns(table)
        const into = `insert into ${stored(table)} (${list(all)})`
        // Where no row was stored, all rows are new: they are not copied to be compared.
        if (await isEmpty(tx, before(table))) {
          if ((await tx.unsafe(`${into} ${rows}`)).count > 0) written.add(table)
          continue
        }
        const others = all.filter((name) => !key.includes(name))
        const set = others.map((name) => `${identifier(name).text} = excluded.${identifier(name).text}`)
        const changed = `${WORK}.${identifier(`changed_${table}`).text}`
        await tx.unsafe(`create unlogged table ${changed} as ${rows} except select ${list(all)} from ${before(table)}`)
        if (await isEmpty(tx, changed)) continue
        written.add(table)
        const conflict = `on conflict (${list(key)}) do ${set.length === 0 ? 'nothing' : `update set ${set.join(', ')}`}`
        await tx.unsafe(`${into} select ${list(all)} from ${changed} ${conflict}`)
      }
      for (const { table, rows } of changing.toReversed()) {
        if (await isEmpty(tx, before(table))) continue
        const key = list(columns(table).key)
        const removed = `${WORK}.${identifier(`removed_${table}`).text}`
        await tx.unsafe(
          `create unlogged table ${removed} as select ${key} from ${before(table)} except select ${key} from (${rows}) r`,
        )
        if (await isEmpty(tx, removed)) continue
        written.add(table)
        await tx.unsafe(`delete from ${stored(table)} where (${key}) in (select ${key} from ${removed})`)
      }
      const [made] = await tx<{ tables: string }[]>`
        select string_agg(format('%I.%I', ${WORK}::text, relname), ', ') as tables from pg_class
         where relnamespace = ${WORK}::regnamespace and relkind = 'r' and relname <> 'foreign_key'`
      await tx.unsafe(`drop table ${made?.tables} cascade`)
      await tx.unsafe(`set local search_path to ${identifier(schema).text}`)
      return [...written]
    },
  }
}

const list = (names: readonly string[]): string => names.map((name) => identifier(name).text).join(', ')

const isEmpty = async (tx: Queryable, table: string): Promise<boolean> =>
  (await tx.unsafe(`select from ${table} limit 1`)).length === 0

/** The columns of each stored table without generated ones, and the columns of its key. */
async function columnsOf(tx: Queryable, schema: string) {
  const rows = await tx<{ table: string; all: string[]; key: string[] }[]>`
    select c.relname::text as table,
           to_json(array(select a.attname::text from pg_attribute a
                          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                          order by a.attnum)) as all,
           to_json(array(select a.attname::text from pg_attribute a
                          where a.attrelid = c.oid and a.attnum = any(k.conkey))) as key
      from pg_class c join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
     where c.relnamespace = ${schema}::regnamespace`
  const known = new Map(rows.map((row) => [row.table, row]))
  return (table: string) => known.get(table) as (typeof rows)[number]
}

const identitiesOf = (tx: Queryable, tables: readonly string[]) => tx<
  { table: string; column: string; sequence: string }[]
>`
  select c.relname::text as table, a.attname::text as column,
         pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where a.attidentity <> '' and c.relname = any(${tables}) and c.relnamespace = current_schema()::regnamespace`
