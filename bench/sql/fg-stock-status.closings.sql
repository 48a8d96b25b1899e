-- FG stock status of whole months from the closings: the balances of the month before :from, and the sums of the months
-- from :from to :to.
with items as (select id from item where type in ('FG', 'COMBO')),
opening as (
  select item_id, warehouse_id, sum(qty) as qty, sum(val) as val, sum(held_qty) as held, sum(held_val) as held_val
    from stock_closing
   where month = (cast(:from as date) - interval '1 month')::date and item_id in (select id from items)
   group by 1, 2),
moved as (
  select item_id, warehouse_id,
         coalesce(sum(qty) filter (where kind = 'production_receipt'), 0) as prd,
         coalesce(sum(qty) filter (where kind = 'purchase_receipt'), 0) as pur,
         coalesce(sum(qty) filter (where kind = 'transfer_in'), 0) as trf,
         coalesce(sum(qty) filter (where kind = 'other_receipt'), 0) as oth,
         coalesce(sum(qty) filter (where kind = 'sales_return'), 0) as returned,
         coalesce(sum(qty) filter (where kind in ('issue', 'consumption')), 0) as issued,
         coalesce(sum(qty) filter (where kind in ('rejection', 'shortage', 'trash')), 0) as trashed,
         coalesce(sum(qty) filter (where kind = 'move_to_bad'), 0) as bad,
         coalesce(sum(qty) filter (where kind = 'transfer_out'), 0) as transferred,
         coalesce(sum(qty) filter (where kind = 'unpack'), 0) as unpacked,
         coalesce(sum(val) filter (where kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return')), 0) as came,
         coalesce(sum(val) filter (where kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack')), 0) as went,
         sum(case kind when 'hold' then qty when 'release' then -qty else 0 end) as held,
         sum(case kind when 'hold' then val when 'release' then -val else 0 end) as held_val,
         sum(transfer_charge) as charge
    from (select item_id, warehouse_id, kind, sum(qty) as qty, sum(val) as val, sum(transfer_charge) as transfer_charge
            from stock_month
           where month between :from and :to and item_id in (select id from items)
           group by 1, 2, 3) m
   group by 1, 2),
parts as (
  select s.item_id, s.warehouse_id, coalesce(o.qty, 0) as opening, coalesce(o.val, 0) as opening_val,
         coalesce(prd, 0) as prd, coalesce(pur, 0) as pur, coalesce(trf, 0) as trf, coalesce(oth, 0) as oth,
         coalesce(returned, 0) as returned, coalesce(issued, 0) as issued, coalesce(trashed, 0) as trashed,
         coalesce(bad, 0) as bad, coalesce(transferred, 0) as transferred, coalesce(unpacked, 0) as unpacked,
         coalesce(came, 0) as came, coalesce(went, 0) as went, coalesce(o.held, 0) + coalesce(m.held, 0) as held,
         coalesce(o.held_val, 0) + coalesce(m.held_val, 0) as held_val, coalesce(charge, 0) as charge
    from stock_start s
    left join opening o using (item_id, warehouse_id)
    left join moved m using (item_id, warehouse_id)
   where s.month <= :to and s.item_id in (select id from items)),
figures as (
  select p.*, opening + prd + pur + trf + oth + returned - issued - trashed - bad - transferred - unpacked as closing,
         opening_val + came - went as closing_val
    from parts p)
