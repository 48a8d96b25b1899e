-- Operation: versions of the data, loads, pulls, feeds, and the functions that the roles of a server need.

-- Versions of the data ------------------------------------------------------------------------------------------------

-- One row: the version goes up by 1 with each committed load.
--
-- A transaction that raises the version names the tables that it changed in `changed`; without names, every table counts as
-- changed. `tables` has the id of the last version that changed each table, and under '' the last one that may have
-- changed all: an answer stays valid while none of the tables that it was read from changes.
create table data_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null check (version >= 0),
  committed_at timestamptz not null default now(),
  id text not null,
  changed text[],
  tables jsonb not null default '{}',
  last_load jsonb -- for the metrics: {"rows", "seconds", "warnings"}
);
insert into data_version (version, id) values (0, '0-' || floor(extract(epoch from now()) * 1000000));

-- Versions that a walk over pages may be pinned to. One is kept for two days after a load replaced it, not after its commit: a
-- version that was current for longer would be gone at the first load.
create table past_version (
  id text primary key,
  replaced_at timestamptz not null default now(),
  tables jsonb not null
);
create index on past_version (replaced_at);

-- With the rights of its owner: a role that loads data need not be able to write past versions.
create function note_changed_tables() returns trigger language plpgsql security definer as $$
begin
  insert into past_version (id, tables) values (old.id, old.tables) on conflict do nothing;
  delete from past_version where replaced_at < now() - interval '2 days';
  new.id := new.version || '-' || floor(extract(epoch from new.committed_at) * 1000000);
  new.tables := case when new.changed is null then jsonb_build_object('', new.id)
                     else old.tables || coalesce((select jsonb_object_agg(name, new.id) from unnest(new.changed) name), '{}') end;
  new.changed := null;
  return new;
end $$;
create trigger note_changed_tables before update on data_version
  for each row execute function note_changed_tables();

-- Processes follow the version of the data and that of access (007) on one channel.
create function data_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('millbook_version', 'changed');
  return null;
end $$;
create trigger data_changed after update on data_version for each statement execute function data_changed();

-- Loads ---------------------------------------------------------------------------------------------------------------

-- Written by each load that changes the data, in its transaction; the loader keeps the newest (src/import/load-log.ts).
create table load_log (
  version bigint primary key, -- of the data after the load
  committed_at timestamptz not null default now(),
  seconds double precision not null,
  actor text collate "C" not null, -- the system's user at a command line
  source text[] not null, -- the names of the files, or of another source of the rows
  row_count bigint not null,
  entities jsonb not null, -- {"items": {"new", "changed", "same", "removed"}, …}
  warnings integer not null,
  first_warnings jsonb not null, -- texts
  warning_kinds jsonb not null default '[]' -- [{"check", "count", "examples"}, …]
);

-- By entity: the file that its table was loaded from, and whether the hashes below are of all rows of the table. The next load
-- skips a file and rows that did not change (docs/decisions/0027).
create table loaded_file (
  entity text collate "C" primary key,
  fingerprint text collate "C", -- null: not a file, or one that changed while it was read
  file_rows bigint not null,
  row_hashes bigint not null,
  complete boolean not null
);

-- Hashes of the keys and rows of a table, 16 bytes each, in parts by the first bits of the key's hash: a load writes only the
-- parts in which something changed.
create table loaded_rows (
  entity text collate "C" not null,
  part smallint not null,
  hashes bytea not null,
  primary key (entity, part)
);
alter table loaded_rows alter column hashes set storage external; -- hashes cannot be compressed

-- If anything but a load writes business data, the next load reads everything.
create function forget_loaded() returns trigger language plpgsql security definer as $$
begin
  delete from loaded_file;
  delete from loaded_rows;
  return null;
end $$;

create function forget_loaded_on_change(business_table regclass) returns void language plpgsql as $$
begin
  execute format(
    'create trigger forget_loaded after insert or update or delete or truncate on %s for each statement
       when (current_setting(''millbook.loading'', true) is distinct from ''on'') execute function forget_loaded()',
    business_table);
end $$;

select forget_loaded_on_change(name::regclass) from unnest(array[
  'account', 'warehouse', 'item', 'item_unit', 'bom_line', 'combo_line', 'vendor', 'customer',
  'purchase_order', 'purchase_order_line', 'purchase_order_tax', 'purchase_order_approval',
  'goods_receipt', 'goods_receipt_line', 'goods_receipt_tax',
  'sales_order', 'sales_order_line', 'sales_order_tax', 'sales_return', 'invoice', 'invoice_line', 'invoice_tax',
  'work_order', 'work_order_line', 'batch', 'consumption', 'stock_movement']) name;

-- Pulls from other programs (docs/decisions/0026): one row per connector, written after each pull.
create table pull (
  connector text collate "C" primary key,
  source text not null, -- for people; never holds a password
  pulled_at timestamptz not null, -- the last pull, whether it failed or not
  succeeded_at timestamptz, -- the last pull that did not fail
  failure text collate "C" check (failure in ('source', 'rows', 'load')), -- null: the last pull succeeded
  error text, -- in words, for operators
  check ((failure is null) = (error is null))
);

-- Feeds ---------------------------------------------------------------------------------------------------------------

-- A feed follows one report with one set of parameters (docs/decisions/0020). Each state of it that a caller got is a step,
-- named by a token; feed_record has the key and a hash of every record, from the first step that has it to the first that no
-- longer does. The difference between any two steps follows from these rows.
create table feed (
  id integer generated always as identity primary key,
  question text not null unique, -- a hash of the report, its parameters, its key and whether contact data is shown
  report text not null,
  last_step integer not null default 0,
  row_count bigint not null default 0 -- of feed_record
);

create table feed_step (
  token text primary key,
  feed integer not null references feed,
  number integer not null,
  used_at timestamptz not null default now(),
  unique (feed, number)
);
create index on feed_step (used_at);

-- Without a foreign key: checking a million rows takes longer than writing them.
create table feed_record (
  feed integer not null,
  key_hash uuid not null,
  hash uuid not null,
  first_step integer not null,
  end_step integer,
  key text not null, -- a JSON array
  primary key (feed, key_hash, first_step)
);
create index on feed_record (feed, first_step);
create index on feed_record (feed, end_step) where end_step is not null;

-- The records of a step that is being written; empty outside of its transaction.
create unlogged table feed_arrival (
  feed integer not null,
  key_hash uuid not null,
  hash uuid not null,
  key text not null
);

-- Functions for roles -------------------------------------------------------------------------------------------------

-- On a server the loader may run as a role that owns no table (src/db/roles.sql, docs/decisions/0011). These functions have the
-- rights of their owner, and do one thing each.

-- Staged rows wait in this schema, whose tables come and go: the owner of a schema may drop tables that others left there. It
-- outlives the other tables if someone drops only these.
drop schema if exists millbook_staging cascade;
create schema millbook_staging;

create function empty_staging() returns void language plpgsql security definer as $$
declare
  left_over text;
begin
  for left_over in
    select c.relname from pg_class c where c.relnamespace = 'millbook_staging'::regnamespace and c.relkind = 'r'
  loop
    execute format('drop table millbook_staging.%I cascade', left_over);
  end loop;
end $$;

-- PostgreSQL skips ANALYZE by a role that does not own the table, and only warns. `columns` are names, separated by commas.
create function analyze_table(named text, columns text) returns void language plpgsql security definer as $$
declare
  known constant name := (select c.relname from pg_class c
                           where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind = 'r'
                             and c.relname = named);
begin
  if known is null then
    raise 'there is no table % to analyze', named;
  end if;
  execute format('analyze %I.%I (%s)', current_schema(), known,
                 (select string_agg(quote_ident(name), ', ') from unnest(string_to_array(columns, ',')) name));
end $$;

-- A search path that nobody else can put anything into: PostgreSQL looks into pg_temp first unless the path names it.
do $$
declare
  definer text;
begin
  foreach definer in array array['access_changed()', 'note_changed_tables()', 'forget_loaded()', 'empty_staging()',
                                 'analyze_table(text, text)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', definer, current_schema());
    execute format('revoke execute on function %s from public', definer);
  end loop;
end $$;
