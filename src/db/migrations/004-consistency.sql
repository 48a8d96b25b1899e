-- What a load needs in order to hold documents and the ledger against each other.

-- Two warehouses may swap their names in one statement: checked at its end, not row by row.
alter table warehouse
  drop constraint warehouse_location_key,
  add constraint warehouse_location_key unique (location) deferrable initially immediate;

-- The movements of a goods receipt and of a produced batch, without going through the ledger.
create index on stock_movement (po_no, grn_no) where grn_no is not null;
create index on stock_movement (for_item_id, for_batch_no) where for_item_id is not null;

-- The numbers of a receipt and of an invoice are unique over all orders: the loader looks them up without the order.
create index on goods_receipt (grn_no);
create index on invoice (invoice_no);
