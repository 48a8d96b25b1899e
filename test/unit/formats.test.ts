/** Any texts and numbers can be read back from every format. readers.test.ts does the same with readers in other languages. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, it } from 'vitest'
import { changedRecords, changesReport } from '../../src/formats/changes.js'
import csv from '../../src/formats/csv.js'
import json from '../../src/formats/json.js'
import ndjson from '../../src/formats/ndjson.js'
import parquet from '../../src/formats/parquet.js'
import { type AnyRecord, aboutAny, anyRecords, encoded, recordsOf } from '../setup/any-records.js'
import { runs } from '../setup/tier.js'

const many = { numRuns: runs(30, 2000) }

it('json and ndjson have every value unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (records) => {
      const given = await recordsOf(records)
      const whole = await encoded(json.encode(given, aboutAny))
      expect(JSON.parse(whole.toString()).data).toEqual(records)
      expect(json.length(given, aboutAny)).toBe(whole.length)
      const lines = await encoded(ndjson.encode(given))
      expect(
        lines
          .toString()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      ).toEqual(records)
      expect(ndjson.length(given)).toBe(lines.length)
    }),
    many,
  )
})

const csvOf = (rows: readonly AnyRecord[]): AnyRecord[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ''])))

const documentOf = ({ items: _, place, names, total, returned, key, ...own }: AnyRecords[number]) => ({
  ...{ ...own, key: String(key), place_city: place.city, place_code: place.code, names: names.join(', ') },
  ...{ total: total.toFixed(2), returned: returned === 'N/A' ? '' : returned },
})

type AnyRecords = typeof anyRecords extends fc.Arbitrary<infer T> ? T : never

it('csv has one row per document, and with lines=yes one per line with the key of its document', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, fc.constantFrom('yes', 'no', undefined), async (records, lines) => {
      const about = { ...aboutAny, options: { lines } as const }
      const text = (await encoded(csv.encode(await recordsOf(records), about))).toString()
      const found = parse(text, { columns: true, record_delimiter: '\r\n' }) as AnyRecord[]
      const ofLines = records.flatMap(({ key, items }) =>
        items.map(({ sku, qty, unit, note }) => ({
          ...{ key: String(key), items_sku: sku, items_qty: qty, items_unit: unit, items_note: note },
        })),
      )
      const fixed = found.map((row) => ('total' in row ? { ...row, total: Number(row['total']).toFixed(2) } : row))
      expect(fixed).toEqual(csvOf(lines === 'yes' ? ofLines : records.map(documentOf)))
    }),
    many,
  )
})

/** Hyparquet drops a byte order mark at the beginning of a text. */
const asRead = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(/(?<!\\)"\ufeff/g, '"'))

/** Decimals are only checked for null: hyparquet reads a decimal of 38 digits as an inexact number. */
it('parquet has every value that hyparquet can read exactly', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (records) => {
      const bytes = await encoded(parquet.encode(await recordsOf(records), aboutAny))
      const found =
        records.length === 0 ? [] : await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
      expect(found.length).toBe(records.length)
      for (const [i, record] of asRead(records).entries()) {
        const { key, text, word, names, place, items, quantity, at12, returned } = found[i] as AnyRecord
        expect([Number(key), text, word, names, place]).toEqual([
          record.key,
          record.text,
          record.word,
          record.names,
          record.place,
        ])
        expect((items as AnyRecord[]).map(({ sku, note }) => ({ sku, note }))).toEqual(
          record.items.map(({ sku, note }) => ({ sku, note })),
        )
        expect([quantity === null, at12 === null, returned === null]).toEqual([
          record.quantity === null,
          record.at12 === null,
          record.returned === 'N/A',
        ])
      }
    }),
    many,
  )
})

it('a table of changes has the keys of removed records too', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, anyRecords, async (records, gone) => {
      const removed = await recordsOf(gone.map(({ key }) => ({ key })))
      const given = changedRecords(await recordsOf(records), { removed })
      const about = { ...aboutAny, report: changesReport(aboutAny.report) }
      const lines = await encoded(ndjson.encode(given))
      expect(ndjson.length(given)).toBe(lines.length)
      expect(
        lines
          .toString()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      ).toEqual([
        ...records.map((record) => ({ _change: 'upsert', ...record })),
        ...gone.map(({ key }) => ({ _change: 'delete', key })),
      ])
      const whole = Buffer.concat([
        Buffer.from('['),
        await encoded(given.joined() as AsyncIterable<Buffer>),
        Buffer.from(']'),
      ])
      expect(JSON.parse(whole.toString())).toHaveLength(records.length + gone.length)
      expect(given.size).toBe(whole.length - 2)
      const text = (await encoded(csv.encode(given, { ...about, options: { lines: 'no' } }))).toString()
      const rows = parse(text, { columns: true, record_delimiter: '\r\n' }) as AnyRecord[]
      expect(rows.map(({ _change, key }) => [_change, Number(key)])).toEqual([
        ...records.map(({ key }) => ['upsert', key]),
        ...gone.map(({ key }) => ['delete', key]),
      ])
      // A document that has lost its lines must show among the lines too.
      const ofLines = (await encoded(csv.encode(given, { ...about, options: { lines: 'yes' } }))).toString()
      const items = parse(ofLines, { columns: true, record_delimiter: '\r\n' }) as AnyRecord[]
      expect(items.map(({ _change, key, items_sku }) => [_change, Number(key), items_sku])).toEqual([
        ...records.flatMap(({ key, items }) =>
          (items.length === 0 ? [{ sku: '' }] : items).map(({ sku }) => ['upsert', key, sku]),
        ),
        ...gone.map(({ key }) => ['delete', key, '']),
      ])
      await encoded(parquet.encode(given, about))
    }),
    { numRuns: runs(10, 500) },
  )
})
