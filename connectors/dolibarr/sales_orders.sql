-- Validated, shipped, delivered and cancelled orders. A delivered order of which goods are missing is closed.
, pending as (
  select l.document, sum(l.qty > coalesce(s.qty, 0)) > 0 as is_short
    from sale_line l
    join product p on p.id = l.product and p.kind = 0
    left join (select d.fk_elementdet, sum(d.qty) as qty from llx_expeditiondet d join llx_expedition e on e.rowid = d.fk_expedition and e.fk_statut in (1, 2)
                group by d.fk_elementdet) s on s.fk_elementdet = l.id
   group by l.document)
select d.number as order_no, 'Sale' as order_type, d.day as order_date, k.customer_code, w.code as warehouse, d.ref_client as po_no,
       d.due as exp_dispatch_date,
       case when d.status = -1 then 'CANCELLED' when d.status = 3 and p.is_short then 'CLOSED' else 'OPEN' end as state,
       d.taxable_amt, d.tax_amt, d.total_amt - d.taxable_amt - d.tax_amt as adjustment_amt, d.total_amt, d.currency, d.exchange_rate
  from sale d
  join party k on k.id = d.party
  left join place w on w.id = d.place
  left join pending p on p.document = d.id
 order by 1
