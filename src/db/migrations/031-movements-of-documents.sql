-- Stories of orders find all that they show of movements beside the order: where goods of a sales order left, and what the ledger
-- received for a purchase order. They need not look into every year of a partitioned ledger, or ask every node of a cluster.
do $$
declare
  of_order constant text := 'order_no, order_line_no, item_id, movement_date, movement_no, kind, batch_no, qty, val, val_tax, warehouse_id';
  of_receipt constant text := 'po_no, grn_no, item_id, movement_date, movement_no, kind, batch_no, qty, warehouse_id';
begin
  if (select relkind = 'v' from pg_class where oid = 'order_movement'::regclass) then
    execute format('create or replace view order_movement as select %s from stock_movement', of_order);
    execute format('create view receipt_movement as select %s from stock_movement', of_receipt);
    return;
  end if;
  -- As in movement-copies.sql.
  alter table order_movement add warehouse_id integer;
  delete from order_movement;
  execute format('insert into order_movement (%s) select %1$s from stock_movement where order_no is not null', of_order);
  alter table order_movement alter warehouse_id set not null;
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
  if to_regclass('item_shard_version') is not null then
    perform create_distributed_table('receipt_movement', 'po_no', colocate_with => 'sales_order');
  end if;
  execute format('insert into receipt_movement (%s) select %1$s from stock_movement where grn_no is not null', of_receipt);
  if to_regclass('item_shard_version') is not null then
    return; -- loads write the copies
  end if;
  -- As in partition.sql.
  create or replace function copy_movements() returns trigger language plpgsql security definer as $copy$
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
  end $copy$;
  execute format('alter function copy_movements() set search_path = %I, pg_temp', current_schema());
end $$;
