-- The numbers of the movements that have left the ledger, each as 8 bytes of its MD5 sum, in lists by the last 16 bits of these
-- (docs/decisions/0033).
create table archived_number (
  part integer primary key,
  hashes bigint[] not null
);

-- A sum over all rows of each archived year.
alter table data_version add column archived_sums jsonb;
