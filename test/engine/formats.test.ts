/** Every format, read by an independent reader, equals the JSON cell by cell; for every report and variant of the sample. */
import { parse } from 'csv-parse/sync'
import { parquetMetadata } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSample } from '../../src/demo/sample.js'
import xlsx, { MOST_ROWS } from '../../src/formats/xlsx.js'
import type { Records } from '../../src/kernel/answer/answer.js'
import { type Column, columnsOf } from '../../src/kernel/report/columns.js'
import { reports } from '../../src/reports/index.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'

const TODAY = '2026-06-30'
const range = { from_date: '2026-05-01', to_date: TODAY }
const INVOICES = '/v1/sales/invoices'
const WAREHOUSES = '/v1/warehouse/warehouse-list'

let service: Service
beforeAll(async () => {
  service = await startService()
  await loadSample(service.database, { today: TODAY, scale: 0.1, months: 2 })
})
afterAll(() => service.close())

type Row = Record<string, unknown>

const newVersion = () => service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`

/** The cells of a record in a table, each as the text of its JSON value, computed without code of src/formats. */
function cellsOf(columns: readonly Column[], record: Row, around = ''): Row {
  return Object.assign(
    {},
    ...columns.map((column) => {
      const [name, value] = [around + column.name, record[column.name]]
      if (column.kind === 'nested') return cellsOf(column.columns, value as Row, `${name}_`)
      if (column.kind === 'lines' || column.kind === 'list') return { [name]: JSON.stringify(value) }
      if (column.kind === 'number' && value !== null) return { [name]: (value as number).toFixed(column.digits) }
      return { [name]: value === null ? '' : String(value) }
    }),
  )
}

function rowsOf(columns: readonly Column[], records: readonly Row[], lines: boolean): Row[] {
  const unfolded = columns.find(({ kind }) => kind === 'lines')
  const own = columns.filter((column) => column !== unfolded)
  if (unfolded === undefined || unfolded.kind !== 'lines' || !lines)
    return records.map((record) => cellsOf(own, record))
  return records.flatMap((record) => {
    const items = record[unfolded.name] as Row[]
    const blank = cellsOf(unfolded.columns, Object.fromEntries(unfolded.columns.map(({ name }) => [name, null])))
    const shown = items.length === 0 ? [blank] : items.map((item) => cellsOf(unfolded.columns, item))
    return shown.map((item) => ({
      ...cellsOf(own, record),
      ...Object.fromEntries(Object.entries(item).map(([name, value]) => [`${unfolded.name}_${name}`, value])),
    }))
  })
}

const readCsv = (text: string): Row[] => parse(text, { columns: true, record_delimiter: '\r\n' }) as Row[]

describe.each(reports.map((report) => [report.id, report] as const))('%s', (_id, report) => {
  // A page size in the parameters would select a page in every format.
  const requests = requestsFor(report, range, { vendor_code: ['V002'] }).filter(
    (body) => report.perPageFrom === undefined || !(report.perPageFrom in body),
  )
  const whole = async (body: Row, format: string, query: Record<string, string> = {}) => {
    // A paginated report needs a page that is large enough for all its records.
    const size = format === 'json' && report.perPage !== undefined ? { 'per-page': '5000' } : {}
    const response = await service.call({
      path: report.path,
      body,
      query: { format, fields: 'all', ...size, ...query },
    })
    expect([response.statusCode, format]).toEqual([200, format])
    return response
  }

  it('csv and ndjson have the records of json', async () => {
    for (const body of requests) {
      const { data } = (await whole(body, 'json')).json() as { data: Row[] }
      const columns = columnsOf(report.shapeFor(body as never))
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
      for (const lines of ['yes', 'no'] as const) {
        const csv = await whole(body, 'csv', { lines })
        expect([csv.headers['content-type'], csv.headers['x-complete']]).toEqual(['text/csv; charset=utf-8', 'true'])
        expect({ body, lines, rows: readCsv(csv.body) }).toEqual({
          ...{ body, lines },
          rows: rowsOf(columns, data, lines === 'yes'),
        })
        const [header = ''] = csv.body.split('\r\n')
        const names = header.split(',')
        expect(new Set(names).size).toBe(names.length)
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
  const { data } = (await service.call({ path: INVOICES, body: range, query: { 'per-page': 6 } })).json()
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
  const usual = { lines: 'yes', formulas: 'as-is' }
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
  const { data } = (await service.call({ path: INVOICES, body, query: { 'per-page': 5000 } })).json() as { data: Row[] }
  const columns = columnsOf(
    (reports.find(({ path }) => path === INVOICES) as (typeof reports)[number]).shapeFor(body as never),
  )
  expect(readCsv(plain.body)).toEqual(rowsOf(columns, data, true))
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
