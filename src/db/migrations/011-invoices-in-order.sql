-- The order of the list of invoices, whole: pages are found and counted in the index alone.
drop index invoice_invoice_at_invoice_no_idx;
create index on invoice (invoice_at, invoice_no, order_no);
