/** What open orders bring and take, by item, as of a day: orders and movements up to it count, their states are today's. */
import { raw, type Sql, sql } from '../../db/sql.js'

/** `qty` that vendors still have to deliver; with `until`, only lines whose delivery date is known and not after it. */
export const onOrder = (day: Sql, until?: Sql): Sql => sql`
  select l.item_id, sum(l.qty - coalesce(r.qty, 0)) as qty
    from purchase_order po
    join purchase_order_line l on l.po_no = po.po_no
    left join (select g.po_no, g.po_line_no, sum(g.accepted_qty) as qty
                 from goods_receipt h
                 join goods_receipt_line g on g.po_no = h.po_no and g.grn_no = h.grn_no
                where h.receipt_date <= ${day} group by g.po_no, g.po_line_no) r
      on r.po_no = l.po_no and r.po_line_no = l.line_no
   where po.state = 'OPEN' and po.po_date <= ${day} and l.item_id is not null and l.qty > coalesce(r.qty, 0)
     ${until === undefined ? raw('') : sql`and coalesce(l.delivery_date, po.delivery_date) <= ${until}`}
   group by l.item_id`

/**
 * `qty` that customers ordered and did not get, without services. What was issued is counted as in `sales_order_line_issued`: of a combo the
 * smallest number of whole combos that the issues of its components cover, and issues of itself. Most lines are issued at once: they are left
 * out before anything is added up.
 */
export const onSale = (day: Sql): Sql => {
  const open = sql`o.state = 'OPEN' and o.order_date <= ${day}`
  const issuedFor = (item: string) => sql`
    m.order_no = l.order_no and m.order_line_no = l.line_no and m.item_id = ${raw(item)} and m.kind = 'issue' and m.movement_date <= ${day}`
  return sql`
  select item_id, sum(qty - issued_qty) as qty
    from (select l.order_no, l.line_no, l.item_id, l.qty, l.delivered_qty + coalesce(sum(m.qty), 0) + coalesce(max(c.combos), 0) as issued_qty
            from (select l.order_no, l.line_no, l.item_id, l.qty, coalesce(l.delivered_qty, 0) as delivered_qty
                    from sales_order o
                    join sales_order_line l on l.order_no = o.order_no
                    join item i on i.id = l.item_id
                   where ${open} and i.type <> 'SRV'
                     and not exists (select from order_movement m where ${issuedFor('l.item_id')} and m.qty >= l.qty - coalesce(l.delivered_qty, 0))) l
            left join order_movement m on ${issuedFor('l.item_id')}
            left join (select order_no, line_no, min(combos) as combos
                         from (select l.order_no, l.line_no, div(coalesce(sum(m.qty), 0), c.qty) as combos
                                 from sales_order o
                                 join sales_order_line l on l.order_no = o.order_no
                                 join combo_line c on c.combo_id = l.item_id
                                 left join order_movement m on ${issuedFor('c.component_id')}
                                where ${open}
                                group by l.order_no, l.line_no, c.component_id, c.qty) c
                        group by order_no, line_no) c on c.order_no = l.order_no and c.line_no = l.line_no
           group by l.order_no, l.line_no, l.item_id, l.qty, l.delivered_qty) l
   where qty > issued_qty
   group by item_id`
}

const openWork = (day: Sql): Sql => sql`w.status in ('Planned', 'Open') and w.start_date <= ${day}`

/** `qty` that open work orders still have to bring in. */
export const inProduction = (day: Sql): Sql => sql`
  select w.item_id, sum(w.planned_qty - coalesce(m.qty, 0)) as qty
    from work_order w
    left join (select m.work_order_no, m.item_id, sum(m.qty) as qty
                 from work_order_movement m
                where m.work_order_no is not null and m.kind = 'production_receipt' and m.movement_date <= ${day}
                group by m.work_order_no, m.item_id) m on m.work_order_no = w.work_order_no and m.item_id = w.item_id
   where ${openWork(day)} and w.planned_qty > coalesce(m.qty, 0)
   group by w.item_id`

/** `qty` of components that open work orders still have to consume. */
export const forProduction = (day: Sql): Sql => sql`
  select l.item_id, sum(l.qty - coalesce(m.qty, 0)) as qty
    from (select w.work_order_no, l.item_id, sum(l.planned_qty) as qty
            from work_order w join work_order_line l on l.work_order_no = w.work_order_no
           where ${openWork(day)} and l.kind = 'Component'
           group by w.work_order_no, l.item_id) l
    left join (select m.work_order_no, m.item_id, sum(m.qty) as qty
                 from work_order_movement m
                where m.work_order_no is not null and m.kind = 'consumption' and m.movement_date <= ${day}
                group by m.work_order_no, m.item_id) m on m.work_order_no = l.work_order_no and m.item_id = l.item_id
   where l.qty > coalesce(m.qty, 0)
   group by l.item_id`
