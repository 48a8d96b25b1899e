-- The number of invoices on all pages.
select count(*)::int as total from invoice
 where invoice_at >= cast(:from as date) and invoice_at < cast(:to as date) + interval '1 day'
