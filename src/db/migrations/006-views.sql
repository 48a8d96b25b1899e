-- Views. The program runs this file also on the local tables of a load into a Citus cluster (src/db/cluster/work.ts), so it
-- holds nothing else.

-- States that follow from other rows and are never stored (docs/decisions/0006) ---------------------------------------

-- The quantity of each ordered line that receipts accepted.
create view purchase_order_line_received as
select l.po_no, l.line_no,
       coalesce((select sum(r.accepted_qty) from goods_receipt_line r
                  where r.po_no = l.po_no and r.po_line_no = l.line_no), 0) as received_qty
  from purchase_order_line l;

-- The status of each purchase order: decided by people (closed, cancelled, approvals), or by receipts of its lines that have an
-- item. It does not read purchase_order_line_received: the planner would compute the sum of a line for each of its two uses.
create view purchase_order_status as
select po.po_no, s.status_code,
       (array['CREATED', 'PARTIAL RECEIVED', 'RECEIVED', 'CLOSED', 'CANCELLED'])[s.status_code] as po_status,
       case
         when not po.approval_required then 'Not Required'
         when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Rejected') then 'Rejected'
         when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Pending')
           or not exists (select from purchase_order_approval a where a.po_no = po.po_no) then 'Under Approval'
         else 'Approved'
       end as approval_status
  from purchase_order po
 cross join lateral (
   select case po.state
            when 'CLOSED' then 4
            when 'CANCELLED' then 5
            else (select case when coalesce(sum(r.received_qty), 0) = 0 then 1
                              when bool_and(r.received_qty >= l.qty) then 3
                              else 2 end
                    from purchase_order_line l
                   cross join lateral (
                     select coalesce(sum(g.accepted_qty), 0) as received_qty from goods_receipt_line g
                      where g.po_no = l.po_no and g.po_line_no = l.line_no) r
                   where l.po_no = po.po_no and l.item_id is not null)
          end as status_code) s;

-- Rows that reports read across documents and the ledger --------------------------------------------------------------

-- On one server these views cost nothing: the planner replaces them by their tables. On a Citus cluster `millbook migrate
-- --distribute` keeps copies of their rows, since a shard has either a document or the movements of an item
-- (docs/decisions/0031).

-- Items, on the shard of their movements.
create view stocked_item as select id, type, material_kind, active from item;

-- The movements of a document, on the shard of the document.
create view order_movement as
select order_no, order_line_no, item_id, movement_date, movement_no, kind, batch_no, qty, val, val_tax, warehouse_id
  from stock_movement;
create view invoice_movement as
select invoice_no, invoice_line_no, item_id, movement_date, movement_no, kind, val, val_tax from stock_movement;
create view work_order_movement as
select work_order_no, item_id, movement_date, movement_no, kind, qty, val from stock_movement;
create view receipt_movement as
select po_no, grn_no, item_id, movement_date, movement_no, kind, batch_no, qty, warehouse_id from stock_movement;

-- The lines of invoices, on the shard of the order that they are for.
create view order_invoice_line as
select x.order_no, x.order_line_no, x.invoice_no, x.line_no, x.item_id, x.description, x.qty, x.taxable_value, x.total_value,
       n.invoice_at, n.status, n.kind, n.return_no, n.customer_code
  from invoice_line x join invoice n on n.invoice_no = x.invoice_no;

-- Invoices and their lines, with the columns that they show of the orders that they are for.
create view invoice_with_order as
select n.*, o.order_date, o.po_no, o.customer_code as order_customer_code
  from invoice n
  left join sales_order o
    on o.order_no = coalesce(n.order_no, (select min(x.order_no) from invoice_line x where x.invoice_no = n.invoice_no));
create view invoice_line_with_order as
select x.*, l.item_id as order_item_id, l.description as order_description
  from invoice_line x
  left join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no;

-- The quantity of each order line that the ledger issued, in units of the ordered item: for a combo, the smallest number of whole
-- combos that the issues of its components cover; issues of the ordered item itself count as they are.
create view sales_order_line_issued as
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
