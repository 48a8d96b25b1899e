/** The SQL of a search: for each kind its best hits, as JSON texts. */
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { type Caller, type Kind, kindsFor, MOST_HITS, mayOpen } from './kinds.js'

/** A row per kind that has a hit, in the order of the kinds: its hits, joined by commas. Undefined if the caller may see none. */
export function searchStatement(caller: Caller, text: string): Sql | undefined {
  const kinds = kindsFor(caller)
  if (kinds.length === 0) return undefined
  const pattern = ignoringCase(text)
  const rows = kinds.map(
    (kind, no) => sql`select ${raw(String(no))} as no, (${hitsOf(kind, pattern, mayOpen(caller, kind))}) as record`,
  )
  return sql`select record from (${join(rows, ' union all ')}) kinds where record is not null order by no`
}

/** Exact matches first, then those that begin with the text. */
function hitsOf(
  { kind, searched, from, id, label, detail, orderBy, behind }: Kind,
  pattern: string,
  opens: boolean,
): Sql {
  const like = (regex: string) =>
    join(
      searched.map((column) => sql`${raw(column)} ~ ${regex}`),
      ' or ',
    )
  const params = Object.entries(behind?.params ?? {})
  const columns = params.map(([name, column]) => sql`, ${raw(column)} as ${identifier(`param_${name}`)}`)
  const values = params.map(([name]) => sql`${literal(name)}, h.${identifier(`param_${name}`)}`)
  const open =
    behind === undefined || !opens
      ? raw('')
      : sql`, 'behind', json_build_object('report', ${literal(behind.report)}, 'params', json_build_object(${join(values, ', ')}))`
  // An aggregate over a sorted subquery keeps its order (PostgreSQL manual, 9.21).
  return sql`
    select string_agg(json_build_object('kind', ${literal(kind)}, 'id', h.id, 'label', h.label, 'detail', h.detail${open})::text, ',')
      from (select ${raw(id)} as id, ${raw(label)} as label, ${raw(detail)} as detail${join(columns, '')}
              from ${raw(from)} where ${like(pattern)}
             order by case when ${like(`^(?:${pattern})$`)} then 0 when ${like(`^(?:${pattern})`)} then 1 else 2 end, ${raw(orderBy)}
             limit ${raw(String(MOST_HITS))}) h`
}

/**
 * A regular expression for a text in any case. The columns sort by code point, and there lower() and ILIKE know the letters of
 * ASCII only.
 */
const ignoringCase = (text: string): string =>
  [...text]
    .map((letter) => {
      const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()].filter((one) => [...one].length === 1))
      if (cases.size > 1) return `[${[...cases].join('')}]`
      return /^[\x20-\x7e]$/.test(letter) && !/\w/.test(letter) ? `\\${letter}` : letter
    })
    .join('')
