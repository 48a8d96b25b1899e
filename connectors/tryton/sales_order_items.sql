select l.number as order_no, l.line_no, p.sku, coalesce(l.description, case when p.id is null then '-' end) as description,
       l.qty, u.symbol as unit, l.rate, l.rate as effective_rate, l.taxable_amt
  from line l
  left join product p on p.id = l.product
  left join unit u on u.id = l.unit and u.id <> p.unit_id
 where l.kind = 'sale' and l.document not in (select document from sold where is_return)
 order by 1, 2
