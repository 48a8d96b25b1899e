select i.sku, u.unit, round(u.factor, 12) as factor
  from item_unit u join item i on i.code = u.code
 order by 1, 2
