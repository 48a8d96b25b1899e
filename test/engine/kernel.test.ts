/** The report kernel: field formats, nested records, variants, and the check at startup. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { raw, type Sql, sql } from '../../src/db/sql.js'
import { checkReport, runPage, runWhole } from '../../src/kernel/answer/statement.js'
import {
  ClockTime12,
  Contact,
  Decimal,
  type Fields,
  Integer,
  IsoDate,
  Lines,
  Nested,
  OrMarker,
  OrNull,
  Text,
  TextFlag,
  TextList,
} from '../../src/kernel/report/fields.js'
import { OneOf } from '../../src/kernel/report/params.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { openapi } from '../../src/surfaces/docs/openapi.js'
import * as surfaces from '../../src/surfaces/list.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { stringsOf } from '../setup/texts.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

const report = (record: Fields, query: Sql, orderBy = ['id']) =>
  defineReport({
    ...{ id: 'masters.test', method: 'POST', path: '/v1/test', summary: '', description: '', request: {} },
    ...{ record, orderBy, query: () => query },
  }) as unknown as Report

const versionOf = async (db: TestDatabase['db']): Promise<string> =>
  String((await db<{ id: string }[]>`select id from data_version`)[0]?.id)

const texts = (of: Report, values = {}, hideContacts = false): Promise<string[]> =>
  stringsOf(runWhole(database.db, of, values, { ...WHOLE, hideContacts }))

it('each field has exactly its wire format, in the order of the record', async () => {
  const fields = {
    text: Text(''),
    whole: Integer(''),
    up: Decimal(2, ''),
    down: Decimal(2, ''),
    padded: Decimal(4, ''),
    huge: Decimal(4, ''),
    day: IsoDate(''),
    noon: ClockTime12(''),
    midnight: ClockTime12(''),
    flag: TextFlag(''),
    list: TextList(''),
    none: OrNull(Decimal(4, '')),
    marked: OrMarker(IsoDate(''), 'NA'),
    unmarked: OrMarker(IsoDate(''), 'NA'),
    phone: Contact(''),
  }
  const one = report(
    fields,
    sql`select 1 as id, ${'a "b"\n\\ é 🥜'}::text as text, 7 as whole, 1.005 as up, -1.005 as down, 3 as padded,
      12345678901234567890123456.7891 as huge, date '2024-02-29' as day, timestamp '2024-02-29 12:00:00' as noon,
      timestamp '2024-02-29 00:05:09' as midnight, true as flag, array['x', 'y"z'] as list, null::numeric as none,
      null::date as marked, date '2024-01-01' as unmarked, '+91' as phone`,
  )
  const expected = (phone: string) =>
    `{"text":"a \\"b\\"\\n\\\\ é 🥜","whole":7,"up":"1.01","down":"-1.01","padded":"3.0000",` +
    `"huge":"12345678901234567890123456.7891","day":"2024-02-29","noon":"2024-02-29 12:00:00PM",` +
    `"midnight":"2024-02-29 12:05:09AM","flag":"true","list":["x","y\\"z"],"none":null,"marked":"NA",` +
    `"unmarked":"2024-01-01","phone":"${phone}"}`
  expect(await texts(one)).toEqual([expected('+91')])
  expect(await texts(one, {}, true)).toEqual([expected('')])
})

it('records nest objects and lines to any depth; lines have their own order', async () => {
  const nested = report(
    {
      no: Integer(''),
      who: Nested('', { name: Text(''), at: Nested('', { city: Text('') }) }),
      lines: Lines('', {
        fields: {
          line: Integer(''),
          parts: Lines('', {
            fields: { part: Text('') },
            query: sql`select parent.line || '/' || p as part, p from generate_series(1, parent.line) p`,
            orderBy: ['p desc'],
          }),
        },
        query: sql`select l as line from generate_series(1, parent.no) l`,
        orderBy: ['line desc'],
      }),
    },
    sql`select n as id, n as no, 'N' || n as who_name, 'C' || n as who_at_city from generate_series(0, 2) n`,
  )
  const records = (await texts(nested)).map((text) => JSON.parse(text))
  expect(records).toEqual([
    { no: 0, who: { name: 'N0', at: { city: 'C0' } }, lines: [] },
    { no: 1, who: { name: 'N1', at: { city: 'C1' } }, lines: [{ line: 1, parts: [{ part: '1/1' }] }] },
    {
      ...{ no: 2, who: { name: 'N2', at: { city: 'C2' } } },
      lines: [
        { line: 2, parts: [{ part: '2/2' }, { part: '2/1' }] },
        { line: 1, parts: [{ part: '1/1' }] },
      ],
    },
  ])
})

const variants = defineReport({
  ...{ id: 'masters.variants', method: 'POST', path: '/v1/variants', summary: 'Two shapes', description: '' },
  request: { version: OneOf(['DETAILED', 'SUMMARY'], '') },
  variants: {
    by: 'version',
    shapes: {
      DETAILED: {
        record: { n: Integer(''), half: Decimal(4, '') },
        orderBy: ['n'],
        query: () => sql`select n, n / 2.0 as half from generate_series(1, 3) n`,
      },
      SUMMARY: {
        record: { total: Decimal(2, '') },
        orderBy: ['total'],
        query: () => sql`select sum(n)::numeric as total from generate_series(1, 3) n`,
      },
    },
  },
}) as unknown as Report

it('a parameter selects the shape of the record', async () => {
  expect(await texts(variants, { version: 'DETAILED' })).toHaveLength(3)
  expect(await texts(variants, { version: 'SUMMARY' })).toEqual(['{"total":"6.00"}'])
  const detailed = [database.db, variants, { version: 'DETAILED' }, WHOLE] as const
  const page = await runPage(...detailed, { skip: 2 }, 2, await versionOf(database.db))
  expect(await stringsOf([page])).toEqual(['{"n":3,"half":"1.5000"}'])
  await checkReport(database.db, variants)
})

it('a record may have any number of fields, and a missing value of a required field is null', async () => {
  const names = Array.from({ length: 130 }, (_, i) => `field_${i}`)
  const wide = report(
    Object.fromEntries(names.map((name) => [name, Text('')])),
    sql`select 1 as id, ${raw(names.map((name, i) => `${i === 60 ? 'null' : `'${i}'`} as ${name}`).join(', '))}`,
  )
  const expected = Object.fromEntries(names.map((name, i) => [name, i === 60 ? null : String(i)]))
  expect(await texts(wide)).toEqual([JSON.stringify(expected)])
})

it('a page of any size begins at its first record, and is empty if the data has another version', async () => {
  const numbers = report({ id: Integer('') }, sql`select n as id from generate_series(1, 3000) n`)
  const version = await versionOf(database.db)
  const page = async (skip: number, size: number, id: string) =>
    (await stringsOf([await runPage(database.db, numbers, {}, WHOLE, { skip }, size, id)])).length
  for (const size of [1, 20, 21, 200, 201, 2000]) {
    expect(await page(0, size, version)).toBe(size)
    expect(await page(2990, size, version)).toBe(Math.min(size, 10))
  }
  expect(await page(0, 20, 'another')).toBe(0)
})

it('the OpenAPI document has every shape', () => {
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
  const document = openapi(Object.values(surfaces), [variants], 'http://localhost') as any
  const { schema } = document.paths['/v1/variants'].post.responses[200].content['application/json']
  expect(schema).toEqual({ $ref: '#/components/schemas/MastersVariantsAnswer' })
  const { MastersVariantsAnswer, MastersVariantsDetailedRecord, MastersVariantsSummaryRecord } =
    document.components.schemas
  expect(MastersVariantsAnswer.anyOf).toHaveLength(2 * 4 + 2) // a form for each kind of question of each variant, one for differences, and one for groups and comparisons
  expect(Object.keys(MastersVariantsDetailedRecord.properties)).toEqual(['n', 'half'])
  expect(Object.keys(MastersVariantsSummaryRecord.properties)).toEqual(['total'])
})

it('checkReport rejects a report whose query cannot run', async () => {
  const ids = sql`select 1 as id`
  await expect(checkReport(database.db, report({ missing: Text('') }, ids))).rejects.toThrow(
    /masters.test cannot run.*missing/,
  )
  await expect(checkReport(database.db, report({ id: Integer('') }, ids, ['other']))).rejects.toThrow(/other/)
  await expect(
    checkReport(database.db, report({ id: Integer('') }, raw('select 1 as id from nowhere'))),
  ).rejects.toThrow(/nowhere/)
  expect(() => report({ id: Integer('') }, ids, ['id; drop'])).toThrow(/order by/)
})

it('a long report is read in pieces, without losing a record', async () => {
  const long = report({ id: Integer('') }, sql`select id from generate_series(1, 12345) id`)
  const all = await texts(long)
  expect(all).toHaveLength(12345)
  expect(all.at(-1)).toBe('{"id":12345}')
})
