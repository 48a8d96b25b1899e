-- The materials that production orders used for their batch. An order that made several batches, or goods without a batch, has no row here;
-- its consumption is only in the ledger.
select p.sku, y.batch_no, row_number() over (partition by p.sku, y.batch_no order by i.sku) as line_no, i.sku as material,
       -sum(e.moved) as qty_bom, sum(case when e.val < 0 then -e.val else 0 end) as val_bom
  from made_by y
  join item p on p.code = y.product
  join for_production f on f.production = y.production and f.kind = 'consumption'
  join entry e on e.type = f.type and e.document = f.document and e.line = f.line and e.moved < 0 and e.product <> y.product
  join item i on i.code = e.product
 where y.batch_no is not null
 group by p.sku, y.batch_no, i.sku
 order by 1, 2, 3
