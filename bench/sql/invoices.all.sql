-- All invoices of a range.
with page as materialized (
  select * from invoice
   where invoice_at >= cast(:from as date) and invoice_at < cast(:to as date) + interval '1 day'),
