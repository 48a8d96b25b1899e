-- Purchase orders, their approvals and goods receipts.
--
-- For these and for sales documents (003), see docs/decisions/0029:
--   - Amounts, prices and quantities are stored in the account's currency and in the item's stock unit. An exchange rate is
--     the price of one unit of the document's currency in the account's.
--   - `given` has the values as the document states them, by column name, if the stored ones differ; null: none differs. A
--     value of null in it is an amount that the document leaves out and the loader computes.
--   - `unit` of a line is the unit that it is given in; null: the item's stock unit.
--   - `taxes` of a line are its own and its share of the whole document's: [{"name", "rate", "amount"}, …]
--   - Tables of taxes have the rows as they were loaded; their line 0 is the whole document.
--   - A line without an item is freight or a text. Quantities and amounts may be negative.

-- A value as the document states it.
create function as_given(given jsonb, name text, value numeric) returns numeric
  language sql immutable parallel safe
  as $$ select case when given ? name then (given ->> name)::numeric else value end $$;

-- Orders --------------------------------------------------------------------------------------------------------------

create sequence purchase_order_id;

create table purchase_order (
  po_no code primary key,
  poid bigint not null default nextval('purchase_order_id'),
  po_date day not null,
  delivery_date day not null,
  reference label,
  shipment_reference label,
  vendor_code code not null references vendor,
  warehouse_id integer not null references warehouse, -- to which the goods are to be delivered
  -- Decided by people. CREATED, PARTIAL RECEIVED and RECEIVED follow from the receipts and are never stored (006).
  state text not null default 'OPEN' check (state in ('OPEN', 'CLOSED', 'CANCELLED')),
  approval_required boolean not null default false,
  approval_limit amount not null default 0 check (approval_limit >= 0),
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
alter sequence purchase_order_id owned by purchase_order.poid;
create index on purchase_order (po_date, po_no);
create index on purchase_order (vendor_code);
-- Here and below, an index of this kind finds the few documents that have to be converted.
create index on purchase_order (po_no) where exchange_rate is not null or given is not null;

create table purchase_order_line (
  po_no code not null references purchase_order,
  line_no integer not null check (line_no > 0),
  item_id integer references item,
  description label not null default '',
  delivery_date day, -- null: the order's
  qty quantity not null,
  rate price not null,
  tax_rate percent not null default 0,
  taxable_amt amount not null,
  tax_amt amount not null,
  total_amt amount not null,
  unit label,
  given jsonb,
  taxes jsonb,
  primary key (po_no, line_no)
);
create index on purchase_order_line (po_no) where unit is not null or given is not null or taxes is not null;

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

create table purchase_order_approval (
  po_no code not null references purchase_order,
  step integer not null check (step > 0),
  group_name label not null check (group_name <> ''),
  status text not null check (status in ('Pending', 'Approved', 'Rejected')),
  approver label,
  action_at moment,
  approvers text[] not null default '{}',
  primary key (po_no, step),
  -- Nobody has decided a pending step. A decision may be known without its approver or its time.
  check (status <> 'Pending' or approver is null and action_at is null)
);

-- Receipts ------------------------------------------------------------------------------------------------------------

create table goods_receipt (
  po_no code not null references purchase_order,
  grn_no code not null,
  receipt_date day not null,
  warehouse_id integer not null references warehouse,
  reference label, -- the vendor's challan or invoice number
  exchange_rate numeric(24, 12) check (exchange_rate > 0), -- null: the order's
  primary key (po_no, grn_no)
);
create index on goods_receipt (receipt_date, grn_no);
-- A receipt's number is unique over all orders: the loader looks it up without the order.
create index on goods_receipt (grn_no);
create index on goods_receipt (po_no, grn_no) where exchange_rate is not null;

create table goods_receipt_line (
  po_no code not null,
  grn_no code not null,
  line_no integer not null check (line_no > 0),
  po_line_no integer not null,
  warehouse_id integer references warehouse, -- null: the receipt's
  received_qty quantity not null check (received_qty > 0),
  accepted_qty quantity not null check (accepted_qty >= 0),
  rejected_qty quantity not null check (rejected_qty >= 0),
  rate price not null check (rate >= 0),
  taxable_amt amount not null check (taxable_amt >= 0),
  tax_amt amount not null check (tax_amt >= 0),
  total_amt amount not null check (total_amt >= 0),
  unit label,
  given jsonb,
  taxes jsonb,
  primary key (po_no, grn_no, line_no),
  foreign key (po_no, grn_no) references goods_receipt,
  foreign key (po_no, po_line_no) references purchase_order_line (po_no, line_no),
  check (received_qty >= accepted_qty + rejected_qty) -- the rest waits for inspection
);
create index on goods_receipt_line (po_no, po_line_no);
create index on goods_receipt_line (po_no, grn_no) where unit is not null or given is not null or taxes is not null;

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
