select l.number as po_no, l.line_no, p.sku, coalesce(nullif(l.description, ''), '-') as description,
       (o.date_planned at time zone 'UTC' at time zone c.zone)::date as delivery_date,
       l.qty, u.symbol as unit, round(l.rate * (1 - l.discount / 100), 6) as rate, l.taxable_amt
  from company c
 cross join purchase_item l
  join purchase_order_line o on o.id = l.id
  left join product p on p.id = l.product
  left join unit u on u.id = l.unit_id and u.id <> p.uom_id
 order by 1, 2
