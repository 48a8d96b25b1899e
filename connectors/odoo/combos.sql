select p.sku as combo, i.sku as component, k.qty
  from kit k
  join product p on p.id = k.kit
  join product i on i.id = k.product
 order by 1, 2
