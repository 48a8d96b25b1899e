/** Parquet: every type that a database writes is read exactly, as the same cells as from CSV, a page at a time. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { type ColumnMetaData, parquetMetadata, parquetSchema, type SchemaElement } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer/src/node.js'
import { afterAll, describe, expect, it } from 'vitest'
import { MillbookError } from '../../src/errors.js'
import { type Column, cellText, Day, Moment } from '../../src/import/columns.js'
import { readParquet } from '../../src/import/readers/parquet.js'
import { columnReader } from '../../src/import/readers/parquet-pages.js'
import { runs } from '../setup/tier.js'

const folder = mkdtempSync(join(tmpdir(), 'millbook-parquet-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'x.parquet')

const silent = { onBytes: () => {}, onHeader: () => {} }

async function read(path = file) {
  const rows = []
  for await (const batch of readParquet(path, 'x.parquet', silent)) rows.push(...batch)
  return rows.map(({ cells }) => cells)
}

type Type = Omit<SchemaElement, 'name' | 'repetition_type'>
type Stored = Parameters<typeof parquetWriteFile>[0]['columnData'][number]['data']

/** The cells of a file with one column `c`. */
async function column(
  type: Type,
  data: Stored,
  options: { encoding?: 'PLAIN' | 'RLE_DICTIONARY'; pageSize?: number } = {},
) {
  const { encoding, pageSize = 1 << 20 } = options
  parquetWriteFile({
    filename: file,
    columnData: [{ name: 'c', data, ...(encoding && { encoding }) }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'c', repetition_type: 'OPTIONAL', ...type },
    ],
    statistics: false,
    pageSize,
  })
  return (await read()).map(([cell]) => cell)
}

describe('decimals', () => {
  const stores: [Type, precision: number][] = [
    [{ type: 'INT32' }, 9],
    [{ type: 'INT64' }, 18],
    [{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 }, 38],
    [{ type: 'BYTE_ARRAY' }, 38],
  ]

  it.each(stores)('are exact up to the last digit, stored as %o', async (type, precision) => {
    const most = 10n ** BigInt(precision) - 1n
    await fc.assert(
      fc.asyncProperty(
        ...([
          fc.array(fc.option(fc.bigInt(-most, most)), { minLength: 1, maxLength: 20 }),
          fc.integer({ min: 0, max: precision }),
          fc.constantFrom('PLAIN' as const, 'RLE_DICTIONARY' as const),
        ] as const),
        async (units, scale, encoding) => {
          const decimal = { ...type, converted_type: 'DECIMAL' as const, scale, precision }
          const cells = await column(decimal, units, { encoding })
          const back = cells.map((cell) => {
            if (cell === null) return null
            const [, sign, whole = '', fraction = ''] = /^(-?)(0|[1-9]\d*)(?:\.(\d*[1-9]))?$/.exec(cell as string) ?? []
            return BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`)
          })
          expect(back).toEqual(units)
        },
      ),
      { numRuns: runs(20, 500) },
    )
  })

  it('are scaled by the logical type alone, which is all that new writers set', async () => {
    const logical_type = { type: 'DECIMAL' as const, precision: 38, scale: 4 }
    const bytes = [Uint8Array.of(0x01, 0xe2, 0x40), Uint8Array.of(0xff)]
    expect(await column({ type: 'BYTE_ARRAY', logical_type }, bytes)).toEqual(['12.3456', '-0.0001'])
  })
})

describe('dates and times', () => {
  const reads = async (into: Column, type: Type, data: Stored) =>
    (await column(type, data)).map((cell) => into.read(cellText(cell) as string))
  const moments = [new Date('2024-03-04T00:00:00Z'), new Date('2024-03-04T09:30:01.9Z')]
  const timestamps: Type[] = [
    { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
    { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
    { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' } },
  ]

  it.each(timestamps)('a timestamp at midnight is also a day, any other is only a timestamp: %o', async (type) => {
    expect(await reads(Moment(''), type, moments)).toEqual(['2024-03-04 00:00:00', '2024-03-04 09:30:01'])
    expect(await reads(Day(''), type, moments)).toEqual(['2024-03-04', undefined])
  })

  it('a date is a day, and as a timestamp its midnight', async () => {
    const date: Type = { type: 'INT32', converted_type: 'DATE' }
    expect(await reads(Day(''), date, [-1, 19_786])).toEqual(['1969-12-31', '2024-03-04'])
    expect(await reads(Moment(''), date, [19_786])).toEqual(['2024-03-04 00:00:00'])
  })

  it('a date outside of the calendar is refused like any wrong value', async () => {
    expect(await reads(Moment(''), timestamps[0] as Type, [2n ** 62n])).toEqual([undefined])
    expect(await reads(Day(''), { type: 'INT32', converted_type: 'DATE' }, [2 ** 31 - 1])).toEqual([undefined])
  })

  it('a time of day is HH:MM:SS', async () => {
    const seconds = [0, 9 * 3600 + 5 * 60 + 7, 86_399]
    const times = ['00:00:00', '09:05:07', '23:59:59']
    const millis = seconds.map((s) => s * 1000)
    expect(await column({ type: 'INT32', converted_type: 'TIME_MILLIS' }, millis)).toEqual(times)
    for (const [unit, factor] of [
      ['MICROS', 1_000_000n],
      ['NANOS', 1_000_000_000n],
    ] as const) {
      const logical_type = { type: 'TIME' as const, isAdjustedToUTC: false, unit }
      const units = seconds.map((s) => BigInt(s) * factor)
      expect(await column({ type: 'INT64', logical_type }, units)).toEqual(times)
    }
  })
})

describe('other types', () => {
  it.each<[string, Type, Stored, unknown[]]>([
    ['text', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, ['मसाला', '', null], ['मसाला', '', null]],
    ['bytes that are text', { type: 'BYTE_ARRAY' }, [Buffer.from('मसाला')], ['मसाला']],
    ['JSON', { type: 'BYTE_ARRAY', converted_type: 'JSON' }, [['Asha', 'Vikram'], 1.5], ['Asha|Vikram', '1.5']],
    ['whole numbers', { type: 'INT64' }, [-(2n ** 63n), 5n], ['-9223372036854775808', '5']],
    ['whole numbers without a sign', { type: 'INT32', converted_type: 'UINT_32' }, [2 ** 32 - 1], ['4294967295']],
    ['larger ones', { type: 'INT64', converted_type: 'UINT_64' }, [-1n], ['18446744073709551615']],
    ['doubles', { type: 'DOUBLE' }, [1234.5], ['1234.5']],
    ['booleans', { type: 'BOOLEAN' }, [true, false, null], ['true', 'false', null]],
    [
      'UUIDs',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
      ['01234567-89ab-cdef-0123-456789abcdef'],
      ['01234567-89ab-cdef-0123-456789abcdef'],
    ],
  ])('%s', async (_name, type, data, expected) => {
    expect((await column(type, data)).map(cellText)).toEqual(expected)
  })

  it.each<[string, Type, Stored, string]>([
    [
      'an interval',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12, converted_type: 'INTERVAL' },
      [new Uint8Array(12)],
      'the column c has the type INTERVAL, which an import does not read; write it as text',
    ],
    [
      'bytes of a fixed length',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2 },
      [new Uint8Array(2)],
      'the column c has the type FIXED_LEN_BYTE_ARRAY, which an import does not read',
    ],
    ['bytes that are no text', { type: 'BYTE_ARRAY' }, [Uint8Array.of(0xff)], 'the column c cannot be read: '],
  ])('%s: the error names the column', async (_name, type, data, message) => {
    await expect(column(type, data)).rejects.toThrow(`x.parquet: ${message}`)
  })
})

// Pages of version 1, INT96 times, ZSTD, and a list of texts.
const madeByPyArrow = fileURLToPath(new URL('arrow.parquet', import.meta.url))

it('reads a file of PyArrow', async () => {
  expect(await read(madeByPyArrow)).toEqual([
    ['A', '-1234567890123456789012345678.9012345678', '2024-03-04', '2024-03-04 00:00:00', '00:00:00', ['x', 'y']],
    ['B', '0.5', '1969-12-31', '2024-03-04 09:30:01', '09:05:07', []],
    ['A', null, null, null, null, undefined],
    [null, '0', '2024-02-29', '1969-12-31 23:59:59', '23:59:59', ['z']],
  ])
})

it('a damaged file gives an error without a stack', async () => {
  const good = readFileSync(madeByPyArrow)
  const [damages, seed] = [runs(75, 1000), 1] // the same damage in every run
  let refused = 0
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.nat(255), async (at, byte) => {
      const damaged = Buffer.from(good)
      damaged[at] = byte
      writeFileSync(file, damaged)
      await read().catch((error) => {
        expect(error).toBeInstanceOf(MillbookError)
        refused++
      })
    }),
    { numRuns: damages, seed },
  )
  expect(refused).toBeGreaterThan(0.3 * damages)
})

it('a duplicate column is refused', async () => {
  const twice = [1, 2].map((value) => ({ name: 'c', data: [value] }))
  parquetWriteFile({ filename: file, columnData: twice })
  await expect(read()).rejects.toThrow('x.parquet: the column c appears twice')
})

describe('pages', () => {
  it('any values are read unchanged, with pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([
          fc.array(fc.option(fc.constantFrom('', 'a', 'मसाला', 'a longer text')), { minLength: 1, maxLength: 60 }),
          fc.integer({ min: 1, max: 40 }),
          fc.constantFrom('PLAIN' as const, 'RLE_DICTIONARY' as const),
        ] as const),
        async (texts, pageSize, encoding) => {
          const type: Type = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
          expect(await column(type, texts, { encoding, pageSize })).toEqual(texts)
        },
      ),
      { numRuns: runs(40, 1000) },
    )
  })

  it('a row group as large as the file is read in parts', async () => {
    const data = Array.from({ length: 100_000 }, (_, i) => `movement ${i}`)
    parquetWriteFile({ filename: file, columnData: [{ name: 'c', data }], rowGroupSize: data.length, pageSize: 20_000 })
    let bytes = 0
    const onBytes = (more: number) => {
      bytes += more
    }
    const rows = readParquet(file, 'x.parquet', { ...silent, onBytes })
    const first = await rows.next()
    expect(first.value?.[0]).toEqual({ line: 1, header: ['c'], cells: ['movement 0'] })
    expect(bytes).toBeLessThan(statSync(file).size / 10)
    let last = first.value?.at(-1)
    for await (const batch of rows) last = batch.at(-1)
    expect(last).toEqual({ line: 100_000, header: ['c'], cells: ['movement 99999'] })
  })
})

describe('a file that claims more than it can have', () => {
  const repeated = (rows: number) =>
    parquetWriteFile({
      filename: file,
      columnData: [{ name: 'c', data: Array.from({ length: rows }, () => 'the same'), encoding: 'RLE_DICTIONARY' }],
      rowGroupSize: rows,
    })

  it('is refused before its first row: millions of rows in a few kilobytes', async () => {
    repeated(1_000_000)
    const { size } = statSync(file)
    expect(size).toBeLessThan(11_000)
    await expect(read()).rejects.toThrow(
      `x.parquet: it claims 1000000 rows in ${size} bytes, which cannot be rows with different keys`,
    )
    repeated(100_000) // few rows may be as small as they like
    expect(await read()).toHaveLength(100_000)
  })

  it('is refused if a page has more values than its row group has rows', async () => {
    repeated(3)
    const bytes = readFileSync(file)
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const metadata = parquetMetadata(buffer)
    const schema = parquetSchema(metadata)
    const chunk = metadata.row_groups[0]?.columns[0]?.meta_data as ColumnMetaData
    const path = [schema, ...schema.children]
    const take = (rows: number) =>
      columnReader(
        asyncBufferFrom(buffer),
        chunk,
        rows,
        path,
        (v) => Buffer.from(v as Uint8Array).toString(),
        () => {},
      )(1)
    expect(await take(3)).toEqual(['the same'])
    await expect(take(2)).rejects.toThrow('there are more values than rows')
  })
})

const asyncBufferFrom = (buffer: ArrayBuffer) => ({
  byteLength: buffer.byteLength,
  slice: async (start: number, end?: number) => buffer.slice(start, end),
})
