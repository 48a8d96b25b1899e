select grn_no, po_no, min(day) as receipt_date, 'L' || min(went_to) as warehouse, min(exchange_rate) as exchange_rate
  from received
 group by grn_no, po_no
 order by 1
