-- In the unit of the line, if the item has it with the same factor, else in stock units; rejected goods are in a separate warehouse.
with line as (
       select l.*, o.idx as po_line_no, dense_rank() over (partition by l.parent order by l.purchase_order) as nth
         from `tabPurchase Receipt Item` l join `tabPurchase Order Item` o on o.name = l.purchase_order_item)
select concat(r.name, if(l.nth = 1, '', concat('/', l.nth))) as grn_no, l.purchase_order as po_no, l.idx as line_no,
       l.po_line_no, l.warehouse,
       u.uom as unit,
       round(if(u.uom is null, l.stock_qty, l.qty), 4)
         + round(l.rejected_qty * if(u.uom is null, l.conversion_factor, 1), 4) as received_qty,
       round(if(u.uom is null, l.stock_qty, l.qty), 4) as accepted_qty,
       round(l.rejected_qty * if(u.uom is null, l.conversion_factor, 1), 4) as rejected_qty,
       coalesce(round(l.net_amount / nullif(if(u.uom is null, l.stock_qty, l.qty), 0), 6), 0) as rate,
       round(l.net_amount, 2) as taxable_amt,
       round(l.net_amount * coalesce((r.grand_total - r.net_total) / nullif(r.net_total, 0), 0), 2) as tax_amt
  from `tabPurchase Receipt` r join line l on l.parent = r.name
  left join `tabUOM Conversion Detail` u
         on u.parent = l.item_code and u.uom = l.uom and l.uom <> l.stock_uom and u.conversion_factor = l.conversion_factor
 where r.docstatus = 1 and r.is_return = 0 and l.stock_qty + l.rejected_qty > 0
   and r.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by 1, l.idx
