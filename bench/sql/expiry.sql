-- What of each batch is used before it expires, at the pace of the 90 days that end with :today; the batch that expires first is used first.
with stock as (
  select item_id, batch_no,
         sum(case when kind in ('hold', 'release') then 0
                  when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return', 'value_increase') then qty
                  else -qty end) as stock,
         sum(case kind when 'hold' then qty when 'release' then -qty else 0 end) as held
    from stock_movement where movement_date <= :today and batch_no is not null group by item_id, batch_no),
pace as (
  select item_id, greatest(sum(case when kind in ('issue', 'internal_issue', 'consumption', 'unpack') then qty
                                    when kind = 'sales_return' then -qty else 0 end), 0) / 90 as pace
    from stock_movement where movement_date > cast(:today as date) - 90 and movement_date <= :today group by item_id),
batches as (
  select s.*, b.expiry_date, b.expiry_date - cast(:today as date) as days_left, coalesce(p.pace, 0) as pace,
         case when b.expiry_date < :today then 0 else least(s.stock, greatest(s.stock - s.held, 0)) end as usable
    from stock s
    join batch b on b.item_id = s.item_id and b.batch_no = s.batch_no
    left join pace p on p.item_id = s.item_id
   where s.stock > 0 and b.expiry_date is not null),
queue as (select *, sum(usable) over first_expired as ahead from batches
          window first_expired as (partition by item_id order by expiry_date, batch_no)),
used as (select *, ahead + least(0, min(greatest(days_left, 0) * pace - ahead) over first_expired) as upto from queue
         window first_expired as (partition by item_id order by expiry_date, batch_no)),
taken as (select *, upto - lag(upto, 1, 0.0) over (partition by item_id order by expiry_date, batch_no) as taken from used)
select i.sku, t.batch_no, t.days_left, round(t.stock, 4)::text as stock_qty, round(t.pace, 4)::text as pace,
       round(t.taken, 4)::text as used_before_expiry_qty, round(t.stock - t.taken, 4)::text as at_risk_qty
  from taken t join item i on i.id = t.item_id
 order by i.sku, t.batch_no
