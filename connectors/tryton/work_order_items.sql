-- The components, and the by-products that come out beside the product; for a running or done production, the actual ones.
select p.number as work_order_no,
       row_number() over (partition by p.id order by m.kind desc, i.sku) as line_no, i.sku, m.kind,
       round(sum(m.quantity::numeric * u.factor * i.per_base / u.divisor), 4) as planned_qty
  from company c
  join production p on p.company = c.id
  join (select 'Component' as kind, production_input as production, product, quantity, state, coalesce(to_jsonb(s) ->> 'unit', to_jsonb(s) ->> 'uom')::int as unit
          from stock_move s where production_input is not null
        union all
        select 'By-product', production_output, product, quantity, state, coalesce(to_jsonb(s) ->> 'unit', to_jsonb(s) ->> 'uom')::int
          from stock_move s where production_output is not null) m
    on m.production = p.id and (m.kind = 'Component' or m.product <> p.product)
  join product i on i.id = m.product
  join unit u on u.id = m.unit
 where p.state not in ('request', 'draft') and p.number <> '' and p.quantity > 0 and p.product is not null
   and (m.state <> 'cancelled' or p.state = 'cancelled')
 group by p.id, p.number, m.kind, i.sku
having round(sum(m.quantity::numeric * u.factor * i.per_base / u.divisor), 4) > 0
 order by 1, 2
