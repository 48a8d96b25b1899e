-- The suppliers of an item: its own list, its default supplier, and suppliers with a price of their own. A price in another currency than
-- the company's is left out. Lead time and least quantity are the item's, if the supplier's price names no lead time.
with company as (
       select name, default_currency
         from tabCompany where name = coalesce(:company, (select name from tabCompany order by creation limit 1))),
     price as (
       select p.item_code, nullif(p.supplier, '') as supplier, nullif(p.price_list_rate, 0) / coalesce(u.conversion_factor, 1) as price,
              nullif(p.lead_time_days, 0) as lead_days, nullif(p.packing_unit, 0) * coalesce(u.conversion_factor, 1) as multiple,
              row_number() over (partition by p.item_code, coalesce(p.supplier, '') order by p.valid_from desc, p.creation desc, p.name) as nth
         from `tabItem Price` p
         join company c on c.default_currency = p.currency
         join tabItem i on i.name = p.item_code
         left join `tabUOM Conversion Detail` u on u.parent = i.name and u.uom = p.uom and u.uom <> i.stock_uom and u.conversion_factor > 0
        where p.buying = 1 and coalesce(p.batch_no, '') = ''
          and (coalesce(nullif(p.uom, ''), i.stock_uom) = i.stock_uom or u.uom is not null)
          and coalesce(p.valid_from, curdate()) <= curdate() and coalesce(p.valid_upto, curdate()) >= curdate()),
     seller as (
       select parent as item, supplier from `tabItem Supplier` where parenttype = 'Item'
       union
       select d.parent, d.default_supplier from `tabItem Default` d join company c on c.name = d.company where d.parenttype = 'Item'
       union
       select item_code, supplier from price)
select i.name as sku, v.name as vendor_code, coalesce(p.lead_days, nullif(i.lead_time_days, 0)) as lead_days,
       nullif(round(i.min_order_qty, 4), 0) as min_qty, nullif(round(coalesce(p.multiple, g.multiple), 4), 0) as multiple,
       round(coalesce(p.price, g.price), 6) as price
  from seller s
  join tabItem i on i.name = s.item and i.has_variants = 0
  join tabSupplier v on v.name = s.supplier
  left join price p on p.item_code = s.item and p.supplier = s.supplier and p.nth = 1
  left join price g on g.item_code = s.item and g.supplier is null and g.nth = 1
 order by 1, 2
