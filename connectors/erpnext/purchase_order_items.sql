-- In stock units. The tax of the order is shared out by net amounts.
select o.name as po_no, l.idx as line_no, l.item_code as sku, l.description, l.schedule_date as delivery_date,
       round(l.stock_qty, 4) as qty,
       coalesce(round(l.base_net_amount / nullif(l.stock_qty, 0), 4), 0) as rate,
       round(l.base_net_amount, 2) as taxable_amt,
       round(l.base_net_amount * coalesce((o.base_grand_total - o.base_net_total) / nullif(o.base_net_total, 0), 0), 2) as tax_amt,
       round(l.base_net_amount, 2)
         + round(l.base_net_amount * coalesce((o.base_grand_total - o.base_net_total) / nullif(o.base_net_total, 0), 0), 2) as total_amt
  from `tabPurchase Order Item` l join `tabPurchase Order` o on o.name = l.parent
 where o.docstatus in (1, 2) and o.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by o.name, l.idx
