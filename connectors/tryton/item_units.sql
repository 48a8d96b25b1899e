-- The units in documents that differ from the product's unit.
select distinct p.sku, u.symbol as unit, round(u.factor * s.divisor, 12) as factor, round(u.divisor * s.factor, 12) as divisor
  from line l
  join product p on p.id = l.product
  join unit u on u.id = l.unit and u.id <> p.unit_id
  join unit s on s.id = p.unit_id
 order by 1, 2
