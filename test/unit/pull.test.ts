/** Connectors: conversion of values to cells of an import, parameters, and the shipped connectors. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Amount, Code, Day, Integer, YesNo } from '../../src/import/columns.js'
import { readConnector, SPREADSHEETS, shippedConnectors } from '../../src/pull/connector.js'
import { complaintAbout, queryIn, quoted, withParameters } from '../../src/pull/sql-text.js'
import { describeUrl } from '../../src/pull/url.js'
import { importCell } from '../../src/pull/values.js'
import { folderOf } from '../setup/files.js'

it.each([
  [Amount(''), '12.500000000', '12.5'],
  [Amount(''), '100', '100'],
  [Amount(''), '-0.000', '0'],
  [Amount(''), '.5', '0.5'],
  [Amount(''), '-007.10', '-7.1'],
  [Amount(''), '123456789012345678.99', '123456789012345678.99'],
  [Amount(''), '1.23456', '1.23456'],
  [Amount(''), 1e-7, '0.0000001'],
  [Amount(''), 1.5e21, '1500000000000000000000'],
  [Amount(''), 0.1 + 0.2, 0.1 + 0.2], // the loader refuses it
  [Amount(''), 'NaN', 'NaN'],
  [Integer(1, ''), '3.000', '3'],
  [Integer(1, ''), 3n, 3n],
  [Day(''), '2024-04-01 00:00:00.000000', '2024-04-01 00:00:00.000000'], // the loader reads it
  [YesNo(''), '1', 'true'],
  [YesNo(''), 0n, 'false'],
  [YesNo(''), 't', 'true'],
  [YesNo(''), false, 'false'],
  [YesNo(''), 'maybe', 'maybe'],
  [Code(''), 12n, '12'],
  [Code(''), '007', '007'],
  [Code(''), null, null],
  [undefined, '1.50', '1.50'],
] as const)('%#: a value becomes the cell of an import', (column, value, expected) => {
  expect(importCell(value, column)).toBe(expected)
})

const company = { company: quoted("O'Neil; --") }

it.each([
  [
    'postgres',
    ':company, a::company, 12:30, :companyname, t.x:company',
    `'O''Neil; --', a::company, 12:30, :companyname, t.x:company`,
  ],
  [
    'postgres',
    `':company', "a :company", 'it''s :company', :company`,
    `':company', "a :company", 'it''s :company', 'O''Neil; --'`,
  ],
  ['postgres', `E'\\' :company', '\\', :company`, `E'\\' :company', '\\', 'O''Neil; --'`],
  ['postgres', '$$ :company $$, $a$ $$ :company $a$, :company', `$$ :company $$, $a$ $$ :company $a$, 'O''Neil; --'`],
  ['postgres', "-- it's :company\n/* :company's */ :company", "-- it's :company\n/* :company's */ 'O''Neil; --'"],
  [
    'mysql',
    '\'\\\' :company\', "\\" :company", `:company`, :company # :company',
    "'\\' :company', \"\\\" :company\", `:company`, 'O''Neil; --' # :company",
  ],
  ['sqlite', `'\\', :company, ':company'`, `'\\', 'O''Neil; --', ':company'`],
  ['sqlserver', `:company, ':company', :constructor`, `'O''Neil; --', ':company', :constructor`],
] as const)('%#: parameters of %s become literals, except inside quotes and comments', (dialect, query, expected) => {
  expect(withParameters(query, company, dialect)).toBe(expected)
})

it.each([
  ['sqlite', 'select 1; select 2', 'it has more than one statement; write one query, which may begin with "with"'],
  ['postgres', `select ';', E'\\';', $$ ; $$ -- ;\n/* ; */ from a`, undefined],
  ['postgres', 'select :company, a::foo, b[1:n], c[:n], 12:30', undefined],
  ['sqlite', 'select :Foo1', 'it uses :Foo1, which connector.json does not declare'],
  ['sqlite', 'select $foo', 'it uses $foo; parameters are written :name, and connector.json declares them'],
  ['sqlite', `select ?, '?'`, 'it uses ?; parameters are written :name, and connector.json declares them'],
  ['mysql', 'select @a := 1, `:b`', undefined],
] as const)('%s: %s', (dialect, query, complaint) => {
  expect(complaintAbout(query, dialect, ['company'])).toBe(complaint)
})

it('the last semicolon of a query is dropped, and a file of comments has no query', () => {
  expect(queryIn('-- select 1\n/* or\n2 */\n', 'sqlite')).toBeUndefined()
  expect(queryIn('-- one\nselect 1;\n', 'sqlite')).toBe('-- one\nselect 1')
  expect(queryIn(`select '--', ';' ; -- done\n`, 'postgres')).toBe(`select '--', ';'`)
  expect(queryIn(`select '\\';'; # done\n`, 'mysql')).toBe(`select '\\';'`)
})

it('the description of a source shows neither user nor password', () => {
  expect(describeUrl('mysql://me:secret@host:3307/books?ssl=true')).toBe('MySQL or MariaDB database books on host:3307')
  expect(describeUrl('postgres://me:100%@host/a%20b%')).toBe('PostgreSQL database a%20b% on host')
  expect(describeUrl('sqlite:///srv/a.db')).toBe('SQLite file /srv/a.db')
})

it('every shipped connector has a description, states its tested versions, and names only existing columns and parameters', () => {
  const shipped = shippedConnectors()
  expect(shipped.map(({ name }) => name)).toEqual([
    'dolibarr',
    'erpnext',
    'odoo',
    'sap-business-one',
    SPREADSHEETS,
    'tryton',
  ])
  for (const { name, about, tried } of shipped) {
    expect([name, about.length > 20, tried.length > 20]).toEqual([name, true, true])
    if (name === SPREADSHEETS) continue
    const { queries, parameters } = readConnector(name)
    const files = readdirSync(new URL(`../../connectors/${name}`, import.meta.url)).filter(
      (file) => file.endsWith('.sql') && file !== 'common.sql',
    )
    expect(queries.map(({ file }) => file).sort()).toEqual(files.sort())
    const used = queries.flatMap(({ text }) => [...text.matchAll(/(?<![:\w]):([a-z_]+)\b/g)].map(([, one]) => one))
    expect([...new Set(used)].sort()).toEqual(Object.keys(parameters).sort())
    expect(readFileSync(new URL('../../docs/connectors.md', import.meta.url), 'utf8')).toContain(
      `millbook pull ${name}`,
    )
  }
})

it('a connector says what it leaves out', () => {
  expect(readConnector('dolibarr').leavesOut).toContain('units of lines: Dolibarr books the plain number')
  expect(readConnector('erpnext').leavesOut).toEqual([])
  const folder = folderOf({
    'connector.json': '{"dialect": "sqlite", "leaves_out": "drafts"}',
    'items.sql': 'select 1',
  })
  expect(() => readConnector(folder)).toThrow('leaves_out must be a list of texts')
})
