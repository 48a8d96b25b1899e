/** `as_known`: which version a caller means, what is refused, and for how long the past is kept. */
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { newTicket } from '../../src/access/sessions.js'
import { updateUser } from '../../src/access/users.js'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { closePeriod } from '../../src/closed/close.js'
import type { Group } from '../../src/groups.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { undoLoad } from '../../src/import/undo/undo.js'
import { History } from '../../src/kernel/answer/history.js'
import { forgetHistory, readHistory } from '../../src/store/history.js'
import { Browser } from '../setup/browser.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good, MV } from '../setup/good-files.js'
import { type Service, startService } from '../setup/service.js'
import { sameOnBoth } from '../setup/tier.js'

const STOCK = '/v1/inventory/fg-stock-status'
const MARCH = { type: 'FG', tax: 0, from_date: '2024-03-01', to_date: '2024-03-31' }
const ITEMS = '/v1/masters/items'

let service: Service
beforeEach(async () => {
  service = await startService({}, await databaseForThisTest())
})

afterEach(() => service.app.close())

const loadFiles = async (files: Record<string, string>) => {
  const { errors } = await load(service.database, findFiles(folderOf(files)))
  expect(errors.first).toEqual([])
}
/** Version 1 has the good files; 2 another name of the item and 5 more of it; 3 one movement less. */
async function threeVersions(): Promise<void> {
  await loadFiles(good)
  await loadFiles({
    'items.csv': 'sku,name,type,material_kind,unit,mrp\nFG1,Ghee in jars,FG,,JAR,10.50\n',
    [MV]: `${(good[MV] as string).split('\n')[0]}\nM6,2024-03-10,other_receipt,FG1,Plant,B1,5,5,5,,,,,,,\n`,
  })
  const fewer = (good[MV] as string).replace(/M5.*\n/, '')
  await load(service.database, findFiles(folderOf({ [MV]: fewer })), { replace: ['stock_movements'] })
}
const ask = (query: Record<string, string | number> = {}, path = STOCK, body: unknown = MARCH) =>
  service.call({ path, body, query })
const stock = async (asKnown?: string | number) => {
  const answer = await ask(asKnown === undefined ? {} : { as_known: asKnown })
  const [row = {}] = answer.statusCode === 200 ? answer.json().data : []
  return [answer.statusCode, answer.headers['x-data-version'], row.product_name, row.Closing_qty]
}
/** Moves the times of the versions, as if they had been loaded on these moments. */
const loadedAt = async (...moments: string[]) => {
  for (const [i, moment] of moments.entries())
    await service.db`update known_version set committed_at = ${moment}::timestamptz where version = ${i + 1}`
}

it('a version, a day in the zone of the account, and a moment', async () => {
  await threeVersions()
  const [one, two, three] = [
    [200, '1', 'Ghee', '8.0000'],
    [200, '2', 'Ghee in jars', '13.0000'],
    [200, '3', 'Ghee in jars', '7.0000'],
  ]
  expect([await stock(1), await stock(2), await stock(3), await stock()]).toEqual([one, two, three, three])
  // The day ends at 18:30 UTC in India.
  await loadedAt('2026-01-05T12:00:00Z', '2026-01-05T19:00:00Z', '2026-01-09T00:00:00Z')
  for (const [asked, expected] of [
    ['2026-01-05', one],
    ['2026-01-06', two],
    ['2026-01-08', two],
    ['2026-01-09', three],
    ['2026-01-05T17:29:59+05:30', 410],
    ['2026-01-05T17:30:00+05:30', one],
    ['2026-01-05T19:00:00Z', two],
    ['2026-01-04', 410],
  ] as const)
    expect([asked, await stock(asked)]).toEqual([
      asked,
      typeof expected === 'number' ? [expected, undefined, undefined, undefined] : expected,
    ])
})

sameOnBoth('a day ends when its last hour does, also when clocks change', async () => {
  await loadFiles({ ...good, 'account.csv': (good['account.csv'] as string).replace('Asia/Kolkata', 'Europe/Berlin') })
  await loadFiles({ 'items.csv': 'sku,name,type,material_kind,unit,mrp\nFG1,Ghee in jars,FG,,JAR,10.50\n' })
  expect([...(await service.db`select time_zone from account`)]).toEqual([{ time_zone: 'Europe/Berlin' }])
  // 25 October 2026 has 25 hours in Berlin, 29 March has 23.
  for (const [day, last, next] of [
    ['2026-10-25', '2026-10-25T22:59:59Z', '2026-10-25T23:00:00Z'],
    ['2026-03-29', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'],
  ] as const) {
    await loadedAt('2026-01-01T12:00:00Z', last)
    expect([day, (await stock(day))[1]]).toEqual([day, '2'])
    await loadedAt('2026-01-01T12:00:00Z', next)
    expect([day, (await stock(day))[1]]).toEqual([day, '1'])
  }
  // The same hour of the clock, before and after it was turned back.
  await loadedAt('2026-01-01T12:00:00Z', '2026-10-25T01:10:00Z')
  expect((await stock('2026-10-25T02:30:00+02:00'))[1]).toBe('1')
  expect((await stock('2026-10-25T02:30:00+01:00'))[1]).toBe('2')
})

it('a process that has not noticed the last load answers as that load knew it, if it is asked for it', async () => {
  const late = await startService({ leaseMs: 3_600_000 }, service.database)
  onTestFinished(() => late.app.close())
  const nameOf = async (query: Record<string, number>) => {
    const { token } = service.caller
    const answer = await late.call({ path: STOCK, body: MARCH, query, token })
    return [answer.headers['x-data-version'], answer.json().data[0]?.product_name]
  }
  await loadFiles(good)
  expect(await nameOf({})).toEqual(['1', 'Ghee'])
  await loadFiles({ 'items.csv': 'sku,name,type,material_kind,unit,mrp\nFG1,Ghee in jars,FG,,JAR,10.50\n' })
  expect(await nameOf({ as_known: 2 })).toEqual(['2', 'Ghee in jars'])
  expect(await nameOf({ as_known: 1 })).toEqual(['1', 'Ghee'])
})

sameOnBoth('today is the present; a report that depends on today is of the day of the version', async () => {
  await loadFiles({
    ...good,
    'purchase_orders.csv': (good['purchase_orders.csv'] as string).replace(
      '2024-02-29,2024-03-05',
      '2024-02-29,2026-01-20',
    ),
  })
  await loadFiles({ 'vendors.csv': 'code,name\nV1,Other vendor\n' })
  await loadedAt('2026-01-05T12:00:00Z', '2026-01-09T00:00:00Z')
  const days = async (asKnown: string | number) => {
    const answer = await ask({ as_known: asKnown }, '/v1/partner/pending-deliveries', {
      from_date: '2024-01-01',
      to_date: '2026-12-31',
    })
    return answer.json().data.map((row: Record<string, string>) => [row['seller_name'], row['days_no']])
  }
  expect(await days(1)).toEqual([['Vendor', '15']])
  expect(await days('2026-01-07')).toEqual([['Vendor', '13']])
  expect(await days(2)).toEqual([['Other vendor', '11']])
  expect(await days('2026-01-18')).toEqual([['Other vendor', '2']])
  const [{ today } = { today: '' }] = await service.db<{ today: string }[]>`select day::text as today from today`
  const present = await ask({}, '/v1/partner/pending-deliveries', { from_date: '2024-01-01', to_date: '2026-12-31' })
  const known = await ask({ as_known: today }, '/v1/partner/pending-deliveries', {
    from_date: '2024-01-01',
    to_date: '2026-12-31',
  })
  expect(known.json().data).toEqual(present.json().data)
})

sameOnBoth('pages, formats, views and conditional requests work as for the present', async () => {
  await threeVersions()
  const page = await ask({ as_known: 1, page: 1, 'per-page': 2 }, ITEMS, {})
  const { next } = page.json()._links
  expect(new URL(next.href).searchParams.get('as_known')).toBe('1')
  const url = new URL(next.href)
  const second = await ask(Object.fromEntries(url.searchParams), ITEMS, {})
  expect([...page.json().data, ...second.json().data].map((row) => row.name)).toEqual(['Box', 'Ghee', 'Milk'])
  expect((await ask({ as_known: 2, snapshot: url.searchParams.get('snapshot') ?? '' }, ITEMS, {})).statusCode).toBe(410)
  const csv = await ask({ as_known: 1, format: 'csv' })
  expect(csv.body).toContain('Ghee,')
  expect(csv.headers['content-disposition']).toContain('_v1.csv')
  const again = await service.call({
    path: STOCK,
    body: MARCH,
    query: { as_known: 1, format: 'csv' },
    headers: { 'if-none-match': csv.headers['etag'] as string },
  })
  expect(again.statusCode).toBe(304)
  expect((await ask({ as_known: 1, totals: 'yes' })).json().data[0].Closing_qty).toBe('8.0000')
  expect((await ask({ as_known: 2, filter: 'product_name~jars', fields: 'Closing_qty' })).json().data).toEqual([
    { Closing_qty: '13.0000' },
  ])
})

sameOnBoth('refuses what it cannot answer, and says what to send', async () => {
  const empty = await ask({ as_known: 1 })
  expect([empty.statusCode, empty.json().errors]).toEqual([
    422,
    [{ field: 'as_known', message: 'must be a version that was loaded; the present one is 0, and 1 is to come' }],
  ])
  expect((await ask({ as_known: 0 })).json().detail).toBe(
    'Nothing has been loaded yet, so there is no earlier version.',
  )
  await threeVersions()
  const problem = async (query: Record<string, string | number>) => {
    const answer = await ask(query)
    return [answer.statusCode, answer.json().errors?.[0].message ?? answer.json().detail]
  }
  const expects =
    'must be a version such as 12, a day such as 2026-10-31, or a moment with its offset such as 2026-10-31T18:00:00+05:30'
  for (const wrong of ['x', '2026-02-30', '2026-01-01T10:00', '-1', '1.5'])
    expect(await problem({ as_known: wrong })).toEqual([422, `${expects}, not "${wrong}"`])
  expect(await problem({ as_known: '9999-01-01' })).toEqual([
    422,
    expect.stringMatching(/^must not be in the future, as 9999-01-01 is; today is \d{4}-\d\d-\d\d$/),
  ])
  expect((await problem({ as_known: '9999-01-01T00:00:00Z' }))[0]).toBe(422)
  expect(await problem({ as_known: 4 })).toEqual([
    422,
    'must be a version that was loaded; the present one is 3, and 4 is to come',
  ])
  expect(await problem({ as_known: 0 })).toEqual([
    410,
    'What was known then is not kept; the oldest version that is kept is 1. Ask for that version, for a later one, or for one with which a period is closed.',
  ])
  expect(await problem({ as_known: 1, since: 'start' })).toEqual([
    422,
    'must be left out with as_known: the past does not change',
  ])
})

sameOnBoth('a cluster has no past, and says so', async () => {
  const { quick, engine } = service.database
  const history = new History({ quick, engine: { ...engine, keepsHistory: false } })
  await expect(history.find({ version: 1 }, 'against', {})).rejects.toMatchObject({
    errors: [{ field: 'against', message: 'must be left out: a cluster keeps no history (docs/scaling.md)' }],
  })
})

sameOnBoth('a saved view has its past too', async () => {
  await threeVersions()
  const view = {
    name: 'Closing',
    report: 'inventory.fg-stock-status',
    values: MARCH,
    fields: 'product_name,Closing_qty',
  }
  const made = await service.call({ method: 'POST', path: '/v1/views', body: view })
  expect([made.statusCode, made.body]).toEqual([201, expect.anything()])
  const data = (query: Record<string, string | number>) =>
    service.call({ method: 'GET', path: `/v1/views/${made.json().id}/data`, query })
  expect((await data({ as_known: 1 })).json().data).toEqual([{ product_name: 'Ghee', Closing_qty: '8.0000' }])
  expect((await data({ as_known: 2, against: 1 })).json().data[0].fields).toEqual({
    product_name: { before: 'Ghee', after: 'Ghee in jars' },
    Closing_qty: { before: '8.0000', after: '13.0000' },
  })
})

sameOnBoth('the rights of a caller hold for the past', async () => {
  await loadFiles({ ...good, 'vendors.csv': 'code,name,phone\nV1,Vendor,+91 1\n' })
  await loadFiles({ 'vendors.csv': 'code,name,phone\nV1,Vendor,+91 2\n' })
  const all = await ask({ as_known: 1 }, '/v1/purchase/vendors', {})
  expect(all.json().data[0].phone).toBe('+91 1')
  const { token } = await service.newCaller({ hideContacts: true })
  const hidden = await service.call({ path: '/v1/purchase/vendors', body: {}, query: { as_known: 1 }, token })
  expect(hidden.json().data[0].phone).toBe('')
})

sameOnBoth('the console lists the loads that are kept; who loaded what is for readers of all groups', async () => {
  await threeVersions()
  await service.db`update history set oldest = 2`
  const loads = async (groups: Group[] | null, query = '') => {
    const own = new Browser(service.app)
    const { username } = await service.newCaller()
    const ticket = await service.db.begin(async (tx) => {
      await updateUser(tx, username, { groups })
      return await newTicket(tx, username)
    })
    expect((await own.post('/session/open', { json: { ticket } })).statusCode).toBe(204)
    const answer = await own.send(`/session/loads${query}`)
    return [answer.statusCode, answer.json()]
  }
  const load = (version: number, actor: unknown, source: unknown, periods: string[] = []) => {
    return { version, loaded_at: expect.stringMatching(/^\d{4}-.*Z$/), actor, source, periods }
  }
  const [third, second] = [load(3, expect.any(String), [MV]), load(2, expect.any(String), ['items.csv', MV])]
  expect(await loads(null)).toEqual([200, { loads: [third, second], more: false }])
  expect(await loads(null, '?limit=1')).toEqual([200, { loads: [third], more: true }])
  expect(await loads(null, '?before=3')).toEqual([200, { loads: [second], more: false }])
  expect(await loads(['sales'])).toEqual([200, { loads: [load(3, null, null), load(2, null, null)], more: false }])
  // The version of a closed period is kept, however old it is.
  const closing = { period: '2024-03', reason: 'Reported', asKnown: 2 }
  await closePeriod(service.database, (work) => service.db.begin(work), closing, { actor: 'asha' })
  await service.db`update history set oldest = 3`
  const closed = load(2, expect.any(String), ['items.csv', MV], ['2024-03'])
  expect(await loads(null)).toEqual([200, { loads: [third, closed], more: false }])
  expect(await loads(['sales'])).toEqual([200, { loads: [load(3, null, null), load(2, null, null)], more: false }])
  expect(await loads(null, '?before=x&limit=-1')).toEqual([
    422,
    expect.objectContaining({
      errors: ['before', 'limit'].map((field) => ({ field, message: 'must be a whole number' })),
    }),
  ])
  expect((await new Browser(service.app).send('/session/loads')).statusCode).toBe(401)
})

it('the past is forgotten after its time, in steps, and the present stays', async () => {
  await threeVersions()
  const rows = async () => Number((await service.db`select count(*) as n from past_stock_movement`)[0]?.['n'])
  expect(await rows()).toBe(2)
  const now = await stock()
  const before = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  await loadedAt(before(30), before(20), before(10))
  expect(await forgetHistory(service.db, 25)).toBe(1) // the account before the first load
  expect((await stock(1))[0]).toBe(200) // it was the present one 25 days ago
  expect(await forgetHistory(service.db, 15)).toBe(1) // the name of the item
  expect([await stock(1), await stock(2)]).toEqual([
    [410, undefined, undefined, undefined],
    [200, '2', 'Ghee in jars', '13.0000'],
  ])
  expect(await readHistory(service.db)).toMatchObject({ oldest: 2 })
  expect(await forgetHistory(service.db, 5)).toBe(2)
  expect([await rows(), await stock()]).toEqual([0, now])
  expect((await stock(2))[0]).toBe(410)
})

sameOnBoth('a restored backup answers as known like the first database', async () => {
  await threeVersions()
  const expected = [await stock(1), await stock(2), await stock(3)]
  const other = await databaseForThisTest('empty')
  await restore(other, writeBackup(service.database))
  await service.app.close()
  service = await startService({}, other)
  expect([await stock(1), await stock(2), await stock(3)]).toEqual(expected)
  await undoLoad(other, 3)
  expect((await stock()).slice(1)).toEqual(['4', ...(expected[1] as unknown[]).slice(2)])
  expect(await stock(3)).toEqual(expected[2])
})

sameOnBoth('a change by hand counts for the next version, and verify finds a past that does not fit', async () => {
  await loadFiles(good)
  await service.db`update item set name = 'By hand' where sku = 'FG1'`
  await loadFiles({ 'customers.csv': 'code,name\nC1,Other\n' })
  expect([(await stock(1))[2], (await stock(2))[2]]).toEqual(['Ghee', 'By hand'])
  const broken = async () =>
    (await verify(service.database, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')
  expect(await broken()).toEqual([])
  await service.db`update past_item set known_until = 3`
  expect(await broken()).toEqual([
    expect.objectContaining({
      check: 'what was known of a row does not fit what is known of it now',
      count: 1,
      examples: ['items: FG1, known from 1'],
    }),
  ])
})
