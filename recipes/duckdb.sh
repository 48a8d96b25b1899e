#!/bin/sh
# Fetches the invoices of a period as CSV, their lines as CSV, and both as Parquet, and adds them up with DuckDB.
#
# Run:      sh duckdb.sh                      writes invoices.csv, lines.csv and invoices.parquet here
# Needs:    curl and DuckDB's command line `duckdb` (pip install duckdb-cli has it too)
# Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
#           MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD
#
# A Parquet file has the types of its columns: decimals, dates, and the lines of an invoice as a list. A CSV has one row per invoice,
# or with lines=yes one row per line, which has the key of its invoice and repeats no amount. It is read as text, and this script
# casts its decimals: DuckDB would guess DOUBLE, whose sums are not exact.
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
fetch() {
  printf 'Authorization: Bearer %s\n' "$token" |
    curl $patient --header @- --header 'Content-Type: application/json' --output "$1" \
      --data "{\"from_date\": \"$MILLBOOK_FROM\", \"to_date\": \"$MILLBOOK_TO\"}" \
      "$MILLBOOK_URL/v1/sales/invoices?$2"
}
fetch invoices.csv 'format=csv'
fetch lines.csv 'format=csv&lines=yes'
fetch invoices.parquet 'format=parquet'

duckdb -noheader -list <<'EOF'
create macro csv(file) as table
  from read_csv(file, header = true, nullstr = '', allow_quoted_nulls = false, all_varchar = true,
    delim = ',', quote = '"', escape = '"');
create view parquet_invoices as from 'invoices.parquet';
create view parquet_lines as select invoice_no, unnest(items, recursive := true) from parquet_invoices;

select column_name || ' ' || data_type from duckdb_columns() where table_name = 'parquet_invoices';
select 'csv: ' || count(*) || ' invoices, total_amt ' || sum(total_amt::DECIMAL(38,2)) from csv('invoices.csv');
select 'csv: ' || count(*) || ' lines, taxable_value ' || sum(items_taxable_value::DECIMAL(38,2)) from csv('lines.csv');
select 'parquet: ' || count(*) || ' lines, taxable_value ' || sum(taxable_value) from parquet_lines;
select 'parquet: ' || count(*) || ' invoices, total_amt ' || sum(total_amt) from parquet_invoices;
EOF
