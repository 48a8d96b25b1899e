-- Confirmed and cancelled orders. An order that Odoo plans no more deliveries for is closed if something is missing.
, pending as (
  select l.document, bool_or(p.is_stocked and k.kit is null and l.stock_qty > coalesce(m.qty, 0)) as is_short, bool_or(e.line is not null) as is_expected
    from sale_item l
    join product p on p.id = l.product
    left join (select distinct kit from kit) k on k.kit = p.id
    left join (select sale_line, sum(qty) as qty from move where went_to is null group by sale_line) m on m.sale_line = l.id
    left join (select distinct sale_line_id as line from stock_move where state not in ('done', 'cancel')) e on e.line = l.id
   group by l.document)
select d.number as order_no, 'Sale' as order_type, d.day as order_date, k.code as customer_code, 'L' || w.view_location_id as warehouse,
       o.client_order_ref as po_no, o.origin as reference, (o.commitment_date at time zone 'UTC' at time zone d.zone)::date as exp_dispatch_date,
       case when d.state = 'cancel' then 'CANCELLED' when p.is_short and not p.is_expected then 'CLOSED' else 'OPEN' end as state,
       d.taxable_amt, d.tax_amt, d.total_amt, d.currency_code as currency, d.exchange_rate
  from document d
  join sale_order o on o.id = d.id
  join party k on k.id = d.party
  join stock_warehouse w on w.id = coalesce(o.warehouse_id, (select min(s.id) from stock_warehouse s join company c on c.id = s.company_id))
  left join pending p on p.document = d.id
 where d.kind = 'sale'
 order by 1
