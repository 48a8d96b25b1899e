-- Of a document that was cancelled, and of the one that cancels it, both movements belong to no line.
, undone as (
  select 15 as type, DocEntry as document from ODLN where CANCELED <> 'N'
  union all select 16, DocEntry from ORDN where CANCELED <> 'N'
  union all select 13, DocEntry from OINV where CANCELED <> 'N'
  union all select 14, DocEntry from ORIN where CANCELED <> 'N'
  union all select 20, DocEntry from OPDN where CANCELED <> 'N'),
-- The invoice of a delivery without an order, and invoices that moved stock themselves.
billed as (
  select 13 as type, l.document, l.id as line, l.number as invoice_no, l.line_no as invoice_line_no, l.sku from invoice_line l
  union all
  select 14, l.document, l.id, concat('CN-', l.number), l.line_no, l.sku from credit_line l
  union all
  select 15, x.base, x.base_line, x.number, x.line_no, x.sku
    from (select l.*, row_number() over (partition by l.base, l.base_line order by l.document, l.id) as nth from invoice_line l where l.base_type = 15) x
   where x.nth = 1),
told as (
  select e.*, i.sku, r.po_no, r.grn_no, s.order_no, s.order_line_no,
         case when s.order_no is null then b.invoice_no end as invoice_no, case when s.order_no is null then b.invoice_line_no end as invoice_line_no,
         f.production, case
           when e.moved = 0 then null
           when u.document is not null then case when e.moved < 0 then 'internal_issue' else 'other_receipt' end
           when e.type in (13, 15) and e.moved < 0 and coalesce(s.order_no, b.invoice_no) is not null then 'issue'
           when e.type in (14, 16) and e.moved > 0 and coalesce(s.order_no, b.invoice_no) is not null then 'sales_return'
           when e.type in (18, 20) and e.moved > 0 and m.batch_no is null then 'purchase_receipt'
           when e.type in (18, 19, 20, 21) and e.moved < 0 then 'vendor_return'
           when f.kind = 'consumption' and e.moved < 0 then 'consumption'
           when f.kind = 'production_receipt' and e.moved > 0 then 'production_receipt'
           when e.type = 67 then case when e.moved < 0 then 'transfer_out' else 'transfer_in' end
           when e.type in (58, 10000071) and e.moved < 0 then 'shortage'
           when e.moved < 0 then 'internal_issue' else 'other_receipt' end as kind
    from entry e
    join item i on i.code = e.product
    left join undone u on u.type = e.type and u.document = e.document
    left join sold s on s.type = e.type and s.document = e.document and s.line = e.line and s.sku = i.sku
    left join billed b on b.type = e.type and b.document = e.document and b.line = e.line and b.sku = i.sku
    left join received r on e.type = 20 and r.document = e.document and r.line = e.line and r.sku = i.sku and r.place = e.place
    left join for_production f on f.type = e.type and f.document = e.document and f.line = e.line
    left join made m on m.product = e.product and m.batch_no = e.batch_no)
select concat(t.id, case when t.batch_no is null then '' else concat('/', t.batch_no) end) as movement_no, t.day as movement_date, t.kind, t.sku,
       ltrim(rtrim(t.place)) as warehouse, t.batch_no, abs(t.moved) as qty,
       case when t.val * t.moved > 0 then abs(t.val) else 0 end as val, case when t.val * t.moved > 0 then abs(t.val) else 0 end as val_tax,
       case when t.kind in ('issue', 'sales_return') then t.order_no end as order_no,
       case when t.kind in ('issue', 'sales_return') then t.order_line_no end as order_line_no,
       case when t.kind in ('issue', 'sales_return') then t.invoice_no end as invoice_no,
       case when t.kind in ('issue', 'sales_return') then t.invoice_line_no end as invoice_line_no,
       case when t.kind = 'consumption' and p.product <> t.product then f.sku end as for_sku,
       case when t.kind = 'consumption' and p.product <> t.product then y.batch_no end as for_batch_no,
       case when t.kind in ('consumption', 'production_receipt') then p.number end as work_order_no,
       case when t.kind = 'purchase_receipt' then t.po_no end as po_no, case when t.kind = 'purchase_receipt' then t.grn_no end as grn_no, t.memo as note
  from told t
  left join production p on p.id = t.production
  left join item f on f.code = p.product
  left join made_by y on y.production = t.production
 where t.kind is not null
union all
-- Values without a quantity, or with the opposite sign of the quantity: revaluations, landed costs, stock below zero.
select concat(t.id, case when t.batch_no is null then '' else concat('/', t.batch_no) end, '/value'), t.day,
       case when t.val < 0 then 'value_decrease' else 'value_increase' end, t.sku, ltrim(rtrim(t.place)), t.batch_no, 0, abs(t.val), abs(t.val),
       cast(null as varchar(50)), null, cast(null as varchar(50)), null, cast(null as varchar(50)), cast(null as varchar(50)),
       cast(null as varchar(50)), cast(null as varchar(50)), cast(null as varchar(50)), t.memo
  from told t
 where t.val <> 0 and t.val * t.moved <= 0
 order by 1
