-- A product with a recipe is made, and a product in a recipe is a material; of the others, Dolibarr's nature of the product decides.
, typed as (
  select p.*, case
           when k.kit is not null then 'COMBO'
           when p.kind = 1 and s.id is null then 'SRV'
           when r.product is not null and u.product is not null then 'SFG'
           when r.product is not null then 'FG'
           when u.product is not null or p.finished = 0 then 'MAT'
           when p.finished = 1 or p.tosell = 1 then 'FG'
           else 'MAT' end as item_type
    from product p
    left join (select distinct kit from kit_part) k on k.kit = p.id
    left join stocked s on s.id = p.id
    left join recipe r on r.product = p.id
    left join (select distinct product from part) u on u.product = p.id)
select t.sku, coalesce(nullif(t.name, ''), t.sku) as name, t.item_type as type, case when t.item_type = 'MAT' then 'RAW' end as material_kind,
       t.unit, g.label as primary_category, t.customcode as hsn, round(greatest(coalesce(t.price_ttc, 0), 0), 6) as mrp,
       least(greatest(coalesce(t.tva_tx, 0), 0), 100) as tax_rate, cast(greatest(coalesce(t.alert, 0), 0) as decimal(20, 4)) as reorder_level,
       t.tosell = 1 or t.tobuy = 1 as active
  from typed t
  left join (select x.fk_product, min(trim(c.label)) as label from llx_categorie_product x join llx_categorie c on c.rowid = x.fk_categorie
              group by x.fk_product) g on g.fk_product = t.id
 order by 1
