-- Undo: what the last load of files in the console replaced and added, until the next load (docs/decisions/0039).

-- At most one row: the load that can be taken back.
create table undo_load (
  version bigint primary key, -- of the data after the load
  name text collate "C" not null -- of its mapping, or of another source
);

create table undo_row (
  nth bigint generated always as identity primary key,
  version bigint not null, -- as in undo_load
  table_name text collate "C" not null,
  added boolean not null,
  content jsonb not null -- of an added row its key, of a changed or removed row all of it as it was
);

-- The loader notes the added rows itself: triggers do not fire while it inserts many rows into an embedded database. A load that
-- keeps nothing pays one look at a setting for each row that it changes or removes.
create function keep_prior_row() returns trigger language plpgsql as $$
begin
  insert into undo_row (version, table_name, added, content)
  values (current_setting('millbook.undo_version')::bigint, tg_table_name, false, to_jsonb(old));
  return null;
end $$;

do $$
declare
  business_table regclass;
begin
  for business_table in select tgrelid::regclass from pg_trigger where tgname = 'forget_loaded' loop
    execute format(
      'create trigger keep_prior_row after update or delete on %s for each row
         when (current_setting(''millbook.undo_version'', true) <> '''') execute function keep_prior_row()',
      business_table);
  end loop;
end $$;
