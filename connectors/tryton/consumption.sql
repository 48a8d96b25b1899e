-- The materials that productions used for their lot. A production that made several lots, or goods without a lot, has no row here; its
-- consumption is only in the ledger.
select p.sku, l.batch_no, row_number() over (partition by p.sku, l.batch_no order by i.sku) as line_no, i.sku as material,
       sum(m.qty) as qty_bom, sum(m.val) as val_bom
  from made_by b
  join lot l on l.id = b.lot
  join product p on p.id = b.product
  join move m on m.production_input = b.production and m.came_from is not null and m.went_to is null
  join product i on i.id = m.product and i.id <> b.product
 group by p.sku, l.batch_no, i.sku
 order by 1, 2, 3
