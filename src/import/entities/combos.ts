import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import { ItemCode, Quantity } from '../columns.js'
import { contained } from '../containment.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'combos',
  table: 'combo_line',
  about: 'One row per item inside a combo.',
  order: 50,
  key: ['combo', 'component'],
  columns: {
    combo: ItemCode('combo_id', 'Code of the combo.'),
    component: ItemCode('component_id', 'Code of the item inside.'),
    qty: Quantity('Quantity of it in one combo.', { smallest: 'above zero' }),
  },
  rules: [{ column: 'component', holds: sql`s.combo <> s.component`, expects: 'another item than the combo' }],
  changes: {
    changed: sql`
      select s.line, c.id as combo_id
        from ${stagedRows('combos')} s join item c on c.sku = s.combo left join item p on p.sku = s.component
        left join combo_line t on t.combo_id = c.id and t.component_id = p.id
       where t.qty is distinct from s.qty and exists (select from sales_order_line l where l.item_id = c.id)`,
    removed: sql`
      select null, t.combo_id
        from combo_line t join item c on c.id = t.combo_id join item p on p.id = t.component_id
       where not exists (select from ${stagedRows('combos')} s where s.combo = c.sku and s.component = p.sku)`,
  },
  joins: {
    a: { table: 'item', by: { id: 'm.combo_id' } },
    b: { table: 'item', by: { id: 'm.component_id' } },
  },
  contradictions: [
    {
      check: 'an item that is no combo has items inside',
      column: 'combo',
      causes: [{ entity: 'items', column: 'type', through: sql`join combo_line m on m.combo_id = c.item_id` }],
      wrong: sql`a.type <> 'COMBO'`,
      message: sql`a.sku || ' has ' || b.sku || ' inside, and is of type ' || a.type || ', not COMBO'`,
    },
    {
      check: 'a combo is inside itself, directly or through other items',
      column: 'component',
      wrong: sql`(m.component_id, m.combo_id) in ${contained}`,
      message: sql`a.sku || ' contains ' || b.sku || ', which contains ' || a.sku || ' in its turn'`,
    },
  ],
  grants: businessData,
})
