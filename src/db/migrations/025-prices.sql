-- Prices of one unit have up to 6 fraction digits, list prices too. Values and amounts keep theirs.
create domain price as numeric(26, 6) check (value <> 'NaN');

alter table item alter column mrp type price;
alter table purchase_order_line alter column rate type price;
alter table goods_receipt_line alter column rate type price;
alter table sales_order_line
  alter column mrp type price,
  alter column rate type price,
  alter column effective_rate type price;
alter table invoice_line alter column rate type price;
