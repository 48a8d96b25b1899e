import { sql } from '../../db/sql.js'
import { changedRows, stagedRows } from '../checks.js'
import { Amount, Code, Day, Integer, Quantity, Word } from '../columns.js'
import { unitColumn, unitOfItem } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { orderLines } from './sales_order_items.js'

export default defineEntity({
  name: 'returns',
  table: 'sales_return',
  about: 'One row per returned line of a sales order. Usable goods also come back as a stock movement.',
  order: 170,
  document: true,
  key: ['order_no', 'return_no', 'order_line_no'],
  columns: {
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    return_no: Code('Number of the return.', { example: 'RT-0001' }),
    order_line_no: Integer(1, "Number of the order's line."),
    return_date: Day('Date of the return.'),
    kind: Word(['RTO', 'RTV'], 'RTO came back undelivered, RTV was sent back.'),
    usable_qty: Quantity('Went back into stock.'),
    unusable_qty: Quantity('Could not be used any more.'),
    taxable_amt: Amount('Credited amount before tax.'),
    tax_amt: Amount('Tax on it.'),
    ...unitColumn,
  },
  rules: [
    {
      column: 'usable_qty',
      holds: sql`s.usable_qty + s.unusable_qty > 0`,
      expects: 'a quantity above 0, or one in unusable_qty',
    },
  ],
  references: [
    {
      columns: ['order_no', 'order_line_no'],
      table: 'sales_order_line',
      to: ['order_no', 'line_no'],
      entity: 'sales_order_items',
    },
  ],
  joins: { o: { table: 'sales_order_line', by: { order_no: 'm.order_no', line_no: 'm.order_line_no' } } },
  contradictions: [
    unitOfItem(
      'a line of a return',
      sql`o.item_id`,
      sql`'return ' || m.return_no || ' of order ' || m.order_no`,
      sql`join sales_order_line l on l.item_id = c.item_id
          join sales_return m on m.order_no = l.order_no and m.order_line_no = l.line_no`,
      {
        entity: 'sales_order_items',
        through: sql`join sales_return m on m.order_no = c.order_no and m.order_line_no = c.line_no`,
      },
    ),
  ],
  conversion: {
    document: ['order_no', 'return_no'],
    joins: sql`
      join sales_order d on d.order_no = t.order_no
      join sales_order_line o on o.order_no = t.order_no and o.line_no = t.order_line_no`,
    // The customer was credited at the rate of the credit note, if there is one in the order's currency.
    exchangeRate: sql`
      case when d.exchange_rate is not null
           then coalesce((select n.exchange_rate from invoice n
                           where n.return_no = t.return_no and n.status <> 'Cancelled' and n.currency = d.currency
                             and coalesce(n.order_no, t.order_no) = t.order_no
                           order by n.invoice_at, n.invoice_no limit 1), d.exchange_rate) end`,
    item: sql`o.item_id`,
    needs: sql`
      select r.order_no, r.return_no from sales_order o join sales_return r on r.order_no = o.order_no
       where o.exchange_rate is not null
      union all select order_no, return_no from sales_return where unit is not null or given is not null`,
    touched: {
      sales_orders: sql`
        select r.order_no, r.return_no from ${stagedRows('sales_orders')} s join sales_return r on r.order_no = s.order_no`,
      sales_order_items: sql`
        select r.order_no, r.return_no from ${stagedRows('sales_order_items')} s
          join sales_return r on r.order_no = s.order_no and r.order_line_no = s.line_no`,
      returns: sql`select order_no, return_no from ${stagedRows('returns')}`,
      invoices: sql`
        select r.order_no, r.return_no from sales_return r join sales_order o on o.order_no = r.order_no
         where o.exchange_rate is not null
           and r.order_no in (select order_no from ${stagedRows('invoices')}
                              union all
                              select x.order_no from ${stagedRows('invoices')} s join invoice_line x on x.invoice_no = s.invoice_no)`,
      items: sql`select order_no, return_no from sales_return where unit is not null`,
      item_units: sql`select order_no, return_no from sales_return where unit is not null`,
    },
  },
  agreements: [
    {
      check: 'the usable quantity that came back on a day differs from the ledger',
      scope: {
        ...orderLines.scope,
        name: 'returned_lines',
        touched: {
          combos: orderLines.ofCombos,
          sales_order_items: sql`select order_no, line_no from ${changedRows('sales_order_items')}`,
          returns: sql`select order_no, order_line_no as line_no from ${stagedRows('returns')}`,
          stock_movements: orderLines.moved('sales_return'),
          item_units: orderLines.ofUnits,
        },
      },
      // Combos that did not come back packed are compared by their components.
      differing: (x) => sql`
        with back as (
          select x.order_no, x.line_no, x.item_id as ordered_id, r.return_date as day, x.item_id,
                 r.usable_qty::numeric as due, 0.0000 as found
            from ${x} x join sales_return r on r.order_no = x.order_no and r.order_line_no = x.line_no
          union all
          select x.order_no, x.line_no, x.item_id, m.movement_date, m.item_id, 0.0000, m.qty
            from ${x} x join order_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no
           where m.kind = 'sales_return'),
        whole as (
          select order_no, line_no, ordered_id, day, sum(due) as due, sum(found) filter (where item_id = ordered_id) as found
            from back group by 1, 2, 3, 4)
        select 'line ' || e.line_no || ' of order ' || e.order_no || ': ' || e.due || ' of ' || i.sku
               || ' came back usable on ' || e.day || ', in the ledger ' || e.found
          from (select order_no, line_no, day, item_id, sum(due) as due, sum(found) as found
                  from (select b.order_no, b.line_no, b.day, b.item_id, 0.0000 as due, b.found
                          from back b where b.item_id <> b.ordered_id
                        union all
                        select w.order_no, w.line_no, w.day, coalesce(k.component_id, w.ordered_id),
                               case when k.qty is null then w.due
                                    else round((w.due - coalesce(w.found, 0)) * k.qty, 4) end,
                               case when k.qty is null then coalesce(w.found, 0.0000) else 0.0000 end
                          from whole w left join combo_line k on k.combo_id = w.ordered_id) both_sides
                 group by 1, 2, 3, 4 having sum(due) <> sum(found)) e
          join item i on i.id = e.item_id
         order by e.order_no, e.line_no, e.day, i.sku`,
    },
  ],
  grants: businessData,
})
