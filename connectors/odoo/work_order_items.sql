-- The components, and the by-products that come out beside the product.
select o.name as work_order_no, row_number() over (partition by o.id order by m.kind desc, i.sku) as line_no, i.sku, m.kind,
       round(sum(coalesce(nullif(m.product_qty, 0), m.quantity * u.factor / i.factor)), 4) as planned_qty
  from production o
  join (select 'Component' as kind, raw_material_production_id as production, product_id, product_qty, quantity, product_uom, state
          from stock_move where raw_material_production_id is not null
        union all
        select 'By-product', production_id, product_id, product_qty, quantity, product_uom, state
          from stock_move where production_id is not null) m
    on m.production = o.id and (m.kind = 'Component' or m.product_id <> o.product_id)
  join product i on i.id = m.product_id
  join unit u on u.id = m.product_uom
 where m.state <> 'cancel' or o.state = 'cancel'
 group by o.id, o.name, m.kind, i.sku
having round(sum(coalesce(nullif(m.product_qty, 0), m.quantity * u.factor / i.factor)), 4) > 0
 order by 1, 2
