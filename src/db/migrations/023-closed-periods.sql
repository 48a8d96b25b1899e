-- Closed periods: with which version of the data a period was reported, and its figures then (docs/decisions/0051).

-- One row per closing. A reopened one stays, so that an earlier version still has it.
create table closed_period (
  id integer generated always as identity primary key,
  period text collate "C" not null, -- a month, 2026-10, or a range of days, 2026-04-01..2026-09-30
  first_day day not null,
  last_day day not null,
  version bigint not null, -- of the data, with which the period was reported: never forgotten
  -- As known at that version (src/ledger/period-figures.ts).
  stock_value numeric(30, 4) not null,
  sales numeric(30, 2) not null,
  margin numeric(30, 4) not null,
  purchases numeric(30, 2) not null,
  closed_at timestamptz not null default clock_timestamp(),
  closed_by text collate "C" not null,
  reason label not null check (reason <> ''),
  -- The version that was present when the period was closed, and when it was reopened; null: it is closed.
  closed_in bigint not null,
  reopened_in bigint,
  check (first_day <= last_day)
);
create unique index on closed_period (period) where reopened_in is null;
create index on closed_period (version) where reopened_in is null;

-- The same figures of a closed period as they became: by the version that was present when it was closed, and by each later one that
-- changed them. Derived: a load writes them, and `millbook verify` compares the last ones with the data.
create table closed_figure (
  closing integer not null references closed_period,
  version bigint not null,
  stock_value numeric(30, 4) not null,
  sales numeric(30, 2) not null,
  margin numeric(30, 4) not null,
  purchases numeric(30, 2) not null,
  primary key (closing, version)
);

-- Locks the history: forget_history has either seen this closing, or forgotten what the closing must then not find.
--
-- Answers that were read from this table have to be computed again: a microsecond later, the same version has another id.
create function note_closing() returns trigger language plpgsql security definer as $$
declare
  present bigint;
begin
  perform from history for update;
  update data_version set committed_at = committed_at + interval '1 microsecond', changed = '{closed_period}'
   returning version into present;
  if tg_op = 'INSERT' then
    new.closed_in := present;
  else
    new.reopened_in := present;
  end if;
  return new;
end $$;
create trigger note_closing before insert or update of reopened_in on closed_period
  for each row execute function note_closing();

-- As in 022, but what a closed version knew is kept, and so is the time of the version after it: a day or a moment between both
-- means the closed version, a later one a version that is forgotten.
create or replace function forget_history(before timestamptz, most integer) returns integer language plpgsql security definer as $$
declare
  first constant bigint := (select max(version) from known_version where committed_at <= before);
  one name;
  forgotten integer := 0;
  removed integer;
begin
  perform from history for update;
  update history set oldest = first where oldest < first;
  delete from known_version k
   where version < (select oldest from history)
     and not exists (select from closed_period c where c.reopened_in is null and c.version in (k.version, k.version - 1));
  for one in select c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'keep_removed' order by 1 loop
    execute format('delete from %1$I where ctid = any (array(
                      select p.ctid from %1$I p
                       where p.known_until <= (select oldest from history)
                         and not exists (select from closed_period c where c.reopened_in is null
                                            and c.version >= p.known_from and c.version < p.known_until)
                       limit %2$s))',
                   'past_' || one, most - forgotten);
    get diagnostics removed = row_count;
    forgotten := forgotten + removed;
    exit when forgotten >= most;
  end loop;
  return forgotten;
end $$;

do $$
declare
  definer text;
begin
  foreach definer in array array['note_closing()', 'forget_history(timestamptz, integer)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', definer, current_schema());
    execute format('revoke execute on function %s from public', definer);
  end loop;
end $$;
