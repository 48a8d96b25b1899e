-- FG stock status from the raw ledger with one sum per figure over all movements up to :to.
with figures as (
  select item_id, warehouse_id,
         coalesce(sum(case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return') then qty when kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack') then -qty else 0 end) filter (where movement_date < :from), 0) as opening,
         coalesce(sum(case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return') then val when kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack') then -val else 0 end) filter (where movement_date < :from), 0) as opening_val,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'production_receipt'), 0) as prd,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'purchase_receipt'), 0) as pur,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'transfer_in'), 0) as trf,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'other_receipt'), 0) as oth,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'sales_return'), 0) as returned,
         coalesce(sum(qty) filter (where movement_date >= :from and kind in ('issue', 'consumption')), 0) as issued,
         coalesce(sum(qty) filter (where movement_date >= :from and kind in ('rejection', 'shortage', 'trash')), 0) as trashed,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'move_to_bad'), 0) as bad,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'transfer_out'), 0) as transferred,
         coalesce(sum(qty) filter (where movement_date >= :from and kind = 'unpack'), 0) as unpacked,
         coalesce(sum(val) filter (where movement_date >= :from and kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return')), 0) as came,
         coalesce(sum(val) filter (where movement_date >= :from and kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack')), 0) as went,
         sum(case kind when 'hold' then qty when 'release' then -qty else 0 end) as held,
         sum(case kind when 'hold' then val when 'release' then -val else 0 end) as held_val,
         sum(case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return') then qty when kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack') then -qty else 0 end) as closing,
         sum(case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return') then val when kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack') then -val else 0 end) as closing_val,
         coalesce(sum(transfer_charge) filter (where movement_date >= :from), 0) as charge
    from stock_movement
   where movement_date <= :to and item_id in (select id from item where type in ('FG', 'COMBO'))
   group by 1, 2)
