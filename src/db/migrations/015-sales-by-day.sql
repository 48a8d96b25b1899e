-- Sales that were only invoiced are listed by day (src/reports/sales/sales.ts).
create index on invoice ((invoice_at::date));
