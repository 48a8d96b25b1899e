select grn_no, po_no, row_number() over (partition by grn_no order by line) as line_no, po_line_no, ltrim(rtrim(place)) as warehouse,
       round(qty, 4) as received_qty, round(qty, 4) as accepted_qty, 0 as rejected_qty,
       case when net > 0 then round(net / qty, 6) else 0 end as rate, case when net > 0 then round(net, 2) else 0 end as taxable_amt,
       case when tax > 0 then round(tax, 2) else 0 end as tax_amt, unit
  from received
 order by 1, 3
