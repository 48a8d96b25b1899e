-- A batch was produced if a production order brought it in, and procured if it came from a vendor.
, bought as (select distinct product, batch_no from entry where type in (18, 20) and moved > 0 and batch_no is not null)
select i.sku, ltrim(rtrim(b.DistNumber)) as batch_no,
       case when m.batch_no is not null then 'PRODUCED' when v.batch_no is not null then 'PROCURED' else 'MANUAL' end as source,
       cast(b.MnfDate as date) as mfg_date, case when b.ExpDate < b.MnfDate then null else cast(b.ExpDate as date) end as expiry_date,
       m.day as batch_date, ltrim(rtrim(m.place)) as warehouse, m.qty, case when m.batch_no is not null then 0 end as wastage
  from OBTN b
  join item i on i.code = b.ItemCode
  left join made m on m.product = b.ItemCode and m.batch_no = ltrim(rtrim(b.DistNumber))
  left join bought v on v.product = b.ItemCode and v.batch_no = ltrim(rtrim(b.DistNumber))
 order by 1, 2
