"""Loads invoices into a database with dlt: all invoices on the first run, later only the changes, deletions included.

Run:      pip install 'dlt[duckdb]' && python with_dlt.py      writes millbook.duckdb; change `destination` for your warehouse
Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
          MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD; MILLBOOK_PER_PAGE (optional)

Without MILLBOOK_USERNAME, the client signs in without a user. After 429 and 503, dlt waits as Retry-After says. It keeps
the `since` token in its state, which it commits with the rows: after a failed run, the next one gets the changes again.
The types of the columns come from the list of reports; they are the types of the Parquet file of the same report.
"""
import json
import os

import dlt
from dlt.extract import make_nested_hints
from dlt.sources.helpers import requests
from dlt.sources.helpers.rest_client.auth import OAuth2ClientCredentials
from dlt.sources.helpers.rest_client.paginators import JSONLinkPaginator
from dlt.sources.rest_api import rest_api_source

URL = os.environ['MILLBOOK_URL']
PATH = '/v1/sales/invoices'
PERIOD = {'from_date': os.environ['MILLBOOK_FROM'], 'to_date': os.environ['MILLBOOK_TO']}
TOKEN = f"since {PERIOD['from_date']} {PERIOD['to_date']}"  # a token belongs to one period
KEY = ['invoice_date', 'invoice_no']  # the fields of `removed`


TYPES = {'word': 'text', 'number': 'decimal', 'integer': 'bigint', 'flag': 'bool'}


def hints(columns, around=''):
    """The types of single values; the members of an object become columns, such as billing__city."""
    found = {}
    for column in columns:
        kind, name = column['kind'], around + column['name']
        if kind == 'nested':
            found |= hints(column['columns'], f'{name}__')
        elif kind in ('decimal', 'number') or (kind == 'integer' and column['wire'] == 'string'):
            digits = column.get('upTo', column.get('digits', 0))
            found[name] = {'data_type': 'decimal', 'precision': 38, 'scale': digits}
        elif kind == 'timestamp':
            found[name] = {'data_type': 'timestamp', 'timezone': False}
        elif kind not in ('lines', 'list'):
            found[name] = {'data_type': TYPES.get(kind, kind)}
    return found


def without_markers(columns, record):
    """The record with null in place of a marker, such as `-`."""
    found = {}
    for column in columns:
        value = record[column['name']]
        if column['kind'] == 'nested':
            value = without_markers(column['columns'], value)
        elif column['kind'] == 'lines':
            value = [without_markers(column['columns'], line) for line in value]
        elif 'absent' in column and value == column['absent']:
            value = None
        found[column['name']] = value
    return found


class ChangesPaginator(JSONLinkPaginator):
    """Begins with the token of the last run, follows `_links.next`, and stores the new token with the last page."""

    def __init__(self):
        super().__init__('_links.next.href')

    def init_request(self, request):
        request.params = {**(request.params or {}), 'since': dlt.current.resource_state('invoices').get(TOKEN, 'start')}

    def update_state(self, response, data=None):
        super().update_state(response, data)
        if self._next_reference is None:
            dlt.current.resource_state('invoices')[TOKEN] = response.headers['X-Since-Token']


def invoices():
    user = os.environ.get('MILLBOOK_USERNAME')
    auth = OAuth2ClientCredentials(
        access_token_url=f'{URL}/oauth2/token',
        client_id=os.environ['MILLBOOK_CLIENT_ID'],
        client_secret=os.environ['MILLBOOK_CLIENT_SECRET'],
        access_token_request_data=(
            {'grant_type': 'password', 'username': user, 'password': os.environ['MILLBOOK_PASSWORD']}
            if user
            else {'grant_type': 'client_credentials'}
        ),
    )
    reports = requests.get(f'{URL}/v1/reports', auth=auth).json()['data']
    [columns] = [report['shapes'][0]['columns'] for report in reports if report['path'] == PATH]

    def one_list(response, *args, **kwargs):
        """Adds the keys of removed records to the list, with `_deleted`; reads numbers as texts."""
        page = json.loads(response.content, parse_float=str, parse_int=str)
        page['data'] = [without_markers(columns, record) for record in page['data']]
        page['data'] += [{**key, '_deleted': True} for key in page.get('removed', [])]
        response._content = json.dumps(page).encode()

    source = rest_api_source({
        'client': {'base_url': URL, 'auth': auth},
        'resources': [{
            'name': 'invoices',
            'primary_key': KEY,
            'write_disposition': 'merge',
            'columns': {**hints(columns), '_deleted': {'data_type': 'bool', 'hard_delete': True}},
            'endpoint': {
                'path': PATH.lstrip('/'),
                'method': 'POST',
                'params': {'fields': 'all', 'page': 1, 'per-page': os.environ.get('MILLBOOK_PER_PAGE', '1000')},
                'json': PERIOD,
                'data_selector': 'data',
                'paginator': ChangesPaginator(),
                'response_actions': [{'status_code': 200, 'action': one_list}],
            },
        }],
    }, name='millbook')
    lists = {column['name']: column['columns'] for column in columns if column['kind'] == 'lines'}
    source.invoices.apply_hints(
        nested_hints={name: make_nested_hints(columns=hints(inside)) for name, inside in lists.items()}
    )
    return source


def is_gone(error):
    """Whether the service answered 410: the token, or the version of the walk, has expired."""
    while error is not None:
        if getattr(getattr(error, 'response', None), 'status_code', None) == 410:
            return True
        error = error.__cause__ or error.__context__
    return False


pipeline = dlt.pipeline('millbook', destination=dlt.destinations.duckdb('millbook.duckdb'), dataset_name='sales')
try:
    pipeline.run(invoices())
except Exception as error:
    if not is_gone(error):
        raise
    print('the token has expired: all invoices are loaded again')
    pipeline.drop_pending_packages()
    pipeline.run(invoices(), refresh='drop_resources')

if not any(table['name'] == 'invoices' for table in pipeline.default_schema.data_tables(seen_data_only=True)):
    raise SystemExit('no invoices in this period')
changed = pipeline.last_trace.last_normalize_info.row_counts.get('invoices', 0)
print(f'{changed} new, changed or removed')
with pipeline.sql_client() as client:
    for table in ('invoices', 'invoices__items', 'invoices__taxes'):
        for row in client.execute_sql(
            'select column_name, data_type from information_schema.columns '
            f"where table_name = '{table}' and table_schema = 'sales' and column_name not like '\\_dlt%' escape '\\'"
        ):
            print(table, *row)
    [(lines, taxable)] = client.execute_sql('select count(*), sum(taxable_value) from invoices__items')
    print(f'{lines} lines, taxable_value {taxable}')
    [(count, total)] = client.execute_sql('select count(*), sum(total_amt) from invoices')
    print(f'{count} invoices, total_amt {total}')
