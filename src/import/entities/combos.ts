import { sql } from '../../db/sql.js'
import { ItemCode, Quantity } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'combos',
  table: 'combo_line',
  about: 'One row per item inside a combo.',
  key: ['combo', 'component'],
  columns: {
    combo: ItemCode('combo_id', 'Code of the combo.'),
    component: ItemCode('component_id', 'Code of the item inside.'),
    qty: Quantity('Quantity of it in one combo.', { smallest: 'above zero' }),
  },
  rules: [{ column: 'component', holds: sql`s.combo <> s.component`, expects: 'another item than the combo' }],
})
