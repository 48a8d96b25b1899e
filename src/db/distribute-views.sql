-- Views of a distributed database, in place of the views of migrations/ that read across shards. Run again by each migration of views.

create or replace view stocked_item as
select k.item_id as id, i.type, i.material_kind, i.active from stocked_item_key k join item i on i.id = k.item_id;
create or replace view invoice_with_order as
select n.*, o.order_date, o.po_no, o.customer_code as order_customer_code
  from invoice n left join invoice_order o on o.invoice_no = n.invoice_no;
create or replace view invoice_line_with_order as
select x.*, l.item_id as order_item_id, l.description as order_description
  from invoice_line x left join invoice_line_order l on l.invoice_no = x.invoice_no and l.line_no = x.line_no;

-- The same as on one server, without subqueries that refer to a reference table or have no table at all.
create or replace view sales_order_line_issued as
select l.order_no, l.line_no, s.issued_qty,
       case when s.issued_qty <= 0 then null when t.type = 'SRV' then v.last_invoice_date else i.last_issue_date end as last_issue_date
  from sales_order_line l
  left join item t on t.id = l.item_id
 cross join lateral (
   select coalesce(sum(m.qty) filter (where m.item_id = l.item_id), 0) as own_qty, max(m.movement_date) as last_issue_date
     from order_movement m
    where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue') i
 cross join lateral (
   select min(c.combos) as combos
     from (select div(coalesce(sum(m.qty), 0), k.qty) as combos
             from sales_order_line x
             join combo_line k on k.combo_id = x.item_id
             left join order_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no and m.kind = 'issue'
                                       and m.item_id = k.component_id
            where x.order_no = l.order_no and x.line_no = l.line_no
            group by x.order_no, k.component_id, k.qty) c) q
 cross join lateral (
   select sum(x.qty) as invoiced_qty, max(x.invoice_at)::date as last_invoice_date
     from order_invoice_line x
    where x.order_no = l.order_no and x.order_line_no = l.line_no and x.status <> 'Cancelled' and x.kind = 'INVOICE') v
 cross join lateral (
   select case when t.type = 'SRV' then coalesce(l.delivered_qty, v.invoiced_qty, 0)
               else i.own_qty + coalesce(l.delivered_qty, 0) + coalesce(q.combos, 0) end as issued_qty) s;
create or replace view purchase_order_status as
select s.po_no, s.status_code,
       (array['CREATED', 'PARTIAL RECEIVED', 'RECEIVED', 'CLOSED', 'CANCELLED'])[s.status_code] as po_status, s.approval_status
  from (select po.po_no,
               case po.state
                 when 'CLOSED' then 4
                 when 'CANCELLED' then 5
                 else (select case when coalesce(sum(r.received_qty), 0) = 0 then 1
                                   when bool_and(r.received_qty >= l.qty) then 3
                                   else 2 end
                         from purchase_order_line l
                         join purchase_order_line_received r on r.po_no = l.po_no and r.line_no = l.line_no
                        where l.po_no = po.po_no and l.item_id is not null)
               end as status_code,
               case
                 when not po.approval_required then 'Not Required'
                 when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Rejected') then 'Rejected'
                 when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Pending')
                   or not exists (select from purchase_order_approval a where a.po_no = po.po_no) then 'Under Approval'
                 else 'Approved'
               end as approval_status
          from purchase_order po) s;
