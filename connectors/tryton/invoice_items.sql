select l.number as invoice_no, l.line_no, s.order_no, s.order_line_no, p.sku,
       coalesce(l.description, case when p.id is null then '-' end) as description,
       l.qty, u.symbol as unit, l.rate, l.taxable_amt as taxable_value
  from line l
  left join product p on p.id = l.product
  left join unit u on u.id = l.unit and u.id <> p.unit_id
  left join sold s on l.origin = 'sale.line,' || s.id and s.product = l.product
 where l.kind = 'invoice'
 order by 1, 2
