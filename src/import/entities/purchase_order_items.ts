import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import {
  Amount,
  Code,
  Day,
  Integer,
  ItemCode,
  Optional,
  Percent,
  Price,
  Quantity,
  Text,
  WorkedOut,
} from '../columns.js'
import { orderLineConversion, TAX, TOTAL, unitColumn, unitOfItem } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { textOrItem } from '../text-or-item.js'
import { linesAddUp, lineTaxes, lineTotal, taxesAddUp } from '../totals.js'

const ENTITIES = ['purchase_orders', 'purchase_order_items', 'purchase_order_taxes'] as const

export default defineEntity({
  name: 'purchase_order_items',
  table: 'purchase_order_line',
  about: 'One row per line of a purchase order.',
  order: 90,
  key: ['po_no', 'line_no'],
  columns: {
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    line_no: Integer(1, 'Number of the line inside the order.'),
    sku: Optional(ItemCode('item_id', 'Code of the ordered item; empty for freight or a text.')),
    description: Optional(Text('Free text.'), ''),
    delivery_date: Optional(Day('Agreed delivery date of the line; empty for that of the order.')),
    qty: Quantity('Ordered quantity; negative for a line that takes back.', { smallest: 'any' }),
    rate: Price('Price of one unit before tax.', { smallest: 'any' }),
    tax_rate: Optional(Percent('Tax rate in percent.', { example: '12' }), '0'),
    taxable_amt: Amount('Amount before tax.', { smallest: 'any' }),
    tax_amt: WorkedOut(Amount(TAX, { smallest: 'any' })),
    total_amt: WorkedOut(Amount(TOTAL, { smallest: 'any' })),
    ...unitColumn,
  },
  rules: [textOrItem],
  references: [{ columns: ['po_no'], table: 'purchase_order', to: ['po_no'], entity: 'purchase_orders' }],
  changes: {
    changed: sql`
      select s.line, t.po_no, t.line_no
        from ${stagedRows('purchase_order_items')} s
        join purchase_order_line t on t.po_no = s.po_no and t.line_no = s.line_no
        left join item i on i.id = t.item_id
       where i.sku is distinct from s.sku`,
  },
  contradictions: [
    unitOfItem(
      'a line of a purchase order',
      sql`m.item_id`,
      sql`'line ' || m.line_no || ' of purchase order ' || m.po_no`,
      sql`join purchase_order_line m on m.item_id = c.item_id`,
    ),
  ],
  conversion: orderLineConversion(
    'purchase_orders',
    'purchase_order_items',
    'purchase_order_taxes',
    'purchase_order',
    'po_no',
  ),
  doubts: [
    linesAddUp(ENTITIES.slice(0, 2), 'purchase_order', ['po_no'], 'taxable_amt', 'x.taxable_amt'),
    taxesAddUp(ENTITIES, 'purchase_order', 'po_no'),
    lineTotal(ENTITIES.slice(1), 'purchase_order', ['po_no']),
    lineTaxes(ENTITIES.slice(1), 'purchase_order', ['po_no']),
  ],
  grants: businessData,
})
