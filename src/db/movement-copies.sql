-- The movements of a document, where the document is: tables in place of the views of migrations 029 and 031, on a cluster
-- (distribute.sql) and beside a partitioned ledger (partition.sql).
drop view sales_order_line_issued, order_movement, invoice_movement, work_order_movement, receipt_movement;
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
