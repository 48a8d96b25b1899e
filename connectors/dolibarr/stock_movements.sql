-- A movement names its document, but not the line: the nth movement of a product belongs to the nth line with it. What was taken back,
-- because its document was opened again or deleted, and what came before that, belongs to no line. Other movements have a partition each:
-- MariaDB takes the square of the time for a large one.
, line_of as (
  select x.*, row_number() over (partition by x.origin, x.document, x.product order by x.a, x.b) as nth, count(*) over (partition by x.origin, x.document, x.product) as lines_
    from (select 1 as origin, e.rowid as document, l.product, l.number as order_no, l.line_no as order_line_no, null as invoice_no,
                 null as invoice_line_no, d.rowid as a, coalesce(b.rowid, 0) as b
            from llx_expedition e
            join llx_expeditiondet d on d.fk_expedition = e.rowid
            join sale_line l on l.id = d.fk_elementdet
            left join llx_expeditiondet_batch b on b.fk_expeditiondet = d.rowid
           where e.fk_statut in (1, 2)
          union all
          select 2, l.document, l.product, l.number, l.line_no, null, null, l.line_no, 0 from sale d join sale_line l on l.document = d.id where d.status > 0
          union all
          select 3, l.document, l.product, l.order_no, l.order_line_no, if(l.order_no is null, l.number, null), if(l.order_no is null, l.line_no, null), l.line_no, 0
            from invoice d join invoice_line l on l.document = d.id where d.status in (1, 2)) x
   where x.product is not null),
traced as (
  select m.*, m.sign * m.moved < 0 and m.id > m.undone as counts,
         row_number() over (partition by m.origin, m.document, m.product, m.apart, m.sign * m.moved < 0 and m.id > m.undone order by m.id) as nth
    from (select m.*, if(i.type = 2, -1, 1) as sign,
                 coalesce(max(case when if(i.type = 2, -1, 1) * m.moved > 0 then m.id end) over (partition by m.origin, m.document, m.product, m.apart), 0) as undone
            from (select m.*, if(m.origin between 1 and 3, 0, m.id) as apart from move m) m
            left join invoice i on m.origin = 3 and i.id = m.document) m),
-- Dolibarr moves a kit and its parts: the parts are the goods of the line.
kit_line as (
  select x.origin, x.document, k.product, x.product as kit, min(x.order_no) as order_no, min(x.order_line_no) as order_line_no
    from line_of x
    join kit_part k on k.kit = x.product
   where x.order_no is not null
   group by x.origin, x.document, k.product, x.product),
part_moved as (
  select distinct k.origin, k.document, k.kit from kit_line k join traced t on t.origin = k.origin and t.document = k.document and t.product = k.product and t.counts),
receipt_of as (
  select r.*
    from (select if(reception is null, 5, 4) as origin, coalesce(reception, document) as document, product, place,
                 if(reception is null, day, null) as day, grn_no, po_no,
                 row_number() over (partition by coalesce(concat('R', reception), concat('O', document)), product, place, if(reception is null, day, null) order by grn_no) as nth
            from received_line) r
   where r.nth = 1),
-- Two movements of one operation that cancel each other out, in two warehouses.
transferred as (
  select m.operation
    from (select m.*, unhex(md5(concat(m.product, '/', abs(m.moved), '/', coalesce(hex(m.lot), ''), '/', m.together))) as operation
            from move m where m.origin = 0) m
   group by m.operation having sum(m.moved) = 0 and min(m.place) <> max(m.place)),
moved as (
  select t.*, t.origin = 0 and x.operation is not null as is_transfer
    from traced t
    left join transferred x on x.operation = unhex(md5(concat(t.product, '/', abs(t.moved), '/', coalesce(hex(t.lot), ''), '/', t.together)))),
told as (
  select m.id, m.day, m.product, m.place, m.batch_no, m.moved, m.makes, m.production, m.label, v.unit_cost,
         coalesce(x.order_no, k.order_no, y.order_no) as order_no,
         case when x.nth is not null then x.order_line_no when k.kit is not null then k.order_line_no else y.order_line_no end as order_line_no,
         case when x.nth is not null then x.invoice_no when k.kit is null then y.invoice_no end as invoice_no,
         case when x.nth is not null then x.invoice_line_no when k.kit is null then y.invoice_line_no end as invoice_line_no,
         coalesce(r.po_no, o.number) as po_no, r.grn_no,
         case when m.counts and pm.kit is null and coalesce(x.nth, k.kit, y.nth) is not null then if(m.moved < 0, 'issue', 'sales_return')
              when m.origin in (4, 5, 6) and m.moved < 0 then 'vendor_return'
              when m.origin in (4, 5, 6) and b.batch_no is null then 'purchase_receipt'
              when m.production is not null and m.role = 'consumed' and m.moved < 0 then 'consumption'
              when m.production is not null and m.role = 'produced' and m.moved > 0 then 'production_receipt'
              when m.origin = 8 and m.moved < 0 then 'shortage'
              when m.is_transfer then if(m.moved < 0, 'transfer_out', 'transfer_in')
              else if(m.moved < 0, 'internal_issue', 'other_receipt') end as kind
    from moved m
    join valued v on v.id = m.id
    left join line_of x on m.counts and x.origin = m.origin and x.document = m.document and x.product = m.product and x.nth = m.nth
    left join (select * from (select k.*, row_number() over (partition by origin, document, product order by order_line_no) as pick from kit_line k) k where pick = 1) k
      on m.counts and x.nth is null and k.origin = m.origin and k.document = m.document and k.product = m.product
    left join line_of y on m.counts and x.nth is null and k.kit is null and y.origin = m.origin and y.document = m.document and y.product = m.product and y.nth = y.lines_
    left join part_moved pm on pm.origin = m.origin and pm.document = m.document and pm.kit = m.product
    left join receipt_of r on m.moved > 0 and r.origin = m.origin and r.document = m.document and r.product = m.product and r.place = m.place
         and coalesce(r.day, m.day) = m.day
    left join purchase o on m.origin = 5 and o.id = m.document
    left join made b on b.lot = m.lot),
-- Opening stock, before the first movement of the product.
first_of as (
  select p.id as product, least(coalesce(p.created, m.day), coalesce(m.day, p.created)) as day
    from product p left join (select product, min(day) as day from move group by product) m on m.product = p.id),
ledger as (
  select m.product, m.place, m.day, m.moved, if(m.moved < 0, -1, 1) * round(abs(m.moved) * greatest(v.unit_cost, 0), 4) as val
    from move m join valued v on v.id = m.id
  union all
  select o.product, o.place, f.day, o.qty, if(o.qty < 0, -1, 1) * round(abs(o.qty) * greatest(p.pmp, 0), 4)
    from opening o join product p on p.id = o.product join first_of f on f.product = o.product),
-- Dolibarr values the stock of all warehouses at the average cost of now. The difference is a movement of value only, on the last day.
revalued as (
  select l.product, l.place, max(l.day) as day, round(sum(l.moved) * greatest(max(p.pmp), 0), 4) - sum(l.val) as val
    from ledger l join product p on p.id = l.product
   group by l.product, l.place)
select cast(t.id as char) as movement_no, t.day as movement_date, t.kind, p.sku, concat('W', t.place) as warehouse, t.batch_no, abs(t.moved) as qty,
       round(abs(t.moved) * greatest(t.unit_cost, 0), 4) as val, round(abs(t.moved) * greatest(t.unit_cost, 0), 4) as val_tax,
       if(t.kind in ('issue', 'sales_return'), t.order_no, null) as order_no, if(t.kind in ('issue', 'sales_return'), t.order_line_no, null) as order_line_no,
       if(t.kind in ('issue', 'sales_return'), t.invoice_no, null) as invoice_no, if(t.kind in ('issue', 'sales_return'), t.invoice_line_no, null) as invoice_line_no,
       case when t.kind = 'consumption' and t.makes <> t.product then f.sku end as for_sku,
       case when t.kind = 'consumption' and t.makes <> t.product then y.batch_no end as for_batch_no,
       if(t.kind in ('consumption', 'production_receipt'), o.number, null) as work_order_no,
       if(t.kind in ('purchase_receipt', 'vendor_return'), t.po_no, null) as po_no, if(t.kind = 'purchase_receipt', t.grn_no, null) as grn_no,
       left(t.label, 10000) as note
  from told t
  join product p on p.id = t.product
  left join production o on o.id = t.production
  left join product f on f.id = t.makes
  left join made_by y on y.production = t.production and y.product = t.makes
union all
select concat('OPEN/', o.product, '/', o.place, coalesce(concat('/', o.batch_no), '')), f.day, if(o.qty < 0, 'shortage', 'other_receipt'), p.sku,
       concat('W', o.place), o.batch_no, abs(o.qty), round(abs(o.qty) * greatest(p.pmp, 0), 4), round(abs(o.qty) * greatest(p.pmp, 0), 4),
       null, null, null, null, null, null, null, null, null, 'Opening balance'
  from opening o
  join product p on p.id = o.product
  join first_of f on f.product = o.product
union all
select concat('V', v.product, '/', v.place), v.day, if(v.val < 0, 'value_decrease', 'value_increase'), p.sku, concat('W', v.place), null, 0, abs(v.val), abs(v.val),
       null, null, null, null, null, null, null, null, null, 'Average cost'
  from revalued v
  join product p on p.id = v.product
 where v.val <> 0
 order by 1
