-- Confirmed, running, done and cancelled purchases. A purchase that Tryton expects no more receipts for is closed.
, pending as (
  select l.document
    from purchase_item l
    left join (select purchase_line, sum(case when went_to is null then -qty else qty end) as qty from move group by purchase_line) m on m.purchase_line = l.id
   where l.product is not null
   group by l.document having bool_or(l.stock_qty > coalesce(m.qty, 0)))
select d.number as po_no, d.day as po_date, greatest(coalesce(o.delivery_date, d.day), d.day) as delivery_date, o.reference,
       v.code as vendor_code, 'L' || coalesce(o.warehouse, (select min(id) from stock_location where type = 'warehouse')) as warehouse,
       case when d.state = 'cancelled' then 'CANCELLED'
            when (d.state = 'done' or o.shipment_state = 'received') and p.document is not null then 'CLOSED' else 'OPEN' end as state,
       t.taxable_amt, t.tax_amt, t.total_amt, d.currency_code as currency, d.exchange_rate
  from document d
  join purchase_purchase o on o.id = d.id
  join party v on v.id = d.party
  join total t on t.kind = 'purchase' and t.document = d.id
  left join pending p on p.document = d.id
 where d.kind = 'purchase'
 order by 1
