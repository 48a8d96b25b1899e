"""Reads a saved view into pandas by its link and an app password, with exact decimals and dates as column types.

Run:      pip install requests pandas pyarrow && python with_pandas.py
Settings: MILLBOOK_URL, MILLBOOK_USERNAME, MILLBOOK_APP_PASSWORD; MILLBOOK_VIEW: the id of the view

A Parquet file has the types of its columns, so this works for every view.
"""
import io
import os
import time

import pandas as pd
import pyarrow.parquet
import requests

LINK = f"{os.environ['MILLBOOK_URL']}/v1/views/{os.environ['MILLBOOK_VIEW']}/data?format=parquet"
SIGN_IN = (os.environ['MILLBOOK_USERNAME'].encode(), os.environ['MILLBOOK_APP_PASSWORD'])


def read_view():
    """Repeats the request after 429 and 503, when Retry-After has passed."""
    for attempt in range(8):
        response = requests.get(LINK, auth=SIGN_IN, timeout=300)
        if response.status_code not in (429, 503):
            break
        time.sleep(int(response.headers.get('Retry-After', 2**attempt)))
    if not response.ok:
        raise SystemExit(f'HTTP {response.status_code}: {response.text}')
    table = pyarrow.parquet.read_table(io.BytesIO(response.content))
    return table.to_pandas(types_mapper=pd.ArrowDtype)


view = read_view()
for column, dtype in view.dtypes.items():
    decimal = str(dtype).startswith('decimal')
    print(f'{column} {dtype}{", sum " + str(view[column].sum()) if decimal else ""}')
print(f'{len(view)} records')
