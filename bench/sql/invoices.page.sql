-- A page of invoices with their lines: found by the index.
with page as materialized (
  select * from invoice
   where invoice_at >= cast(:from as date) and invoice_at < cast(:to as date) + interval '1 day'
   order by invoice_at, invoice_no limit 1000 offset :offset),
