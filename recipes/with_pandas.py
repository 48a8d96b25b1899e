"""Fetches all invoices of a period into pandas, with exact decimals, dates and texts as column types.

Run:      pip install requests pandas pyarrow && python with_pandas.py
Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
          MILLBOOK_FROM, MILLBOOK_TO, MILLBOOK_PER_PAGE (optional)

There are two ways to the same table: pages of JSON, which show every step of the protocol, and one Parquet file, which has the
types of its columns. Prefer the second.
"""
import io
import os
import time
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import requests

URL = os.environ['MILLBOOK_URL']
PERIOD = {
    'from_date': os.environ.get('MILLBOOK_FROM', '2026-04-01'),
    'to_date': os.environ.get('MILLBOOK_TO', '2027-03-31'),
}
PER_PAGE = os.environ.get('MILLBOOK_PER_PAGE', '1000')
AMOUNTS = ['shipping', 'adjustment', 'sub_total', 'total_tax', 'total_amt', 'round_amt', 'final_amt']
LINE_AMOUNTS = ['taxable_value', 'igst_rate', 'igst_amt', 'sgst_rate', 'sgst_amt', 'cgst_rate', 'cgst_amt', 'total_value']

session = requests.Session()


class Gone(Exception):
    """410: the service no longer has the version of the walk."""


def send(url, **body):
    """Sends a POST, and repeats it after 429 and 503, when Retry-After has passed."""
    for attempt in range(8):
        response = session.post(url, json=body, timeout=300)
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
    token = send(
        f'{URL}/oauth2/token',
        grant_type='password',
        client_id=os.environ['MILLBOOK_CLIENT_ID'],
        client_secret=os.environ['MILLBOOK_CLIENT_SECRET'],
        username=os.environ['MILLBOOK_USERNAME'],
        password=os.environ['MILLBOOK_PASSWORD'],
    ).json()
    session.headers['Authorization'] = f"Bearer {token['access_token']}"


def all_records():
    """The records of all pages of one version."""
    while True:
        records, url = [], f'{URL}/v1/sales/invoices?per-page={PER_PAGE}'
        try:
            while url:
                # final_amt is a JSON number and must not become a float.
                page = send(url, **PERIOD).json(parse_float=Decimal, parse_int=Decimal)
                records += page['data']
                url = page['_links'].get('next', {}).get('href')
            return records
        except Gone:
            pass  # the data was replaced during the walk: discard the pages and begin again


def decimals(values, digits):
    """A column of exact decimals; the marker `-` becomes a missing value."""
    exact = [None if value in (None, '-') else Decimal(value) for value in values]
    return pd.Series(pd.array(exact, dtype=pd.ArrowDtype(pa.decimal128(38, digits))), index=values.index)


def by_json():
    """The invoices and their lines."""
    records = all_records()
    if not records:
        raise SystemExit('no invoices in this period')
    invoices = pd.DataFrame(records).drop(columns='items')
    lines = pd.json_normalize(records, 'items', ['invoice_no'])
    for frame, names in ((invoices, AMOUNTS), (lines, LINE_AMOUNTS)):
        for name in names:
            frame[name] = decimals(frame[name], 2)
    for name in ('qty', 'rate'):
        lines[name] = decimals(lines[name], 4)
    invoices['invoice_date'] = pd.to_datetime(invoices['invoice_date'], format='%Y-%m-%d %H:%M:%S')
    for name in ('due_date', 'order_date'):
        dates = pd.to_datetime(invoices[name], format='%Y-%m-%d').dt.date
        invoices[name] = pd.Series(dates, dtype=pd.ArrowDtype(pa.date32()))
    for frame in (invoices, lines):
        for name in frame.columns[frame.dtypes == object]:
            frame[name] = frame[name].astype('string')
    return invoices, lines


def by_parquet():
    """The same in one request; the lines are lists inside the column `items`."""
    response = send(f'{URL}/v1/sales/invoices?format=parquet', **PERIOD)
    return pd.read_parquet(io.BytesIO(response.content), dtype_backend='pyarrow')


sign_in()
invoices, lines = by_json()
whole = by_parquet()
print(invoices.dtypes.to_string())
print(lines.dtypes.to_string())
print(whole.dtypes.to_string())
print(f"{len(lines)} lines, taxable_value {lines['taxable_value'].sum()}")
print(f"parquet: {len(whole)} invoices, total_amt {whole['total_amt'].sum()}")
print(f"{len(invoices)} invoices, total_amt {invoices['total_amt'].sum()}")
