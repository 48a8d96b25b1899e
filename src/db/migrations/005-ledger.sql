-- The ledger of stock movements, and the closings that are derived from it. Every stock figure is a sum over stock_movement.

-- Movements -----------------------------------------------------------------------------------------------------------

-- src/ledger/kinds.ts has the sign of each kind and the report column that it counts in.
create type movement_kind as enum (
  'production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return',
  'issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack',
  'hold', 'release',
  'internal_issue', -- without an order: samples, maintenance, own use
  'vendor_return',
  'value_increase', -- of the value alone: landed cost, revaluation
  'value_decrease'
);

-- The loader has found the documents and batches that a movement names, so their columns are text, without the checks of
-- domain `code`.
create table stock_movement (
  item_id integer not null references item,
  movement_date day not null,
  movement_no code not null,
  kind movement_kind not null,
  warehouse_id integer not null references warehouse,
  batch_no text collate "C", -- null: stock that is not kept by batch
  qty quantity not null,
  val rate not null, -- booked value without tax
  val_tax rate not null, -- booked value with tax
  transfer_charge rate not null default 0,
  order_no text collate "C", -- an issue or a return is for a line of an order, or of an invoice without one
  order_line_no integer,
  invoice_no text collate "C",
  invoice_line_no integer,
  for_item_id integer references item, -- the item and the batch that a consumption went into, if known
  for_batch_no text collate "C",
  po_no text collate "C", -- the receipt that brought purchased goods, or that a return to the vendor is for
  grn_no text collate "C",
  work_order_no text collate "C",
  note label not null default '',
  -- Serves reports too, which read the ledger by item and day.
  primary key (item_id, movement_date, movement_no),
  -- One constraint, because PostgreSQL checks each for every row that a load inserts.
  check (
    qty >= 0 and val >= 0 and val_tax >= val and transfer_charge >= 0
    and (qty > 0) = (kind not in ('value_increase', 'value_decrease'))
    and (order_no is not null or invoice_no is not null) = (kind in ('issue', 'sales_return'))
    and (order_no is null or invoice_no is null)
    and (order_no is null) = (order_line_no is null)
    and (invoice_no is null) = (invoice_line_no is null)
    and (for_item_id is null or kind = 'consumption')
    and (for_item_id is not null or for_batch_no is null)
    and (po_no is null or kind in ('purchase_receipt', 'vendor_return'))
    and (po_no is null) = (grn_no is null)
    and (transfer_charge = 0 or kind in ('transfer_in', 'transfer_out'))),
  check (work_order_no is null or kind in ('consumption', 'production_receipt'))
);
-- A movement's number is unique over all items: the loader looks it up without the item.
create index on stock_movement (movement_no);
-- The movements of a document, and of a produced batch.
create index on stock_movement (order_no, order_line_no) where order_no is not null;
create index on stock_movement (invoice_no, invoice_line_no) where invoice_no is not null;
create index on stock_movement (po_no, grn_no) where grn_no is not null;
create index on stock_movement (work_order_no) where work_order_no is not null;
create index on stock_movement (for_item_id, for_batch_no) where for_item_id is not null;
create index on stock_movement (item_id, batch_no) where kind = 'production_receipt';

-- Closings ------------------------------------------------------------------------------------------------------------

-- A cache: src/ledger/closings.ts derives closings in the transaction of every load, and `millbook verify` compares them with
-- the ledger. They make the cost of a report follow its range and the present stock, not the length of history
-- (docs/decisions/0015 and 0018).
--
-- A closing has all movements before its `day`, which comes after the last movement of a month. An item is closed after
-- enough movements, and its batches on days of their own. There are no foreign keys: the movements have them.

-- The stock in every warehouse in which the item ever moved, also if that is 0: the stock as kind other_receipt, the part of
-- it that is on hold as kind hold.
create table stock_closing (
  item_id integer not null,
  day date not null,
  warehouse_id integer not null,
  kind movement_kind not null,
  qty numeric not null,
  val numeric not null,
  val_tax numeric not null,
  primary key (item_id, day, warehouse_id, kind)
);

-- The sums of movements since the closing before.
create table stock_flow (
  item_id integer not null,
  day date not null,
  warehouse_id integer not null,
  kind movement_kind not null,
  qty numeric not null,
  val numeric not null,
  val_tax numeric not null,
  transfer_charge numeric not null,
  primary key (item_id, day, warehouse_id, kind)
);

-- All quantities that ever came into a batch and went out of it, over all warehouses, for the batches that were in stock or moved
-- since the closing before.
create table batch_closing (
  item_id integer not null,
  batch_no text collate "C" not null, -- empty: stock that is not kept by batch
  day date not null,
  received numeric not null,
  debited numeric not null,
  primary key (item_id, batch_no, day)
);
create index on batch_closing (item_id, day);

-- The number of movements since the last closing of an item: back to 0 at each closing, which comes after `needed` movements.
create function since_closing_next(since integer, moved integer, needed integer) returns integer
  language plpgsql immutable strict parallel safe as $$
begin
  return case when since + moved >= needed then 0 else since + moved end;
end $$;
create aggregate since_closing(integer, integer) (sfunc = since_closing_next, stype = integer, initcond = '0');

-- The result of sum(), for groups of few numbers: sum() prepares every group for thousands, which takes longer than adding two or
-- three.
create aggregate sum_of_few(numeric) (sfunc = numeric_add, stype = numeric, combinefunc = numeric_add, parallel = safe);
