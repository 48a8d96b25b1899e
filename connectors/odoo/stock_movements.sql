-- Lines of done moves. A move between two warehouses is a movement in each.
, told as (
  select m.id, m.day, m.product, m.lot, m.qty, m.val, m.came_from as inside, -1 as sign, m.is_own, m.cost,
         case when m.went_to is not null then 'transfer_out'
              when m.to_type = 'customer' and s.id is not null then 'issue'
              when m.to_type = 'supplier' then 'vendor_return'
              when m.to_type = 'production' and m.production_input is not null then 'consumption'
              when m.is_scrap then 'trash'
              when m.is_count then 'shortage'
              else 'internal_issue' end as kind,
         s.order_no, s.order_line_no, m.production_input as production, m.move, m.picking
    from move m
    left join sold s on s.id = m.id
   where m.came_from is not null
  union all
  select m.id, m.day, m.product, m.lot, m.qty, m.val, m.went_to, 1, m.is_own, m.cost,
         case when m.came_from is not null then 'transfer_in'
              when m.from_type = 'customer' and s.id is not null then 'sales_return'
              when m.from_type = 'supplier' and b.lot is null then 'purchase_receipt'
              when m.from_type = 'production' and m.production_output is not null then 'production_receipt'
              else 'other_receipt' end,
         s.order_no, s.order_line_no, m.production_output, m.move, m.picking
    from move m
    left join sold s on s.id = m.id
    left join made b on b.product = m.product and b.lot = m.lot
   where m.went_to is not null),
-- Odoo values stock by the present cost of its product or lot, not by its moves: new prices, late bills and landed costs change it.
-- The difference is a movement of value only, on the day of the last move or new price.
revalued as (
  select t.product, t.inside, greatest(max(t.day), max(v.day)) as day, round(sum(t.sign * (case when t.is_own then t.qty * t.cost else 0 end - t.val)), 4) as val
    from told t
    left join (select v.product_id, max((v.date at time zone 'UTC' at time zone c.zone)::date) as day
                 from company c join product_value v on v.company_id = c.id and v.move_id is null group by v.product_id) v on v.product_id = t.product
   group by t.product, t.inside)
select t.id || case when t.kind = 'transfer_in' then '/in' when t.kind = 'transfer_out' then '/out' else '' end as movement_no,
       t.day as movement_date, t.kind, p.sku, 'L' || t.inside as warehouse, l.batch_no, t.qty, t.val, t.val as val_tax,
       case when t.kind in ('issue', 'sales_return') then t.order_no end as order_no,
       case when t.kind in ('issue', 'sales_return') then t.order_line_no end as order_line_no,
       case when t.kind = 'consumption' and f.id <> t.product then f.sku end as for_sku,
       case when t.kind = 'consumption' and f.id <> t.product then b.batch_no end as for_batch_no,
       case when t.kind in ('consumption', 'production_receipt') then o.name end as work_order_no,
       r.po_no, r.grn_no,
       case when t.kind in ('transfer_out', 'transfer_in') then coalesce(nullif(btrim(k.name), ''), 'MOVE-' || t.move) end as transfer_no
  from told t
  join product p on p.id = t.product
  left join lot l on l.id = t.lot
  left join stock_picking k on k.id = t.picking
  left join production o on o.id = t.production
  left join made_by y on y.production = t.production
  left join product f on f.id = y.product
  left join lot b on b.id = y.lot
  left join received r on r.id = t.id and t.kind = 'purchase_receipt'
 union all
select 'V' || v.product || '/' || v.inside, v.day, case when v.val > 0 then 'value_increase' else 'value_decrease' end, p.sku, 'L' || v.inside, null,
       0, abs(v.val), abs(v.val), null, null, null, null, null, null, null, null
  from revalued v
  join product p on p.id = v.product
 where v.val <> 0
 order by 1
