/** Performance towards customers: whether their orders were dispatched in full and on time, and what came back. */
import { quotient, raw, type Sql, sql } from '../../db/sql.js'
import { Decimal, Naming, NotAdditive, OrNull, Text } from '../../kernel/report/fields.js'
import { dateRange } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { deliveryColumns, deliveryFields, deliveryMeaning } from '../shared/insight.js'
import { customer } from '../shared/things.js'
import { today } from '../shared/words.js'

export default defineReport({
  id: 'insight.customer-performance',
  method: 'POST',
  path: '/v1/insight/customer-performance',
  title: 'Customer performance',
  summary: 'Whether the orders of customers are dispatched in full and on time',
  askedAs: ['do we deliver to customers on time and in full', 'late dispatches, service level, OTIF by customer'],
  description: `One record per customer with a line of a sales order that was promised in the range, ordered by \`code\`; orders without a customer have an empty
\`code\`. The promised day is the delivery date of the line, or the expected dispatch of its order. ${deliveryMeaning}

A line is in full if issues up to today cover what was ordered, and on time if the issue that completed it came by the promised day. For a combo, the
whole combos count that the issues of its components cover. A quantity that a line states as delivered without stock has no day: it counts
before all issues, and a line that it completes alone is in full, but neither on time nor late.`,
  dependsOnToday: true,
  cost: 10,
  request: dateRange,
  record: {
    code: Naming(Text("The customer's code; empty for orders without a customer."), customer('code')),
    name: Naming(Text("The customer's name."), customer('code')),
    ...deliveryFields,
    fill_percent: OrNull(
      NotAdditive(
        Decimal(2, 'Amount issued, at most ordered, in percent of the amount ordered before tax; null if that is 0.'),
      ),
    ),
    returned_percent: OrNull(
      NotAdditive(
        Decimal(2, 'Amount returned, unusable goods too, in percent of the amount issued; null if that is 0.'),
      ),
    ),
    days_to_dispatch: OrNull(
      NotAdditive(Decimal(2, 'Mean days from the order to the first issue of a line; null without an issue.')),
    ),
  },
  people: [
    'name',
    'lines',
    'in_full',
    'on_time',
    'on_time_in_full_percent',
    'days_late',
    'fill_percent',
    'returned_percent',
    'days_to_dispatch',
    'code',
  ],
  headings: { on_time_in_full_percent: 'On time %', fill_percent: 'Filled %', returned_percent: 'Returned %' },
  better: {
    on_time_in_full_percent: 'more',
    days_late: 'less',
    fill_percent: 'more',
    returned_percent: 'less',
    days_to_dispatch: 'less',
  },
  orderBy: ['code'],
  query: ({ from_date, to_date }) => {
    /** The lines `l` of orders `o` that were promised in the range, of items `i`. */
    const promised = sql`
      sales_order o
      join sales_order_line l on l.order_no = o.order_no
      join item i on i.id = l.item_id and i.type <> 'SRV' and o.state <> 'CANCELLED' and l.qty > 0
       and coalesce(l.delivery_date, o.exp_dispatch_date) between ${from_date}::date and ${to_date}::date`
    const issues = sql`m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue' and m.movement_date <= ${today}`
    return sql`
    select s.*, s.customer_code as code, coalesce(c.name, '') as name
      from (select l.customer_code, ${deliveryColumns},
                   ${quotient(raw('100 * round(sum(taxable_amt * least(done, qty) / qty), 40)'), raw('nullif(sum(taxable_amt), 0)'))} as fill_percent,
                   ${quotient(raw('100 * sum(returned_amt)'), raw('nullif(round(sum(taxable_amt * done / qty), 40), 0)'))} as returned_percent,
                   ${quotient(raw('sum(first_on - order_date)'), raw('nullif(count(first_on), 0)'))} as days_to_dispatch
              from (select coalesce(o.customer_code, '')::text collate "C" as customer_code, o.order_date, round(l.taxable_amt, 60) as taxable_amt,
                           l.qty, coalesce(l.delivery_date, o.exp_dispatch_date) as promised,
                           greatest(coalesce(d.done, l.delivered_qty, 0), 0) as done, d.first_on, d.completed,
                           coalesce(r.returned_amt, 0) as returned_amt
                      from ${promised}
                      left join (select order_no, line_no, max(done) as done, min(day) as first_on,
                                        min(day) filter (where done >= qty and delivered < qty) as completed
                                   from (${itself(promised, issues)} union all ${ofCombos(promised, issues)}) d
                                  group by order_no, line_no) d on d.order_no = l.order_no and d.line_no = l.line_no
                      left join (select order_no, order_line_no, sum(taxable_amt) as returned_amt from sales_return
                                  where return_date <= ${today} group by order_no, order_line_no) r
                        on r.order_no = l.order_no and r.order_line_no = l.line_no) l
             group by l.customer_code) s
      left join customer c on c.code = s.customer_code`
  },
})

const line = raw(`l.order_no, l.line_no, l.qty, coalesce(l.delivered_qty, 0) as delivered`)

/** The quantity issued of each line of a single item up to each day of an issue. */
const itself = (promised: Sql, issues: Sql): Sql => sql`
  select order_no, line_no, qty, delivered, day,
         delivered + sum(moved) over (partition by order_no, line_no order by day) as done
    from (select ${line}, m.movement_date as day, sum(m.qty) as moved
            from ${promised} join order_movement m on ${issues}
           where i.type <> 'COMBO'
           group by l.order_no, l.line_no, l.qty, l.delivered_qty, m.movement_date) d`

/** The same of each line of a combo: whole ones that its components' issues cover, and issues of the combo itself. */
const ofCombos = (promised: Sql, issues: Sql): Sql => sql`
  select order_no, line_no, qty, delivered, day,
         delivered + coalesce(sum(upto) filter (where per is null), 0) + coalesce(min(div(upto, per)), 0) as done
    from (select d.order_no, d.line_no, d.qty, d.delivered, d.day, d.per,
                 sum(coalesce(m.moved, 0)) over (partition by d.order_no, d.line_no, d.part order by d.day) as upto
            from (select d.*, p.part, p.per
                    from (select distinct ${line}, l.item_id, m.movement_date as day
                            from ${promised} join order_movement m on ${issues} where i.type = 'COMBO') d
                    join (select id as whole, id as part, null::numeric as per from item where type = 'COMBO'
                          union all select combo_id, component_id, qty from combo_line) p on p.whole = d.item_id) d
            left join (select l.order_no, l.line_no, m.item_id, m.movement_date as day, sum(m.qty) as moved
                         from ${promised} join order_movement m on ${issues} where i.type = 'COMBO'
                        group by l.order_no, l.line_no, m.item_id, m.movement_date) m
              on m.order_no = d.order_no and m.line_no = d.line_no and m.item_id = d.part and m.day = d.day) d
   group by order_no, line_no, qty, delivered, day`
