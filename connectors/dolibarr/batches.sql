-- A lot was produced if a manufacturing order brought it in, and procured if it came from a vendor.
, bought as (
  select distinct lot from move
   where origin in (4, 5, 6) and moved > 0 and lot is not null)
select p.sku, l.batch_no, case when m.batch_no is not null then 'PRODUCED' when b.lot is not null then 'PROCURED' else 'MANUAL' end as source,
       coalesce(l.made, m.day) as mfg_date, case when l.expires < coalesce(l.made, m.day) then null else l.expires end as expiry_date,
       m.day as batch_date, concat('W', m.place) as warehouse, m.qty, case when m.batch_no is not null then 0 end as wastage
  from lot l
  join product p on p.id = l.product
  left join made m on m.lot = l.mark
  left join bought b on b.lot = l.mark
 order by 1, 2
