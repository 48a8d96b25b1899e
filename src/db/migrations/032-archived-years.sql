-- The first day from which on the ledger has every movement, and how many movements each archived year has; null if no year is
-- archived (docs/decisions/0033).
alter table data_version
  add column ledger_begins date,
  add column archived_years jsonb;

-- Batches that were used up in archived years: the ledger has only sums of their movements.
create table archived_batch (
  item_id integer not null,
  batch_no code not null,
  primary key (item_id, batch_no)
);

-- What archived movements were consumed for, where that is known.
create table archived_use (
  for_item_id integer not null references item,
  for_batch_no code,
  unique (for_item_id, for_batch_no)
);
