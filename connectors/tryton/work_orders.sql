-- Productions beyond requests and drafts.
select p.number as work_order_no, i.sku, 'L' || w.inside as warehouse,
       case p.state when 'running' then 'Open' when 'done' then 'Closed' when 'cancelled' then 'Cancelled' else 'Planned' end as status,
       round(p.quantity::numeric * u.factor * i.per_base / u.divisor, 4) as planned_qty,
       least(d.first, d.last) as start_date, greatest(d.first, d.last) as due_date,
       case when p.state = 'done' then p.effective_date end as finished_on
  from company c
  join production p on p.company = c.id
  join product i on i.id = p.product
  join unit u on u.id = coalesce(to_jsonb(p) ->> 'unit', to_jsonb(p) ->> 'uom')::int
  join place w on w.id = p.warehouse
 cross join lateral (
   select coalesce(p.planned_start_date, p.effective_start_date, p.planned_date, p.create_date::date) as first,
          coalesce(p.planned_date, p.effective_date, p.planned_start_date, p.create_date::date) as last) d
 where p.state not in ('request', 'draft') and p.number <> '' and p.quantity > 0
 order by 1
