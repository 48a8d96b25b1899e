-- A version is kept for two days after a load replaced it, for walks that began with it. Counted from its own commit, a version
-- that was current for longer would be gone at the first load.
alter table past_version rename committed_at to replaced_at;
alter table past_version alter replaced_at set default now();

create or replace function note_changed_tables() returns trigger language plpgsql security definer as $$
begin
  insert into past_version (id, tables) values (old.id, old.tables) on conflict do nothing;
  delete from past_version where replaced_at < now() - interval '2 days';
  new.id := new.version || '-' || floor(extract(epoch from new.committed_at) * 1000000);
  new.tables := case when new.changed is null then jsonb_build_object('', new.id)
                     else old.tables || coalesce((select jsonb_object_agg(name, new.id) from unnest(new.changed) name), '{}') end;
  new.changed := null;
  return new;
end $$;

-- No name is looked up in a temporary schema first (docs/decisions/0011).
do $$
begin
  execute format('alter function note_changed_tables() set search_path = %I, pg_temp', current_schema());
end $$;
