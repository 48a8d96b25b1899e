/** For `verify`: whether the past of each table fits its present rows, so that every version has one form of each row. */
import { identifier, join, literal, raw, sql } from '../../db/sql.js'
import { entities } from '../entities.js'
import type { Entity } from '../entity.js'
import { keyColumns, sameKey } from '../same-key.js'

export const allMisfits = (entities as readonly Entity[]).map((entity) => {
  const [present, past, key] = [identifier(entity.table), identifier(`past_${entity.table}`), keyColumns(entity)]
  const shown = [literal('as known from'), raw('p.known_from'), ...key.map((name) => sql`p.${identifier(name)}`)]
  return {
    check: `the past of ${entity.name} does not fit its rows`,
    wrong: sql`
      select concat_ws(' ', ${join(shown, ', ')}) from ${past} p
       where p.known_from >= p.known_until
          or exists (select from ${present} t where ${sameKey('t', 'p', key)} and t.known_from < p.known_until)
          or exists (select from ${past} q where ${sameKey('q', 'p', key)} and q.ctid <> p.ctid
                        and q.known_from < p.known_until and p.known_from < q.known_until)`,
  }
})
