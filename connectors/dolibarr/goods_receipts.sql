select grn_no, po_no, min(day) as receipt_date, concat('W', min(place)) as warehouse, min(reference) as reference
  from received_line
 group by grn_no, po_no
 order by 1
