-- Work orders: what is to be made, of what, and when; the ledger's movements name the order that they are for.
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

alter table stock_movement
  add column work_order_no text collate "C",
  add check (work_order_no is null or kind in ('consumption', 'production_receipt'));
create index on stock_movement (work_order_no) where work_order_no is not null;

-- A bill of materials holds from a day to a day, and names what comes out beside the product.
alter table bom_line
  add column valid_from day not null default '0001-01-01',
  add column valid_to day,
  add column kind text not null default 'Component' check (kind in ('Component', 'By-product')),
  add check (valid_to >= valid_from),
  drop constraint bom_line_pkey,
  add primary key (product_id, component_id, valid_from);

-- As for other business data (026).
select forget_loaded_on_change(name::regclass) from unnest(array['work_order', 'work_order_line']) name;
