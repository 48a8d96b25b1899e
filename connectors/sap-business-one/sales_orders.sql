-- A closed order of which something is missing was closed by hand.
, pending as (
  select l.document, max(case when l.qty > l.done_qty then 1 else 0 end) as is_short from sale_line l join item i on i.sku = l.sku and i.is_stocked = 'Y' group by l.document)
select d.number as order_no, 'Sale' as order_type, d.day as order_date, ltrim(rtrim(d.party)) as customer_code, d.reference as po_no, d.due as exp_dispatch_date,
       case when d.canceled = 'Y' then 'CANCELLED' when d.status = 'C' and p.is_short = 1 then 'CLOSED' else 'OPEN' end as state,
       round(d.taxable_amt, 2) as taxable_amt, round(d.tax_amt, 2) as tax_amt, case when d.shipping_amt > 0 then round(d.shipping_amt, 2) else 0 end as shipping_amt,
       round(d.total_amt, 2) - round(d.taxable_amt, 2) - round(d.tax_amt, 2) - case when d.shipping_amt > 0 then round(d.shipping_amt, 2) else 0 end as adjustment_amt,
       round(d.total_amt, 2) as total_amt, d.currency, round(d.exchange_rate, 12) as exchange_rate
  from sale d
  left join pending p on p.document = d.id
 order by 1
