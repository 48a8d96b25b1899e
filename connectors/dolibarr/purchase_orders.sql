-- Approved orders and later ones. A wholly received order of which goods are missing is closed.
, pending as (
  select l.document, sum(l.qty > coalesce(r.qty, 0)) > 0 as is_short
    from purchase_line l
    join product p on p.id = l.product and p.kind = 0
    left join (select po_no, po_line_no, sum(qty) as qty from received_line group by po_no, po_line_no) r on r.po_no = l.number and r.po_line_no = l.line_no
   group by l.document)
select d.number as po_no, d.day as po_date, d.due as delivery_date, d.ref_supplier as reference, v.vendor_code,
       case when d.status in (6, 7, 9) then 'CANCELLED' when d.status = 5 and p.is_short then 'CLOSED' else 'OPEN' end as state,
       d.taxable_amt, d.tax_amt, d.total_amt - d.taxable_amt - d.tax_amt as adjustment_amt, d.total_amt, d.currency, d.exchange_rate
  from purchase d
  join party v on v.id = d.party
  left join pending p on p.document = d.id
 order by 1
