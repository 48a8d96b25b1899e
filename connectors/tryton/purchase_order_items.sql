select l.number as po_no, l.line_no, p.sku, coalesce(l.description, case when p.id is null then '-' end) as description,
       o.delivery_date_store as delivery_date,
       l.qty, u.symbol as unit, l.rate, l.taxable_amt
  from line l
  join purchase_line o on o.id = l.id
  left join product p on p.id = l.product
  left join unit u on u.id = l.unit and u.id <> p.unit_id
 where l.kind = 'purchase'
 order by 1, 2
