"""Reads the files of a folder with Python's csv, openpyxl, pyarrow and DuckDB, and compares every value with the expected one.

NAME.json has {"columns": [{"name", "kind", "digits", "upTo"}], "rows": [[text or null]]} for NAME.csv and NAME.xlsx, and
{"tree": columns with their nested columns, "records": […]} for NAME.parquet, if there is one.
"""
import csv
import glob
import json
import sys
from datetime import date, datetime, time
from decimal import Decimal

import duckdb
import openpyxl
import pyarrow.parquet

csv.field_size_limit(10**9)
compared = 0


def moment(text):
    for form in ('%Y-%m-%d %I:%M:%S%p', '%Y-%m-%d %H:%M:%S', '%Y-%m-%d'):
        try:
            return datetime.strptime(text, form)
        except ValueError:
            pass
    return None


def expected_cell(kind, digits, up_to, text):
    """The value and the format of a cell of the sheet."""
    if text is None:
        return None, None
    if kind in ('decimal', 'integer', 'number'):
        try:
            number = Decimal(text)
        except ArithmeticError:
            return text, None  # a marker
        significant = len(text.lstrip('-').lstrip('0').replace('.', '').rstrip('0' if '.' in text else ''))
        if significant > 15:
            return text, None
        return number, '0' if digits == 0 else '0.' + '0' * digits + '#' * (up_to - digits)
    if kind in ('date', 'timestamp') and moment(text):
        return moment(text), 'yyyy-mm-dd' if kind == 'date' else 'yyyy-mm-dd hh:mm:ss'
    if kind == 'time' and len(text) == 8:
        return time.fromisoformat(text), 'hh:mm:ss'
    if kind == 'flag' and text in ('true', 'false'):
        return text == 'true', None
    return text, None


def same(found, expected):
    if isinstance(expected, Decimal):
        return isinstance(found, (int, float)) and not isinstance(found, bool) and Decimal(repr(found)) == expected
    if isinstance(expected, datetime):
        return found == expected
    if isinstance(expected, str):
        return (found or '') == expected.replace('\r', '_x000D_') or openpyxl.utils.escape.unescape(found or '') == expected
    return found == expected


def typed(column, value):
    """The value of a record as Parquet has it: typed, and null for a marker."""
    kind = column['kind']
    if kind == 'nested':
        return {inner['name']: typed(inner, value[inner['name']]) for inner in column['columns']}
    if kind == 'lines':
        return [{inner['name']: typed(inner, line[inner['name']]) for inner in column['columns']} for line in value]
    if kind == 'list':
        return value
    if value is None or ('absent' in column and value == column['absent']):
        return None
    if kind in ('decimal', 'number'):
        return Decimal(value)
    if kind == 'integer':
        return Decimal(value) if column['wire'] == 'string' else int(value)
    if kind == 'date':
        return date.fromisoformat(value)
    if kind == 'timestamp':
        return moment(value)
    if kind == 'time':
        return time.fromisoformat(value)
    return value == 'true' if kind == 'flag' else value


def compare_parquet(path, tree, records):
    wanted = [{column['name']: typed(column, record[column['name']]) for column in tree} for record in records]
    table = pyarrow.parquet.read_table(path)
    assert table.to_pylist() == wanted, path
    for column in tree:  # as many digits as declared, not as many as the first value has
        if column['kind'] in ('decimal', 'number'):
            assert str(table.schema.field(column['name']).type) == f"decimal128(38, {column.get('upTo', column['digits'])})", (path, column)
    read = duckdb.sql(f"select * from read_parquet('{path}')").fetchall()
    names = [column['name'] for column in tree]
    assert [dict(zip(names, row)) for row in read] == wanted, path
    return len(wanted) * len(tree)


for path in sorted(glob.glob(sys.argv[1] + '/*.json')):
    with open(path, encoding='utf-8') as file:
        about = json.load(file)
    columns, rows = about['columns'], about['rows']
    names = [column['name'] for column in columns]
    with open(path[:-5] + '.csv', encoding='utf-8', newline='') as file:
        read = list(csv.reader(file))
    assert read[0] == names, (path, read[0])
    assert len(read) == len(rows) + 1, (path, len(read), len(rows))
    for found, wanted in zip(read[1:], rows):
        for name, cell, text in zip(names, found, wanted, strict=True):
            assert cell == (text or ''), (path, name, cell, text)
    book = openpyxl.load_workbook(path[:-5] + '.xlsx')
    sheet = book['Report']
    cells = list(sheet.iter_rows())
    assert [cell.value for cell in cells[0]] == names, path
    assert len(cells) == len(rows) + 1, (path, len(cells), len(rows))
    assert sheet.freeze_panes == 'A2' and sheet.auto_filter.ref.endswith(str(len(cells))), path
    for found, wanted in zip(cells[1:], rows):
        for cell, column, text in zip(found, columns, wanted):
            value, form = expected_cell(column['kind'], column.get('digits', 0), column.get('upTo', 0), text)
            assert same(cell.value, value), (path, column, text, cell.value)
            assert form is None or cell.number_format == form, (path, column, cell.number_format)
            compared += 1
    if 'records' in about:
        compared += compare_parquet(path[:-5] + '.parquet', about['tree'], about['records'])
    facts = dict(book['About'].iter_rows(values_only=True))
    assert facts['Rows'] == len(rows) and facts['Name'] == about['report'] and facts['Complete'] == 'yes', (path, facts)
print(compared)
