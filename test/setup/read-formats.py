"""Reads the files of a folder with Python's csv, openpyxl, pyarrow and DuckDB, and compares every value with the expected one.

NAME.json has {"documents": table, "lists": [table], "cancelled": {"field", "is"} or null, "totals": the API's record of totals or
null} for NAME.csv, NAME.lines.csv and NAME.xlsx; a table is {"sheet", "columns": [{"name", "heading", "kind", …}], "rows": [[text
or null]]}. "tree", columns with their nested columns, and "records" are for NAME.parquet.
"""
import csv
import glob
import json
import os
import re
import sys
from datetime import date, datetime, time
from decimal import Decimal, localcontext

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


def number(text):
    """The number in a cell, exactly as it is shown; None for a text."""
    return None if isinstance(text, (str, bool)) or text is None else Decimal(repr(text))


def held(text):
    """Whether a cell can hold the number: it is a double."""
    return len(text.lstrip('-').lstrip('0').replace('.', '').rstrip('0' if '.' in text else '')) <= 15


def expected_cell(kind, digits, up_to, text):
    """The value and the format of a cell of the sheet."""
    if text is None:
        return None, None
    if kind in ('decimal', 'integer', 'number'):
        value = Decimal(text)  # a marker would fail here
        if not held(text):
            return text, None
        return value, '0' if digits == 0 else '0.' + '0' * digits + '#' * (up_to - digits)
    if kind in ('date', 'timestamp'):
        return moment(text), 'yyyy-mm-dd' if kind == 'date' else 'yyyy-mm-dd hh:mm:ss'
    if kind == 'time':
        return time.fromisoformat(text), 'hh:mm:ss'
    if kind == 'flag':
        return text == 'true', None
    if kind == 'object':
        return in_words(json.loads(text)), None
    return text, None


def in_words(value):
    """An object as its cell shows it: the values of a key, or what each field was and is."""
    fields = {name: sides for name, sides in value.items() if isinstance(sides, dict)}
    if not fields:
        return ', '.join(map(str, value.values()))
    sides = [side for side in ('before', 'after') if any(field[side] is not None for field in fields.values())]
    words = [
        f'{name}: ' + ' → '.join('–' if field[side] is None else field[side] for side in sides)
        for name, field in fields.items()
        if any(side is not None for side in field.values())
    ]
    return '; '.join(words)


def same(found, expected):
    if isinstance(expected, Decimal):
        return number(found) == expected
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
    if kind == 'object':
        return json.dumps(value, ensure_ascii=False, separators=(',', ':'))
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


def compare_csv(path, table):
    names = [column['name'] for column in table['columns']]
    with open(path, encoding='utf-8', newline='') as file:
        read = list(csv.reader(file))
    assert read[0] == names, (path, read[0])
    assert len(set(names)) == len(names), (path, names)
    assert len(read) == len(table['rows']) + 1, (path, len(read), len(table['rows']))
    for found, wanted in zip(read[1:], table['rows']):
        for column, cell, text in zip(table['columns'], found, wanted, strict=True):
            is_same = cell == (text or '') or (column['kind'] == 'number' and Decimal(cell) == Decimal(text))
            assert is_same, (path, column, cell, text)
    return [dict(zip(names, row)) for row in read[1:]]


# Formulas -------------------------------------------------------------------------------------------------------------


def column_of(sheet, area):
    first, last = area.split(':')
    return [row[0].value for row in sheet[first:last]]


def meets(value, condition):
    """Whether a cell meets a condition of SUMIFS: an operator, wildcards, no difference between capital and small letters."""
    operator, text = re.fullmatch(r'(<>|<=|>=|=|<|>)?(.*)', condition, re.S).groups()
    assert operator in (None, '=', '<>'), condition
    pattern = re.escape(text).replace(r'\*', '.*').replace(r'\?', '.')
    is_equal = re.fullmatch(pattern, '' if value is None else str(value), re.S | re.I) is not None
    return is_equal != (operator == '<>')


TEXT = r'"((?:[^"]|"")*)"'
AREA = r'([A-Z]+\d+:[A-Z]+\d+)'


def evaluate(sheet, formula):
    """The value of a formula, computed from the cells of the sheet in decimals."""
    subtotal = re.fullmatch(rf'=SUBTOTAL\(109,{AREA}\)', formula)
    sumifs = re.fullmatch(rf'=SUMIFS\({AREA}((?:,{AREA},{TEXT})+)\)', formula)
    product = re.fullmatch(rf'=SUMPRODUCT\(--EXACT\({AREA},{TEXT}\)(?:,--\({AREA}<>{TEXT}\))?,{AREA}\)', formula)
    assert subtotal or sumifs or product, formula
    plain = lambda text: text.replace('""', '"')
    if subtotal:
        added, tests = subtotal[1], []
    elif sumifs:
        added = sumifs[1]
        pairs = re.findall(rf',{AREA},{TEXT}', sumifs[2])
        tests = [(area, lambda value, text=plain(text): meets(value, text)) for area, text in pairs]
    else:
        added = product[5]
        tests = [(product[1], lambda value: (value or '') == plain(product[2]))]
        if product[3]:
            tests.append((product[3], lambda value: str(value or '').lower() != plain(product[4]).lower()))
    columns = [[test(value) for value in column_of(sheet, area)] for area, test in tests]
    values = [number(value) for value in column_of(sheet, added)]
    return sum((value for i, value in enumerate(values) if value is not None and all(column[i] for column in columns)), Decimal(0))


def compare_totals(where, sheet, cached, table, cancelled):
    """Compares the rows below a table with the sums of its rows; returns the first row, and the rows of units, by column."""
    columns, rows = table['columns'], table['rows']
    names = [column['name'] for column in columns]
    below = [row for row in range(len(rows) + 2, sheet.max_row + 1) if any(cell.value is not None for cell in sheet[row])]
    added = [i for i, column in enumerate(columns) if column['additive']]
    if not rows or not added:
        assert below == [], where
        return None, {}
    assert below[0] == len(rows) + 3, where  # a blank row keeps them apart
    state = names.index(cancelled['field']) if cancelled else None
    kept = [row for row in rows if state is None or row[state] != cancelled['is']]
    label_at = next((i for i in range(len(columns) + 1) if i not in added))
    labels = [cached.cell(row, label_at + 1).value or '' for row in below]
    if len(kept) < len(rows):
        assert re.match(r'Total without \d+ ', labels[0]) and labels[1].startswith('Rows shown, cancelled included'), (where, labels)
        assert f'{len(rows) - len(kept):,}' in labels[0], (where, labels)
    else:
        assert labels[0].startswith('Total of the rows shown'), (where, labels)

    def check(row, i, texts):
        """A cell with the sum of these texts."""
        with localcontext() as context:
            context.prec = 100
            wanted = sum((Decimal(text) for text in texts if text is not None), Decimal(0))
            formula, value = sheet.cell(row, i + 1).value, cached.cell(row, i + 1).value
            if all(held(every[i]) for every in rows if every[i] is not None):
                assert value == float(wanted), (where, names[i], value, wanted)
                assert evaluate(sheet, formula) == wanted, (where, names[i], formula, wanted)
                assert not held(str(wanted)) or Decimal(repr(value)) == wanted, (where, names[i], value, wanted)
            else:  # some numbers are texts, which formulas leave out
                assert Decimal(value) == wanted and formula == value, (where, names[i], value, wanted)

    unit_at = {i: names.index(columns[i]['unit']) for i in added if columns[i].get('unit')}
    unit_of = lambda row, i: row[unit_at[i]] or ''
    sums = {}
    for number_of, counted in enumerate([kept, rows] if len(kept) < len(rows) else [rows]):
        for i in added:
            units = {unit_of(row, i) for row in counted if i in unit_at and row[i] is not None}
            if len(units) > 1:
                assert cached.cell(below[number_of], i + 1).value == 'several units', (where, names[i])
            else:
                check(below[number_of], i, [row[i] for row in counted])
            if number_of == 0:
                sums[names[i]] = cached.cell(below[0], i + 1).value
    rest = below[2:] if len(kept) < len(rows) else below[1:]
    by_unit = {}
    if any(len({unit_of(row, i) for row in rows if row[i] is not None}) > 1 for i in unit_at):
        assert cached.cell(rest[0], label_at + 1).value.startswith('Total of each unit'), where
        for row in rest[1:]:
            label = openpyxl.utils.escape.unescape(cached.cell(row, label_at + 1).value)
            unit = '' if label == 'no unit' else label
            by_unit[unit] = {}
            for i in unit_at:
                texts = [every[i] for every in kept if every[i] is not None and unit_of(every, i) == unit]
                if texts:
                    check(row, i, texts)
                    by_unit[unit][names[i]] = cached.cell(row, i + 1).value
        wanted = {unit_of(row, i) for i in unit_at for row in kept if row[i] is not None}
        assert set(by_unit) == wanted and len(rest) == len(wanted) + 1, (where, by_unit, wanted)
    else:
        assert rest == [], (where, rest)
    return sums, by_unit


def compare_sheet(where, sheet, cached, table, cancelled):
    columns, rows = table['columns'], table['rows']
    headings = [cell.value for cell in sheet[1][:len(columns)]]
    assert headings == [column['heading'] for column in columns] and len(set(headings)) == len(headings), (where, headings)
    assert sheet.freeze_panes == 'A2' and sheet.auto_filter.ref.endswith(str(len(rows) + 1)), where
    for found, wanted in zip(sheet.iter_rows(min_row=2, max_row=len(rows) + 1), rows, strict=True):
        for cell, column, text in zip(found, columns, wanted):
            value, form = expected_cell(column['kind'], column['digits'], column['upTo'], text)
            assert same(cell.value, value), (where, column, text, cell.value)
            assert form is None or cell.number_format == form, (where, column, cell.number_format)
    totals = compare_totals(where, sheet, cached, table, cancelled)
    return len(rows) * len(columns), totals


def nested(record, name, columns):
    """The value of a column whose name joins the names on its path."""
    for key, value in record.items():
        if key == name:
            return value
        if isinstance(value, dict) and name.startswith(f'{key}_'):
            return nested(value, name[len(key) + 1:], columns)
    raise KeyError(name)


def compare_with_api(where, table, found, totals, cancelled, read):
    """The sums of the sheet, and of the CSV as it was read, are the totals of the API."""
    sums, by_unit = found
    names = [column['name'] for column in table['columns']]
    if cancelled:
        read = [row for row in read if row[cancelled['field']] != cancelled['is']]
    assert totals['rows'] == len(read), (where, totals)
    for column in table['columns']:
        name = column['name']
        if not column['additive']:
            continue
        total = nested(totals, name, names)
        if total is None:
            assert sums[name] == 'several units', (where, name)
            wanted = {row['unit'] or '': Decimal(row[name]) for row in totals['_by_unit'] if row[name] is not None}
            assert {unit: Decimal(repr(row[name])) for unit, row in by_unit.items() if name in row} == wanted, (where, name)
            of = {row[column['unit']] for row in read if row[name]}
            assert {unit: sum(Decimal(row[name]) for row in read if row[name] and row[column['unit']] == unit) for unit in of} == wanted
        else:
            assert sums is None or Decimal(repr(sums[name])) == Decimal(str(total)), (where, name, sums[name], total)
            assert sum(Decimal(row[name]) for row in read if row[name]) == Decimal(str(total)), (where, name)


for path in sorted(glob.glob(sys.argv[1] + '/*.json')):
    with open(path, encoding='utf-8') as file:
        about = json.load(file)
    name = path[:-5]
    documents, lists, cancelled = about['documents'], about['lists'], about['cancelled']
    read = compare_csv(f'{name}.csv', documents)
    if lists:
        first = lists[0]
        keep = [i for i, column in enumerate(first['columns']) if not column.get('state')]
        compare_csv(f'{name}.lines.csv', {
            'columns': [first['columns'][i] for i in keep], 'rows': [[row[i] for i in keep] for row in first['rows']],
        })
    book, cached = (openpyxl.load_workbook(f'{name}.xlsx', data_only=data_only) for data_only in (False, True))
    assert book.sheetnames == [table['sheet'] for table in [documents, *lists]] + ['About'], (path, book.sheetnames)
    facts = dict(book['About'].iter_rows(values_only=True))
    assert facts['Name'] == about['report'] and facts['Complete'] == 'yes', (path, facts)
    for table in [documents, *lists]:
        sheet = table['sheet']
        cells, found = compare_sheet(f'{path} {sheet}', book[sheet], cached[sheet], table, cancelled)
        compared += cells
        assert facts['Rows' if table is documents else f'Rows of {sheet}'] == len(table['rows']), (path, facts)
        if table is documents and about['totals']:
            compare_with_api(path, documents, found, about['totals'], cancelled, read)
    if os.path.exists(f'{name}.parquet'):
        compared += compare_parquet(f'{name}.parquet', about['tree'], about['records'])
print(compared)
