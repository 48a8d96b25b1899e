-- Confirmed, running, done and cancelled sales, without returns of earlier sales. A sale that Tryton plans no more deliveries for is closed.
, pending as (
  select l.document
    from sale_item l
    left join (select sale_line, sum(case when went_to is null then qty else -qty end) as qty from move group by sale_line) m on m.sale_line = l.id
   where l.product is not null
   group by l.document having bool_or(l.stock_qty > coalesce(m.qty, 0)))
select d.number as order_no, 'Sale' as order_type, d.day as order_date, k.code as customer_code,
       'L' || coalesce(o.warehouse, (select min(id) from stock_location where type = 'warehouse')) as warehouse,
       o.reference as po_no, o.description as reference, o.shipping_date as exp_dispatch_date,
       case when d.state = 'cancelled' then 'CANCELLED'
            when (d.state = 'done' or o.shipment_state = 'sent') and p.document is not null then 'CLOSED' else 'OPEN' end as state,
       t.taxable_amt, t.tax_amt, t.total_amt, d.currency_code as currency, d.exchange_rate
  from document d
  join sale_sale o on o.id = d.id
  join party k on k.id = d.party
  join total t on t.kind = 'sale' and t.document = d.id
  left join pending p on p.document = d.id
 where d.kind = 'sale' and d.id not in (select document from sold where is_return)
 order by 1
