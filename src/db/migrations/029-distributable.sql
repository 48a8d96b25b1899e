-- What reports read across documents and the ledger, under names of its own. Here they are views without a cost: the planner
-- puts their tables in their place. On a Citus cluster `millbook migrate --distribute` keeps copies of these rows where the
-- reports need them, since a shard has either a document or the movements of an item (docs/decisions/0031).

-- Items, each where its movements are.
create view stocked_item as select id, type, material_kind, active from item;

-- The movements of a document, where the document is.
create view order_movement as
select order_no, order_line_no, item_id, movement_date, movement_no, kind, batch_no, qty, val, val_tax from stock_movement;
create view invoice_movement as
select invoice_no, invoice_line_no, item_id, movement_date, movement_no, kind, val, val_tax from stock_movement;
create view work_order_movement as
select work_order_no, item_id, movement_date, movement_no, kind, qty, val from stock_movement;

-- The lines of invoices, where the order is that they are for.
create view order_invoice_line as
select x.order_no, x.order_line_no, x.invoice_no, x.line_no, x.item_id, x.description, x.qty, x.taxable_value, x.total_value,
       n.invoice_at, n.status, n.kind, n.return_no, n.customer_code
  from invoice_line x join invoice n on n.invoice_no = x.invoice_no;

-- Invoices and their lines, with what they show of the orders that they are for.
create view invoice_with_order as
select n.*, o.order_date, o.po_no, o.customer_code as order_customer_code
  from invoice n
  left join sales_order o
    on o.order_no = coalesce(n.order_no, (select min(x.order_no) from invoice_line x where x.invoice_no = n.invoice_no));
create view invoice_line_with_order as
select x.*, l.item_id as order_item_id, l.description as order_description
  from invoice_line x
  left join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no;

create or replace view sales_order_line_issued as
select l.order_no, l.line_no, q.issued_qty, case when q.issued_qty > 0 then i.last_issue_date end as last_issue_date
  from sales_order_line l
 cross join lateral (
   select coalesce(sum(m.qty) filter (where m.item_id = l.item_id), 0) as own_qty, max(m.movement_date) as last_issue_date
     from order_movement m
    where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue') i
 cross join lateral (
   select i.own_qty + coalesce(min(div(
            (select coalesce(sum(m.qty), 0) from order_movement m
              where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue'
                and m.item_id = c.component_id), c.qty)), 0) as issued_qty
     from combo_line c where c.combo_id = l.item_id) q;
