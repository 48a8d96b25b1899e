-- What goes in, and what comes out beside the product; of a running or done production, what really did.
select p.number as work_order_no,
       row_number() over (partition by p.id order by m.production_output is not null, i.sku) as line_no, i.sku,
       case when m.production_output is null then 'Component' else 'By-product' end as kind,
       round(sum(m.quantity::numeric * u.factor * i.per_base / u.divisor), 4) as planned_qty
  from company c
  join production p on p.company = c.id
  join stock_move m on m.production_input = p.id or m.production_output = p.id and m.product <> p.product
  join product i on i.id = m.product
  join unit u on u.id = coalesce(to_jsonb(m) ->> 'unit', to_jsonb(m) ->> 'uom')::int
 where p.state not in ('request', 'draft') and p.number <> '' and p.quantity > 0 and p.product is not null
   and (m.state <> 'cancelled' or p.state = 'cancelled')
 group by p.id, p.number, m.production_output, i.sku
having round(sum(m.quantity::numeric * u.factor * i.per_base / u.divisor), 4) > 0
 order by 1, 2
