/** Python's csv, openpyxl, pyarrow and DuckDB read every report and variant of the sample with the values of the JSON, typed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { missingPython, pip } from '../../scripts/generated-clients/client.mjs'
import { loadSample } from '../../src/demo/sample.js'
import csv from '../../src/formats/csv.js'
import parquet from '../../src/formats/parquet.js'
import { recordReader, tableOf } from '../../src/formats/table.js'
import xlsx from '../../src/formats/xlsx.js'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { mostDigits } from '../../src/kernel/report/fields.js'
import type { Shape } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { aboutAny, anyRecords, anyReport, encoded, recordsOf } from '../setup/any-records.js'
import { tempFolder } from '../setup/files.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'

const TODAY = '2026-06-30'

let service: Service
beforeAll(async () => {
  service = await startService()
  await loadSample(service.database, { today: TODAY, scale: 0.2, months: 4 })
})
afterAll(() => service.close())

it.skipIf(missingPython() !== undefined)(
  'Python reads every value of every format (skipped without python3 and venv)',
  async () => {
    const [folder, programs] = [tempFolder(), tempFolder()]
    const python = await pip(programs, ['openpyxl==3.1.5', 'pyarrow==26.0.1', 'duckdb==2.0.0'])
    const hostile = [
      'a,"b"\n\r\nc',
      '=1+1',
      "'x",
      '_x0041_ <&>',
      '\u0001\u000b',
      '😀 मसाला',
      ' a ',
      '12345678901234567890',
      '',
    ]
    for (const [i, text] of hostile.entries())
      await service.db`insert into warehouse (code, location, address) values (${String(i).padStart(32, '0')}, ${`~${i}`}, ${text})`
    await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
    let cells = 0
    for (const report of reports) {
      const requests = requestsFor(report, { from_date: '2026-05-01', to_date: TODAY }, { vendor_code: ['V002'] })
      for (const [i, body] of requests.entries()) {
        if (report.perPageFrom !== undefined && report.perPageFrom in body) continue // this request selects a page
        for (const lines of ['yes', 'no']) {
          const get = async (format: string, query = {}) =>
            (await service.call({ path: report.path, body, query: { format, ...query } })).rawPayload
          const shape = report.shapeFor(body as never)
          const texts = String(await get('ndjson'))
            .split('\n')
            .filter(Boolean)
            .map((line) => Buffer.from(line))
          const file = join(folder, `${report.id}-${i}-${lines}`)
          cells += expectIn(file, report.id, shape, texts, lines === 'yes')
          for (const format of ['csv', 'xlsx']) writeFileSync(`${file}.${format}`, await get(format, { lines }))
          if (lines === 'yes') writeFileSync(`${file}.parquet`, await get('parquet'))
        }
      }
    }
    for (const [i, records] of fc.sample(anyRecords, 100).entries())
      for (const lines of ['yes', 'no'] as const) {
        const given = await recordsOf(records)
        const file = join(folder, `any-${i}-${lines}`)
        cells += expectIn(file, anyReport.id, anyReport.shapeFor({}), given.own, lines === 'yes')
        for (const { name, encode } of [csv, xlsx])
          writeFileSync(`${file}.${name}`, await encoded(encode(given, { ...aboutAny, options: { lines } })))
        if (lines === 'yes') writeFileSync(`${file}.parquet`, await encoded(parquet.encode(given, aboutAny)))
      }
    const script = fileURLToPath(new URL('../setup/read-formats.py', import.meta.url))
    const compared = await python('python', '-W', 'ignore', script, folder)
    expect(Number(compared)).toBe(cells)
    expect(cells).toBeGreaterThan(50_000)
  },
  600_000,
)

const asText = (value: unknown) =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)

/** Writes the expected contents of the files of this name; returns the number of cells. */
function expectIn(file: string, report: string, shape: Shape, texts: readonly Buffer[], lines: boolean): number {
  const { columns, rows } = tableOf(shape, { lines })
  const read = recordReader(shape)
  const tree = columnsOf(shape)
  const expected = {
    report,
    ...(lines && { tree, records: texts.map(read) }),
    columns: columns.map(({ name, column }) => ({
      ...{
        name,
        kind: column.kind,
        digits: 'digits' in column ? column.digits : 0,
        upTo: 'digits' in column ? mostDigits(column) : 0,
      },
    })),
    rows: texts.flatMap((text) => {
      // Lists are taken from the record itself: `read` has their numbers as texts, the files have them as numbers.
      const record = JSON.parse(String(text)) as Record<string, unknown>
      const list = (path: readonly string[]) =>
        path.reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], record)
      return rows(read(text)).map((row) =>
        row.map((value, i) => {
          const of = columns[i]
          return asText(of?.column.kind === 'lines' ? list(of.path) : value)
        }),
      )
    }),
  }
  writeFileSync(`${file}.json`, JSON.stringify(expected))
  return expected.rows.length * columns.length + (lines ? texts.length * tree.length : 0)
}
