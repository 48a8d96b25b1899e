-- A batch was produced if a submitted Manufacture entry brought it in, and procured if it came by a receipt.
with made as (
       select s.item_code, e.batch_no, min(s.posting_date) as day, min(s.warehouse) as warehouse, sum(e.qty) as qty
         from `tabStock Ledger Entry` s
         join `tabStock Entry` v on s.voucher_type = 'Stock Entry' and v.name = s.voucher_no
          and v.purpose in ('Manufacture', 'Repack')
         join `tabSerial and Batch Entry` e on e.parent = s.serial_and_batch_bundle
        where s.is_cancelled = 0 and e.qty > 0 and e.batch_no is not null
          and s.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
        group by s.item_code, e.batch_no)
select b.item as sku, b.name as batch_no,
       case when m.batch_no is not null then 'PRODUCED'
            when b.reference_doctype in ('Purchase Receipt', 'Purchase Invoice') then 'PROCURED'
            else 'MANUAL' end as source,
       b.manufacturing_date as mfg_date,
       if(b.expiry_date < b.manufacturing_date, null, b.expiry_date) as expiry_date,
       m.day as batch_date, m.warehouse, round(m.qty, 4) as qty, if(m.batch_no is null, null, 0) as wastage
  from tabBatch b left join made m on m.item_code = b.item and m.batch_no = b.name
 order by b.item, b.name
