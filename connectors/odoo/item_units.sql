-- The units in documents that differ from the product's unit.
select distinct p.sku, u.symbol as unit, round(u.factor, 12) as factor, round(p.factor, 12) as divisor
  from line l
  join product p on p.id = l.product
  join unit u on u.id = l.unit_id and u.id <> p.uom_id
 order by 1, 2
