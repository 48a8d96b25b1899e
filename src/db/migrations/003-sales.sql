-- Sales orders, returns and invoices. The head of 002 describes `given`, `unit`, `taxes` and the tables of taxes.

-- Orders --------------------------------------------------------------------------------------------------------------

create sequence sales_order_id;

create table sales_order (
  order_no code primary key,
  order_id bigint not null default nextval('sales_order_id'),
  order_type label not null check (order_type <> ''), -- such as B2B/Retail or Online
  channel_id label,
  channel integer not null default 0 check (channel >= 0),
  order_date day not null,
  order_time time(0) not null default '00:00:00',
  customer_code code references customer, -- null: a customer who walked in
  warehouse_id integer not null references warehouse,
  po_no label, -- the customer's purchase order
  po_date day,
  created_by label not null default '',
  exp_dispatch_date day,
  appointment_date day,
  expiry_date day,
  reference label,
  free_of_cost boolean not null default false,
  -- The address that this order goes to, if not the customer's shipping address; any part of it may be missing.
  shipping_buyer label,
  shipping_address1 label,
  shipping_address2 label,
  shipping_city label,
  shipping_state label,
  shipping_country label,
  shipping_pincode label,
  shipping_gstn label,
  shipping_phone label,
  shipping_email label,
  -- Decided by people; how much of an order is issued follows from the ledger (006).
  state text not null default 'OPEN' check (state in ('OPEN', 'CLOSED', 'CANCELLED')),
  taxable_amt amount not null,
  tax_amt amount not null,
  shipping_amt amount not null default 0 check (shipping_amt >= 0),
  adjustment_label label not null default '',
  adjustment_amt amount not null default 0,
  total_amt amount not null,
  currency code check (currency ~ '^[A-Z]{3}$'),              -- null: the account's
  exchange_rate numeric(24, 12) check (exchange_rate > 0),    -- null: 1
  given jsonb
);
alter sequence sales_order_id owned by sales_order.order_id;
create index on sales_order (order_date, order_no);
create index on sales_order (customer_code);
create index on sales_order (order_no) where exchange_rate is not null or given is not null;

create table sales_order_line (
  order_no code not null references sales_order,
  line_no integer not null check (line_no > 0),
  item_id integer references item,
  description label not null default '',
  delivery_date day, -- agreed for this line, if any
  qty quantity not null,
  mrp price not null default 0 check (mrp >= 0),
  rate price not null,
  discount_per percent not null default 0,
  discount_amt amount not null default 0,
  effective_rate price not null, -- after the discount
  tax_rate percent not null default 0,
  taxable_amt amount not null,
  tax_amt amount not null,
  total_amt amount not null,
  unit label,
  given jsonb,
  taxes jsonb,
  primary key (order_no, line_no)
);
create index on sales_order_line (item_id);
create index on sales_order_line (order_no) where unit is not null or given is not null or taxes is not null;

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

-- Returns -------------------------------------------------------------------------------------------------------------

create table sales_return (
  order_no code not null,
  return_no code not null,
  order_line_no integer not null,
  return_date day not null,
  kind text not null check (kind in ('RTO', 'RTV')), -- undelivered, or sent back by the customer
  usable_qty quantity not null check (usable_qty >= 0), -- back into stock
  unusable_qty quantity not null check (unusable_qty >= 0),
  taxable_amt amount not null check (taxable_amt >= 0),
  tax_amt amount not null check (tax_amt >= 0),
  unit label,
  given jsonb,
  primary key (order_no, return_no, order_line_no),
  foreign key (order_no, order_line_no) references sales_order_line (order_no, line_no),
  check (usable_qty + unusable_qty > 0)
);
create index on sales_return (order_no, order_line_no);
create index on sales_return (order_no) where unit is not null or given is not null;

-- Invoices ------------------------------------------------------------------------------------------------------------

create table invoice (
  invoice_no code primary key,
  kind text not null default 'INVOICE' check (kind in ('INVOICE', 'CREDIT NOTE')),
  order_no code references sales_order, -- null: over several orders, or without one
  customer_code code references customer, -- null: the order's
  invoice_at moment not null,
  due_date day not null,
  gstn label not null default '', -- the seller's registration that the invoice was issued under
  reference label not null default '',
  customer_gstn label not null default '',
  place_of_supply label not null default '',
  credit_for code, -- the invoice that a credit note is for
  return_no code,  -- the return that a credit note is for
  status text not null default 'Submitted' check (status in ('Submitted', 'Cancelled')),
  shipping amount not null default 0 check (shipping >= 0),
  adjustment amount not null default 0,
  sub_total amount not null,
  total_tax amount not null,
  total_amt amount not null,
  round_amt amount not null default 0,
  final_amt amount not null,
  currency code check (currency ~ '^[A-Z]{3}$'),              -- null: the account's
  exchange_rate numeric(24, 12) check (exchange_rate > 0),    -- null: 1
  given jsonb
);
create index on invoice (invoice_at, invoice_no);
create index on invoice (order_no);
create index on invoice (invoice_no) where exchange_rate is not null or given is not null;

-- A line is for a line of any order, for an item, or has only a text.
create table invoice_line (
  invoice_no code not null references invoice,
  line_no integer not null check (line_no > 0),
  order_no code,
  order_line_no integer,
  item_id integer references item, -- null: the order line's
  description label not null default '',
  qty quantity not null,
  rate price not null,
  taxable_value amount not null,
  igst_rate percent,
  igst_amt amount,
  sgst_rate percent,
  sgst_amt amount,
  cgst_rate percent,
  cgst_amt amount,
  total_value amount not null,
  unit label,
  given jsonb,
  taxes jsonb,
  primary key (invoice_no, line_no),
  foreign key (order_no, order_line_no) references sales_order_line (order_no, line_no),
  -- Each tax has its rate and amount together.
  check ((igst_rate is null) = (igst_amt is null) and (sgst_rate is null) = (sgst_amt is null)
         and (cgst_rate is null) = (cgst_amt is null)),
  check ((order_no is null) = (order_line_no is null))
);
create index on invoice_line (order_no, order_line_no);
create index on invoice_line (invoice_no) where unit is not null or given is not null or taxes is not null;

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
