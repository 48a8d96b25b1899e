/** The SQL of a search: for each kind its best hits, as JSON texts. */
import { identifier, join, literal, raw, type Sql, sql } from '../db/sql.js'
import { casesOf } from '../kernel/report/filter.js'
import { type Caller, type Kind, kindsFor, MOST_HITS, mayOpen } from './kinds.js'

/** A row per kind that has a hit, in the order of the kinds: its hits, joined by commas. Undefined if the caller may see none. */
export function searchStatement(caller: Caller, text: string): Sql | undefined {
  const kinds = kindsFor(caller)
  if (kinds.length === 0) return undefined
  const rows = kinds.map(
    (kind, no) => sql`select ${raw(String(no))} as no, (${hitsOf(kind, text, mayOpen(caller, kind))}) as record`,
  )
  return sql`select record from (${join(rows, ' union all ')}) kinds where record is not null order by no`
}

/** Exact matches first, then matches at the beginning. */
function hitsOf(
  { kind, searched, from, id, codes = [id], label, detail, orderBy, behind }: Kind,
  text: string,
  opens: boolean,
): Sql {
  const where = (place: Place) =>
    join(
      searched.map((column) => matches(raw(column), text, place)),
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
    select string_agg(json_build_object('kind', ${literal(kind)}, 'id', h.id, 'label', h.label, 'detail', h.detail, 'codes', h.codes${open})::text, ',')
      from (select ${raw(id)} as id, ${raw(label)} as label, ${raw(detail)} as detail,
                   json_build_array(${raw(codes.join(', '))}) as codes${join(columns, '')}
              from ${raw(from)} where ${where('anywhere')}
             order by case when ${where('whole')} then 0 when ${where('beginning')} then 1 else 2 end, ${raw(orderBy)}
             limit ${raw(String(MOST_HITS))}) h`
}

type Place = 'anywhere' | 'beginning' | 'whole'

/**
 * Whether a column has the text in any case. The columns have the collation "C", in which lower() changes ASCII letters only.
 * So LIKE, which is fast, treats any other letter as a wildcard, and a slower regular expression checks the matches.
 */
function matches(column: Sql, text: string, place: Place): Sql {
  const [before, after] = [place === 'anywhere' ? '%' : '', place === 'whole' ? '' : '%']
  const letters = [...text].map((letter) => ({ letter, cases: letter <= '\x7f' ? [letter] : casesOf(letter) }))
  const like = letters.map(({ letter, cases }) =>
    cases.length > 1 ? '_' : letter.replace(/[%_\\]/, '\\$&').replace(/[A-Z]/, (ascii) => ascii.toLowerCase()),
  )
  const found = sql`lower(${column}) like ${`${before}${like.join('')}${after}`}`
  if (letters.every(({ cases }) => cases.length === 1)) return sql`(${found})`
  const regex = letters.map(({ letter, cases }) => {
    if (cases.length > 1) return `[${cases.join('')}]`
    if (/[a-z]/i.test(letter)) return `[${letter.toLowerCase()}${letter.toUpperCase()}]`
    return /[^\w\u0080-\u{10ffff}]/u.test(letter) ? `\\${letter}` : letter
  })
  const anchors = [place === 'anywhere' ? '' : '^', place === 'whole' ? '$' : '']
  return sql`(${found} and ${column} ~ ${`${anchors[0]}${regex.join('')}${anchors[1]}`})`
}
