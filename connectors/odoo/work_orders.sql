select o.name as work_order_no, o.sku, 'L' || w.view_location_id as warehouse,
       case o.state when 'confirmed' then 'Planned' when 'done' then 'Closed' when 'cancel' then 'Cancelled' else 'Open' end as status,
       o.planned_qty, least(d.first, d.last) as start_date, greatest(d.first, d.last) as due_date,
       case when o.state = 'done' then d.last end as finished_on
  from company c
 cross join production o
  join stock_picking_type t on t.id = o.picking_type_id
  join stock_warehouse w on w.id = t.warehouse_id
 cross join lateral (
   select (coalesce(o.date_start, o.create_date) at time zone 'UTC' at time zone c.zone)::date as first,
          (coalesce(o.date_finished, o.date_deadline, o.date_start, o.create_date) at time zone 'UTC' at time zone c.zone)::date as last) d
 order by 1
