-- A page of 20 invoices with their lines from a key on, as a caller who knows the key of the last page would read it.
with page as materialized (
  select * from invoice
   where invoice_at >= cast(:from as date) and invoice_at < cast(:to as date) + interval '1 day'
     and (invoice_at, invoice_no) >= (cast(:at as timestamp), :no)
   order by invoice_at, invoice_no limit 20),
