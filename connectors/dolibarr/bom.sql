-- For one unit of the product. Services are left out; a quantity that Dolibarr keeps the same for any number of products is divided.
select w.sku as product, p.sku as component, x.qty
  from part x
  join product w on w.id = x.whole
  join product p on p.id = x.product
 where x.qty > 0
 order by 1, 2
