-- The units of documents, as far as they differ from the product's own.
select distinct p.sku, u.symbol as unit, round(u.factor * s.divisor, 12) as factor, round(u.divisor * s.factor, 12) as divisor
  from line l
  join product p on p.id = l.product
  join unit u on u.id = l.unit and u.id <> p.unit_id
  join unit s on s.id = p.unit_id
 order by 1, 2
