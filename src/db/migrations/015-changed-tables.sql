-- Which load last changed each table: an answer stays good while none of the tables that it was read from changes.
--
-- A transaction that raises the version names the tables that it changed in `changed`; without names, every table counts as
-- changed. `tables` has the id of the last version that changed each table, and under '' the last one that may have
-- changed all.
alter table data_version
  add column id text,
  add column changed text[],
  add column tables jsonb not null default '{}';
update data_version set id = version || '-' || floor(extract(epoch from committed_at) * 1000000);
alter table data_version alter id set not null;

-- Versions that a walk over pages may be pinned to.
create table past_version (
  id text primary key,
  committed_at timestamptz not null,
  tables jsonb not null
);
create index on past_version (committed_at);

-- With the rights of its owner: a role that loads data need not be able to write past versions.
create function note_changed_tables() returns trigger language plpgsql security definer as $$
begin
  insert into past_version values (old.id, old.committed_at, old.tables) on conflict do nothing;
  delete from past_version where committed_at < now() - interval '2 days';
  new.id := new.version || '-' || floor(extract(epoch from new.committed_at) * 1000000);
  new.tables := case when new.changed is null then jsonb_build_object('', new.id)
                     else old.tables || coalesce((select jsonb_object_agg(name, new.id) from unnest(new.changed) name), '{}') end;
  new.changed := null;
  return new;
end $$;
create trigger note_changed_tables before update on data_version
  for each row execute function note_changed_tables();

revoke execute on function note_changed_tables() from public;

-- No name is looked up in a temporary schema first (docs/decisions/0011).
do $$
begin
  execute format('alter function note_changed_tables() set search_path = %I, pg_temp', current_schema());
end $$;
