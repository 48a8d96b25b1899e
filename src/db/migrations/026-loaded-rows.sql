-- What the stored rows were loaded from, so that the next load skips what it has seen (docs/decisions/0027).

-- By entity: the file whose rows its table has, and whether the hashes below are of all rows of the table.
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
alter table loaded_rows alter column hashes set storage external;

-- Anything but a load that writes business data makes the next load read everything.
create function forget_loaded() returns trigger language plpgsql security definer as $$
begin
  delete from loaded_file;
  delete from loaded_rows;
  return null;
end $$;
revoke all on function forget_loaded() from public;
-- No name is looked up in a temporary schema first (docs/decisions/0011).
do $$
begin
  execute format('alter function forget_loaded() set search_path = %I, pg_temp', current_schema());
end $$;

create function forget_loaded_on_change(business_table regclass) returns void language plpgsql as $$
begin
  execute format(
    'create trigger forget_loaded after insert or update or delete or truncate on %s for each statement
       when (current_setting(''millbook.loading'', true) is distinct from ''on'') execute function forget_loaded()',
    business_table);
end $$;

select forget_loaded_on_change(name::regclass) from unnest(array[
  'account', 'warehouse', 'item', 'bom_line', 'combo_line', 'vendor', 'customer', 'purchase_order', 'purchase_order_line',
  'purchase_order_approval', 'goods_receipt', 'goods_receipt_line', 'batch', 'consumption', 'sales_order',
  'sales_order_line', 'sales_return', 'invoice', 'invoice_line', 'stock_movement']) name;

-- Warnings of a load, counted by kind: [{"check", "count", "examples"}, …]
alter table load_log add column warning_kinds jsonb not null default '[]';
