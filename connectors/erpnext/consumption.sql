-- The materials that each Manufacture entry used for its batch. An entry that made several batches, or goods that are not
-- kept by batch, has no row here; its consumption is only in the ledger.
with entry as (
       select v.name, v.total_additional_costs from `tabStock Entry` v
        where v.docstatus = 1 and v.purpose in ('Manufacture', 'Repack')
          and v.company = coalesce(:company, (select name from tabCompany order by creation limit 1))),
     made as (
       select s.voucher_no, min(s.item_code) as sku, min(e.batch_no) as batch_no
         from entry v join `tabStock Ledger Entry` s on s.voucher_type = 'Stock Entry' and s.voucher_no = v.name
         left join `tabSerial and Batch Entry` e on e.parent = s.serial_and_batch_bundle
         join `tabStock Entry Detail` d on d.name = s.voucher_detail_no
        where s.is_cancelled = 0 and s.actual_qty > 0 and d.is_finished_item = 1
        group by s.voucher_no
       having count(distinct s.item_code, coalesce(e.batch_no, '')) = 1 and batch_no is not null),
     used as (
       select m.sku, m.batch_no, s.item_code as material, null as cost_head, null as description,
              -sum(s.actual_qty) as qty, greatest(0, -sum(s.stock_value_difference)) as val
         from made m join `tabStock Ledger Entry` s on s.voucher_type = 'Stock Entry' and s.voucher_no = m.voucher_no
        where s.is_cancelled = 0 and s.actual_qty < 0
        group by m.sku, m.batch_no, s.item_code
       union all
       select m.sku, m.batch_no, null, 'Other Costs', 'Additional costs', 0, sum(v.total_additional_costs)
         from made m join entry v on v.name = m.voucher_no
        group by m.sku, m.batch_no
       having sum(v.total_additional_costs) > 0)
select sku, batch_no, row_number() over (partition by sku, batch_no order by material is null, material) as line_no,
       material, cost_head, description, round(qty, 4) as qty_bom, round(val, 4) as val_bom
  from used
 order by 1, 2, 3
