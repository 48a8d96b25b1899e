-- ERPNext has no item types: an item with a recipe is made, an item in a recipe is a material. Templates of variants hold no stock.
with made as (select distinct item from tabBOM where docstatus = 1 and is_active = 1),
     used as (
       select distinct l.item_code as item from `tabBOM Item` l join tabBOM b on b.name = l.parent
        where b.docstatus = 1 and b.is_active = 1),
     typed as (
       select i.*, case
                when i.is_stock_item = 0 then 'SRV'
                when m.item is not null and u.item is not null then 'SFG'
                when m.item is not null then 'FG'
                when u.item is not null or i.item_group in ('Raw Material', 'Consumable', 'Sub Assemblies') then 'MAT'
                when i.is_sales_item = 1 then 'FG'
                else 'MAT'
              end as type
         from tabItem i left join made m on m.item = i.name left join used u on u.item = i.name
        where i.has_variants = 0)
select name as sku, coalesce(nullif(item_name, ''), name) as name, type,
       case when type = 'MAT' then
         case when item_group = 'Consumable' then 'CON' when item_group like '%pack%' then 'PCK' else 'RAW' end
       end as material_kind,
       stock_uom as unit, item_group as primary_category, brand as product_category,
       round(standard_rate, 2) as mrp, disabled = 0 as active
  from typed
 order by name
