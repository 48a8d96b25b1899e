/** Every format, read by an independent reader, equals the JSON cell by cell; for every report and variant of the sample. */
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { parquetMetadata } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import xlsx, { MOST_ROWS } from '../../src/formats/xlsx.js'
import type { Records } from '../../src/kernel/answer/answer.js'
import { reports } from '../../src/reports/index.js'
import { openSample } from '../setup/database.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { documentsOf, type ExpectedTable, listsOf, withoutState } from '../setup/tables.js'

const TODAY = '2026-06-30'
const range = { from_date: '2026-05-01', to_date: TODAY }
const INVOICES = '/v1/sales/invoices'
const WORK_ORDERS = '/v1/production/work-orders'
const WAREHOUSES = '/v1/warehouse/warehouse-list'

let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.1, months: 2 }))
})
afterAll(() => service.close())

type Row = Record<string, unknown>

const newVersion = () => service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`

/** A table as csv-parse reads it. */
const rowsOf = ({ columns, rows }: ExpectedTable): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? ''])))

const readCsv = (text: string): Row[] => parse(text, { columns: true, record_delimiter: '\r\n' }) as Row[]

describe.each(reports.map((report) => [report.id, report] as const))('%s', (_id, report) => {
  // A page size in the parameters would select a page in every format.
  const requests = someRequestsFor(report, range, { vendor_code: ['V002'] }).filter(
    (body) => report.perPageFrom === undefined || !(report.perPageFrom in body),
  )
  const whole = async (body: Row, format: string, query: Record<string, string> = {}) => {
    // A paginated report needs a page that is large enough for all its records.
    const size = format === 'json' && report.perPage !== undefined ? { 'per-page': '5000' } : {}
    const all = { fields: 'all', ...size, ...query }
    const response = await service.call({ path: report.path, body, query: { format, ...all } })
    expect([response.statusCode, format]).toEqual([200, format])
    return response
  }

  it('csv and ndjson have the records of json', async () => {
    for (const body of requests) {
      const { data } = (await whole(body, 'json')).json() as { data: Row[] }
      const ndjson = await whole(body, 'ndjson')
      expect(
        ndjson.body === ''
          ? []
          : ndjson.body
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line)),
      ).toEqual(data)
      expect(ndjson.headers['x-record-count']).toBe(String(data.length))
      const shape = report.shapeFor(body as never)
      const [first] = listsOf(shape, data)
      for (const lines of ['yes', 'no'] as const) {
        const csv = await whole(body, 'csv', { lines })
        expect([csv.headers['content-type'], csv.headers['x-complete']]).toEqual(['text/csv; charset=utf-8', 'true'])
        const table = lines === 'yes' && first !== undefined ? withoutState(first) : documentsOf(shape, data)
        expect({ body, lines, rows: readCsv(csv.body) }).toEqual({ body, lines, rows: rowsOf(table) })
        const [header = ''] = csv.body.split('\r\n')
        expect(header.split(',')).toEqual(table.columns.map(({ name }) => name))
        if (lines === 'no') expect((await whole(body, 'csv')).body).toBe(csv.body)
      }
    }
  })
})

it('hostile texts and long numbers come through csv unchanged', async () => {
  const names = [
    ...[
      'a,b',
      'a"b',
      'a\nb',
      'a\r\nb',
      ' a ',
      '',
      '"',
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\ta',
      "'a",
      '😀 मसाला',
      'a;b\u0001\u007f',
    ],
    '\u2028\ufeffx\u200b',
  ]
  for (const [i, name] of names.entries())
    await service.db`insert into warehouse (code, location, address) values (${String(i).padStart(32, '0')}, ${`~${i}`}, ${name})`
  await newVersion()
  const { data } = (await service.call({ path: WAREHOUSES, query: { 'per-page': 5000 } })).json() as { data: Row[] }
  const addresses = (rows: Row[]) =>
    rows.filter(({ location }) => String(location).startsWith('~')).map((row) => row['address'])
  expect(addresses(data).sort()).toEqual([...names].sort())
  const csv = (query: Record<string, string>, headers = {}) =>
    service.call({ path: WAREHOUSES, query: { format: 'csv', ...query }, headers })
  expect(addresses(readCsv((await csv({})).body))).toEqual(addresses(data))
  // With the option for spreadsheets, no cell begins a formula.
  const safe = addresses(data).map((text) => (/^[=+\-@\t\r]/.test(String(text)) ? `'${text}` : text))
  const response = await csv({ formulas: 'safe' })
  expect(addresses(readCsv(response.body))).toEqual(safe)
  const fromBrowser = await csv({}, { 'sec-fetch-mode': 'navigate' })
  expect(fromBrowser.body).toBe(response.body)
  expect(fromBrowser.headers['vary']).toContain('Sec-Fetch-Mode')
  expect((await csv({ formulas: 'as-is' }, { 'sec-fetch-mode': 'navigate' })).body).toBe((await csv({})).body)
  await service.db`delete from warehouse where location like '~%'`
  await newVersion()
})

it('a Parquet file begins and ends with the magic bytes, also without records', async () => {
  for (const from_date of [range.from_date, '2026-06-30', '2000-01-01']) {
    const body = from_date === '2000-01-01' ? { from_date, to_date: '2000-01-02' } : { ...range, from_date }
    const { rawPayload, headers } = await service.call({ path: INVOICES, body, query: { format: 'parquet' } })
    expect([String(rawPayload.subarray(0, 4)), String(rawPayload.subarray(-4))]).toEqual(['PAR1', 'PAR1'])
    const { num_rows, key_value_metadata } = parquetMetadata(new Uint8Array(rawPayload).buffer)
    expect(String(num_rows)).toBe(headers['x-record-count'])
    expect(key_value_metadata).toContainEqual({ key: 'millbook.report', value: 'sales.invoices' })
  }
})

it('a file has a name with report, range and version, its count of records, and links if it is a page', async () => {
  const whole = await service.call({ path: INVOICES, body: range, query: { format: 'csv' } })
  const version = whole.headers['x-data-version']
  expect(whole.headers['content-disposition']).toBe(
    `attachment; filename="sales-invoices_2026-05-01_2026-06-30_v${version}.csv"`,
  )
  expect(whole.headers['link']).toBeUndefined()
  expect(whole.headers['server-timing']).toMatch(/^admit;dur=\d+\.\d, query;dur=\d+\.\d, encode;dur=\d+\.\d$/)
  const page = await service.call({ path: INVOICES, body: range, query: { format: 'ndjson', 'per-page': 3 } })
  expect(page.body.trimEnd().split('\n')).toHaveLength(3)
  expect([page.headers['x-record-count'], page.headers['x-complete']]).toEqual(['3', 'false'])
  expect(page.headers['content-disposition']).toContain('_page-1.ndjson"')
  const next = /<([^>]+)>; rel="next"/.exec(String(page.headers['link']))?.[1] as string
  const { pathname, search } = new URL(next)
  expect(search).toContain('format=ndjson')
  const second = await service.app.inject({
    ...{ method: 'POST', url: pathname + search, payload: range },
    headers: { authorization: `Bearer ${service.caller.token}` },
  })
  const query = { 'per-page': 6, fields: 'all' }
  const { data } = (await service.call({ path: INVOICES, body: range, query })).json()
  expect(
    (page.body + second.body)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(data)
  const json = await service.call({ path: INVOICES, body: range })
  expect([json.headers['content-disposition'], json.headers['x-record-count']]).toEqual([
    undefined,
    whole.headers['x-record-count'],
  ])
})

it('Accept chooses csv, and an option that the format does not have is refused by name', async () => {
  const response = await service.call({ path: WAREHOUSES, headers: { accept: 'text/csv, application/json;q=0.5' } })
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
  const usual = { lines: 'yes', formulas: 'as-is', headings: 'words' }
  expect((await service.call({ path: WAREHOUSES, query: usual })).statusCode).toBe(200)
  const wrong = await service.call({ path: WAREHOUSES, query: { lines: 'no' } })
  expect([wrong.statusCode, wrong.json().errors]).toEqual([
    422,
    [{ field: 'lines', message: 'must be yes in the format json' }],
  ])
})

it('a whole report as uncompressed csv has every record of the JSON', async () => {
  const body = { from_date: '2020-01-01', to_date: TODAY }
  const plain = await service.call({
    path: INVOICES,
    body,
    query: { format: 'csv' },
    headers: { 'accept-encoding': 'identity' },
  })
  const query = { 'per-page': 5000, fields: 'all' }
  const { data } = (await service.call({ path: INVOICES, body, query })).json() as { data: Row[] }
  const report = reports.find(({ path }) => path === INVOICES) as (typeof reports)[number]
  expect(readCsv(plain.body)).toEqual(rowsOf(documentsOf(report.shapeFor(body as never), data)))
})

/** The texts of a workbook's first rows, by sheet, from its XML. */
async function headingsOf(query: Record<string, string>, path = INVOICES): Promise<Record<string, string[]>> {
  const { rawPayload } = await service.call({ path, body: range, query: { format: 'xlsx', ...query } })
  const parts = Object.entries(unzipSync(rawPayload)).map(([name, bytes]) => [name, strFromU8(bytes)] as const)
  const xml = new Map(parts)
  const sheets = [...(xml.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]+)"/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    sheets.map((name, i) => {
      const [head = ''] = /<row r="1">.*?<\/row>/s.exec(xml.get(`xl/worksheets/sheet${i + 1}.xml`) ?? '') ?? []
      return [name, [...head.matchAll(/<t[^>]*>([^<]*)</g)].map(([, text = '']) => text)]
    }),
  )
}

it('a workbook has documents and each list of lines on a sheet, headed by words or by the names of the API', async () => {
  const words = await headingsOf({})
  expect(Object.keys(words)).toEqual(['Documents', 'Items', 'Taxes', 'About'])
  expect(words['Documents']).toEqual(expect.arrayContaining(['Invoice number', 'Total amount', 'Invoice status']))
  expect(words['Items']?.slice(0, 5)).toEqual([
    'Invoice date',
    'Invoice number',
    'Invoice status',
    'Product SKU',
    'Product name',
  ])
  expect(words['Taxes']).toEqual([
    'Invoice date',
    'Invoice number',
    'Invoice status',
    'Line number',
    'Name',
    'Rate',
    'Amount',
  ])
  const names = await headingsOf({ headings: 'api' })
  expect(names['Items']?.slice(0, 4)).toEqual(['invoice_date', 'invoice_no', 'invoice_status', 'items_product_sku'])
  const csv = await service.call({ path: INVOICES, body: range, query: { format: 'csv' } })
  expect(names['Documents']).toEqual(csv.body.split('\r\n')[0]?.split(','))
  expect(Object.keys(await headingsOf({ lines: 'no' }))).toEqual(['Documents', 'About'])
  expect(await headingsOf({ fields: 'invoice_no,taxes', headings: 'api' })).toMatchObject({
    ...{
      Documents: ['invoice_no'],
      Taxes: ['invoice_no', 'taxes_line_no', 'taxes_name', 'taxes_rate', 'taxes_amount'],
    },
  })
  expect(Object.keys(await headingsOf({ fields: 'items' }))).toEqual(['Items', 'About'])
  expect(Object.keys(await headingsOf({ totals: 'yes' }))).toEqual(['Report', 'About'])
  const sums = await headingsOf({ totals: 'yes' }, WORK_ORDERS)
  expect(Object.keys(sums)).toEqual(['Report', 'By unit', 'About'])
  expect(sums['By unit']).toEqual(['Unit', 'Planned quantity', 'Produced quantity', 'Open quantity'])
})

it('the first list among the fields gives the lines of a csv', async () => {
  const query = { format: 'csv', lines: 'yes', fields: 'invoice_no,taxes,items' }
  const { body } = await service.call({ path: INVOICES, body: range, query })
  expect(body.split('\r\n')[0]).toBe('invoice_no,taxes_line_no,taxes_name,taxes_rate,taxes_amount')
  const orders = await service.call({ path: '/v1/purchase-orders/list', query: { format: 'csv', lines: 'yes' } })
  expect(orders.body).toMatch(/^podate,pono,items_type,/)
})

it('a workbook has its sheets, and a report with too many rows for a sheet is refused before anything is sent', async () => {
  const response = await service.call({ path: INVOICES, body: range, query: { format: 'xlsx', 'per-page': 2 } })
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, xlsx.contentType])
  for (const part of ['xl/workbook.xml', 'xl/worksheets/sheet1.xml', 'xl/worksheets/sheet2.xml', 'xl/styles.xml'])
    expect(response.rawPayload.includes(part)).toBe(true)
  const report = reports.find(({ path }) => path === WAREHOUSES) as (typeof reports)[number]
  const about = { report, values: {}, page: undefined, options: {}, version: '1' }
  const records = (count: number) => ({ count, total: count, size: count * 100 }) as Records
  await expect(xlsx.check(records(MOST_ROWS - 1), about)).resolves.toBeUndefined()
  await expect(xlsx.check(records(MOST_ROWS), about)).rejects.toMatchObject({
    status: 422,
    errors: [{ field: 'format', message: expect.stringContaining('at most 1,048,576 rows') }],
  })
})
