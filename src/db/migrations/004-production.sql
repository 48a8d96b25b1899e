-- Work orders, batches and the material and other costs that batches used.

-- An order to make a quantity of an item; movements of the ledger name the work order that they are for.
create table work_order (
  work_order_no code primary key,
  item_id integer not null references item,
  warehouse_id integer references warehouse,
  status text not null check (status in ('Planned', 'Open', 'Closed', 'Cancelled')),
  planned_qty quantity not null check (planned_qty > 0),
  start_date day not null,
  due_date day not null check (due_date >= start_date),
  finished_on day,
  note label not null default ''
);
create index on work_order (item_id);
create index on work_order (start_date, work_order_no);

create table work_order_line (
  work_order_no code not null references work_order,
  line_no integer not null check (line_no > 0),
  item_id integer not null references item,
  kind text not null default 'Component' check (kind in ('Component', 'By-product')),
  planned_qty quantity not null check (planned_qty > 0),
  primary key (work_order_no, line_no)
);
create index on work_order_line (item_id);

-- A batch of stock from any source; only a produced one has the columns from batch_date on.
create table batch (
  item_id integer not null references item,
  batch_no code not null,
  source text not null check (source in ('PRODUCED', 'PROCURED', 'MANUAL')),
  mfg_date day,
  expiry_date day,
  batch_date day,
  warehouse_id integer references warehouse,
  qty quantity check (qty >= 0),
  wastage quantity check (wastage between 0 and qty),
  qc_status text check (qc_status in ('QC Pass', 'QC Fail', 'QC Hold')), -- null: not checked yet
  qty_pass quantity check (qty_pass >= 0),
  qty_failed quantity check (qty_failed >= 0),
  primary key (item_id, batch_no),
  check (expiry_date >= mfg_date),
  check (case when source = 'PRODUCED'
    then batch_date is not null and warehouse_id is not null and qty is not null and wastage is not null
    else batch_date is null and warehouse_id is null and qty is null and wastage is null
         and qc_status is null and qty_pass is null and qty_failed is null end)
);
create index on batch (batch_date, batch_no);

-- A material that a produced batch used, or another cost of it such as manpower.
create table consumption (
  item_id integer not null,
  batch_no code not null,
  line_no integer not null check (line_no > 0),
  material_id integer references item,
  cost_head text check (cost_head in ('Other Costs', 'Taxes', 'Manpower', 'Transport')),
  description label not null default '',
  qty_bom quantity not null default 0 check (qty_bom >= 0),
  qty_short quantity not null default 0 check (qty_short >= 0),
  qty_rej quantity not null default 0 check (qty_rej >= 0),
  qty_ret quantity not null default 0 check (qty_ret >= 0),
  val_bom rate not null default 0 check (val_bom >= 0), -- values without tax
  val_short rate not null default 0 check (val_short >= 0),
  val_rej rate not null default 0 check (val_rej >= 0),
  val_ret rate not null default 0 check (val_ret >= 0),
  tax_val rate not null default 0 check (tax_val >= 0), -- tax on the total of the row
  primary key (item_id, batch_no, line_no),
  foreign key (item_id, batch_no) references batch,
  check ((material_id is null) <> (cost_head is null)),
  check (qty_bom + qty_short + qty_rej >= qty_ret and val_bom + val_short + val_rej >= val_ret)
);
