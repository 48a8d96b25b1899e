-- The first recipe of each product, for one unit of it. Its other outputs are by-products.
, recipe as (
  select distinct on (x.product) x.product, x.bom
    from "product_product-production_bom" x join production_bom b on b.id = x.bom
   where b.active order by x.product, x.sequence nulls first, x.id),
line_of as (
  select l.kind, l.bom, l.product, sum(l.quantity::numeric * u.factor * p.per_base / u.divisor) as qty
    from (select 'Component' as kind, bom, product, quantity, coalesce(to_jsonb(i) ->> 'unit', to_jsonb(i) ->> 'uom')::int as unit
            from production_bom_input i
          union all
          select 'By-product', bom, product, quantity, coalesce(to_jsonb(o) ->> 'unit', to_jsonb(o) ->> 'uom')::int
            from production_bom_output o) l
    join product p on p.id = l.product
    join unit u on u.id = l.unit
   group by l.kind, l.bom, l.product)
select p.sku as product, c.sku as component, round(i.qty / o.qty, 10) as qty, i.kind
  from recipe r
  join line_of o on o.bom = r.bom and o.kind = 'By-product' and o.product = r.product and o.qty > 0
  join line_of i on i.bom = r.bom and i.product <> r.product
  join product p on p.id = r.product
  join product c on c.id = i.product
 where round(i.qty / o.qty, 10) > 0
   and not (i.kind = 'By-product' and exists (select from line_of b where b.bom = i.bom and b.product = i.product and b.kind = 'Component'))
 order by 1, 2
