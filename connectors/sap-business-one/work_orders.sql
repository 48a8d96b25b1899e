-- Orders that take a product apart are only in the ledger.
select o.number as work_order_no, i.sku, ltrim(rtrim(o.place)) as warehouse,
       case o.status when 'P' then 'Planned' when 'R' then 'Open' when 'L' then 'Closed' else 'Cancelled' end as status, round(o.qty, 4) as planned_qty,
       case when o.starts < o.ends then o.starts else o.ends end as start_date, case when o.starts < o.ends then o.ends else o.starts end as due_date,
       case when o.status in ('L', 'C') then o.closed end as finished_on, o.comments as note
  from production o
  join item i on i.code = o.product
 order by 1
