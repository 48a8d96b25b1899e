/** Random records with a field of every kind: hostile texts, numbers of up to 38 digits, documents with and without lines. */
import fc from 'fast-check'
import { sql } from '../../src/db/sql.js'
import type { Records } from '../../src/kernel/answer/answer.js'
import * as fields from '../../src/kernel/report/fields.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { joinRuns } from '../../src/store/records.js'
import { unicodeText } from './unicode-text.js'

const { Decimal, Integer, IsoDate, Lines, Nested, NumberAmount, OrMarker, OrNull, Quantity, Text, Word } = fields
const none = ''
const line = { sku: Text(none), qty: Quantity(4, 'unit', none), unit: OrNull(Text(none)), note: OrNull(Text(none)) }

export const anyReport = defineReport({
  ...{ id: 'sales.anything', method: 'POST', path: '/v1/anything', summary: none, description: none, request: {} },
  record: {
    key: Integer(none),
    text: Text(none),
    word: Word(['yes', 'no'], none),
    amount: Decimal(2, none),
    price: fields.Price(2, none),
    state: Word(['Open', 'Cancelled'], none),
    unit: Text(none),
    quantity: OrNull(Quantity(4, 'unit', none)),
    whole: fields.WholeText(none),
    total: NumberAmount(none),
    day: IsoDate(none),
    returned: OrMarker(IsoDate(none), 'N/A'),
    at: fields.ClockTime24(none),
    at12: OrNull(fields.ClockTime12(none)),
    time: fields.TimeOfDay(none),
    flag: fields.TextFlag(none),
    names: fields.TextList(none),
    place: Nested(none, { city: OrNull(Text(none)), code: Text(none) }),
    items: Lines(none, { fields: line, query: sql`select`, orderBy: ['sku'] }),
  },
  orderBy: ['key'],
  cancelled: { field: 'state', is: 'Cancelled' },
  query: () => sql`select`,
}) as unknown as Report

/** Any text that PostgreSQL and JSON can hold: no NUL, no lone surrogate. */
export const anyText = fc.oneof(
  unicodeText({ maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        ',',
        '\n',
        '\r',
        '\r\n',
        '=',
        '+',
        '-',
        '@',
        '\t',
        "'",
        '\\',
        '<',
        '&',
        ']]>',
        '_x0041_',
        '😀',
        '\u0001',
        '\u2028',
        ' ',
        '"qty":1',
        'NULL',
        '12345678901234567890',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
)

/** A decimal with this number of fraction digits and at most 38 digits in all. */
const decimal = (digits: number, all = 38) =>
  fc
    .tuple(
      fc.boolean(),
      fc.oneof(fc.bigInt({ min: 0n, max: 10n ** BigInt(all) - 1n }), fc.bigInt({ min: 0n, max: 10n ** 7n })),
    )
    .map(([negative, number]) => {
      const text = String(number).padStart(digits + 1, '0')
      const shown = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
      return negative && /[1-9]/.test(shown) ? `-${shown}` : shown
    })

/** Units that a condition of a spreadsheet could take for each other, or for something else. */
const unit = fc.constantFrom('KG', 'KG', 'PCS', 'kg', 'K*', 'K?', '', '<>KG', '=KG', '1', 'TRUE', '"', "it's")

const two = (n: number) => String(n).padStart(2, '0')
const day = fc
  .date({ min: new Date('1900-03-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const clock = fc.tuple(
  fc.integer({ min: 0, max: 23 }),
  fc.integer({ min: 0, max: 59 }),
  fc.integer({ min: 0, max: 59 }),
)
const time = clock.map(([h, m, s]) => `${two(h)}:${two(m)}:${two(s)}`)
const time12 = clock.map(([h, m, s]) => `${two(h % 12 || 12)}:${two(m)}:${two(s)}${h < 12 ? 'AM' : 'PM'}`)

export const anyRecords = fc
  .array(
    fc.record({
      text: anyText,
      word: fc.constantFrom('yes', 'no'),
      amount: decimal(2),
      price: fc.oneof(decimal(2, 34), decimal(6)).map((text) => text.replace(/(\.\d\d\d*?)0+$/, '$1')),
      state: fc.constantFrom('Open', 'Open', 'Cancelled'),
      unit,
      quantity: fc.option(decimal(4)),
      whole: decimal(0),
      total: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((n) => n / 100),
      day,
      returned: fc.oneof(day, fc.constant('N/A')),
      at: fc.tuple(day, time).map((parts) => parts.join(' ')),
      at12: fc.option(fc.tuple(day, time12).map((parts) => parts.join(' '))),
      time,
      flag: fc.constantFrom('true', 'false'),
      names: fc.array(anyText, { maxLength: 3 }),
      place: fc.record({ city: fc.option(anyText), code: anyText }),
      items: fc.array(fc.record({ sku: anyText, qty: decimal(4), unit: fc.option(unit), note: fc.option(anyText) }), {
        maxLength: 3,
      }),
    }),
    { maxLength: 12 },
  )
  .map((records) => records.map((record, key) => ({ key, ...record })))

export type AnyRecord = Record<string, unknown>

/** Records in memory. */
export async function recordsOf(records: readonly AnyRecord[]): Promise<Records & { readonly own: readonly Buffer[] }> {
  const own = records.map((record) => Buffer.from(JSON.stringify(record)))
  const pieces: Buffer[] = []
  for await (const { bytes } of joinRuns([own])) pieces.push(bytes)
  const all = Buffer.concat(pieces)
  return {
    ...{ own, total: own.length, count: own.length, size: all.length, isLarge: false },
    async *joined() {
      yield all
    },
    async *texts() {
      yield own
    },
    file: () => Promise.reject(new Error('no file')),
    recall: () => undefined,
    keep: (_name, value) => value,
  }
}

export const aboutAny = {
  ...{ report: anyReport, values: {}, page: undefined, options: {}, version: '1' },
}

export async function encoded(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
