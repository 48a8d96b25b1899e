-- Distributes a migrated database over the nodes of a Citus cluster, in one transaction (docs/decisions/0031).
--
-- Masters are reference tables, which every node has. The ledger and its derived tables are distributed by item, documents by
-- their number. Reports that join the two read copies, which loads keep up to date; on one server, migrations/006-views.sql has
-- views in their place.

-- Loads work on local tables in this schema, and write their changes to the cluster.
create schema millbook_work;

-- The foreign keys of one server, for the local tables of loads. The keys that Citus supports are added again below.
create table millbook_work.foreign_key as
select c.relname::text as of_table, f.relname::text as to_table, k.conname::text as name,
       pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
 where k.contype = 'f' and c.relnamespace = quote_ident(current_schema())::regnamespace
   and exists (select from pg_trigger t where t.tgrelid = k.conrelid and t.tgname = 'forget_loaded'); -- business data

do $$
declare
  one record;
begin
  for one in select * from millbook_work.foreign_key loop
    execute format('alter table %I drop constraint %I', one.of_table, one.name);
  end loop;
  -- Distributed tables cannot have triggers.
  for one in select c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'forget_loaded' loop
    execute format('drop trigger forget_loaded on %I', one.relname);
    execute format('drop trigger stamp on %I', one.relname);
    execute format('drop trigger keep_changed on %I', one.relname);
    execute format('drop trigger keep_removed on %I', one.relname);
    execute format('alter table %I alter column known_from set default 0', one.relname);
    execute format('truncate %I', 'past_' || one.relname);
  end loop;
end $$;

-- ANALYZE for the tables that a load works on; migrations/008-operation.sql has the function for stored tables.
create function millbook_work.analyze_table(named text, columns text) returns void language plpgsql as $$
begin
  execute format('analyze millbook_work.%I (%s)', named,
                 (select string_agg(quote_ident(name), ', ') from unnest(string_to_array(columns, ',')) name));
end $$;

drop schema millbook_as_known cascade;
update history set oldest = (select version from data_version);

drop view invoice_with_order, invoice_line_with_order, order_invoice_line, stocked_item, sales_order_line_issued, order_movement,
  invoice_movement, work_order_movement, receipt_movement;

create table stocked_item_key (item_id integer primary key);
create table order_movement (
  order_no code not null,
  order_line_no integer not null,
  item_id integer not null,
  movement_date day not null,
  movement_no code not null,
  kind movement_kind not null,
  batch_no text collate "C",
  qty quantity not null,
  val rate not null,
  val_tax rate not null,
  warehouse_id integer not null,
  primary key (order_no, order_line_no, item_id, movement_date, movement_no)
);
create table invoice_movement (
  invoice_no code not null,
  invoice_line_no integer not null,
  item_id integer not null,
  movement_date day not null,
  movement_no code not null,
  kind movement_kind not null,
  val rate not null,
  val_tax rate not null,
  primary key (invoice_no, invoice_line_no, item_id, movement_date, movement_no)
);
create table work_order_movement (
  work_order_no code not null,
  item_id integer not null,
  movement_date day not null,
  movement_no code not null,
  kind movement_kind not null,
  qty quantity not null,
  val rate not null,
  primary key (work_order_no, item_id, movement_date, movement_no)
);
create table receipt_movement (
  po_no code not null,
  grn_no code not null,
  item_id integer not null,
  movement_date day not null,
  movement_no code not null,
  kind movement_kind not null,
  batch_no text collate "C",
  qty quantity not null,
  warehouse_id integer not null,
  primary key (po_no, grn_no, item_id, movement_date, movement_no)
);
create table order_invoice_line (
  order_no code not null,
  order_line_no integer not null,
  invoice_no code not null,
  line_no integer not null,
  item_id integer,
  description label not null,
  qty quantity not null,
  taxable_value amount not null,
  total_value amount not null,
  invoice_at moment not null,
  status text not null,
  kind text not null,
  return_no code,
  customer_code code,
  primary key (order_no, order_line_no, invoice_no, line_no)
);
create table invoice_order (invoice_no code primary key, order_date day not null, po_no label, customer_code code);
create table invoice_line_order (
  invoice_no code not null,
  line_no integer not null,
  item_id integer,
  description label not null,
  primary key (invoice_no, line_no)
);

-- The version of the data on every shard: a report reads it to know that no node lacks a part of a load.
create table item_shard_version (item_id integer primary key, id text not null);
create table document_shard_version (document_no code primary key, id text not null);

do $$
declare
  one text;
begin
  foreach one in array array['account', 'warehouse', 'item', 'item_unit', 'bom_line', 'combo_line', 'vendor', 'customer',
                             'item_vendor'] loop
    perform create_reference_table(one);
  end loop;
  perform create_distributed_table('stock_movement', 'item_id', colocate_with => 'none');
  foreach one in array array['batch', 'consumption', 'stock_closing', 'stock_flow', 'batch_closing', 'stocked_item_key',
                             'item_shard_version'] loop
    perform create_distributed_table(one, 'item_id', colocate_with => 'stock_movement');
  end loop;
  perform create_distributed_table('sales_order', 'order_no', colocate_with => 'none');
  foreach one in array array['sales_order_line', 'sales_order_tax', 'sales_return', 'order_movement',
                             'order_invoice_line'] loop
    perform create_distributed_table(one, 'order_no', colocate_with => 'sales_order');
  end loop;
  foreach one in array array['invoice', 'invoice_line', 'invoice_tax', 'invoice_movement', 'invoice_order',
                             'invoice_line_order'] loop
    perform create_distributed_table(one, 'invoice_no', colocate_with => 'sales_order');
  end loop;
  foreach one in array array['purchase_order', 'purchase_order_line', 'purchase_order_tax', 'purchase_order_approval',
                             'goods_receipt', 'goods_receipt_line', 'goods_receipt_tax', 'receipt_movement'] loop
    perform create_distributed_table(one, 'po_no', colocate_with => 'sales_order');
  end loop;
  foreach one in array array['work_order', 'work_order_line', 'work_order_movement'] loop
    perform create_distributed_table(one, 'work_order_no', colocate_with => 'sales_order');
  end loop;
  perform create_distributed_table('document_shard_version', 'document_no', colocate_with => 'sales_order');
end $$;

-- One key for each shard.
insert into item_shard_version
select k.key, v.id
  from (select min(n) as key from generate_series(1, 100000) n
         group by get_shard_id_for_distribution_column('item_shard_version', n)) k cross join data_version v;
insert into document_shard_version
select k.key, v.id
  from (select min(n::text) as key from generate_series(1, 100000) n
         group by get_shard_id_for_distribution_column('document_shard_version', n::text)) k cross join data_version v;

-- A foreign key from one document to another cannot cross shards: loads check such references on their local tables.
do $$
declare
  one record;
begin
  for one in select * from millbook_work.foreign_key
              where not (of_table in ('invoice', 'invoice_line') and to_table in ('sales_order', 'sales_order_line')) loop
    execute format('alter table %I add constraint %I %s', one.of_table, one.name, one.definition);
  end loop;
end $$;
