/**
 * The grammar of OData's `$filter`, with the cases of the public ABNF that concern it (oasis-tcs/odata-abnf, sections 5.1.1), the names of
 * sets, the tokens of further pages, and the headers of clients.
 */
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/errors.js'
import { flatShape, plainName, tableName, usualParams } from '../../src/kernel/report/flat.js'
import { reports } from '../../src/reports/index.js'
import { conditionOf } from '../../src/surfaces/odata/condition.js'
import { odc, pbids } from '../../src/surfaces/odata/files.js'
import { type Expression, readArguments, readFilter } from '../../src/surfaces/odata/filter.js'
import { escaped, metadata } from '../../src/surfaces/odata/metadata.js'
import { formOf, pageSize, requireVersion } from '../../src/surfaces/odata/negotiate.js'
import { readOptions } from '../../src/surfaces/odata/options.js'
import { segmentsOf } from '../../src/surfaces/odata/resource.js'
import { namesOf, tablesOfReports } from '../../src/surfaces/odata/tables.js'
import { readToken, tokenOf } from '../../src/surfaces/odata/walk.js'

const NONE = new Map<string, string>()
const statusOf = (work: () => unknown): number => {
  try {
    work()
    return 200
  } catch (error) {
    if (error instanceof Problem) return error.status
    throw error
  }
}

/** An expression with every part in parentheses. */
const shown = (one: Expression): string => {
  switch (one.kind) {
    case 'literal':
      return `${one.type}:${one.text}`
    case 'property':
      return one.name
    case 'not':
      return `not(${shown(one.of)})`
    case 'and':
    case 'or':
      return `(${one.all.map(shown).join(` ${one.kind} `)})`
    case 'compare':
      return `(${shown(one.left)} ${one.by} ${shown(one.right)})`
    case 'call':
      return `${one.name}(${shown(one.of)},${shown(one.text)})`
  }
}

describe('$filter', () => {
  it.each([
    ['true', 'boolean:true'],
    ['Completed', 'Completed'],
    ['true eq false', '(boolean:true eq boolean:false)'],
    ['Size eq true', '(Size eq boolean:true)'],
    ['Size eq 4.0', '(Size eq number:4.0)'],
    ["Street eq 'Hugo'", '(Street eq string:Hugo)'],
    ["Name ne 'Milk'", '(Name ne string:Milk)'],
    ['true ne false', '(boolean:true ne boolean:false)'],
    ["Name gt 'Milk'", '(Name gt string:Milk)'],
    ["Name ge 'Milk'", '(Name ge string:Milk)'],
    ["Name lt 'Milk'", '(Name lt string:Milk)'],
    ["Name le 'Milk'", '(Name le string:Milk)'],
    ['true and false', '(boolean:true and boolean:false)'],
    ['true or false', '(boolean:true or boolean:false)'],
    ['not true', 'not(boolean:true)'],
    ["not endswith(Name,'ilk')", 'not(endswith(Name,string:ilk))'],
    ['(true)', 'boolean:true'],
    ['( true )', 'boolean:true'],
    ["(Name eq 'Milk')", '(Name eq string:Milk)'],
    ['(false)', 'boolean:false'],
    ["contains(CompanyName,'lfreds')", 'contains(CompanyName,string:lfreds)'],
    ["endswith(CompanyName,'Futterkiste')", 'endswith(CompanyName,string:Futterkiste)'],
    ["startswith(CompanyName,'Futterkiste')", 'startswith(CompanyName,string:Futterkiste)'],
    ["contains( CompanyName , 'a' )", 'contains(CompanyName,string:a)'],
    ['Price eq null', '(Price eq null:null)'],
    ["Name eq 'O''Neil'", "(Name eq string:O'Neil)"],
    ["Name eq ''", '(Name eq string:)'],
    ["Name eq ') or true'", '(Name eq string:) or true)'],
    ['Day eq 2026-06-30', '(Day eq date:2026-06-30)'],
    ['At ge 2026-06-30T10:00:00Z', '(At ge moment:2026-06-30T10:00:00Z)'],
    ['At ge 2026-06-30T10:00:00.5+05:30', '(At ge moment:2026-06-30T10:00:00.5+05:30)'],
    ['At ge 2026-06-30T10:00:00 05:30', '(At ge moment:2026-06-30T10:00:00+05:30)'],
    ['At lt 10:15', '(At lt time:10:15:00)'],
    ['At lt 10:15:30.500', '(At lt time:10:15:30.5)'],
    ['Price lt -2.55', '(Price lt number:-2.55)'],
    ['Price lt 1.5E3', '(Price lt number:1.5E3)'],
    ['a or b and c', '(a or (b and c))'],
    ['a and b or c and d', '((a and b) or (c and d))'],
    ['(a or b) and c', '((a or b) and c)'],
    ['not a and b', '(not(a) and b)'],
    ['not(a)', 'not(a)'],
    ['not (a or b)', 'not((a or b))'],
    ['not not a', 'not(not(a))'],
    ['a lt 1 eq true', '((a lt number:1) eq boolean:true)'],
    ['a eq 1 and b eq 2 and c eq 3', '((a eq number:1) and (b eq number:2) and (c eq number:3))'],
    ['eq eq 1', '(eq eq number:1)'],
    ['and and or', '(and and or)'],
    ['_line_no eq 1', '(_line_no eq number:1)'],
    ["बिक्री eq 'पुणे'", '(बिक्री eq string:पुणे)'],
    ['Price eq @p1', '(Price eq number:5)'],
    ['Price eq @p9', '(Price eq null:null)'],
    ["Color eq Sales.Pattern'Yellow'", '(Color eq other:Sales.Pattern)'],
    ['Id eq 12345678-aaaa-BBBB-cccc-ddddeeeeffff', '(Id eq other:12345678-aaaa-BBBB-cccc-ddddeeeeffff)'],
    ["Took eq duration'PT1H'", "(Took eq other:duration'PT1H')"],
  ])('reads %s', (text, expected) => {
    expect(shown(readFilter(text, new Map([['p1', '5']])))).toBe(expected)
  })

  it.each([
    ...['Price add 2.45 eq 5.00', 'Price sub 0.55 eq 2.00', 'Price mul 2.0 eq 5.10', 'Price div 2.55 eq 1'],
    ...['Rating divby 2 eq 2.5', 'Rating mod 5 eq 0', '(4 add 5) mod (4 sub 1) eq 0', '-Price eq 1'],
    ...["style has Sales.Pattern'Yellow'", "Name in ('Milk', 'Cheese')", 'Name in ["Milk", "Cheese"]'],
    ...["concat(concat(Street,'-'),City) eq 'a'", "indexof(CompanyName,'lfreds') eq 1", 'length(CompanyName) eq 19'],
    ...["substring(CompanyName, 5) eq 'a'", "tolower(Name) eq 'a'", "toupper(Name) eq 'a'", "trim(Name) eq 'a'"],
    ...[
      'date(LifeTime) eq 2026-01-01',
      'day(BirthDate) eq 1',
      'fractionalseconds(LifeTime) eq 0',
      'hour(BirthDate) eq 1',
    ],
    ...['maxdatetime() eq At', 'mindatetime() eq At', 'minute(BirthDate) eq 1', 'month(BirthDate) eq 1', 'now() gt At'],
    ...[
      'second(BirthDate) eq 1',
      'time(ReleaseDate) eq 10:00',
      'totaloffsetminutes(ReleaseDate) eq 1',
      'year(BirthDate) eq 2026',
    ],
    ...[
      'ceiling(Price) eq 1',
      'floor(Price) eq 1',
      'round(Price) eq 1',
      'cast(Category,Edm.Boolean)',
      'isof(Model.Customer)',
    ],
    ...[
      'geo.distance(a,b) lt 1',
      'geo.intersects(a,b)',
      'Products/any(p:p/Price gt 1)',
      'Products/all(p:true)',
      'Products/$count gt 0',
    ],
    ...[
      '$it/Name eq 1',
      '$root/People eq 1',
      'Address eq {"Street":"a"}',
      'Names eq ["a"]',
      'hassubset(Names,["Milk"])',
    ],
    ...["matchesPattern(CompanyName,'^A')", 'Addresses/$filter(true)/$count lt 10'],
  ])('answers 501 to %s', (text) => {
    expect(statusOf(() => readFilter(text, NONE))).toBe(501)
  })

  it.each([
    ...['', ' ', 'Name eq', "Name eq 'Milk", 'Name == 1', "Name EQ 'Milk'", 'Name eq 1 2', 'Name eq 1 and', 'and 1'],
    ...['(a', 'a)', '()', 'a eq (1', 'not', 'nota(1)', 'contains(Name)', "contains(Name,'a'", "contains(Name,'a','b')"],
    ...["contains 'a'", "substr(Name,'a')", 'any()', 'Address/Street eq 1', "Name eq 'a'and b", 'a eq 1or b', 'a andb'],
    ...[
      'Day eq 2026-02-30',
      'Day eq 2026-13-01',
      'At eq 2026-06-30T25:00:00Z',
      'At eq 2026-06-30T10:00:00+15:00',
      'At eq 24:00',
    ],
    ...[
      'Price eq 1.',
      'Price eq .5',
      'Price eq 1e999',
      `Price eq ${'9'.repeat(50)}`,
      'Price eq 5m',
      'a # b',
      'a; b',
      'a eq "b"',
    ],
    ...['@', 'a eq @', `${'('.repeat(200)}a${')'.repeat(200)}`, `${'not '.repeat(200)}a`, '1 eq 1 eq', 'a eq@p1'],
  ])('answers 400 to %s', (text) => {
    expect(statusOf(() => readFilter(text, NONE))).toBe(400)
  })

  it('reads a thousand conditions', () => {
    const text = Array.from({ length: 1000 }, (_, i) => `a eq ${i}`).join(' or ')
    expect(readFilter(text, NONE)).toMatchObject({ kind: 'or' })
  })

  const invoices = reports.find(({ id }) => id === 'sales.invoices')
  const { record } = flatShape(invoices as (typeof reports)[number], {})
  const status = (text: string) => statusOf(() => conditionOf(readFilter(text, NONE), record))

  it('compares values of one type only', () => {
    const right = [
      'total_amt gt 1',
      "invoice_no eq 'a'",
      'due_date eq 2026-06-30',
      'invoice_date ge 2026-06-30T00:00:00Z',
    ]
    right.push(
      'total_amt eq null',
      'order_date lt due_date',
      'contains(invoice_no,customer_name)',
      'null eq null',
      'contains(null,invoice_no)',
    )
    for (const text of right) expect([text, status(text)]).toEqual([text, 200])
    const wrong = [
      "total_amt gt '1'",
      'invoice_no eq 1',
      "due_date eq '2026-06-30'",
      'due_date eq 2026-06-30T00:00:00Z',
      'invoice_date ge 2026-06-30',
    ]
    wrong.push(
      'total_amt',
      'not total_amt',
      'total_amt and true',
      "contains(total_amt,'1')",
      'contains(invoice_no,1)',
      'no_such eq 1',
    )
    wrong.push(
      'order_date lt total_amt',
      "invoice_no eq duration'PT1H'",
      "'a'",
      '1',
      'true eq 1',
      'toString eq 1',
      '__proto__ eq 1',
    )
    for (const text of wrong) expect([text, status(text)]).toEqual([text, 400])
  })
})

describe('the query string', () => {
  it('is decoded once, with a plus for a space', () => {
    const options = readOptions(
      "$filter=Name%20eq+'a%26b%2Bc'&$top=5&$count=true&$select=a,%20b,a&$orderby=a,b%20desc&@x=1",
    )
    expect(options.filter).toEqual({
      ...{ kind: 'compare', by: 'eq', left: { kind: 'property', name: 'Name' } },
      right: { kind: 'literal', type: 'string', text: 'a&b+c' },
    })
    expect(options).toMatchObject({ top: 5, skip: 0, count: true, select: ['a', 'b'] })
    expect(options.orderby).toEqual([
      { name: 'a', descending: false },
      { name: 'b', descending: true },
    ])
    expect(readOptions('%24top=3').top).toBe(3)
    expect(readOptions('$select=*,a').select).toBeUndefined()
    expect(readOptions('$top=3&$skiptoken=x&$count=false').rest).toBe('$top=3&$count=false')
  })

  it.each([
    ...[
      '$top=-1',
      '$top=x',
      '$top=',
      '$skip=1.5',
      '$count=yes',
      '$count=TRUE',
      'top=5',
      'x=1',
      '$nonsense=1',
      '$top=1&$top=2',
    ],
    ...[
      '$orderby=',
      '$orderby=a up',
      '$orderby=a,,b',
      '$orderby=desc',
      '$select=',
      '$select=a,,b',
      '$filter=%',
      '$filter=%ff',
      '$filter=%00',
    ],
    ...['$top=99999999999'],
  ])('answers 400 to %s', (text) => expect(statusOf(() => readOptions(text))).toBe(400))

  it.each([
    ...[
      '$expand=Lines',
      '$search=a',
      '$apply=aggregate(a)',
      '$compute=a',
      '$deltatoken=1',
      '$select=a/b',
      '$select=NS.type',
    ],
    ...['$orderby=length(a)', '$orderby=a/b desc', '$id=1', '$levels=1', '$select=a($top=1)'],
  ])('answers 501 to %s', (text) => expect(statusOf(() => readOptions(text))).toBe(501))
})

it.each([
  ['/odata', ['']],
  ['/odata/', ['']],
  ['/odata/a/', ['a']],
  ['/odata/a/$count', ['a', '$count']],
  ["/odata/x(a='b/c',d='e')/$count", ["x(a='b/c',d='e')", '$count']],
  ['/odata/x(%27a/b%27)/c', ["x('a/b')", 'c']],
  ["/odata/x('a''/b')", ["x('a''/b')"]],
  ["/odata/x('a%2Fb+c')", ["x('a/b+c')"]],
  ['/odata//a', ['', 'a']],
])('the path %s has its parts', (path, parts) => expect(segmentsOf(path)).toEqual(parts))

it('arguments are values by name, or the only part of a key', () => {
  const named = readArguments("type='FG',from_date=2026-04-01,tax=@t", new Map([['t', '1']]))
  expect(named.map(({ name, value }) => [name, value.type, value.text])).toEqual([
    ['type', 'string', 'FG'],
    ['from_date', 'date', '2026-04-01'],
    ['tax', 'number', '1'],
  ])
  expect(readArguments("'a,b=c'", NONE)).toEqual([
    { name: undefined, value: { kind: 'literal', type: 'string', text: 'a,b=c' } },
  ])
  expect(readArguments('', NONE)).toEqual([])
  for (const text of ['a=', 'a', 'a=1,', ',', 'a=1 b=2', '=1', 'a==1', "a='x", 'a=(1)'])
    expect([text, statusOf(() => readArguments(text, NONE))]).toEqual([text, 400])
})

describe('names', () => {
  it('have _ for every other character', () => {
    expect(plainName('inventory.fg-stock-status')).toBe('inventory_fg_stock_status')
    expect(plainName('Überfällig / Pune (A+B)')).toBe('Überfällig___Pune__A_B_')
    expect(plainName('बिक्री 😀')).toBe('बिक्री__')
    expect(tableName({ id: 'sales.gross-margin' }, 'CUSTOMER')).toBe('sales_gross_margin_customer')
  })

  it('of all sets, functions and properties are identifiers, and unique', () => {
    const tables = tablesOfReports(reports)
    const names = tables.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining(['inventory_fg_stock_status', 'sales_invoices_items', 'sales_gross_margin_customer']),
    )
    const orders = tables.find(({ name }) => name === 'sales_sales_orders')
    expect(Object.keys(orders?.flat.record ?? {})).toContain('customer_billing_city')
    for (const { name, flat } of tables) {
      expect(name).toMatch(/^[a-z][a-z\d_]{0,127}$/)
      for (const property of Object.keys(flat.record)) expect(property).toMatch(/^[A-Za-z_][A-Za-z\d_]{0,127}$/)
      for (const part of flat.key) expect([name, part, flat.record[part]?.absent]).toEqual([name, part, undefined])
    }
  })

  it('of a view never pass to another view', () => {
    const view = (id: string, owner: string, name: string) => ({ id, owner, definition: { name } })
    const [a, b] = [view('id-a', 'asha', 'Low stock'), view('id-b', 'ravi', 'Low stock')]
    expect([...namesOf([a], 'asha')]).toEqual([['id-a', 'view_Low_stock']])
    expect([...namesOf([a, b], 'asha')]).toEqual([
      ['id-a', 'view_Low_stock'],
      ['id-b', 'view_id_b'],
    ])
    // Of two of others, none has the plain name.
    expect([...namesOf([a, b], 'mira').values()]).toEqual(['view_id_a', 'view_id_b'])
    // Nor of two of one's own.
    expect([...namesOf([a, view('id-c', 'asha', 'low-stock')], 'asha').values()]).toEqual(['view_id_a', 'view_id_c'])
    expect(namesOf([view('x', 'asha', 'n'.repeat(200))], 'asha').get('x')).toHaveLength(85)
  })
})

it('a report without parameters is asked for this month, today, the widest word, values without tax', () => {
  const usual = (id: string, shape = '') => {
    const report = reports.find((one) => one.id === id)
    return usualParams(report as (typeof reports)[number], shape, '2026-02-14')
  }
  const month = { from_date: '2026-02-01', to_date: '2026-02-28' }
  expect(usual('inventory.fg-stock-status')).toEqual({ type: 'ALL', tax: 0, ...month })
  expect(usual('inventory.mat-stock-status')).toEqual({ type: 'PCK', ...month })
  expect(usual('inventory.item-stock')).toEqual({ date: '2026-02-14' })
  expect(usual('sales.order-status')).toEqual({ version: 'WR', ...month })
  expect(usual('sales.gross-margin', 'CUSTOMER')).toEqual({ type: 'CUSTOMER', tax: 0, source: 'INV', ...month })
  expect(usual('partner.material-master')).toEqual({ item_type: 'MAT' })
  expect(usual('masters.items')).toEqual({})
  for (const id of ['sales.order-story', 'purchase.order-story', 'production.batch-story', 'insight.trace'])
    expect([id, usual(id)]).toEqual([id, undefined])
})

it('a token names the place of a page in one query only', () => {
  const place = { at: 5000, day: '2026-02-14', pin: '17-4242-2026-02-14' }
  const token = tokenOf(place, '/odata/sales_invoices', "$filter=a%20eq%20'x'&$top=9")
  expect(readToken(token, '/odata/sales_invoices', '$top=9&%24filter=a+eq+%27x%27')).toEqual(place)
  const refused = (token: string, path = '/odata/sales_invoices', rest = "$filter=a%20eq%20'x'&$top=9") =>
    statusOf(() => readToken(token, path, rest))
  expect(refused(token)).toBe(200)
  expect(refused(token, '/odata/sales_customers')).toBe(400)
  expect(refused(token, '/odata/sales_invoices', '$top=9')).toBe(400)
  for (const wrong of [
    '',
    'x',
    '1.2.3.4',
    token.replace('5000', '4999'),
    token.replace('17-', '18-'),
    `${token}x`,
    token.replace('02-14', '02-30'),
  ])
    expect([wrong, refused(wrong)]).toEqual([wrong, 400])
})

describe('the headers of clients', () => {
  it('choose JSON with minimal metadata', () => {
    const powerQuery =
      'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7'
    for (const accept of [
      powerQuery,
      undefined,
      '',
      '*/*',
      'application/json',
      'application/json;odata.metadata=full, */*;q=0.1',
    ])
      expect(formOf(undefined, accept)).toEqual({ metadata: 'minimal', exact: false })
    expect(formOf(undefined, 'application/json;odata.metadata=none')).toEqual({ metadata: 'none', exact: false })
    expect(formOf(undefined, 'application/json; IEEE754Compatible=true')).toEqual({ metadata: 'minimal', exact: true })
    expect(formOf('json', 'application/xml')).toEqual({ metadata: 'minimal', exact: false })
    expect(formOf('application/json;odata.metadata=none', undefined)).toEqual({ metadata: 'none', exact: false })
    for (const accept of [
      'application/xml',
      'application/atom+xml',
      'application/json;odata.metadata=full',
      'application/json;q=0',
    ])
      expect([accept, statusOf(() => formOf(undefined, accept))]).toEqual([accept, 406])
    for (const format of ['xml', 'atom', 'application/xml', ''])
      expect([format, statusOf(() => formOf(format, undefined))]).toEqual([format, 406])
  })

  it('name a version that this is', () => {
    const status = (headers: Record<string, string>) => statusOf(() => requireVersion(headers))
    for (const headers of [
      {},
      { 'odata-maxversion': '4.0' },
      { 'odata-maxversion': '4.01' },
      { maxdataserviceversion: '3.0' },
      { 'odata-version': '4.0' },
    ])
      expect([headers, status(headers)]).toEqual([headers, 200])
    for (const headers of [{ 'odata-maxversion': '3.0' }, { 'odata-maxversion': 'x' }, { 'odata-version': '1.0' }])
      expect([headers, status(headers)]).toEqual([headers, 400])
  })

  it('ask for smaller pages', () => {
    expect(pageSize(undefined)).toEqual({ size: 5000, applied: undefined })
    expect(pageSize('odata.maxpagesize=10')).toEqual({ size: 10, applied: 'odata.maxpagesize=10' })
    expect(pageSize('return=minimal, maxpagesize="99999"')).toEqual({ size: 5000, applied: 'odata.maxpagesize=5000' })
    expect(pageSize('odata.maxpagesize=0').size).toBe(5000)
  })
})

it('metadata refers to nothing outside, and escapes what XML cannot have', () => {
  const xml = metadata(tablesOfReports(reports), '2026-02-14')
  expect(
    [...xml.matchAll(/https?:[^"<\s]*/g)]
      .map(([url]) => url)
      .filter((url) => !url.startsWith('http://docs.oasis-open.org/odata/ns/')),
  ).toEqual([])
  expect(xml).not.toMatch(/<edmx:Reference|<edmx:Include/)
  for (const [decimal] of xml.matchAll(/<(?:Property|Parameter) [^>]*Edm\.Decimal[^>]*>/g))
    expect(decimal).toMatch(/Precision="28" Scale="\d+"/)
  expect(escaped('a<b>&"c"\u0001\n')).toBe('a&lt;b&gt;&amp;&quot;c&quot; ')
})

it('files open a view in Excel and in Power BI, whatever its name', () => {
  const url = 'https://books.example/odata/view_abc'
  expect(JSON.parse(pbids(url)).connections).toEqual([
    { details: { protocol: 'odata', address: { url } }, options: {}, mode: 'Import' },
  ])
  const text = odc(url, 'Low <stock> & "more"; x]')
  expect(text).toContain('<o:Name>Query - Low__stock_____more___x_</o:Name>')
  const inner = /<odc:PowerQueryMashupData>(.*)<\/odc:PowerQueryMashupData>/s.exec(text)?.[1] ?? ''
  const mashup = inner
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  expect(mashup).toContain(
    `<![CDATA[let\r\n    Source = OData.Feed("${url}", null, [Implementation="2.0"])\r\nin\r\n    Source]]>`,
  )
  expect(text).toContain('Location=Low__stock_____more___x_;')
})
