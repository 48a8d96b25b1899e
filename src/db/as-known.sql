-- Views with the names of the tables and views that reports read, which show one version of the data: the one that the setting
-- millbook.as_known has. A report as known runs its statement with this schema first in its search path (docs/decisions/0049).
--
-- Every migration applies this file again, so that the views follow the tables, and a new table of business data has a history.
do $$
declare
  here constant name := current_schema();
  path constant text := current_setting('search_path');
  one record;
  known constant text := '(select current_setting(''millbook.as_known'')::integer)';
  remaining integer := -1;
begin
  drop schema if exists millbook_as_known cascade;
  -- Backups of older schemas are restored without a history, and a cluster has none.
  if to_regclass('history') is null or to_regclass('item_shard_version') is not null then
    return;
  end if;

  for one in
    select c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname = 'forget_loaded' and c.relnamespace = quote_ident(here)::regnamespace
       and to_regclass(quote_ident('past_' || c.relname)) is null
  loop
    perform keep_history(one.relname);
  end loop;

  -- Columns that a migration added. A row of the past has what the migration gave to present rows.
  for one in
    select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, pg_get_expr(d.adbin, d.adrelid) as value
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum and a.attgenerated = ''
     where t.tgname = 'forget_loaded' and c.relnamespace = quote_ident(here)::regnamespace
       and not exists (select from pg_attribute p
                        where p.attrelid = to_regclass(quote_ident('past_' || c.relname)) and p.attname = a.attname)
     order by c.relname, a.attnum
  loop
    execute format('alter table %I add column %I %s default %s', 'past_' || one.relname, one.attname, one.type,
                   coalesce(one.value, 'null'));
    execute format('alter table %I alter column %I drop default', 'past_' || one.relname, one.attname);
  end loop;

  -- Reports find rows of the past by the same columns as present rows, so the past gets the same indexes.
  for one in
    select c.relname, pg_get_indexdef(i.indexrelid) as text
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_index i on i.indrelid = c.oid and not i.indisunique
     where t.tgname = 'forget_loaded' and c.relnamespace = quote_ident(here)::regnamespace
  loop
    one.text := substr(one.text, position(' USING ' in one.text));
    if not exists (select from pg_index p where p.indrelid = to_regclass(quote_ident('past_' || one.relname))
                      and pg_get_indexdef(p.indexrelid) like '% USING %'
                      and substr(pg_get_indexdef(p.indexrelid), position(' USING ' in pg_get_indexdef(p.indexrelid))) = one.text) then
      execute format('create index on %I %s', 'past_' || one.relname, one.text);
    end if;
  end loop;

  create schema millbook_as_known;
  for one in
    select c.relname,
           (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname = 'forget_loaded' and c.relnamespace = quote_ident(here)::regnamespace
  loop
    execute format(
      'create view millbook_as_known.%1$I as
         select %2$s from %3$I.%1$I where known_from <= %5$s
         union all
         select %2$s from %3$I.%4$I where known_from <= %5$s and known_until > %5$s',
      one.relname, one.columns, here, 'past_' || one.relname, known);
  end loop;

  -- Every row that ever was. These views have one form for all versions: what loads changed does not depend on the version that a report shows.
  for one in
    select c.relname,
           (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname = 'forget_loaded' and c.relnamespace = quote_ident(here)::regnamespace
  loop
    execute format(
      'create view millbook_as_known.%5$I as
         select %2$s, null::integer as known_until from %3$I.%1$I
         union all
         select %2$s, known_until from %3$I.%4$I',
      one.relname, one.columns, here, 'past_' || one.relname, 'ever_' || one.relname);
  end loop;

  -- Without closings, a report adds up all movements.
  for one in select unnest(array['stock_closing', 'stock_flow', 'batch_closing']) as relname loop
    execute format('create view millbook_as_known.%1$I as select * from %2$I.%1$I where false', one.relname, here);
  end loop;
  -- A period is closed from the version in which it was closed up to the one in which it was reopened.
  if to_regclass('closed_period') is not null then
    execute format(
      'create view millbook_as_known.closed_period as
         select %1$s, null::bigint as reopened_in from %2$I.closed_period
          where closed_in <= %3$s and (reopened_in is null or reopened_in > %3$s)',
      (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = 'closed_period'::regclass and attnum > 0 and not attisdropped and attname <> 'reopened_in'),
      here, known);
    execute format('create view millbook_as_known.closed_figure as select * from %I.closed_figure where version <= %s', here, known);
  end if;
  create view millbook_as_known.today as select current_setting('millbook.today')::date as day;

  -- The other views, each after the views that it reads.
  while remaining <> 0 loop
    remaining := 0;
    for one in
      select v.oid, v.relname, pg_get_viewdef(v.oid) as text,
             exists (select from pg_rewrite r join pg_depend d on d.objid = r.oid and d.classid = 'pg_rewrite'::regclass
                       join pg_class o on o.oid = d.refobjid and d.refclassid = 'pg_class'::regclass
                      where r.ev_class = v.oid and o.oid <> v.oid and o.relkind = 'v' and o.relnamespace = v.relnamespace
                        and to_regclass('millbook_as_known.' || quote_ident(o.relname)) is null) as waits
        from pg_class v
       where v.relkind = 'v' and v.relnamespace = quote_ident(here)::regnamespace
         and to_regclass('millbook_as_known.' || quote_ident(v.relname)) is null
    loop
      if one.waits then
        remaining := remaining + 1;
      else
        perform set_config('search_path', format('millbook_as_known, %I', here), true);
        execute format('create view millbook_as_known.%I as %s', one.relname, one.text);
        perform set_config('search_path', path, true);
      end if;
    end loop;
  end loop;
end $$;
