-- The default recipe of each item, for one unit. Operations and scrap are left out.
select b.item as product, l.item_code as component, round(sum(l.stock_qty / b.quantity), 10) as qty
  from tabBOM b join `tabBOM Item` l on l.parent = b.name
 where b.docstatus = 1 and b.is_active = 1 and b.is_default = 1 and b.quantity > 0 and l.item_code <> b.item
   and b.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 group by b.item, l.item_code
having qty > 0
 order by 1, 2
