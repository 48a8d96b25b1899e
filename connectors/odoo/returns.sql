select order_no, return_no, order_line_no, min(day) as return_date, 'RTV' as kind, sum(qty) as usable_qty, 0 as unusable_qty,
       round(sum(taxable_amt), 2) as taxable_amt, round(sum(tax_amt), 2) as tax_amt
  from returned
 group by order_no, return_no, order_line_no
 order by 1, 2, 3
