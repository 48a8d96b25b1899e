select order_no, return_no, order_line_no, min(day) as return_date, 'RTV' as kind, round(sum(qty), 4) as usable_qty, 0 as unusable_qty,
       case when sum(net) > 0 then round(sum(net), 2) else 0 end as taxable_amt, case when sum(tax) > 0 then round(sum(tax), 2) else 0 end as tax_amt
  from returned
 group by order_no, return_no, order_line_no
 order by 1, 2, 3
