-- FG stock status of finished goods, without tax, from the raw ledger: groups all movements up to :to once, then pivots
-- the sums. Depending on the size, this or fg-stock-status.sums.sql is faster.
with sums as (
  select item_id, warehouse_id, kind, movement_date >= :from as during,
         sum(qty) as qty, sum(val) as val, sum(transfer_charge) as charge
    from stock_movement
   where movement_date <= :to and item_id in (select id from item where type in ('FG', 'COMBO'))
   group by 1, 2, 3, 4),
stock as (
  select item_id, warehouse_id, during, kind, qty, val, charge,
         case when kind in ('hold', 'release') then 0
              when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return') then 1
              else -1 end as sign,
         case kind when 'hold' then 1 when 'release' then -1 else 0 end as held
    from sums),
figures as (
  select item_id, warehouse_id,
         coalesce(sum(sign * qty) filter (where not during), 0) as opening,
         coalesce(sum(sign * val) filter (where not during), 0) as opening_val,
         coalesce(sum(qty) filter (where during and kind = 'production_receipt'), 0) as prd,
         coalesce(sum(qty) filter (where during and kind = 'purchase_receipt'), 0) as pur,
         coalesce(sum(qty) filter (where during and kind = 'transfer_in'), 0) as trf,
         coalesce(sum(qty) filter (where during and kind = 'other_receipt'), 0) as oth,
         coalesce(sum(qty) filter (where during and kind = 'sales_return'), 0) as returned,
         coalesce(sum(qty) filter (where during and kind in ('issue', 'consumption')), 0) as issued,
         coalesce(sum(qty) filter (where during and kind in ('rejection', 'shortage', 'trash')), 0) as trashed,
         coalesce(sum(qty) filter (where during and kind = 'move_to_bad'), 0) as bad,
         coalesce(sum(qty) filter (where during and kind = 'transfer_out'), 0) as transferred,
         coalesce(sum(qty) filter (where during and kind = 'unpack'), 0) as unpacked,
         coalesce(sum(val) filter (where during and sign = 1), 0) as came,
         coalesce(sum(val) filter (where during and sign = -1), 0) as went,
         sum(held * qty) as held, sum(held * val) as held_val,
         sum(sign * qty) as closing, sum(sign * val) as closing_val,
         coalesce(sum(charge) filter (where during), 0) as charge
    from stock group by 1, 2)
