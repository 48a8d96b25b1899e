/**
 * Python's csv, openpyxl, pyarrow and DuckDB read every report and variant of the sample with the values of the JSON, typed. The sums
 * of the workbook, computed again from its cells, and the sums of the CSV are the totals of the API.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { missingPython, pip } from '../../scripts/generated-clients/client.mjs'
import csv from '../../src/formats/csv.js'
import parquet from '../../src/formats/parquet.js'
import xlsx from '../../src/formats/xlsx.js'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { recordReader } from '../../src/kernel/report/record-reader.js'
import type { Shape } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { aboutAny, anyRecords, anyReport, encoded, recordsOf } from '../setup/any-records.js'
import { openSample } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { documentsOf, listsOf } from '../setup/tables.js'

const TODAY = '2026-06-30'

let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.2, months: 4 }))
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
    const summed = new Set<string>()
    for (const report of reports) {
      const requests = requestsFor(report, { from_date: '2026-05-01', to_date: TODAY }, { vendor_code: ['V002'] })
      for (const [i, body] of requests.entries()) {
        if (report.perPageFrom !== undefined && report.perPageFrom in body) continue // this request selects a page
        const get = async (format: string, query = {}) =>
          (await service.call({ path: report.path, body, query: { format, ...query } })).rawPayload
        const shape = report.shapeFor(body as never)
        const texts = String(await get('ndjson'))
          .split('\n')
          .filter(Boolean)
          .map((line) => Buffer.from(line))
        const [totals] = JSON.parse(String(await get('json', { totals: 'yes', fields: 'all' }))).data
        const file = join(folder, `${report.id}-${i}`)
        cells += expectIn(file, report.id, shape, texts, totals)
        for (const format of ['csv', 'xlsx', 'parquet']) writeFileSync(`${file}.${format}`, await get(format))
        writeFileSync(`${file}.lines.csv`, await get('csv', { lines: 'yes' }))
        if (totals._cancelled > 0) summed.add('cancelled')
        if (Object.values(totals).includes(null)) summed.add('several units')
      }
    }
    expect([...summed].sort()).toEqual(['cancelled', 'several units'])
    for (const [i, records] of fc.sample(anyRecords, 100).entries()) {
      const given = await recordsOf(records)
      const file = join(folder, `any-${i}`)
      cells += expectIn(file, anyReport.id, anyReport.shapeFor({}), given.own, null)
      for (const { name, encode } of [csv, xlsx, parquet])
        writeFileSync(`${file}.${name}`, await encoded(encode(given, aboutAny)))
      const about = { ...aboutAny, options: { lines: 'yes' as const } }
      writeFileSync(`${file}.lines.csv`, await encoded(csv.encode(given, about)))
    }
    const script = fileURLToPath(new URL('../setup/read-formats.py', import.meta.url))
    const compared = await python('python', '-W', 'ignore', script, folder)
    expect(Number(compared)).toBe(cells)
    expect(cells).toBeGreaterThan(50_000)
  },
  600_000,
)

/** Writes the expected contents of the files of this name; returns the number of cells. */
function expectIn(file: string, report: string, shape: Shape, texts: readonly Buffer[], totals: unknown): number {
  const records = texts.map((text) => JSON.parse(String(text)))
  const [documents, lists] = [documentsOf(shape, records), listsOf(shape, records)]
  const tree = columnsOf(shape)
  const { cancelled = null } = shape
  const expected = { report, documents, lists, cancelled, totals, tree, records: texts.map(recordReader(shape)) }
  writeFileSync(`${file}.json`, JSON.stringify(expected))
  const tables = [documents, ...lists]
  return tables.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0) + texts.length * tree.length
}
