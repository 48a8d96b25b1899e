-- Receipts against orders. A receipt for several orders becomes one goods receipt per order.
with line as (
       select l.*, dense_rank() over (partition by l.parent order by l.purchase_order) as nth
         from `tabPurchase Receipt Item` l join `tabPurchase Order Item` o on o.name = l.purchase_order_item)
select concat(r.name, if(l.nth = 1, '', concat('/', l.nth))) as grn_no, l.purchase_order as po_no,
       r.posting_date as receipt_date, min(l.warehouse) as warehouse, r.supplier_delivery_note as reference,
       if(r.currency <> k.default_currency, r.conversion_rate, null) as exchange_rate
  from `tabPurchase Receipt` r join line l on l.parent = r.name
  join tabCompany k on k.name = r.company
 where r.docstatus = 1 and r.is_return = 0
   and r.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 group by r.name, l.nth, l.purchase_order, r.posting_date, r.supplier_delivery_note, r.currency, r.conversion_rate, k.default_currency
 order by 1
