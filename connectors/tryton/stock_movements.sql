-- Done moves. A move between two warehouses is a movement in each.
, told as (
  select m.id, m.day, m.product, m.lot, m.qty, m.val, m.came_from as inside, m.went_to is not null as is_transfer,
         case when m.went_to is not null then 'transfer_out'
              when m.to_type = 'customer' and s.id is not null then 'issue'
              when m.to_type = 'supplier' then 'vendor_return'
              when m.to_type = 'production' and m.production_input is not null then 'consumption'
              when m.to_type = 'lost_found' then case when m.is_count then 'shortage' else 'trash' end
              else 'internal_issue' end as kind,
         s.order_no, s.order_line_no, m.production_input as production, m.shipment
    from move m
    left join sold s on s.id = m.sale_line and s.product = m.product
   where m.came_from is not null
  union all
  select m.id, m.day, m.product, m.lot, m.qty, m.val, m.went_to, m.came_from is not null,
         case when m.came_from is not null then 'transfer_in'
              when m.from_type = 'customer' and s.id is not null then 'sales_return'
              when m.from_type = 'supplier' and b.lot is null then 'purchase_receipt'
              when m.from_type = 'production' and m.production_output is not null then 'production_receipt'
              else 'other_receipt' end,
         s.order_no, s.order_line_no, m.production_output, m.shipment
    from move m
    left join sold s on s.id = m.sale_line and s.product = m.product
    left join made b on b.product = m.product and b.lot = m.lot
   where m.went_to is not null)
select t.id || case when t.kind = 'transfer_in' then '/in' when t.kind = 'transfer_out' then '/out' else '' end as movement_no,
       t.day as movement_date, t.kind, p.sku, 'L' || t.inside as warehouse, l.batch_no, t.qty, t.val, t.val as val_tax,
       case when t.kind in ('issue', 'sales_return') then t.order_no end as order_no,
       case when t.kind in ('issue', 'sales_return') then t.order_line_no end as order_line_no,
       case when t.kind = 'consumption' and f.id <> t.product then f.sku end as for_sku,
       case when t.kind = 'consumption' and f.id <> t.product then b.batch_no end as for_batch_no,
       case when t.kind in ('consumption', 'production_receipt') and o.quantity > 0 and f.id is not null then nullif(o.number, '') end as work_order_no,
       r.po_no, r.grn_no,
       case when t.kind in ('transfer_out', 'transfer_in') then coalesce(nullif(btrim(n.number), ''), 'MOVE-' || t.id) end as transfer_no
  from told t
  join product p on p.id = t.product
  left join lot l on l.id = t.lot
  left join stock_shipment_internal n on t.shipment = 'stock.shipment.internal,' || n.id
  left join production o on o.id = t.production
  left join made_by y on y.production = t.production
  left join product f on f.id = y.product
  left join lot b on b.id = y.lot
  left join received r on r.id = t.id and t.kind = 'purchase_receipt'
 order by 1
