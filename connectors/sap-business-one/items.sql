-- An item with a recipe for production is made, and an item in such a recipe is a material. Items without stock are services.
, typed as (
  select i.*, case
           when i.is_stocked <> 'Y' then 'SRV'
           when r.whole is not null and u.product is not null then 'SFG'
           when r.whole is not null then 'FG'
           when u.product is not null then 'MAT'
           when i.is_sold = 'Y' then 'FG'
           else 'MAT' end as item_type
    from item i
    left join (select distinct whole from part) r on r.whole = i.code
    left join (select distinct product from part where kind = 'Component') u on u.product = i.code)
select t.sku, t.name, t.item_type as type, case when t.item_type = 'MAT' then 'RAW' end as material_kind, t.unit, g.ItmsGrpNam as primary_category,
       case when t.reorder_level > 0 then round(t.reorder_level, 4) else 0 end as reorder_level, case when t.is_frozen = 'Y' then 0 else 1 end as active
  from typed t
  left join OITB g on g.ItmsGrpCod = t.item_group
 order by 1
