-- The materials that manufacturing orders used for their lot. An order that made several lots, or goods without a lot, has no row here;
-- its consumption is only in the ledger.
select p.sku, b.batch_no, row_number() over (partition by p.sku, b.batch_no order by i.sku) as line_no, i.sku as material,
       -sum(m.moved) as qty_bom, sum(round(-m.moved * greatest(v.unit_cost, 0), 4)) as val_bom
  from made_by b
  join product p on p.id = b.product
  join move m on m.production = b.production and m.role = 'consumed' and m.moved < 0 and m.product <> b.product
  join valued v on v.id = m.id
  join product i on i.id = m.product
 where b.batch_no is not null
 group by p.sku, b.batch_no, i.sku
 order by 1, 2, 3
