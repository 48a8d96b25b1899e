#!/bin/sh
# Fetches the invoices of a period as CSV and as Parquet, and adds both up with DuckDB.
#
# Run:      sh duckdb.sh                      writes invoices.csv and invoices.parquet into the current directory
# Needs:    curl and DuckDB's command line `duckdb` (pip install duckdb-cli has it too)
# Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
#           MILLBOOK_FROM, MILLBOOK_TO (optional)
#
# A Parquet file has the types of its columns: decimals, dates, and the lines of an invoice as a list. The CSV is read as text, and this
# script casts its decimals: DuckDB would guess DOUBLE, whose sums are not exact.
set -eu

patient='--silent --show-error --fail-with-body --retry 8 --retry-connrefused --max-time 300'
json() { printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"; }

token=$(
  curl $patient "$MILLBOOK_URL/oauth2/token" -H 'Content-Type: application/json' --data @- <<EOF |
{"grant_type": "password",
 "client_id": $(json "$MILLBOOK_CLIENT_ID"), "client_secret": $(json "$MILLBOOK_CLIENT_SECRET"),
 "username": $(json "$MILLBOOK_USERNAME"), "password": $(json "$MILLBOOK_PASSWORD")}
EOF
    sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p'
)

# A file is the whole report, or curl fails: the response has a Content-Length.
for format in csv parquet; do
  printf 'Authorization: Bearer %s\n' "$token" |
    curl $patient --header @- --header 'Content-Type: application/json' --output "invoices.$format" \
      --data "{\"from_date\": \"${MILLBOOK_FROM:-2026-04-01}\", \"to_date\": \"${MILLBOOK_TO:-2027-03-31}\"}" \
      "$MILLBOOK_URL/v1/sales/invoices?format=$format"
done

duckdb -noheader -list <<'EOF'
create view csv_lines as
select * replace (total_amt::DECIMAL(38,2) as total_amt, items_taxable_value::DECIMAL(38,2) as items_taxable_value)
from read_csv('invoices.csv', header = true, nullstr = ['', '-'], allow_quoted_nulls = false, all_varchar = true,
  delim = ',', quote = '"', escape = '"');
create view parquet_invoices as from 'invoices.parquet';
create view parquet_lines as
select invoice_no, unnest(items, recursive := true) from parquet_invoices;

select column_name || ' ' || data_type from duckdb_columns() where table_name = 'parquet_invoices' and column_name <> 'items';
-- A row of the CSV is a line and repeats the fields of its invoice, so count each invoice once.
select 'csv: ' || count(*) || ' invoices, total_amt ' || sum(total_amt)
from (select distinct invoice_date, invoice_no, total_amt from csv_lines);
select 'csv: ' || count(*) || ' lines, taxable_value ' || sum(items_taxable_value) from csv_lines;
select 'parquet: ' || count(*) || ' lines, taxable_value ' || sum(taxable_value) from parquet_lines;
select 'parquet: ' || count(*) || ' invoices, total_amt ' || sum(total_amt) from parquet_invoices;
EOF
