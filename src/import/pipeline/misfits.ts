/** For `verify`: whether the past of every table fits its present rows, so that every version has one form of each row. */
import { identifier, join, literal, sql } from '../../db/sql.js'
import { entities } from '../entities.js'
import type { Entity } from '../entity.js'
import { keyColumns, sameKey } from '../same-key.js'

const misfitsOf = (entity: Entity) => {
  const [present, past, key] = [identifier(entity.table), identifier(`past_${entity.table}`), keyColumns(entity)]
  const shown = [literal(`${entity.name}:`), ...key.map((name) => sql`p.${identifier(name)}`)]
  return sql`
    select concat_ws(' ', ${join(shown, ', ')}) || ', known from ' || p.known_from from ${past} p
     where p.known_from >= p.known_until
        or exists (select from ${present} t where ${sameKey('t', 'p', key)} and t.known_from < p.known_until)
        or exists (select from ${past} q where ${sameKey('q', 'p', key)} and q.ctid <> p.ctid
                      and q.known_from < p.known_until and p.known_from < q.known_until)`
}

export const allMisfits = [
  {
    check: 'what was known of a row does not fit what is known of it now',
    wrong: join((entities as readonly Entity[]).map(misfitsOf), ' union all '),
  },
]
