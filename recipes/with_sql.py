"""Reads invoices and the stock with pandas, by SQL: for a database with SQL access (docs/sql.md).

Run:      pip install sqlalchemy 'psycopg[binary]' pandas && python with_sql.py
Settings: MILLBOOK_SQL_URL, such as postgresql+psycopg://millbook_reader:secret@db.example/millbook
          MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD

All statements of a transaction that is REPEATABLE READ see one version of the data. Decimals stay exact: pandas gets them as Decimal.
"""
import os
import sys

import pandas
import sqlalchemy

PERIOD = {'from_date': os.environ['MILLBOOK_FROM'], 'to_date': os.environ['MILLBOOK_TO']}
INVOICES = 'select * from report.ask_sales_invoices(from_date => :from_date, to_date => :to_date)'
LINES = 'select * from report.ask_sales_invoices_items(from_date => :from_date, to_date => :to_date)'
STOCK = 'select name, warehouse, unit, stock_qty from report.current_stock where stock_qty > 0 order by stock_qty desc'

engine = sqlalchemy.create_engine(os.environ['MILLBOOK_SQL_URL'])
with engine.connect().execution_options(isolation_level='REPEATABLE READ') as connection:
    def read(statement, **values):
        return pandas.read_sql(sqlalchemy.text(statement), connection, params=values, coerce_float=False)

    invoices, lines, stock = read(INVOICES, **PERIOD), read(LINES, **PERIOD), read(STOCK)
    version = connection.scalar(sqlalchemy.text('select version from report.data_version'))

if invoices.empty:
    sys.exit('no invoices in this period')
print(f'version {version}')
print(f"{len(invoices)} invoices, total_amt {invoices['total_amt'].sum()}")
print(f"{len(lines)} lines, taxable_value {lines['items_taxable_value'].sum()}")
print(f'{len(stock)} kinds of stock')
