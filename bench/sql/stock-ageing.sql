-- Age of the stock of each item on :today, first in, first out: what is left of each day's receipts is what later receipts do not account for.
with days as (
  select item_id, movement_date as day,
         sum(case when kind in ('production_receipt', 'purchase_receipt', 'other_receipt', 'sales_return', 'value_increase') then qty else 0 end) as came,
         sum(case when kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'unpack', 'internal_issue', 'vendor_return',
                                'value_decrease') then qty else 0 end) as went,
         sum(case kind when 'transfer_in' then qty when 'transfer_out' then -qty else 0 end) as arrived,
         sum(case when kind in ('hold', 'release') then 0
                  when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return', 'value_increase') then val
                  else -val end) as val
    from stock_movement where movement_date <= :today group by item_id, movement_date),
lots as (
  select *, sum(came - went) over (partition by item_id) as there,
         sum(came) over (partition by item_id order by day desc) - came as newer
    from days),
rest as (select *, greatest(least(there - newer, came), 0) as still, cast(:today as date) - day as age from lots),
stock as (
  select item_id, sum(came - went + arrived) as stock, -sum(arrived) as transit, sum(val) as value, sum(still) as all_ages, sum(still * age) as days,
         min(day) filter (where still > 0) as oldest,
         array[sum(still) filter (where age <= 30), sum(still) filter (where age between 31 and 60), sum(still) filter (where age between 61 and 90),
               sum(still) filter (where age between 91 and 180), sum(still) filter (where age > 180)] as bands
    from rest group by item_id)
select i.sku, round(s.stock, 4)::text as stock_qty, round(s.transit, 4)::text as in_transit_qty, round(s.value, 4)::text as stock_value,
       round(s.days / nullif(s.all_ages, 0), 2)::text as average_age_days, s.oldest as oldest_on,
       (select array_agg(round(coalesce(qty, 0), 4)::text) from unnest(s.bands) qty) as bands
  from stock s join item i on i.id = s.item_id
 where i.type <> 'SRV' and (s.stock <> 0 or s.transit <> 0 or s.value <> 0)
 order by i.sku
