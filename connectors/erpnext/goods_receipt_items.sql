-- In stock units; rejected goods are in a warehouse of their own.
with line as (
       select l.*, o.idx as po_line_no, dense_rank() over (partition by l.parent order by l.purchase_order) as nth
         from `tabPurchase Receipt Item` l join `tabPurchase Order Item` o on o.name = l.purchase_order_item)
select concat(r.name, if(l.nth = 1, '', concat('/', l.nth))) as grn_no, l.purchase_order as po_no, l.idx as line_no,
       l.po_line_no, l.warehouse,
       round(l.stock_qty, 4) + round(l.rejected_qty * l.conversion_factor, 4) as received_qty,
       round(l.stock_qty, 4) as accepted_qty,
       round(l.rejected_qty * l.conversion_factor, 4) as rejected_qty,
       coalesce(round(l.base_net_amount / nullif(l.stock_qty, 0), 4), 0) as rate,
       round(l.base_net_amount, 2) as taxable_amt,
       round(l.base_net_amount * coalesce((r.base_grand_total - r.base_net_total) / nullif(r.base_net_total, 0), 0), 2) as tax_amt,
       round(l.base_net_amount, 2)
         + round(l.base_net_amount * coalesce((r.base_grand_total - r.base_net_total) / nullif(r.base_net_total, 0), 0), 2) as total_amt
  from `tabPurchase Receipt` r join line l on l.parent = r.name
 where r.docstatus = 1 and r.is_return = 0 and l.stock_qty + l.rejected_qty > 0
   and r.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by 1, l.idx
