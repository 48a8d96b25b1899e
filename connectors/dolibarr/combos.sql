select k.sku as combo, p.sku as component, x.qty
  from kit_part x
  join product k on k.id = x.kit
  join product p on p.id = x.product
 where x.qty > 0
 order by 1, 2
