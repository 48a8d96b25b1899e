select grn_no, po_no, min(day) as receipt_date, ltrim(rtrim(min(place))) as warehouse, min(reference) as reference, round(min(exchange_rate), 12) as exchange_rate
  from received
 group by grn_no, po_no
 order by 1
