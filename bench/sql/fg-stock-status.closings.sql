-- FG stock status from the closings: the stock at each item's last closing before :from, the sums between closings, and the
-- movements of the ledger up to :from and since the last closing.
with closed as materialized (
  select i.id as item_id,
         (select max(day) from stock_closing c where c.item_id = i.id and c.day <= :from) as opened,
         (select max(day) from stock_closing c where c.item_id = i.id and c.day > :from and c.day <= cast(:to as date) + 1) as closed
    from item i where i.type in ('FG', 'COMBO')),
rows as (
  select c.item_id, c.warehouse_id, c.kind, false as during, c.qty, c.val, 0 as charge
    from closed a join stock_closing c on c.item_id = a.item_id and c.day = a.opened
  union all
  select f.item_id, f.warehouse_id, f.kind, true, f.qty, f.val, f.transfer_charge
    from closed a join stock_flow f on f.item_id = a.item_id and f.day > :from and f.day <= a.closed
  union all
  select m.item_id, m.warehouse_id, m.kind, n.during, n.sign * m.qty, n.sign * m.val, n.sign * m.transfer_charge
    from closed a
   cross join lateral (select * from stock_movement m
                        where m.item_id = a.item_id and m.movement_date >= coalesce(a.opened, '-infinity')
                          and m.movement_date < :from offset 0) m
    join (values (false, 1), (true, -1)) n(during, sign) on not n.during or a.closed is not null
  union all
  select m.item_id, m.warehouse_id, m.kind, true, m.qty, m.val, m.transfer_charge
    from closed a
   cross join lateral (select * from stock_movement m
                        where m.item_id = a.item_id and m.movement_date >= coalesce(a.closed, :from)
                          and m.movement_date <= :to offset 0) m),
sums as (
  select item_id, warehouse_id, kind, during, sum(qty) as qty, sum(val) as val, sum(charge) as charge
    from rows group by 1, 2, 3, 4),
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
