-- Cover of each item on :today: stock, open orders, use, lead times, reorder point and classes.
with stock as (
  select m.item_id, sum(case when m.kind in ('hold', 'release') then 0
                             when m.kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return',
                                           'value_increase') then m.qty else -m.qty end) as stock,
         sum(case when b.expiry_date < :today then 0
                  when m.kind = 'hold' then -m.qty when m.kind = 'release' then m.qty
                  when m.kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return', 'value_increase') then m.qty
                  else -m.qty end) as usable
    from stock_movement m left join batch b on b.item_id = m.item_id and b.batch_no = m.batch_no
   where movement_date <= :today group by m.item_id),
ordered as (
  select l.item_id, sum(l.qty - r.received_qty) as qty
    from purchase_order po
    join purchase_order_line l on l.po_no = po.po_no
    join purchase_order_line_received r on r.po_no = l.po_no and r.line_no = l.line_no
   where po.state = 'OPEN' and po.po_date <= :today and l.qty > r.received_qty group by l.item_id),
planned as (
  select w.item_id, sum(w.planned_qty - coalesce(m.qty, 0)) as qty
    from work_order w
    left join (select work_order_no, item_id, sum(qty) as qty from stock_movement
                where work_order_no is not null and kind = 'production_receipt' and movement_date <= :today group by 1, 2) m
      on m.work_order_no = w.work_order_no and m.item_id = w.item_id
   where w.status in ('Planned', 'Open') and w.start_date <= :today and w.planned_qty > coalesce(m.qty, 0) group by w.item_id),
demanded as (
  select item_id, sum(qty) as qty
    from (select l.item_id, l.qty - q.issued_qty as qty
            from sales_order o
            join sales_order_line l on l.order_no = o.order_no
            join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
           where o.state = 'OPEN' and o.order_date <= :today and l.qty > q.issued_qty
          union all
          select l.item_id, l.qty - coalesce(m.qty, 0)
            from (select w.work_order_no, l.item_id, sum(l.planned_qty) as qty
                    from work_order w join work_order_line l on l.work_order_no = w.work_order_no
                   where w.status in ('Planned', 'Open') and w.start_date <= :today and l.kind = 'Component' group by 1, 2) l
            left join (select work_order_no, item_id, sum(qty) as qty from stock_movement
                        where work_order_no is not null and kind = 'consumption' and movement_date <= :today group by 1, 2) m
              on m.work_order_no = l.work_order_no and m.item_id = l.item_id
           where l.qty > coalesce(m.qty, 0)) d
   group by item_id),
days as (
  select item_id, cast(:today as date) - movement_date as ago,
         sum(case kind when 'sales_return' then -qty else qty end) as qty, sum(case kind when 'sales_return' then -val else val end) as val
    from stock_movement
   where kind in ('issue', 'internal_issue', 'consumption', 'unpack', 'sales_return')
     and movement_date > cast(:today as date) - 365 and movement_date <= :today
   group by 1, 2),
paces as (
  select item_id, greatest(coalesce(sum(qty) filter (where ago < 90), 0), 0) / 90 as pace,
         coalesce(sum(qty * qty) filter (where ago < 90), 0) / 90 - power(coalesce(sum(qty) filter (where ago < 90), 0) / 90, 2) as variance,
         sum(qty) as year_qty, greatest(sum(val), 0) as year_val
    from days group by item_id),
weeks as (select item_id, ago / 7 as week, sum(qty) as qty from days where ago < 182 group by 1, 2),
steady as (select item_id, sum(qty) / 26 as mean, sqrt(greatest(sum(qty * qty) / 26 - power(sum(qty) / 26, 2), 0)) as deviation from weeks group by 1),
leads as (
  select item_id, avg(days) as lead, var_pop(days) as variance
    from (select l.item_id, min(g.receipt_date) as first_on, min(g.receipt_date) - min(po.po_date) as days
            from purchase_order po
            join purchase_order_line l on l.po_no = po.po_no
            join goods_receipt_line r on r.po_no = l.po_no and r.po_line_no = l.line_no
            join goods_receipt g on g.po_no = r.po_no and g.grn_no = r.grn_no
           where r.accepted_qty > 0 and g.receipt_date <= :today and po.po_date <= :today
           group by l.po_no, l.line_no, l.item_id) l
   where first_on > cast(:today as date) - 365 group by item_id),
terms as (select distinct on (item_id) * from item_vendor order by item_id, price, vendor_code),
ranked as (
  select item_id, row_number() over by_value as place, sum(year_val) over by_value / nullif(sum(year_val) over (), 0) as share
    from paces join item i on i.id = item_id where year_qty > 0 window by_value as (order by year_val desc, i.sku)),
items as (
  select i.id, i.sku, coalesce(s.usable, 0) as usable, coalesce(o.qty, 0) as on_order, coalesce(p.qty, 0) as planned, coalesce(d.qty, 0) as demanded,
         coalesce(s.usable, 0) + coalesce(o.qty, 0) + coalesce(p.qty, 0) - coalesce(d.qty, 0) as projected,
         coalesce(n.pace, 0) as pace, coalesce(n.variance, 0) as variance, coalesce(l.lead, t.lead_days) as lead, coalesce(l.variance, 0) as lead_variance,
         t.min_qty, t.multiple
    from item i
    left join stock s on s.item_id = i.id
    left join ordered o on o.item_id = i.id
    left join planned p on p.item_id = i.id
    left join demanded d on d.item_id = i.id
    left join paces n on n.item_id = i.id
    left join leads l on l.item_id = i.id
    left join terms t on t.item_id = i.id
   where i.type <> 'SRV' and (i.active or s.stock <> 0)),
points as (select *, pace * lead + 1.644854 * sqrt(lead * variance + pace * pace * lead_variance) as point from items),
orders as (select *, case when projected < point then greatest(point + pace * lead - projected, min_qty) else 0 end as wanted from points)
select o.sku, round(o.usable, 4)::text as usable_qty, round(o.projected, 4)::text as projected_qty, round(o.pace, 4)::text as pace,
       round(sqrt(greatest(o.variance, 0)), 4)::text as deviation, round(o.lead, 2)::text as lead_days, round(o.point, 4)::text as reorder_point,
       round(coalesce(ceil(o.wanted / o.multiple) * o.multiple, o.wanted), 4)::text as order_qty,
       case when r.place = 1 or r.share <= 0.80 then 'A' when r.share <= 0.95 then 'B' when r.place is not null then 'C' end as abc,
       case when s.mean > 0 then case when s.deviation <= s.mean / 2 then 'X' when s.deviation <= s.mean then 'Y' else 'Z' end end as xyz
  from orders o
  left join ranked r on r.item_id = o.id
  left join steady s on s.item_id = o.id
 order by o.sku
