-- Closings of items that moved often enough to be worth one, in place of sums and balances for every month: on books with
-- many items, warehouses and batches those took twice the space of the ledger. Like them a cache: src/ledger/closings.ts
-- derives it from the ledger in the transaction of every load, and `millbook verify` compares it.
--
-- A closing has all movements before its `day`, which comes after the last movement of a month. Each item has closings of its
-- own, and its batches have others. `batch_no` is empty for stock that is not kept by batch.

drop table stock_month, stock_closing, stock_start, batch_flow;

-- What was in stock, for every warehouse in which the item ever moved, even if that is nothing: as kind other_receipt the
-- stock, as kind hold what is held of it.
create table stock_closing (
  item_id integer not null,
  day date not null,
  warehouse_id integer not null,
  kind movement_kind not null,
  qty numeric not null,
  val numeric not null,
  val_tax numeric not null,
  primary key (item_id, day, warehouse_id, kind)
);

-- What moved since the closing before.
create table stock_flow (
  item_id integer not null,
  day date not null,
  warehouse_id integer not null,
  kind movement_kind not null,
  qty numeric not null,
  val numeric not null,
  val_tax numeric not null,
  transfer_charge numeric not null,
  primary key (item_id, day, warehouse_id, kind)
);

-- All that ever came in and went out of a batch, over all warehouses, for the batches that were in stock or moved since the
-- closing before.
create table batch_closing (
  item_id integer not null,
  batch_no text collate "C" not null,
  day date not null,
  received numeric not null,
  debited numeric not null,
  primary key (item_id, batch_no, day)
);
create index on batch_closing (item_id, day);

-- The number of movements since the last closing, and 0 where there is one: after as many movements as it needs.
create function since_closing_next(since integer, moved integer, needed integer) returns integer
  language plpgsql immutable strict parallel safe as $$
begin
  return case when since + moved >= needed then 0 else since + moved end;
end $$;
create aggregate since_closing(integer, integer) (sfunc = since_closing_next, stype = integer, initcond = '0');

-- What was received of a produced batch.
create index on stock_movement (item_id, batch_no) where kind = 'production_receipt';

with
  moved as materialized (
    select item_id, date_trunc('month', movement_date::timestamp)::date as month, warehouse_id, kind,
           max(movement_date) as last, count(*)::int as movements, sum(qty) as qty, sum(val) as val, sum(val_tax) as val_tax,
           sum(transfer_charge) as transfer_charge
      from stock_movement group by 1, 2, 3, 4),
  balance as materialized (
    select item_id, month, warehouse_id, kind, sum(qty) over cell as qty, sum(val) over cell as val,
           sum(val_tax) over cell as val_tax, lag(month) over cell is null as first
      from (select item_id, month, warehouse_id,
                   case when kind in ('hold', 'release') then 'hold'::movement_kind else 'other_receipt' end as kind,
                   sum(sign * qty) as qty, sum(sign * val) as val, sum(sign * val_tax) as val_tax
              from (select *, case when kind in ('production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt',
                                                 'sales_return', 'hold') then 1 else -1 end as sign
                      from moved) m
             group by 1, 2, 3, 4) b
    window cell as (partition by item_id, warehouse_id, kind order by month)),
  period as materialized (
    select item_id, month, last, closed, count(*) filter (where closed) over (partition by item_id) as closings,
           count(*) filter (where closed) over (partition by item_id order by month) - closed::int as at
      from (select item_id, month, last,
                   since_closing(moved, 3 * balances) over (partition by item_id order by month) = 0 as closed
              from (select item_id, month, max(last) as last, sum(moved)::int as moved,
                           sum(sum(more)) over (partition by item_id order by month)::int as balances
                      from (select item_id, month, last, movements as moved, 0 as more from moved
                            union all select item_id, month, null, 0, 1 from balance where first) e
                     group by 1, 2) p) p),
  closing as (
    insert into stock_closing
    select b.item_id, c.last + 1, b.warehouse_id, b.kind, b.qty, b.val, b.val_tax
      from (select b.*, p.at,
                   coalesce(lead(p.at) over (partition by b.item_id, b.warehouse_id, b.kind order by b.month), p.closings) as until
              from balance b join period p using (item_id, month)) b
     cross join generate_series(b.at, b.until - 1) g(at)
      join period c on c.item_id = b.item_id and c.at = g.at and c.closed
     order by 2, 1)
insert into stock_flow
select m.item_id, c.last + 1, m.warehouse_id, m.kind, sum(m.qty), sum(m.val), sum(m.val_tax), sum(m.transfer_charge)
  from moved m join period p using (item_id, month)
  join period c on c.item_id = p.item_id and c.at = p.at and c.closed
 group by 1, 2, 3, 4 order by 2, 1;

with
  balance as materialized (
    select *, (received <> debited)::int - coalesce((lag(received) over batch <> lag(debited) over batch)::int, 0) as more
      from (select item_id, batch_no, month, movements, last, sum(received) over batch as received, sum(debited) over batch as debited
              from (select item_id, coalesce(batch_no, '') as batch_no,
                           date_trunc('month', movement_date::timestamp)::date as month, max(movement_date) as last,
                           count(*)::int as movements,
                           coalesce(sum(qty) filter (where kind in ('production_receipt', 'purchase_receipt', 'transfer_in',
                                                                    'other_receipt', 'sales_return')), 0) as received,
                           coalesce(sum(qty) filter (where kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash',
                                                                    'move_to_bad', 'transfer_out', 'unpack')), 0) as debited
                      from stock_movement group by 1, 2, 3) m
            window batch as (partition by item_id, batch_no order by month)) b
    window batch as (partition by item_id, batch_no order by month)),
  period as materialized (
    select item_id, month, last, closed, count(*) filter (where closed) over (partition by item_id) as closings,
           count(*) filter (where closed) over (partition by item_id order by month) - closed::int as at
      from (select item_id, month, last,
                   since_closing(moved, 3 * balances) over (partition by item_id order by month) = 0 as closed
              from (select item_id, month, max(last) as last, sum(movements)::int as moved,
                           sum(sum(more)) over (partition by item_id order by month)::int as balances
                      from balance group by 1, 2) p) p)
insert into batch_closing
select b.item_id, b.batch_no, c.last + 1, b.received, b.debited
  from (select b.*, p.at, coalesce(lead(p.at) over (partition by b.item_id, b.batch_no order by b.month), p.closings) as until
          from balance b join period p using (item_id, month)) b
 cross join generate_series(b.at, case when b.received = b.debited then least(b.at, b.until - 1) else b.until - 1 end) g(at)
  join period c on c.item_id = b.item_id and c.at = g.at and c.closed
 order by 3, 1;

analyze stock_closing, stock_flow, batch_closing;
