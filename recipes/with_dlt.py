"""Loads invoices into a database with dlt: all invoices on the first run, later only the changes, deletions included.

Run:      pip install 'dlt[duckdb]' && python with_dlt.py      writes millbook.duckdb; change `destination` for your warehouse
Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
          MILLBOOK_FROM, MILLBOOK_TO, MILLBOOK_PER_PAGE (optional)

Without MILLBOOK_USERNAME, the client signs in without a user. After 429 and 503, dlt waits as Retry-After says. It keeps
the `since` token in its state, which it commits with the rows: after a failed run, the next one gets the changes again.
"""
import json
import os

import dlt
from dlt.extract import make_nested_hints
from dlt.sources.helpers.rest_client.auth import OAuth2ClientCredentials
from dlt.sources.helpers.rest_client.paginators import JSONLinkPaginator
from dlt.sources.rest_api import rest_api_source

URL = os.environ['MILLBOOK_URL']
KEY = ['invoice_date', 'invoice_no']  # the fields of `removed`


def decimal(digits):
    return {'data_type': 'decimal', 'precision': 38, 'scale': digits}


COLUMNS = {
    'invoice_date': {'data_type': 'timestamp', 'timezone': False},
    'due_date': {'data_type': 'date'},
    'order_date': {'data_type': 'date'},
    '_deleted': {'data_type': 'bool', 'hard_delete': True},
}
for name in ('shipping', 'adjustment', 'sub_total', 'total_tax', 'total_amt', 'round_amt', 'final_amt'):
    COLUMNS[name] = decimal(2)
LINE_COLUMNS = {'qty': decimal(4), 'rate': decimal(4)}
for name in ('taxable_value', 'igst_rate', 'igst_amt', 'sgst_rate', 'sgst_amt', 'cgst_rate', 'cgst_amt', 'total_value'):
    LINE_COLUMNS[name] = decimal(2)


class ChangesPaginator(JSONLinkPaginator):
    """Begins with the token of the last run, follows `_links.next`, and stores the new token with the last page."""

    def __init__(self):
        super().__init__('_links.next.href')

    def init_request(self, request):
        request.params = {**(request.params or {}), 'since': dlt.current.resource_state('invoices').get('since', 'start')}

    def update_state(self, response, data=None):
        super().update_state(response, data)
        if self._next_reference is None:
            dlt.current.resource_state('invoices')['since'] = response.headers['X-Since-Token']


def one_list(response, *args, **kwargs):
    """Adds the keys of removed records to the list, with `_deleted`; reads numbers as texts, and the marker `-` as null."""
    page = json.loads(response.content, parse_float=str, parse_int=str)
    for record in page['data']:
        record['items'] = [{k: None if v == '-' else v for k, v in line.items()} for line in record['items']]
    page['data'] += [{**key, '_deleted': True} for key in page.get('removed', [])]
    response._content = json.dumps(page).encode()


def invoices():
    user = os.environ.get('MILLBOOK_USERNAME')
    source = rest_api_source({
        'client': {
            'base_url': URL,
            'auth': OAuth2ClientCredentials(
                access_token_url=f'{URL}/oauth2/token',
                client_id=os.environ['MILLBOOK_CLIENT_ID'],
                client_secret=os.environ['MILLBOOK_CLIENT_SECRET'],
                access_token_request_data=(
                    {'grant_type': 'password', 'username': user, 'password': os.environ['MILLBOOK_PASSWORD']}
                    if user
                    else {'grant_type': 'client_credentials'}
                ),
            ),
        },
        'resources': [{
            'name': 'invoices',
            'primary_key': KEY,
            'write_disposition': 'merge',
            'columns': COLUMNS,
            'endpoint': {
                'path': 'v1/sales/invoices',
                'method': 'POST',
                'params': {'page': 1, 'per-page': os.environ.get('MILLBOOK_PER_PAGE', '1000')},
                'json': {
                    'from_date': os.environ.get('MILLBOOK_FROM', '2026-04-01'),
                    'to_date': os.environ.get('MILLBOOK_TO', '2027-03-31'),
                },
                'data_selector': 'data',
                'paginator': ChangesPaginator(),
                'response_actions': [{'status_code': 200, 'action': one_list}],
            },
        }],
    }, name='millbook')
    source.invoices.apply_hints(nested_hints={'items': make_nested_hints(columns=LINE_COLUMNS)})
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
    for table in ('invoices', 'invoices__items'):
        for row in client.execute_sql(
            'select column_name, data_type from information_schema.columns '
            f"where table_name = '{table}' and table_schema = 'sales' and column_name not like '\\_dlt%' escape '\\'"
        ):
            print(table, *row)
    [(lines, taxable)] = client.execute_sql('select count(*), sum(taxable_value) from invoices__items')
    print(f'{lines} lines, taxable_value {taxable}')
    [(count, total)] = client.execute_sql('select count(*), sum(total_amt) from invoices')
    print(f'{count} invoices, total_amt {total}')
