-- What a stock report needs besides the closings so that it never reads the whole of history. Like the closings, a cache
-- that every load derives in its transaction and `millbook verify` compares: src/ledger/starts.ts and batch-flows.ts.

-- The month in which an item first moved in a warehouse: a report shows it from then on, also with nothing in stock.
create table stock_start (
  item_id integer not null,
  warehouse_id integer not null,
  month date not null check (month = date_trunc('month', month)::date),
  primary key (item_id, warehouse_id)
);

-- All that ever came in and went out of a batch, over all warehouses, up to the end of each month in which it moved.
create table batch_flow (
  item_id integer not null,
  batch_no text collate "C" not null,
  month date not null check (month = date_trunc('month', month)::date),
  received numeric not null,
  debited numeric not null,
  primary key (item_id, batch_no, month)
);

insert into stock_start select item_id, warehouse_id, min(month) from stock_month group by 1, 2;

insert into batch_flow
select item_id, batch_no, month, sum(received) over batch, sum(debited) over batch
  from (select item_id, batch_no, month,
               coalesce(sum(qty) filter (where kind in ('production_receipt', 'purchase_receipt', 'transfer_in',
                                                        'other_receipt', 'sales_return')), 0) as received,
               coalesce(sum(qty) filter (where kind in ('issue', 'consumption', 'rejection', 'shortage', 'trash',
                                                        'move_to_bad', 'transfer_out', 'unpack')), 0) as debited
          from stock_month group by 1, 2, 3) moved
window batch as (partition by item_id, batch_no order by month);

-- The last month of the ledger is looked up by every stock report and every load.
create index on stock_month (month);
