-- What a loader needs that owns no table: on a server it may run as a role of its own (src/db/roles.sql). The functions have
-- the rights of their owner, and do one thing each.

-- Staged rows wait here. The schema stays and its tables come and go: whoever owns a schema may drop what others left there.
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

-- ANALYZE by anyone but a table's owner is skipped, and only a warning says so.
-- `columns` are names, separated by commas.
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

-- With a path that nobody else can put anything into: a temporary table would go before all others unless pg_temp is named.
do $$
declare
  definer text;
begin
  foreach definer in array array['access_changed()', 'empty_staging()', 'analyze_table(text, text)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', definer, current_schema());
    execute format('revoke execute on function %s from public', definer);
  end loop;
end $$;
