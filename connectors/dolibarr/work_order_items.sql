-- The components, and the by-products that come out beside the product.
select o.number as work_order_no, row_number() over (partition by o.id order by l.kind desc, p.sku) as line_no, p.sku, l.kind, l.qty as planned_qty
  from production o
  join (select fk_mo, fk_product, if(role = 'toconsume', 'Component', 'By-product') as kind, cast(sum(qty) as decimal(20, 4)) as qty
          from llx_mrp_production where role in ('toconsume', 'toproduce') group by fk_mo, fk_product, role) l
    on l.fk_mo = o.id and (l.kind = 'Component' or l.fk_product <> o.product)
  join product p on p.id = l.fk_product and p.kind = 0
 where l.qty > 0
 order by 1, 2
