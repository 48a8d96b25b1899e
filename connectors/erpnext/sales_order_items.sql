-- After discounts, in the unit of the line, if the item has it with the same factor, else in stock units. A supplier's own delivery moves no stock.
select o.name as order_no, l.idx as line_no, l.item_code as sku, l.description, l.delivery_date,
       nullif(l.warehouse, '') as warehouse,
       if(l.delivered_by_supplier = 1, round(if(u.uom is null, l.delivered_qty * l.conversion_factor, l.delivered_qty), 4), null) as delivered_qty,
       u.uom as unit, round(if(u.uom is null, l.stock_qty, l.qty), 4) as qty,
       coalesce(round(l.net_amount / nullif(if(u.uom is null, l.stock_qty, l.qty), 0), 6), 0) as rate,
       coalesce(round(l.net_amount / nullif(if(u.uom is null, l.stock_qty, l.qty), 0), 6), 0) as effective_rate,
       round(l.net_amount, 2) as taxable_amt
  from `tabSales Order Item` l join `tabSales Order` o on o.name = l.parent
  left join `tabUOM Conversion Detail` u
         on u.parent = l.item_code and u.uom = l.uom and l.uom <> l.stock_uom and u.conversion_factor = l.conversion_factor
 where o.docstatus in (1, 2) and o.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by o.name, l.idx
