-- In the unit of the line, if the item has it with the same factor, else in stock units.
select i.name as invoice_no, l.idx as line_no, o.parent as order_no, o.idx as order_line_no, l.item_code as sku,
       coalesce(l.description, l.item_name) as description,
       u.uom as unit, round(if(u.uom is null, l.stock_qty, l.qty), 4) as qty,
       coalesce(round(l.net_amount / nullif(if(u.uom is null, l.stock_qty, l.qty), 0), 6), 0) as rate,
       round(l.net_amount, 2) as taxable_value
  from `tabSales Invoice Item` l
  join `tabSales Invoice` i on i.name = l.parent
  left join `tabSales Order Item` o on o.name = l.so_detail and o.item_code = l.item_code
  left join `tabUOM Conversion Detail` u
         on u.parent = l.item_code and u.uom = l.uom and l.uom <> l.stock_uom and u.conversion_factor = l.conversion_factor
 where i.docstatus in (1, 2) and i.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by i.name, l.idx
