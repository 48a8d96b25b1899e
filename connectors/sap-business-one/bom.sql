-- For one unit of the product. Resources are left out.
select w.sku as product, p.sku as component, round(x.qty, 10) as qty, x.kind
  from part x
  join item w on w.code = x.whole
  join item p on p.code = x.product
 where round(x.qty, 10) > 0
   and (x.kind = 'Component' or not exists (select 1 from part y where y.whole = x.whole and y.product = x.product and y.kind = 'Component'))
 order by 1, 2
