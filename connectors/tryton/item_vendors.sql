-- The suppliers of a product, each with the price for its smallest quantity; a supplier of the variant goes before one of the product.
, lead_time as (
  select distinct on (l.party) l.party, l.supplier_lead_time
    from company c join party_party_supplier_lead_time l on coalesce(l.company, c.id) = c.id
   order by l.party, l.company, l.id),
first_price as (
  select distinct on (product_supplier) product_supplier, quantity::numeric as quantity, unit_price
    from purchase_product_supplier_price order by product_supplier, quantity, sequence desc nulls last, id desc),
offer as (
  select p.sku, a.code as vendor_code, coalesce(s.lead_time, l.supplier_lead_time) as lead_time, f.quantity * x.units as min_qty,
         f.unit_price / x.units * case when s.currency = c.currency then 1 else coalesce(own.rate, 1) / its.rate end as price,
         row_number() over (partition by p.id, s.party order by s.product, s.sequence nulls first, s.id) as nth
    from company c
    join purchase_product_supplier s on s.company = c.id and s.active
    join product p on p.template = s.template and coalesce(s.product, p.id) = p.id
    join product_template t on t.id = p.template
    join party a on a.id = s.party
    left join unit u on u.id = (to_jsonb(t) ->> 'purchase_uom')::int
   cross join lateral (select coalesce(u.factor * p.per_base / u.divisor, 1) as units) x
    left join lead_time l on l.party = s.party
    left join first_price f on f.product_supplier = s.id
    left join rate its on its.currency = s.currency and its.until = 'infinity'
    left join rate own on own.currency = c.currency and own.until = 'infinity')
select sku, vendor_code, ceil(extract(epoch from lead_time) / 86400)::int as lead_days, nullif(round(min_qty, 4), 0) as min_qty,
       nullif(round(price, 6), 0) as price
  from offer
 where nth = 1
 order by 1, 2
