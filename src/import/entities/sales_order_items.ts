import { raw, type Sql, sql } from '../../db/sql.js'
import { changedRows, stagedRows } from '../checks.js'
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
  WarehouseName,
  WorkedOut,
} from '../columns.js'
import { orderLineConversion, TAX, TOTAL, unitColumn, unitOfItem } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { textOrItem } from '../text-or-item.js'
import { linesAddUp, lineTaxes, lineTotal, taxesAddUp } from '../totals.js'

const ENTITIES = ['sales_orders', 'sales_order_items', 'sales_order_taxes'] as const

/** Order lines as the scope of a check, and the ones that combos, units and movements touch. */
export const orderLines = {
  scope: {
    all: sql`select order_no, line_no, item_id, qty from sales_order_line`,
    each: (touched: Sql) => sql`
      select l.order_no, l.line_no, l.item_id, l.qty
        from sales_order_line l where (l.order_no, l.line_no) in (select order_no, line_no from (${touched}) x)`,
  },
  ofCombos: sql`
    select l.order_no, l.line_no from ${changedRows('combos')} c join sales_order_line l on l.item_id = c.combo_id`,
  ofUnits: sql`
    select l.order_no, l.line_no from ${changedRows('item_units')} c join sales_order_line l on l.item_id = c.item_id`,
  moved: (kind: 'issue' | 'sales_return') => sql`
    select order_no, order_line_no as line_no from ${stagedRows('stock_movements')}
     where kind = ${raw(`'${kind}'`)} and order_no is not null
    union all
    select order_no, order_line_no from ${changedRows('stock_movements')}
     where kind = ${raw(`'${kind}'`)} and order_no is not null`,
}

export default defineEntity({
  name: 'sales_order_items',
  table: 'sales_order_line',
  about: 'One row per line of a sales order.',
  order: 160,
  key: ['order_no', 'line_no'],
  columns: {
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    line_no: Integer(1, 'Number of the line inside the order.'),
    sku: Optional(ItemCode('item_id', 'Code of the ordered item; empty for freight or a text.')),
    description: Optional(Text('Free text.'), ''),
    delivery_date: Optional(Day('Agreed delivery date of the line.')),
    warehouse: Optional(WarehouseName('Where the line is dispatched from; empty for the warehouse of the order.')),
    qty: Quantity('Ordered quantity; negative for a line that takes back.', { smallest: 'any' }),
    delivered_qty: Optional(
      Quantity('Quantity delivered without a stock movement, which counts as issued.', { smallest: 'any' }),
    ),
    mrp: Optional(Price('Maximum retail price.'), '0'),
    rate: Price('Price of one unit before discount and tax.', { smallest: 'any' }),
    discount_per: Optional(Percent('Discount in percent.', { example: '5' }), '0'),
    discount_amt: Optional(Amount('Discount on the line.', { smallest: 'any' }), '0'),
    effective_rate: Price('Price of one unit after discount, before tax.', { smallest: 'any' }),
    tax_rate: Optional(Percent('Tax rate in percent.', { example: '12' }), '0'),
    taxable_amt: Amount('Amount after discount, before tax.', { smallest: 'any' }),
    tax_amt: WorkedOut(Amount(TAX, { smallest: 'any' })),
    total_amt: WorkedOut(Amount(TOTAL, { smallest: 'any' })),
    ...unitColumn,
  },
  rules: [textOrItem],
  references: [{ columns: ['order_no'], table: 'sales_order', to: ['order_no'], entity: 'sales_orders' }],
  changes: {
    changed: sql`
      select s.line, t.order_no, t.line_no
        from ${stagedRows('sales_order_items')} s
        join sales_order_line t on t.order_no = s.order_no and t.line_no = s.line_no
        left join item i on i.id = t.item_id
       where i.sku is distinct from s.sku`,
  },
  contradictions: [
    unitOfItem(
      'a line of a sales order',
      sql`m.item_id`,
      sql`'line ' || m.line_no || ' of order ' || m.order_no`,
      sql`join sales_order_line m on m.item_id = c.item_id`,
    ),
  ],
  conversion: orderLineConversion('sales_orders', 'sales_order_items', 'sales_order_taxes', 'sales_order', 'order_no'),
  doubts: [
    linesAddUp(ENTITIES.slice(0, 2), 'sales_order', ['order_no'], 'taxable_amt', 'x.taxable_amt'),
    taxesAddUp(ENTITIES, 'sales_order', 'order_no'),
    lineTotal(ENTITIES.slice(1), 'sales_order', ['order_no']),
    lineTaxes(ENTITIES.slice(1), 'sales_order', ['order_no']),
  ],
  grants: businessData,
})
