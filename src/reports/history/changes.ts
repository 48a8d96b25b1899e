/** What loads changed in the business data: each row that is new, gone or changed, load by load. */
import { Computed, identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { Problem } from '../../errors.js'
import { groups } from '../../groups.js'
import { entities } from '../../import/entities.js'
import { type Entity, storedName } from '../../import/entity.js'
import { CHANGES } from '../../kernel/report/difference.js'
import {
  ClockTime24,
  Differences,
  Integer,
  InWords,
  KeyObject,
  OrNull,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { OneOf, Optional, type Param, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import type { View } from '../../kernel/report/rights.js'
import { asWritten } from '../shared/words.js'

const MOST = 999_999_999
const names = entities.map(({ name }) => name)

const Version = (description: string, leftOut: string, example: number): Param<number | undefined> =>
  Optional({
    type: { kind: 'whole-number', wire: 'number', smallest: 0, largest: MOST },
    description,
    expects: 'the number of a version of the data, from 0',
    required: true,
    read(value) {
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
      return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= MOST
        ? number
        : undefined
    },
    leftOut,
    example,
  })

const request = {
  from_version: Version(
    'Only changes after this version; the version before `to_version` by default.',
    'the one before',
    0,
  ),
  to_version: Version('Only changes up to this version, inclusive; the present one by default.', 'the last load', 1),
  entity: Optional(OneOf(names, 'Only rows of this import file.', asWritten(names))),
  key: Optional(
    TextParam(
      'Only rows with this value in their key: the number of an invoice finds the invoice and its lines, the code of an item everything that has the code in its key.',
      'INV/26-27/000001',
    ),
  ),
}

interface Asked {
  readonly from_version: number | undefined
  readonly to_version: number | undefined
  readonly entity: string | undefined
  readonly key: string | undefined
}

const refused = (field: string, message: string) => new Problem('invalid-parameters', { errors: [{ field, message }] })

/** The versions that are asked for: one row. Refuses versions to come, and those whose changes are not kept. */
const span = ({ from_version, to_version }: Asked) =>
  new Computed({
    name: 'history span 1',
    given: { from_version, to_version },
    reads: {
      state: {
        columns: ['present', 'oldest'],
        query: sql`select coalesce(nullif(current_setting('millbook.as_known', true), '')::bigint, d.version) as present, h.oldest
                     from data_version d cross join history h`,
      },
    },
    compute: ({ state }) => {
      const { present, oldest } = state?.[0] ?? {}
      const last = to_version ?? Number(present)
      const first = from_version ?? Math.max(last - 1, 0)
      for (const [field, version] of Object.entries({ from_version, to_version }))
        if (version !== undefined && version > Number(present))
          throw refused(
            field,
            `must be a version that was loaded; the present one is ${present}, and ${version} is to come`,
          )
      if (first > last) throw refused('from_version', `must not be after to_version (${last}), but is ${first}`)
      if (first < last && first < Number(oldest))
        throw new Problem('gone', {
          detail: `What was changed then is not kept; changes after version ${oldest} are. Ask with from_version=${oldest} or a later one.`,
        })
      return [{ first, last }]
    },
  })

/** Phone numbers, email addresses and persons, which some callers must not see. */
const isContact = (name: string): boolean => /(^|_)(phone|email|contact_person)$/.test(name)

/** The columns that people know from the import file, and what the row was before the loader converted it. */
const shownColumns = ({ columns, key, conversion }: Entity, { hideContacts }: View): string[] =>
  [...Object.keys(columns), ...(conversion ? ['given'] : [])].filter(
    (name) => !key.includes(name) && !(hideContacts && isContact(name)),
  )

/** The value of a column of the row `k`, as the import file has it: the code of a master in place of its id. */
function cellOf({ columns }: Entity, name: string): Sql {
  const column = columns[name]
  const stored = sql`k.${identifier(column === undefined ? name : storedName(name, column))}`
  const table = column?.lookup?.table
  if (table === undefined) return column?.sqlType === 'text[]' ? sql`array_to_string(${stored}, '|')` : stored
  const code = { item: 'sku', warehouse: 'location' }[table]
  if (code === undefined) throw new Error(`what is the code of a ${table}?`)
  return sql`(select m.${identifier(code)} from millbook_as_known.${identifier(`ever_${table}`)} m where m.id = ${stored}
               order by m.known_from desc limit 1)`
}

/** Whether a text stands in the key of the row `k`. */
function hasInKey({ columns, key }: Entity, text: string): Sql {
  const conditions = key.flatMap((name) => {
    const column = columns[name]
    if (column === undefined || !column.sqlType.startsWith('text')) return []
    const stored = sql`k.${identifier(storedName(name, column))}`
    if (column.lookup === undefined) return sql`${stored} = ${text}`
    return sql`${stored} in (select m.id from millbook_as_known.ever_item m where m.sku = ${text})`
  })
  return conditions.length === 0 ? raw('false') : join(conditions, ' or ')
}

const FIELDS_AT_A_TIME = 40

/** The row `k` twice: as it became at one version, and as it was until another one. */
function rowsOf(entity: Entity, { entity: only, key }: Asked, view: View): Sql {
  const parts = entity.key.map(
    (name) => sql`${literal(`${JSON.stringify(name)}:`)} || to_json(${cellOf(entity, name)})::text`,
  )
  const shown = shownColumns(entity, view)
  const objects: Sql[] = []
  for (let i = 0; i < shown.length; i += FIELDS_AT_A_TIME) {
    const members = shown
      .slice(i, i + FIELDS_AT_A_TIME)
      .map((name) => sql`${literal(name)}, ${cellOf(entity, name)}::text`)
    objects.push(sql`jsonb_build_object(${join(members, ', ')})`)
  }
  return sql`
    select v.version, v.is_after, ${literal(entity.name)} as entity,
           '{' || ${parts.length === 0 ? literal('') : join(parts, ` || ',' || `)} || '}' as key,
           ${join(objects, ' || ')} as shown
      from millbook_as_known.${identifier(`ever_${entity.table}`)} k cross join span
     cross join lateral (values (k.known_from, true), (k.known_until, false)) v(version, is_after)
     where (${only ?? null}::text is null or ${only ?? null} = ${literal(entity.name)})
       and (k.known_from > span.first and k.known_from <= span.last or k.known_until > span.first and k.known_until <= span.last)
       and v.version > span.first and v.version <= span.last
       ${key === undefined ? raw('') : sql`and (${hasInKey(entity, key)})`}`
}

export default defineReport({
  id: 'history.changes',
  method: 'POST',
  path: '/v1/history/changes',
  title: 'What loads changed',
  summary: 'What loads changed, row by row',
  askedAs: [
    'what an import or load changed',
    'who changed a document, row or number and when',
    'audit of data: rows added, changed or removed afterwards',
  ],
  description: `One record per row of the business data and version that made it \`new\`, \`changed\` it, or after which it is \`gone\`, ordered by \`version\`,
\`entity\` and \`key\`. \`from_version\` and \`to_version\` choose the versions, the first exclusive and the second inclusive: without them, the changes of
the last load. A pull, an undo and a change by hand in SQL are loads here too. A row whose key changed is gone and new.

\`entity\` is the import file that has the row, and the fields have the names of its columns. Values are as they are stored: amounts in the
account's currency, quantities in the item's unit, and \`given\` what the file said where that differs.

Changes are kept as long as the past (\`serve --history-days\`): 410 for a version before. To see what differs in a report, ask that report
with \`against\`.`,
  cost: 10,
  request,
  perPage: 100,
  needs: () => groups.filter((group) => group !== 'history'),
  record: {
    version: Integer('The version of the data that the load made.'),
    loaded_at: OrNull(ClockTime24('When it was loaded, in the time zone of the account.')),
    actor: OrNull(Text('Who loaded; null for a change by hand, or when the log of loads no longer has it.')),
    source: OrNull(Text('The file or the system that it came from; null likewise.')),
    entity: InWords(Word(names, 'The import file that has the row.'), asWritten(names)),
    key: KeyObject('The key of the row, by the columns of the import file.'),
    change: InWords(Word(CHANGES, '`new`, `gone` or `changed`.'), asWritten(CHANGES)),
    fields: Differences(
      'The fields that differ, each with `before` and `after`, as texts; of a row that is new or gone, all that have a value.',
    ),
  },
  people: ['version', 'loaded_at', 'entity', 'key', 'change', 'fields', 'actor', 'source'],
  headings: { version: 'Load', entity: 'File', fields: 'Before and after' },
  orderBy: ['version', 'entity', 'key'],
  query: (asked, view) => sql`
    with span as (select first, last from json_to_recordset(${span(asked)}::text::json) s(first integer, last integer)),
         side as (${join(
           entities.map((entity) => rowsOf(entity, asked, view)),
           ' union all ',
         )}),
         row_change as (select version, entity, key, (array_agg(shown) filter (where not is_after))[1] as before,
                               (array_agg(shown) filter (where is_after))[1] as after
                          from side group by version, entity, key)
    select c.version, (k.committed_at at time zone a.time_zone) as loaded_at, l.actor,
           l.source[1] || case when cardinality(l.source) > 1 then ' and ' || cardinality(l.source) - 1 || ' more' else '' end as source,
           c.entity, c.key collate "C" as key,
           case when c.before is null then 'new' when c.after is null then 'gone' else 'changed' end as change,
           (select '{' || coalesce(string_agg(to_json(n.name)::text || ':{"before":' || coalesce(to_json(c.before ->> n.name)::text, 'null')
                                     || ',"after":' || coalesce(to_json(c.after ->> n.name)::text, 'null') || '}', ',' order by n.i), '') || '}'
              from unnest(o.names) with ordinality n(name, i)
             where c.before ->> n.name is distinct from c.after ->> n.name) as fields
      from row_change c
      join (values ${join(
        entities.map((entity) => sql`(${literal(entity.name)}, ${shownColumns(entity, view)}::text[])`),
        ', ',
      )}) o(entity, names) on o.entity = c.entity
      left join known_version k on k.version = c.version
      left join load_log l on l.version = c.version
     cross join account a
     where c.before is distinct from c.after`,
})
