-- A product with a recipe is made. A product in a recipe is a material, or semi-finished if it has a recipe too.
, part as (
  select distinct i.product from production_bom_input i join production_bom b on b.id = i.bom where b.active),
whole as (
  select distinct x.product from "product_product-production_bom" x join production_bom b on b.id = x.bom where b.active),
price as (
  select l.template, (to_jsonb(l) ->> 'product')::int as product, max(l.list_price) as list_price
    from product_list_price l join company c on c.id = l.company group by 1, 2),
typed as (
  select p.*, t.consumable, case
           when p.type = 'service' then 'SRV'
           when p.type = 'assets' then 'MAT'
           when m.product is not null and u.product is not null then 'SFG'
           when m.product is not null then 'FG'
           when u.product is not null then 'MAT'
           when t.salable then 'FG'
           else 'MAT' end as item_type
    from product p
    join product_template t on t.id = p.template
    left join whole m on m.product = p.id
    left join part u on u.product = p.id)
select p.sku, coalesce(nullif(p.name, ''), p.sku) as name, p.item_type as type,
       case when p.item_type = 'MAT' then case when p.type = 'assets' then 'TOOL' when p.consumable then 'CON' else 'RAW' end end as material_kind,
       p.unit, round(greatest(coalesce(own.list_price, l.list_price, 0), 0), 6) as mrp, p.active, g.code as gtin,
       case when e.template ->> 'expiration_state' <> 'none' then nullif((e.template ->> 'expiration_time')::int, 0) end as shelf_life_days
  from typed p
  join product_template t on t.id = p.template
 cross join lateral (select to_jsonb(t) as template) e
  left join (select distinct on (product) product, code from product_identifier
              where type = 'ean' and code ~ '^([0-9]{8}|[0-9]{12,14})$' order by product, sequence nulls first, id) g on g.product = p.id
  left join price own on own.product = p.id
  left join price l on l.template = p.template and l.product is null
 order by 1
