-- For the insight reports: the lot that a vendor calls a batch by, the numbers of GS1 (GTIN of an item, GLN of a place), the shelf life,
-- the link between the two sides of a transfer, and the terms on which a vendor sells an item. All are optional.
--
-- Constraints have names and come apart from their columns, because a cluster accepts them only so.

alter table warehouse add column gln text collate "C";
alter table warehouse add constraint warehouse_gln_check check (gln ~ '^[0-9]{13}$');

alter table item add column gtin text collate "C";
alter table item add constraint item_gtin_check check (gtin ~ '^([0-9]{8}|[0-9]{12,14})$');
alter table item add column shelf_life_days integer;
alter table item add constraint item_shelf_life_days_check check (shelf_life_days >= 0);

alter table vendor add column gln text collate "C";
alter table vendor add constraint vendor_gln_check check (gln ~ '^[0-9]{13}$');

alter table batch add column supplier_lot text collate "C"; -- its number at the vendor

-- The same number on the transfer_out and the transfer_in. The loader checks the kind: a constraint would be checked again for every
-- row that a load inserts.
alter table stock_movement add column transfer_no text collate "C";

-- The terms on which a vendor sells an item, in stock units and the account's currency. Null: not known.
create table item_vendor (
  item_id integer not null references item,
  vendor_code code not null references vendor,
  lead_days integer,     -- from the order to the receipt
  min_qty quantity,      -- of an order
  multiple quantity,     -- an order's quantity is a whole number of these
  price price,           -- of one unit before tax
  primary key (item_id, vendor_code),
  constraint item_vendor_lead_days_check check (lead_days >= 0),
  constraint item_vendor_min_qty_check check (min_qty >= 0),
  constraint item_vendor_multiple_check check (multiple > 0),
  constraint item_vendor_price_check check (price >= 0)
);
create index on item_vendor (vendor_code);

do $$
begin
  if to_regclass('item_shard_version') is null then
    perform forget_loaded_on_change('item_vendor');
    create trigger keep_prior_row after update or delete on item_vendor for each row
      when (current_setting('millbook.undo_version', true) <> '') execute function keep_prior_row();
  else
    -- On a cluster (distribute.sql).
    insert into millbook_work.foreign_key
    select c.relname, f.relname, k.conname, pg_get_constraintdef(k.oid)
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
     where k.contype = 'f' and k.conrelid = 'item_vendor'::regclass;
    perform create_reference_table('item_vendor');
  end if;
end $$;
