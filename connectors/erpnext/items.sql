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
        where i.has_variants = 0),
     -- The first number of GS1 that stands on one stock unit.
     barcode as (
       select b.parent as item, substring_index(min(concat(lpad(b.idx, 8, '0'), '|', b.barcode)), '|', -1) as gtin
         from `tabItem Barcode` b join tabItem i on i.name = b.parent
        where b.barcode_type in ('EAN', 'EAN-8', 'EAN-13', 'UPC', 'UPC-A', 'GS1', 'GTIN', 'GTIN-14', 'JAN')
          and b.barcode regexp '^([0-9]{8}|[0-9]{12,14})$' and coalesce(nullif(b.uom, ''), i.stock_uom) = i.stock_uom
        group by b.parent)
select name as sku, coalesce(nullif(item_name, ''), name) as name, type,
       case when type = 'MAT' then
         case when item_group = 'Consumable' then 'CON' when item_group like '%pack%' then 'PCK' else 'RAW' end
       end as material_kind,
       stock_uom as unit, item_group as primary_category, brand as product_category,
       round(standard_rate, 2) as mrp, disabled = 0 as active,
       g.gtin, nullif(shelf_life_in_days, 0) as shelf_life_days
  from typed left join barcode g on g.item = name
 order by name
