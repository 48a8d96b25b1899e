-- Confirmed and cancelled orders. An order that Odoo expects no more receipts for is closed if something is missing.
, pending as (
  select l.document, bool_or(p.is_stocked and l.stock_qty > coalesce(m.qty, 0)) as is_short, bool_or(e.line is not null) as is_expected
    from purchase_item l
    join product p on p.id = l.product
    left join (select purchase_line, sum(qty) as qty from move where went_to is not null group by purchase_line) m on m.purchase_line = l.id
    left join (select distinct purchase_line_id as line from stock_move where state not in ('done', 'cancel')) e on e.line = l.id
   group by l.document)
select d.number as po_no, d.day as po_date, greatest((o.date_planned at time zone 'UTC' at time zone d.zone)::date, d.day) as delivery_date,
       o.partner_ref as reference, v.code as vendor_code,
       'L' || coalesce(w.view_location_id, (select min(s.view_location_id) from stock_warehouse s join company c on c.id = s.company_id)) as warehouse,
       case when d.state = 'cancel' then 'CANCELLED' when p.is_short and not p.is_expected then 'CLOSED' else 'OPEN' end as state,
       d.taxable_amt, d.tax_amt, d.total_amt, d.currency_code as currency, d.exchange_rate
  from document d
  join purchase_order o on o.id = d.id
  join party v on v.id = d.party
  left join stock_picking_type t on t.id = o.picking_type_id
  left join stock_warehouse w on w.id = t.warehouse_id
  left join pending p on p.document = d.id
 where d.kind = 'purchase'
 order by 1
