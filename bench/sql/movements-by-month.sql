-- Movements that changed the stock, by month and unit: their number, quantity and value.
with moved as (
  select extract(year from movement_date)::int * 12 + extract(month from movement_date)::int - 1 as month, item_id,
         case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return', 'value_increase')
              then qty else -qty end as qty,
         case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return', 'value_increase')
              then val else -val end as val
    from stock_movement
   where movement_date between :from and :to and kind not in ('hold', 'release'))
select to_char(make_date(month / 12, month % 12 + 1, 1), 'YYYY-MM') as date_month, unit, count(*) as rows,
       round(sum(qty), 4)::text as qty, round(sum(val), 4)::text as value
  from moved join item i on i.id = item_id
 group by month, unit
 order by month, unit collate "C"
