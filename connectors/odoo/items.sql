-- A product with a recipe is made. A product in a recipe is a material, or semi-finished if it has a recipe too. Untracked goods are services.
, typed as (
  select p.*, case
           when k.kit is not null then 'COMBO'
           when not p.is_stocked then 'SRV'
           when r.product is not null and u.product is not null then 'SFG'
           when r.product is not null then 'FG'
           when u.product is not null then 'MAT'
           when p.sale_ok then 'FG'
           else 'MAT' end as item_type
    from product p
    left join (select distinct kit from kit) k on k.kit = p.id
    left join recipe r on r.product = p.id and not r.is_kit
    left join (select distinct product from part where not is_kit) u on u.product = p.id)
select p.sku, coalesce(nullif(p.name, ''), p.sku) as name, p.item_type as type, case when p.item_type = 'MAT' then 'RAW' end as material_kind, p.unit,
       split_part(g.complete_name, ' / ', 1) as primary_category, g.name as product_category, p.hsn,
       round(greatest(p.list_price, 0), 6) as mrp, coalesce(o.qty, 0) as reorder_level, p.active,
       case when x.barcode ~ '^([0-9]{8}|[0-9]{12,14})$' then x.barcode end as gtin,
       case when (e.template ->> 'use_expiration_date')::boolean then nullif((e.template ->> 'expiration_time')::int, 0) end as shelf_life_days
  from typed p
  join product_product x on x.id = p.id
  join product_template t on t.id = p.template
 cross join lateral (select to_jsonb(t) as template) e
  left join product_category g on g.id = p.categ_id
  left join (select r.product_id, round(greatest(sum(r.product_min_qty), 0), 4) as qty
               from company c join stock_warehouse_orderpoint r on r.company_id = c.id and r.active group by r.product_id) o on o.product_id = p.id
 order by 1
