select l.number as invoice_no, l.line_no, s.number as order_no, s.line_no as order_line_no, p.sku,
       coalesce(nullif(l.description, ''), '-') as description,
       l.qty, u.symbol as unit, round(l.rate * (1 - l.discount / 100), 6) as rate, l.taxable_amt as taxable_value
  from invoice_item l
  left join product p on p.id = l.product
  left join unit u on u.id = l.unit_id and u.id <> p.uom_id
  left join (select invoice_line_id, min(order_line_id) as id from sale_order_line_invoice_rel group by invoice_line_id) r on r.invoice_line_id = l.id
  left join sale_item s on s.id = r.id and s.product is not distinct from l.product
 order by 1, 2
