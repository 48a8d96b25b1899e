-- Processes follow the version of the data and the version of access together: both are announced on one channel.
create or replace function data_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('millbook_version', 'changed');
  return null;
end $$;

-- With the rights of its owner: a role that may end a token need not be able to write here.
create or replace function access_changed() returns trigger language plpgsql security definer as $$
begin
  update access_version set version = version + 1;
  perform pg_notify('millbook_version', 'changed');
  return null;
end $$;

-- Replacing a function resets its settings: no name is looked up in a temporary schema first (docs/decisions/0011).
do $$
begin
  execute format('alter function access_changed() set search_path = %I, pg_temp', current_schema());
end $$;
