"""Fetches all invoices of a period into pandas, with exact decimals, dates and texts as column types.

Run:      pip install requests pandas pyarrow && python with_pandas.py
Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
          MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD; MILLBOOK_PER_PAGE (optional)

There are two ways to the same tables: pages of JSON, which show every step of the protocol, and one Parquet file, which has the
types of its columns. Prefer the second. The types of JSON come from the list of reports, so this works for every report.
"""
import io
import os
import time
from datetime import date, datetime, time as clock
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
import requests

URL = os.environ['MILLBOOK_URL']
PATH = '/v1/sales/invoices'
KEY = ['invoice_date', 'invoice_no']
PERIOD = {'from_date': os.environ['MILLBOOK_FROM'], 'to_date': os.environ['MILLBOOK_TO']}
PER_PAGE = os.environ.get('MILLBOOK_PER_PAGE', '1000')

session = requests.Session()


class Gone(Exception):
    """410: the service no longer has the version of the walk."""


def send(method, url, body=None):
    """Sends a request, and repeats it after 429 and 503, when Retry-After has passed."""
    for attempt in range(8):
        response = session.request(method, url, json=body, timeout=300)
        if response.status_code not in (429, 503):
            break
        seconds = int(response.headers.get('Retry-After', 2**attempt))
        print(f'HTTP {response.status_code}; trying again in {seconds} s')
        time.sleep(seconds)
    if response.status_code == 410:
        raise Gone(response.json()['detail'])
    if not response.ok:
        raise RuntimeError(f'HTTP {response.status_code}: {response.text}')
    return response


def sign_in():
    token = send('POST', f'{URL}/oauth2/token', {
        'grant_type': 'password',
        'client_id': os.environ['MILLBOOK_CLIENT_ID'],
        'client_secret': os.environ['MILLBOOK_CLIENT_SECRET'],
        'username': os.environ['MILLBOOK_USERNAME'],
        'password': os.environ['MILLBOOK_PASSWORD'],
    }).json()
    session.headers['Authorization'] = f"Bearer {token['access_token']}"


def all_records():
    """The records of all pages of one version, with all fields, as a file has them."""
    while True:
        records, url = [], f'{URL}{PATH}?fields=all&per-page={PER_PAGE}'
        try:
            while url:
                # final_amt is a JSON number and must not become a float.
                page = send('POST', url, PERIOD).json(parse_float=Decimal, parse_int=Decimal)
                records += page['data']
                url = page['_links'].get('next', {}).get('href')
            return records
        except Gone:
            pass  # the data was replaced during the walk: discard the pages and begin again


def columns_of():
    """The columns of the report, with their types."""
    [report] = [report for report in send('GET', f'{URL}/v1/reports').json()['data'] if report['path'] == PATH]
    return report['shapes'][0]['columns']


MOMENTS = {12: '%Y-%m-%d %I:%M:%S%p', 24: '%Y-%m-%d %H:%M:%S'}
SCALARS = {
    'date': (lambda column: pa.date32(), lambda column, text: date.fromisoformat(text)),
    'timestamp': (lambda column: pa.timestamp('ms'), lambda column, text: datetime.strptime(text, MOMENTS[column['clock']])),
    'time': (lambda column: pa.time32('ms'), lambda column, text: clock.fromisoformat(text)),
    'flag': (lambda column: pa.bool_(), lambda column, text: text == 'true'),
    'decimal': (lambda column: pa.decimal128(38, column.get('upTo', column['digits'])), lambda column, text: Decimal(text)),
    'whole': (lambda column: pa.decimal128(38, 0), lambda column, text: Decimal(text)),
    'integer': (lambda column: pa.int64(), lambda column, number: int(number)),
    'text': (lambda column: pa.string(), lambda column, text: text),
}
SAME = {'number': 'decimal', 'word': 'text'}


def scalar(column):
    if column['kind'] == 'integer' and column['wire'] == 'string':
        return SCALARS['whole']
    return SCALARS[SAME.get(column['kind'], column['kind'])]


def field(column):
    """The column as a field of Arrow."""
    kind, name = column['kind'], column['name']
    if kind in ('nested', 'lines'):
        inside = pa.struct([field(inner) for inner in column['columns']])
        return pa.field(name, inside if kind == 'nested' else pa.list_(pa.field('element', inside, False)), False)
    if kind == 'list':
        return pa.field(name, pa.list_(pa.field('element', pa.string(), False)), False)
    return pa.field(name, scalar(column)[0](column), 'absent' in column)


def typed(column, value):
    """A value of a record; a marker in place of a value, such as `-`, becomes None."""
    if column['kind'] == 'nested':
        return {inner['name']: typed(inner, value[inner['name']]) for inner in column['columns']}
    if column['kind'] == 'lines':
        return [{inner['name']: typed(inner, line[inner['name']]) for inner in column['columns']} for line in value]
    if column['kind'] == 'list' or value is None:
        return value
    return None if value == column.get('absent') else scalar(column)[1](column, value)


def by_json():
    columns, records = columns_of(), all_records()
    rows = [{column['name']: typed(column, record[column['name']]) for column in columns} for record in records]
    return pa.Table.from_pylist(rows, schema=pa.schema([field(column) for column in columns]))


def by_parquet():
    """The same in one request."""
    response = send('POST', f'{URL}{PATH}?format=parquet', PERIOD)
    return pyarrow.parquet.read_table(io.BytesIO(response.content))


def frames(table):
    """The invoices, and a table for each list of their lines, with the key of the invoice."""
    lists = [one.name for one in table.schema if pa.types.is_list(one.type)]
    found = {'invoices': table.drop_columns(lists)}
    for name in lists:
        column = table[name].combine_chunks()
        parents = table.select(KEY).take(pc.list_parent_indices(column))
        lines = pa.Table.from_struct_array(pc.list_flatten(column))
        found[name] = pa.table([*parents.columns, *lines.columns], names=KEY + lines.column_names)
    return {name: table.to_pandas(types_mapper=pd.ArrowDtype) for name, table in found.items()}


sign_in()
tables = {'json': by_json()}
if len(tables['json']) == 0:
    raise SystemExit('no invoices in this period')
tables['parquet'] = by_parquet()
for way, table in tables.items():
    found = frames(table)
    for name, frame in found.items():
        for column, dtype in frame.dtypes.items():
            print(f'{way}: {name}.{column} {dtype}')
    invoices, items, taxes = found['invoices'], found['items'], found['taxes']
    print(f"{way}: {len(items)} lines, taxable_value {items['taxable_value'].sum()}")
    print(f"{way}: {len(taxes)} taxes, amount {taxes['amount'].sum()}")
    print(f"{way}: {len(invoices)} invoices, total_amt {invoices['total_amt'].sum()}")
if not tables['json'].equals(tables['parquet']):
    raise SystemExit('the data was replaced between the two requests; run it again')
