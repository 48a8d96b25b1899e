-- In stock units. The tax of the invoice is shared out by net amounts.
select i.name as invoice_no, l.idx as line_no, o.parent as order_no, o.idx as order_line_no, l.item_code as sku,
       coalesce(l.description, l.item_name) as description,
       round(l.stock_qty, 4) as qty,
       coalesce(round(l.base_net_amount / nullif(l.stock_qty, 0), 4), 0) as rate,
       round(l.base_net_amount, 2) as taxable_value,
       round(l.base_net_amount, 2)
         + round(l.base_net_amount * coalesce((i.base_grand_total - i.base_net_total) / nullif(i.base_net_total, 0), 0), 2) as total_value
  from `tabSales Invoice Item` l
  join `tabSales Invoice` i on i.name = l.parent
  left join `tabSales Order Item` o on o.name = l.so_detail and o.item_code = l.item_code
 where i.docstatus in (1, 2) and i.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by i.name, l.idx
