-- Period closings: sums and balances per month that make a report's cost follow its range and today's stock, not the
-- length of history. A cache: src/ledger/closings.ts derives them from the ledger in the transaction of every load, and
-- `millbook verify` compares them with it. `month` is the first day of a month; `batch_no` is empty for stock that is not
-- kept by batch.

-- What moved in a month.
create table stock_month (
  item_id integer not null references item,
  month date not null check (month = date_trunc('month', month)::date),
  warehouse_id integer not null references warehouse,
  batch_no text collate "C" not null,
  kind movement_kind not null,
  qty numeric not null,
  val numeric not null,
  val_tax numeric not null,
  transfer_charge numeric not null,
  primary key (item_id, month, warehouse_id, batch_no, kind)
);

-- What was in stock at the end of a month, for every month from the first movement to the last of the whole ledger; a
-- balance of nothing at all has no row.
create table stock_closing (
  item_id integer not null references item,
  month date not null check (month = date_trunc('month', month)::date),
  warehouse_id integer not null references warehouse,
  batch_no text collate "C" not null,
  qty numeric not null,
  val numeric not null,
  val_tax numeric not null,
  held_qty numeric not null,
  held_val numeric not null,
  held_val_tax numeric not null,
  primary key (item_id, month, warehouse_id, batch_no)
);
create index on stock_closing (month);

-- A movement's number is unique over all movements: the loader looks it up without knowing the item.
create index on stock_movement (movement_no);
