-- The first recipe of each product that is not a kit, for one unit of the product.
, line_of as (
  select whole as product, product as component, 'Component' as kind, sum(qty) as qty from part where not is_kit group by whole, product
  union all
  select r.product, i.id, 'By-product', sum(b.product_qty * u.factor / i.factor / r.makes)
    from recipe r
    join mrp_bom_byproduct b on b.bom_id = r.bom
    join product i on i.id = b.product_id
    join unit u on u.id = b.product_uom_id
   where not r.is_kit and not exists (select from part x where x.whole = r.product and x.product = i.id and not x.is_kit)
   group by r.product, i.id)
select p.sku as product, i.sku as component, round(l.qty, 10) as qty, l.kind
  from line_of l
  join product p on p.id = l.product
  join product i on i.id = l.component and i.id <> p.id
 where round(l.qty, 10) > 0
 order by 1, 2
