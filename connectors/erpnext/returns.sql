-- Delivery notes that take goods of an order back. All of these goods enter the stock, bad ones in a warehouse for bad goods. Quantities are in stock units.
select o.parent as order_no, n.name as return_no, o.idx as order_line_no, n.posting_date as return_date, 'RTV' as kind,
       round(-sum(l.stock_qty), 4) as usable_qty, 0 as unusable_qty,
       round(-sum(l.net_amount), 2) as taxable_amt,
       round(-sum(l.net_amount * coalesce((n.grand_total - n.net_total) / nullif(n.net_total, 0), 0)), 2) as tax_amt
  from `tabDelivery Note` n
  join `tabDelivery Note Item` l on l.parent = n.name
  left join `tabDelivery Note Item` was on was.name = l.dn_detail
  join `tabSales Order Item` o on o.name = coalesce(nullif(l.so_detail, ''), was.so_detail) and o.item_code = l.item_code
 where n.docstatus = 1 and n.is_return = 1
   and n.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 group by o.parent, n.name, o.idx, n.posting_date
 order by 1, 2, 3
