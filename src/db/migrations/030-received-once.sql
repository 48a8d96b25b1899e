-- The status of a purchase order looks up what was received of each line once: the planner copied the sum of a line for each
-- of its two uses, and joined the lines with themselves. A cluster has a view of its own (distribute.sql).
do $$
begin
  if to_regclass('item_shard_version') is not null then
    return;
  end if;
  create or replace view purchase_order_status as
  select po.po_no, s.status_code,
         (array['CREATED', 'PARTIAL RECEIVED', 'RECEIVED', 'CLOSED', 'CANCELLED'])[s.status_code] as po_status,
         case
           when not po.approval_required then 'Not Required'
           when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Rejected') then 'Rejected'
           when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Pending')
             or not exists (select from purchase_order_approval a where a.po_no = po.po_no) then 'Under Approval'
           else 'Approved'
         end as approval_status
    from purchase_order po
   cross join lateral (
     select case po.state
              when 'CLOSED' then 4
              when 'CANCELLED' then 5
              else (select case when coalesce(sum(r.received_qty), 0) = 0 then 1
                                when bool_and(r.received_qty >= l.qty) then 3
                                else 2 end
                      from purchase_order_line l
                     cross join lateral (
                       select coalesce(sum(g.accepted_qty), 0) as received_qty from goods_receipt_line g
                        where g.po_no = l.po_no and g.po_line_no = l.line_no) r
                     where l.po_no = po.po_no and l.item_id is not null)
            end as status_code) s;
end $$;

-- As in 007, also for a table that is partitioned.
create or replace function analyze_table(named text, columns text) returns void language plpgsql security definer as $$
declare
  known constant name := (select c.relname from pg_class c
                           where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind in ('r', 'p')
                             and c.relname = named);
begin
  if known is null then
    raise 'there is no table % to analyze', named;
  end if;
  execute format('analyze %I.%I (%s)', current_schema(), known,
                 (select string_agg(quote_ident(name), ', ') from unnest(string_to_array(columns, ',')) name));
end $$;
do $$
begin
  execute format('alter function analyze_table(text, text) set search_path = %I, pg_temp', current_schema());
end $$;
