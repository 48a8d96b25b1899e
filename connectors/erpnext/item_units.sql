-- The further units of items, besides their stock unit.
select u.parent as sku, u.uom as unit, u.conversion_factor as factor
  from `tabUOM Conversion Detail` u join tabItem i on i.name = u.parent
 where i.has_variants = 0 and u.uom <> i.stock_uom and u.conversion_factor > 0
 order by u.parent, u.uom
