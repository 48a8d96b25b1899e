-- Every process keeps the answers of the present version of the data, and hears of a new one by this.
create function data_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('millbook_data', 'changed');
  return null;
end $$;
create trigger data_changed after update on data_version for each statement execute function data_changed();
