-- Documents in other currencies and units, and taxes as rows (docs/decisions/0029).
--
-- Amounts, prices and quantities of documents are stored in the account's currency and in the item's stock unit. Where that is
-- not how the document has them, `given` keeps the document's values by the name of the column; null: as stored. An amount that
-- the document leaves out, and the loader computes, is null in it.

alter table account add column currency code not null default 'INR' check (currency ~ '^[A-Z]{3}$');

-- The units of an item beside its stock unit: `divisor` of them are `factor` stock units.
create table item_unit (
  item_id integer not null references item,
  unit label not null,
  factor numeric(24, 12) not null check (factor > 0),
  divisor numeric(24, 12) not null default 1 check (divisor > 0),
  primary key (item_id, unit)
);

-- An exchange rate is the price of one unit of the document's currency in the account's.
alter table purchase_order
  add column currency code check (currency ~ '^[A-Z]{3}$'), -- null: the account's
  add column exchange_rate numeric(24, 12) check (exchange_rate > 0), -- null: 1
  add column given jsonb;
alter table sales_order
  add column currency code check (currency ~ '^[A-Z]{3}$'),
  add column exchange_rate numeric(24, 12) check (exchange_rate > 0), -- null: 1
  add column given jsonb;
alter table invoice
  add column currency code check (currency ~ '^[A-Z]{3}$'),
  add column exchange_rate numeric(24, 12) check (exchange_rate > 0), -- null: 1
  add column given jsonb;
alter table goods_receipt add column exchange_rate numeric(24, 12) check (exchange_rate > 0); -- null: the order's

-- `taxes` are those of the line, with its part of those of the whole document: [{"name", "rate", "amount"}, …]
alter table purchase_order_line add column unit label, add column given jsonb, add column taxes jsonb;
alter table goods_receipt_line add column unit label, add column given jsonb, add column taxes jsonb;
alter table sales_order_line add column unit label, add column given jsonb, add column taxes jsonb;
alter table invoice_line add column unit label, add column given jsonb, add column taxes jsonb;
alter table sales_return add column unit label, add column given jsonb;

-- Tax rates have up to 4 digits.
alter table item alter column tax_rate type percent;
alter table purchase_order_line alter column tax_rate type percent;
alter table sales_order_line alter column tax_rate type percent;
alter table invoice_line
  alter column igst_rate type percent,
  alter column sgst_rate type percent,
  alter column cgst_rate type percent;
drop domain tax_percent;

-- Taxes of documents; line 0 is the whole document.
create table purchase_order_tax (
  po_no code not null references purchase_order,
  line_no integer not null check (line_no >= 0),
  name label not null check (name <> ''),
  rate percent,
  amount amount not null,
  of_line integer generated always as (nullif(line_no, 0)) stored,
  primary key (po_no, line_no, name),
  foreign key (po_no, of_line) references purchase_order_line
);
create table goods_receipt_tax (
  po_no code not null,
  grn_no code not null,
  line_no integer not null check (line_no >= 0),
  name label not null check (name <> ''),
  rate percent,
  amount amount not null,
  of_line integer generated always as (nullif(line_no, 0)) stored,
  primary key (po_no, grn_no, line_no, name),
  foreign key (po_no, grn_no) references goods_receipt,
  foreign key (po_no, grn_no, of_line) references goods_receipt_line
);
create table sales_order_tax (
  order_no code not null references sales_order,
  line_no integer not null check (line_no >= 0),
  name label not null check (name <> ''),
  rate percent,
  amount amount not null,
  of_line integer generated always as (nullif(line_no, 0)) stored,
  primary key (order_no, line_no, name),
  foreign key (order_no, of_line) references sales_order_line
);
create table invoice_tax (
  invoice_no code not null references invoice,
  line_no integer not null check (line_no >= 0),
  name label not null check (name <> ''),
  rate percent,
  amount amount not null,
  of_line integer generated always as (nullif(line_no, 0)) stored,
  primary key (invoice_no, line_no, name),
  foreign key (invoice_no, of_line) references invoice_line
);

-- Finds the few documents that have to be converted.
create index on purchase_order (po_no) where exchange_rate is not null or given is not null;
create index on purchase_order_line (po_no) where unit is not null or given is not null or taxes is not null;
create index on goods_receipt (po_no, grn_no) where exchange_rate is not null;
create index on goods_receipt_line (po_no, grn_no) where unit is not null or given is not null or taxes is not null;
create index on sales_order (order_no) where exchange_rate is not null or given is not null;
create index on sales_order_line (order_no) where unit is not null or given is not null or taxes is not null;
create index on sales_return (order_no) where unit is not null or given is not null;
create index on invoice (invoice_no) where exchange_rate is not null or given is not null;
create index on invoice_line (invoice_no) where unit is not null or given is not null or taxes is not null;

-- A value as the document has it.
create function as_given(given jsonb, name text, value numeric) returns numeric
  language sql immutable parallel safe
  as $$ select case when given ? name then (given ->> name)::numeric else value end $$;

-- As for other business data (026).
select forget_loaded_on_change(name::regclass) from unnest(array[
  'item_unit', 'purchase_order_tax', 'goods_receipt_tax', 'sales_order_tax', 'invoice_tax']) name;
