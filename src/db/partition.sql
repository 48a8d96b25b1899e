-- Partitions the ledger by calendar year, in one transaction (docs/decisions/0032).
--
-- An index of a partitioned table is one of each year, so the movements of an order would have to be looked for in every year.
-- Reports find them in copies (movement-copies.sql), which triggers keep equal to the ledger: migrations 029 and 031 have views in their place.

alter table stock_movement rename to stock_movement_before;
create table stock_movement (like stock_movement_before including all excluding indexes) partition by range (movement_date);
create temporary table made_again on commit drop as
select format('alter table stock_movement add constraint %I %s', conname, pg_get_constraintdef(oid)) as text
  from pg_constraint where conrelid = 'stock_movement_before'::regclass and contype in ('p', 'f')
union all
select regexp_replace(pg_get_indexdef(i.indexrelid), ' ON \S+ USING ', ' ON stock_movement USING ')
  from pg_index i
 where i.indrelid = 'stock_movement_before'::regclass and not i.indisprimary;

-- Makes the partitions of these years that there are not yet. A table is attached, because readers need not wait for that.
create function prepare_ledger(years integer[]) returns void language plpgsql security definer as $$
declare
  one integer;
  its_table text;
begin
  foreach one in array years loop
    its_table := 'stock_movement_' || one;
    if exists (select from pg_inherits where inhparent = 'stock_movement'::regclass and inhrelid = to_regclass(its_table)) then
      continue;
    end if;
    if to_regclass(its_table) is not null then
      raise 'the movements of % are detached from the ledger: attach the table % first', one, its_table using errcode = 'MB001';
    end if;
    execute format('create table %I (like stock_movement including defaults including constraints)', its_table);
    execute format('alter table stock_movement attach partition %I for values from (%L) to (%L)', its_table,
                   make_date(one, 1, 1), make_date(one + 1, 1, 1));
  end loop;
end $$;

do $$
begin
  perform prepare_ledger(array(select distinct extract(year from movement_date)::integer from stock_movement_before order by 1));
end $$;
insert into stock_movement select * from stock_movement_before;
drop table stock_movement_before;

do $$
declare
  one text;
begin
  for one in select text from made_again loop
    execute one;
  end loop;
end $$;

-- A statement that writes movements writes their copies: `gone` and `come` are the rows before and after it.
create function copy_movements() returns trigger language plpgsql security definer as $$
begin
  if tg_op in ('UPDATE', 'DELETE') then
    delete from order_movement c using gone g
     where g.order_no is not null and c.order_no = g.order_no and c.order_line_no = g.order_line_no and c.item_id = g.item_id
       and c.movement_date = g.movement_date and c.movement_no = g.movement_no;
    delete from invoice_movement c using gone g
     where g.invoice_no is not null and c.invoice_no = g.invoice_no and c.invoice_line_no = g.invoice_line_no
       and c.item_id = g.item_id and c.movement_date = g.movement_date and c.movement_no = g.movement_no;
    delete from work_order_movement c using gone g
     where g.work_order_no is not null and c.work_order_no = g.work_order_no and c.item_id = g.item_id
       and c.movement_date = g.movement_date and c.movement_no = g.movement_no;
    delete from receipt_movement c using gone g
     where g.grn_no is not null and c.po_no = g.po_no and c.grn_no = g.grn_no and c.item_id = g.item_id
       and c.movement_date = g.movement_date and c.movement_no = g.movement_no;
  end if;
  if tg_op in ('UPDATE', 'INSERT') then
    insert into order_movement
    select order_no, order_line_no, item_id, movement_date, movement_no, kind, batch_no, qty, val, val_tax, warehouse_id
      from come where order_no is not null;
    insert into invoice_movement
    select invoice_no, invoice_line_no, item_id, movement_date, movement_no, kind, val, val_tax
      from come where invoice_no is not null;
    insert into work_order_movement
    select work_order_no, item_id, movement_date, movement_no, kind, qty, val from come where work_order_no is not null;
    insert into receipt_movement
    select po_no, grn_no, item_id, movement_date, movement_no, kind, batch_no, qty, warehouse_id
      from come where grn_no is not null;
  end if;
  if tg_op = 'TRUNCATE' then
    truncate order_movement, invoice_movement, work_order_movement, receipt_movement;
  end if;
  return null;
end $$;
create trigger copy_inserted after insert on stock_movement referencing new table as come
  for each statement execute function copy_movements();
create trigger copy_updated after update on stock_movement referencing old table as gone new table as come
  for each statement execute function copy_movements();
create trigger copy_deleted after delete on stock_movement referencing old table as gone
  for each statement execute function copy_movements();
create trigger copy_truncated after truncate on stock_movement for each statement execute function copy_movements();
select forget_loaded_on_change('stock_movement');

-- No name is looked up in a temporary schema first (docs/decisions/0011).
do $$
declare
  definer text;
begin
  foreach definer in array array['prepare_ledger(integer[])', 'copy_movements()'] loop
    execute format('alter function %s set search_path = %I, pg_temp', definer, current_schema());
    execute format('revoke execute on function %s from public', definer);
  end loop;
end $$;
