-- The vendors of a product that hold today, each with the price for its smallest quantity; a price for the variant goes before one for all variants.
, offer as (
  select p.id as product, r.commercial_partner_id as party, s.delay, s.min_qty::numeric * f.units as min_qty,
         s.price::numeric * (1 - coalesce(s.discount, 0)::numeric / 100) / f.units
           * case when s.currency_id = c.currency_id then 1 else 1 / nullif(k.rate, 0) end as price,
         row_number() over (partition by p.id, r.commercial_partner_id order by s.product_id, s.min_qty, s.sequence, s.id) as nth
    from company c
    join product_supplierinfo s on coalesce(s.company_id, c.id) = c.id
     and (now() at time zone c.zone)::date between coalesce(s.date_start, '-infinity') and coalesce(s.date_end, 'infinity')
    join product p on p.template = s.product_tmpl_id and coalesce(s.product_id, p.id) = p.id
    join res_partner r on r.id = s.partner_id and r.active
    left join unit u on u.id = coalesce(to_jsonb(s) ->> 'product_uom_id', to_jsonb(s) ->> 'uom_id')::int
   cross join lateral (select coalesce(u.factor / p.factor, 1) as units) f
    left join rate k on k.currency_id = s.currency_id and k.until = 'infinity'),
-- The multiple of the product's reordering rules, if they agree.
multiple as (
  select o.product_id as product, max(u.factor / p.factor) as qty
    from company c
    join stock_warehouse_orderpoint o on o.company_id = c.id and o.active
    join product p on p.id = o.product_id
    join unit u on u.id = (to_jsonb(o) ->> 'replenishment_uom_id')::int
   group by o.product_id having min(u.factor / p.factor) = max(u.factor / p.factor))
select p.sku, a.code as vendor_code, greatest(o.delay, 0) as lead_days, nullif(round(greatest(o.min_qty, 0), 4), 0) as min_qty,
       nullif(round(m.qty, 4), 0) as multiple, nullif(round(greatest(o.price, 0), 6), 0) as price
  from offer o
  join product p on p.id = o.product
  join party a on a.id = o.party
  left join multiple m on m.product = o.product
 where o.nth = 1
 order by 1, 2
