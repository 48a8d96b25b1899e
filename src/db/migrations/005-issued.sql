-- Closings are derived from movements, whose items and warehouses are there: looking again for every row is for nothing.
alter table stock_month drop constraint stock_month_item_id_fkey, drop constraint stock_month_warehouse_id_fkey;
alter table stock_closing drop constraint stock_closing_item_id_fkey, drop constraint stock_closing_warehouse_id_fkey;

-- What the ledger says of each order line, in units of the ordered item: for a combo, the smallest number of whole combos
-- that the issues of its components cover; issues of the ordered item itself count as they are.
create view sales_order_line_issued as
select l.order_no, l.line_no, q.issued_qty, case when q.issued_qty > 0 then i.last_issue_date end as last_issue_date
  from sales_order_line l
 cross join lateral (
   select coalesce(sum(m.qty) filter (where m.item_id = l.item_id), 0) as own_qty, max(m.movement_date) as last_issue_date
     from stock_movement m
    where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue') i
 cross join lateral (
   select i.own_qty + coalesce(min(div(
            (select coalesce(sum(m.qty), 0) from stock_movement m
              where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue'
                and m.item_id = c.component_id), c.qty)), 0) as issued_qty
     from combo_line c where c.combo_id = l.item_id) q;
