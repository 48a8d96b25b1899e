-- A lot was produced if a production brought it in, and procured if it came from a supplier. Odoo has an internal reference where its number is
-- the manufacturer's.
, bought as (select distinct lot from move where from_type = 'supplier' and went_to is not null and lot is not null)
select p.sku, l.batch_no,
       case when m.lot is not null then 'PRODUCED' when b.lot is not null then 'PROCURED' else 'MANUAL' end as source,
       m.day as mfg_date, case when m.day is null or l.expires >= m.day then l.expires end as expiry_date,
       m.day as batch_date, 'L' || m.inside as warehouse, m.qty, case when m.lot is not null then 0 end as wastage,
       case when m.lot is null and b.lot is not null and btrim(s.ref) <> '' then nullif(btrim(s.name), '') end as supplier_lot
  from lot l
  join stock_lot s on s.id = l.id
  join product p on p.id = l.product
  left join made m on m.lot = l.id and m.product = l.product
  left join bought b on b.lot = l.id
 order by 1, 2
