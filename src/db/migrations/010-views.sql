-- Views that replace earlier ones. Like 006, the program runs this file also on the local tables of a load into a cluster; a
-- distributed database gets src/db/distribute-views.sql in its place.

-- The quantity of each order line that was issued, in units of the ordered item: the issues of the ledger, and the quantity
-- that the line states as delivered without stock. For a combo, the smallest number of whole combos that the issues of its components cover;
-- issues of the ordered item itself count as they are. No stock of a service moves: its invoices count, unless its line states a quantity.
-- Its type is looked up and not joined: with one more table, the planner would no longer see the lines through this view.
create or replace view sales_order_line_issued as
select l.order_no, l.line_no, q.issued_qty,
       case when q.issued_qty <= 0 then null
            when (select t.type from item t where t.id = l.item_id) = 'SRV'
            then (select max(x.invoice_at)::date from order_invoice_line x
                   where x.order_no = l.order_no and x.order_line_no = l.line_no
                     and x.status <> 'Cancelled' and x.kind = 'INVOICE')
            else i.last_issue_date end as last_issue_date
  from sales_order_line l
 cross join lateral (
   select coalesce(sum(m.qty) filter (where m.item_id = l.item_id), 0) as own_qty, max(m.movement_date) as last_issue_date
     from order_movement m
    where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue') i
 cross join lateral (
   select case when (select t.type from item t where t.id = l.item_id) = 'SRV'
               then coalesce(l.delivered_qty, (select sum(x.qty) from order_invoice_line x
                                                where x.order_no = l.order_no and x.order_line_no = l.line_no
                                                  and x.status <> 'Cancelled' and x.kind = 'INVOICE'), 0)
               else i.own_qty + coalesce(l.delivered_qty, 0) + coalesce(min(div(
                      (select coalesce(sum(m.qty), 0) from order_movement m
                        where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue'
                          and m.item_id = c.component_id), c.qty)), 0) end as issued_qty
     from combo_line c where c.combo_id = l.item_id) q;
