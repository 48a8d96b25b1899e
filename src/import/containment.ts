/** Items inside items: the pairs that reveal cycles in bills of materials and combos. */
import { raw, type Sql } from '../db/sql.js'

/** The contents of products and combos; a by-product may go into its product again. */
const CONTENTS = `(select product_id as whole, component_id as part from bom_line where kind = 'Component'
                   union all select combo_id, component_id from combo_line)`

/** Selects every pair of items where the first contains the second, directly or through others. Items without contents end a chain. */
export const contained: Sql = raw(`(with recursive part(a, b) as (
          select whole, part from ${CONTENTS} x where part in (select whole from ${CONTENTS} y)),
        inside(a, b) as (select a, b from part union select i.a, p.b from inside i join part p on p.a = i.b)
        select a, b from inside)`)
