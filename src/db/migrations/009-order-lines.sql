-- Order lines with a warehouse and deliveries of their own, orders without a warehouse or a delivery date.

alter table sales_order alter column warehouse_id drop not null;
alter table sales_order_line add column warehouse_id integer; -- null: the order's
alter table sales_order_line add constraint sales_order_line_warehouse_id_fkey foreign key (warehouse_id) references warehouse;
-- Delivered without a movement of stock, and counted as issued.
alter table sales_order_line add column delivered_qty quantity;

alter table purchase_order alter column warehouse_id drop not null;
alter table purchase_order alter column delivery_date drop not null;

-- Sales that were invoiced without an order.
create index on invoice_line (invoice_no) where order_no is null;
