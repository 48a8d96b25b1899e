-- The stock ledger, one row per entry and batch. It has four traps:
-- 1. A stock count without batches has actual_qty 0 and only sets the quantity after it: take the difference to the entry before.
-- 2. An hourly job changes the names of entries, so the key is voucher, line, warehouse, time of creation and batch.
-- 3. A back-dated voucher rewrites later entries without changing `modified`, which is not used to find changes.
-- 4. Cancelled vouchers leave entries of both signs, all with is_cancelled = 1.
with entry as (
       select s.*,
              case when s.voucher_type = 'Stock Reconciliation' and s.actual_qty = 0
                        and coalesce(s.serial_and_batch_bundle, '') = ''
                   then s.qty_after_transaction - coalesce(lag(s.qty_after_transaction) over (
                          partition by s.item_code, s.warehouse order by s.posting_datetime, s.creation), 0)
                   else s.actual_qty end as moved
         from `tabStock Ledger Entry` s
        where s.is_cancelled = 0 and s.company = coalesce(:company, (select name from tabCompany order by creation limit 1))),
     bundled as (
       select parent, batch_no, sum(qty) as qty from `tabSerial and Batch Entry` where batch_no is not null group by parent, batch_no),
     -- The value of an entry is distributed over its batches by quantity; the running sums make the shares add up.
     part as (
       select e.name, b.batch_no, coalesce(b.qty, e.moved) as moved,
              case when b.parent is null or e.moved = 0 then round(e.stock_value_difference, 4)
                   else round(e.stock_value_difference * sum(b.qty) over w / e.moved, 4)
                        - round(e.stock_value_difference * (sum(b.qty) over w - b.qty) / e.moved, 4) end as val
         from entry e left join bundled b on b.parent = e.serial_and_batch_bundle
       window w as (partition by e.name order by b.batch_no rows unbounded preceding)),
     made as (
       select s.voucher_no, min(s.item_code) as sku, min(e.batch_no) as batch_no,
              count(distinct s.item_code, coalesce(e.batch_no, '')) as products
         from entry s
         left join `tabSerial and Batch Entry` e on e.parent = s.serial_and_batch_bundle
         join `tabStock Entry Detail` d on d.name = s.voucher_detail_no
        where s.voucher_type = 'Stock Entry' and s.actual_qty > 0 and d.is_finished_item = 1
        group by s.voucher_no),
     produced as (
       select distinct s.item_code, e.batch_no
         from entry s
         join `tabStock Entry` v on s.voucher_type = 'Stock Entry' and v.name = s.voucher_no and v.purpose in ('Manufacture', 'Repack')
         join `tabSerial and Batch Entry` e on e.parent = s.serial_and_batch_bundle
        where e.qty > 0 and e.batch_no is not null),
     -- Lines of receipts that are in goods_receipts.
     receipt as (
       select l.name, l.warehouse, l.purchase_order as po_no,
              concat(l.parent, if(dense_rank() over (partition by l.parent order by l.purchase_order) = 1, '',
                concat('/', dense_rank() over (partition by l.parent order by l.purchase_order)))) as grn_no
         from `tabPurchase Receipt Item` l join `tabPurchase Order Item` o on o.name = l.purchase_order_item),
     -- The order's line, or else the invoice's line, for which goods were delivered or came back.
     delivered as (
       select l.name, o.parent as order_no, o.idx as order_line_no, min(i.parent) as invoice_no,
              cast(substring_index(min(concat(i.parent, '|', i.idx)), '|', -1) as unsigned) as invoice_line_no
         from `tabDelivery Note Item` l
         left join `tabDelivery Note Item` was on was.name = l.dn_detail
         left join `tabSales Order Item` o
           on o.name = coalesce(nullif(l.so_detail, ''), was.so_detail) and o.item_code = l.item_code
         left join `tabSales Invoice Item` i
           on i.dn_detail = coalesce(nullif(l.dn_detail, ''), l.name) and i.item_code = l.item_code and i.docstatus = 1
        group by l.name, o.parent, o.idx
       union all
       select l.name, o.parent, o.idx, l.parent, l.idx
         from `tabSales Invoice Item` l
         left join `tabSales Order Item` o on o.name = l.so_detail and o.item_code = l.item_code
        where l.docstatus = 1),
     told as (
       select e.voucher_type, e.voucher_no, e.voucher_detail_no, e.item_code, e.warehouse, e.posting_date, e.creation,
              p.batch_no, round(p.moved, 4) as moved, p.val, v.purpose, d.is_finished_item, d.is_scrap_item,
              m.sku as for_sku, if(m.products = 1, m.batch_no, null) as for_batch_no,
              r.po_no, r.grn_no, x.order_no, x.order_line_no, x.invoice_no, x.invoice_line_no,
              case
                when round(p.moved, 4) = 0 then null
                when e.voucher_type in ('Delivery Note', 'Sales Invoice') and coalesce(x.order_no, x.invoice_no) is not null
                  then if(p.moved < 0, 'issue', 'sales_return')
                when e.voucher_type in ('Purchase Receipt', 'Purchase Invoice') and p.moved < 0 then 'vendor_return'
                when e.voucher_type in ('Purchase Receipt', 'Purchase Invoice') and b.batch_no is null
                     and (r.name is null or r.warehouse = e.warehouse) then 'purchase_receipt'
                when v.purpose in ('Manufacture', 'Repack') and p.moved > 0 and d.is_scrap_item = 0 then 'production_receipt'
                when v.purpose in ('Manufacture', 'Repack', 'Material Consumption for Manufacture') and p.moved < 0 then 'consumption'
                when v.purpose in ('Material Transfer', 'Material Transfer for Manufacture', 'Send to Subcontractor')
                  then if(p.moved < 0, 'transfer_out', 'transfer_in')
                when e.voucher_type = 'Stock Reconciliation' and p.moved < 0 then 'shortage'
                else if(p.moved < 0, 'internal_issue', 'other_receipt')
              end as kind
         from entry e
         join part p on p.name = e.name
         left join `tabStock Entry` v on e.voucher_type = 'Stock Entry' and v.name = e.voucher_no
         left join `tabStock Entry Detail` d on e.voucher_type = 'Stock Entry' and d.name = e.voucher_detail_no
         left join made m on e.voucher_type = 'Stock Entry' and m.voucher_no = e.voucher_no
         left join produced b on b.item_code = e.item_code and b.batch_no = p.batch_no
         left join receipt r on e.voucher_type = 'Purchase Receipt' and r.name = e.voucher_detail_no
         left join delivered x on e.voucher_type in ('Delivery Note', 'Sales Invoice') and x.name = e.voucher_detail_no),
     numbered as (
       select t.*, concat_ws('/', voucher_no, voucher_detail_no, warehouse, date_format(creation, '%y%m%d%H%i%s%f'), batch_no) as no
         from told t)
select no as movement_no, posting_date as movement_date, kind, item_code as sku, warehouse, batch_no, abs(moved) as qty,
       greatest(0, if(moved < 0, -val, val)) as val, greatest(0, if(moved < 0, -val, val)) as val_tax,
       if(kind in ('issue', 'sales_return'), order_no, null) as order_no,
       if(kind in ('issue', 'sales_return'), order_line_no, null) as order_line_no,
       if(kind in ('issue', 'sales_return') and order_no is null, invoice_no, null) as invoice_no,
       if(kind in ('issue', 'sales_return') and order_no is null, invoice_line_no, null) as invoice_line_no,
       if(kind = 'consumption', for_sku, null) as for_sku, if(kind = 'consumption', for_batch_no, null) as for_batch_no,
       if(kind = 'purchase_receipt', po_no, null) as po_no, if(kind = 'purchase_receipt', grn_no, null) as grn_no,
       concat_ws(' ', voucher_type, purpose) as note,
       if(kind in ('transfer_out', 'transfer_in'), voucher_no, null) as transfer_no
  from numbered
 where kind is not null
union all
-- Values without a quantity, or with the opposite sign of the quantity, as after stock below zero.
select concat(no, '/value'), posting_date, if(val < 0, 'value_decrease', 'value_increase'), item_code, warehouse, batch_no, 0,
       abs(val), abs(val), null, null, null, null, null, null, null, null, concat_ws(' ', voucher_type, purpose), null
  from numbered
 where val <> 0 and (kind is null or sign(val) <> sign(moved))
 order by 1
