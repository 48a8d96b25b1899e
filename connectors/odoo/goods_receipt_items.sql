select r.grn_no, r.po_no, row_number() over (partition by r.grn_no order by r.po_line_no, r.went_to) as line_no, r.po_line_no,
       'L' || r.went_to as warehouse, sum(r.qty) as received_qty, sum(r.qty) as accepted_qty, 0 as rejected_qty,
       round(greatest(sum(r.price) / sum(r.qty), 0), 6) as rate, round(greatest(sum(r.price), 0), 2) as taxable_amt,
       round(greatest(sum(r.tax_amt), 0), 2) as tax_amt, round(greatest(sum(r.price), 0), 2) + round(greatest(sum(r.tax_amt), 0), 2) as total_amt
  from received r
 group by r.grn_no, r.po_no, r.po_line_no, r.went_to
 order by 1, 3
