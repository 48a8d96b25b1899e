-- History: what loads changed and removed, so that every report can be asked as any version knew it (docs/decisions/0049).
--
-- Each row of business data has `known_from`, the version of the data that wrote its present form; 0: a version before there was a
-- history. When a load changes or removes a row, the table past_<name> keeps it with `known_until`, the version that no longer has it.
-- as-known.sql makes views of these tables and of the present ones that show the rows of one version.

-- The versions whose time is known.
create table known_version (
  version bigint primary key,
  id text not null,                 -- as in data_version
  committed_at timestamptz not null -- shortly before the commit, not when its load began
);
create index on known_version (committed_at);

-- One row.
create table history (
  only_one boolean primary key default true check (only_one),
  oldest bigint not null -- the rows of this version and of all later ones are kept
);

insert into known_version (version, id, committed_at) select version, id, committed_at from data_version;
insert into history (oldest) select version from data_version;

create function note_known_version() returns trigger language plpgsql security definer as $$
begin
  insert into known_version (version, id, committed_at) values (new.version, new.id, clock_timestamp());
  -- Distributed tables have no triggers: a cluster knows only the present.
  if not exists (select from pg_trigger where tgrelid = 'item'::regclass and tgname = 'keep_removed') then
    update history set oldest = new.version;
  end if;
  return null;
end $$;
create trigger note_known_version after update of version on data_version
  for each row execute function note_known_version();

-- The version that the transaction will make. A load sets millbook.version, because the loader writes millions of rows.
create function version_to_come() returns integer language sql stable as $$
  select version::integer + 1 from data_version
$$;

create function stamp_row() returns trigger language plpgsql as $$
begin
  new.known_from := coalesce(nullif(current_setting('millbook.version', true), '')::integer, version_to_come());
  return new;
end $$;

-- A row that the same transaction has written was never known to anybody.
create function keep_replaced_rows() returns trigger language plpgsql security definer as $$
declare
  version constant integer := version_to_come();
  columns constant text := (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
                             where attrelid = tg_relid and attnum > 0 and not attisdropped);
begin
  execute format('insert into %I.%I (%s, known_until) select %3$s, %4$s from replaced where known_from < %4$s',
                 tg_table_schema, 'past_' || tg_table_name, columns, version);
  return null;
end $$;

-- To be called for every table of business data, by as-known.sql.
create function keep_history(business_table name) returns void language plpgsql as $$
declare
  key constant text := (select string_agg(quote_ident(a.attname), ', ' order by array_position(i.indkey::smallint[], a.attnum))
                          from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey::smallint[])
                         where i.indrelid = business_table::text::regclass and i.indisprimary);
begin
  execute format('alter table %I add column known_from integer not null default 0', business_table);
  execute format('alter table %I alter column known_from
                    set default coalesce(nullif(current_setting(''millbook.version'', true), '''')::integer, version_to_come())',
                 business_table);
  execute format('create table %I (like %I, known_until integer not null)', 'past_' || business_table, business_table);
  execute format('create index on %I (%s)', 'past_' || business_table, key);
  execute format('create index on %I (known_until)', 'past_' || business_table);
  execute format('create trigger stamp before update on %I for each row execute function stamp_row()', business_table);
  execute format('create trigger keep_changed after update on %I referencing old table as replaced
                    for each statement execute function keep_replaced_rows()', business_table);
  execute format('create trigger keep_removed after delete on %I referencing old table as replaced
                    for each statement execute function keep_replaced_rows()', business_table);
end $$;

-- Forgets the versions before the one that was present at a moment, and at most `most` rows that only they had; returns the number of
-- rows. To be called until that is 0.
create function forget_history(before timestamptz, most integer) returns integer language plpgsql security definer as $$
declare
  first constant bigint := (select max(version) from known_version where committed_at <= before);
  one name;
  forgotten integer := 0;
  removed integer;
begin
  update history set oldest = first where oldest < first;
  delete from known_version where version < (select oldest from history);
  for one in select c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'keep_removed' order by 1 loop
    execute format('delete from %1$I where ctid = any (array(
                      select ctid from %1$I where known_until <= (select oldest from history) limit %2$s))',
                   'past_' || one, most - forgotten);
    get diagnostics removed = row_count;
    forgotten := forgotten + removed;
    exit when forgotten >= most;
  end loop;
  return forgotten;
end $$;

-- Undo reads the history.
do $$
declare
  one record;
begin
  for one in select tgrelid::regclass as business_table from pg_trigger where tgname = 'keep_prior_row' loop
    execute format('drop trigger keep_prior_row on %s', one.business_table);
  end loop;
end $$;
drop function keep_prior_row();
drop table undo_load, undo_row;

do $$
declare
  definer text;
begin
  foreach definer in array array['note_known_version()', 'keep_replaced_rows()', 'forget_history(timestamptz, integer)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', definer, current_schema());
    execute format('revoke execute on function %s from public', definer);
  end loop;
end $$;

-- Today in the time zone of the account. As known at a version, it is another day.
create view today as select (now() at time zone time_zone)::date as day from account;
