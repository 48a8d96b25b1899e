/** Items inside items: the pairs that reveal cycles in bills of materials and combos. */
import { raw, type Sql } from '../db/sql.js'

/** Selects every pair of items where the first contains the second, directly or through others. Items without contents end a chain. */
export const contains = (table: string, outer: string): Sql =>
  raw(`(with recursive part(a, b) as (
          select ${outer}, component_id from ${table} x where component_id in (select ${outer} from ${table} y)),
        inside(a, b) as (select a, b from part union select i.a, p.b from inside i join part p on p.a = i.b)
        select a, b from inside)`)
