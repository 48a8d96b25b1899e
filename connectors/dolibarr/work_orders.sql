-- Validated, started, finished and cancelled orders that make a product. Orders that take one apart are only in the ledger.
select o.number as work_order_no, o.sku, w.code as warehouse,
       case o.status when 1 then 'Planned' when 2 then 'Open' when 3 then 'Closed' else 'Cancelled' end as status, o.qty as planned_qty,
       least(o.starts, o.ends) as start_date, greatest(o.starts, o.ends) as due_date,
       case when o.status = 3 then m.last end as finished_on, o.label as note
  from production o
  left join place w on w.id = o.place
  left join (select production, max(day) as last from move where role = 'produced' group by production) m on m.production = o.id
 order by 1
