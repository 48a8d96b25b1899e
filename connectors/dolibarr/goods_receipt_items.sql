select grn_no, po_no, row_number() over (partition by grn_no order by po_line_no, place) as line_no, po_line_no, concat('W', place) as warehouse,
       qty as received_qty, qty as accepted_qty, 0 as rejected_qty, round(greatest(price, 0), 6) as rate,
       round(greatest(price * qty, 0), 2) as taxable_amt, round(greatest(tax * qty, 0), 2) as tax_amt
  from received_line
 order by 1, 3
