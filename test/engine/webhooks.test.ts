/** Webhooks: what is told, to whom, how it is signed, and what happens when a receiver does not take it. */
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { closePeriod } from '../../src/closed/close.js'
import type { Report } from '../../src/kernel/report/report.js'
import { isPublicAddress, lookUpOnce } from '../../src/network.js'
import { type Clock, startClock } from '../../src/notify/clock.js'
import { RETRIES } from '../../src/notify/outbox.js'
import { type Reach, reachOf } from '../../src/notify/post.js'
import {
  createWebhook,
  enableWebhook,
  findWebhook,
  listDeliveries,
  type NewWebhook,
  replay,
  rotateSecret,
} from '../../src/notify/webhooks.js'
import { reports } from '../../src/reports/index.js'
import { commitVersion } from '../../src/store/commit.js'
import { makePair } from '../setup/certificate.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { eventually } from '../setup/patience.js'
import { answering, newReceiver, type Received } from '../setup/receiver.js'

let database: TestDatabase
const clocks: Clock[] = []
const lines: { about: object; line: string }[] = []
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  onTestFinished(async () => {
    await Promise.all(clocks.splice(0).map((clock) => clock.end()))
    lines.length = 0
    await database.db`delete from webhook`
    await database.db`delete from event`
  })
})

const LOCAL = reachOf(['127.0.0.0/8', '::1'])
/** Finding the tables of every report takes a while. */
const some = reports.filter(({ id }) =>
  ['purchase.vendors', 'masters.material', 'inventory.fg-stock-status'].includes(id),
)
function run(reach: Reach = LOCAL, told: readonly Report[] = some): Clock {
  const note = (about: object, line: string) => void lines.push({ about, line })
  const clock = startClock({ database, reports: told, reach, log: { info: note, warn: note } })
  clocks.push(clock)
  return clock
}

/** Makes a version; returns its number. */
const load = (changed: string[] | null = ['vendor']): Promise<number> =>
  database.db.begin((tx) => commitVersion(tx, database.engine, changed))
const create = (name: string, url: string, events?: NewWebhook['events']) =>
  database.db.begin((tx) => createWebhook(tx, { name, url, events }))
const deliveries = (name: string) => listDeliveries(database.db, name, 100)
const versions = (received: readonly Received[]) => received.map(({ message }) => message.data['version'])
const reading = (received: Received | undefined) => received?.message.data['reports'] as string[]
const verified = (secret: string, { body, headers }: Received) => new Verifier(secret).verify(body, headers)

describe('data.version', () => {
  it('comes once per version, with the reports that read a changed table, also for loads while no service ran', async () => {
    const receiver = await newReceiver()
    await load()
    const { secret } = await create('all', receiver.url)
    const [one, two, three] = [await load(['vendor']), await load(['stock_movement']), await load(null)]
    expect(receiver.received).toEqual([])
    run(LOCAL, reports)
    await eventually(() => expect(versions(receiver.received)).toEqual([one, two, three]))
    const [vendors, stock, all] = receiver.received
    expect(reading(vendors)).toContain('purchase.vendors')
    expect(reading(vendors)).not.toContain('masters.material')
    expect(reading(stock)).toContain('inventory.fg-stock-status')
    expect(reading(stock)).not.toContain('purchase.vendors')
    expect(reading(all)).toEqual(reports.map(({ id }) => id))
    for (const each of receiver.received) {
      expect(verified(secret, each)).toEqual(each.message)
      expect(each.body.length).toBeLessThan(20_000)
      expect(each.message).toEqual({ type: 'data.version', timestamp: expect.any(String), data: each.message.data })
      expect(new Date(each.message.timestamp).toISOString()).toBe(each.message.timestamp)
      expect(each.headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-id': expect.stringMatching(/^msg_/),
      })
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3)
    const four = await load()
    await eventually(() => expect(versions(receiver.received)).toEqual([one, two, three, four]))
    await eventually(async () =>
      expect((await deliveries('all')).map(({ state, attempts }) => [state, attempts.length])).toEqual(
        Array.from({ length: 4 }, () => ['delivered', 1]),
      ),
    )
  })

  it('does not come for a load that was rolled back, for a closed period, nor to a webhook of other events', async () => {
    const [receiver, other] = [await newReceiver(), await newReceiver()]
    await load()
    await create('versions', receiver.url, ['data.version'])
    await create('other', other.url, ['webhook.disabled'])
    run()
    const rolledBack = database.db.begin(async (tx) => {
      await commitVersion(tx, database.engine, ['vendor'])
      throw new Error('refused')
    })
    await expect(rolledBack).rejects.toThrow('refused')
    if (database.engine.keepsHistory)
      await closePeriod(
        database,
        (work) => database.db.begin(work),
        { period: '2020-01', reason: 'x', asKnown: undefined },
        {},
      )
    const version = await load()
    await eventually(() => expect(versions(receiver.received)).toEqual([version]))
    expect(other.received).toEqual([])
  })

  it('a load that commits after a webhook was created is told, even if it began before', async () => {
    const receiver = await newReceiver()
    run()
    // On the embedded engine, a transaction holds the only session.
    if (database.engine.name === 'embedded') return
    const version = await database.db.begin(async (tx) => {
      const version = await commitVersion(tx, database.engine, ['vendor'])
      await create('late', receiver.url)
      return version
    })
    await eventually(() => expect(versions(receiver.received)).toEqual([version]))
  })
})

it('after a rotation both secrets sign, until the overlap is over', async () => {
  const receiver = await newReceiver()
  const old = await create('rotated', receiver.url)
  const { secret } = await database.db.begin((tx) => rotateSecret(tx, 'rotated'))
  run()
  await load()
  await eventually(() => expect(receiver.received).toHaveLength(1))
  const [first] = receiver.received as [Received]
  expect(first.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  for (const each of [old.secret, secret]) expect(verified(each, first)).toEqual(first.message)
  await database.db`update webhook set old_secret_until = now()`
  await load()
  await eventually(() => expect(receiver.received).toHaveLength(2))
  const second = receiver.received[1] as Received
  expect(verified(secret, second)).toEqual(second.message)
  expect(() => verified(old.secret, second)).toThrow('No matching signature')
  const third = await database.db.begin((tx) => rotateSecret(tx, 'rotated', 0))
  await load()
  await eventually(() => expect(receiver.received).toHaveLength(3))
  expect(() => verified(secret, receiver.received[2] as Received)).toThrow('No matching signature')
  expect(verified(third.secret, receiver.received[2] as Received)).toBeDefined()
})

describe('a receiver that does not take a message', () => {
  /** Makes the pending message due now, and waits for its next attempt; returns the seconds until the one after it. */
  const pauseAfter = async (name: string, attempt: number): Promise<number | undefined> => {
    await database.db`update delivery set next_at = now() where state = 'pending'`
    const [row] = await eventually(async () => {
      const found = await database.db<{ tries: number; state: string; seconds: number }[]>`
        select tries, state, extract(epoch from next_at - (attempts -> -1 ->> 'at')::timestamptz)::float8 as seconds
          from delivery d join webhook w on w.id = d.webhook where w.name = ${name}`
      expect(found[0]?.tries).toBe(attempt)
      return found
    })
    return row?.state === 'pending' ? Math.round(row.seconds) : undefined
  }

  it('gets it again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with the same id; then it has failed, until it is replayed', async () => {
    const receiver = await newReceiver()
    receiver.answer = answering(500)
    const { secret } = await create('failing', receiver.url)
    const version = await load()
    run()
    const pauses: (number | undefined)[] = []
    for (let attempt = 1; attempt <= 8; attempt++) {
      pauses.push(await pauseAfter('failing', attempt))
      await load([]) // wakes the clock
      await database.db`delete from event where data ->> 'version' <> ${String(version)}`
    }
    expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000, undefined])
    expect(RETRIES).toEqual(pauses.slice(0, 7))
    const mine = receiver.received.filter(({ message }) => message.data['version'] === version)
    expect(mine).toHaveLength(8)
    expect(new Set(mine.map(({ id, body }) => id + body)).size).toBe(1)
    for (const each of mine) expect(verified(secret, each)).toEqual(each.message)
    const [failed] = await deliveries('failing')
    expect(failed).toMatchObject({ state: 'failed', nextAttemptAt: null })
    expect(failed?.attempts[7]).toEqual({ at: expect.any(String), status: 500, error: 'it answered 500' })
    expect(await findWebhook(database.db, 'failing')).toMatchObject({ failed: 1, failingSince: expect.any(Date) })

    receiver.answer = answering(200)
    expect(await database.db.begin((tx) => replay(tx, 'failing', {}))).toBe(1)
    await eventually(async () => expect((await deliveries('failing'))[0]?.state).toBe('delivered'))
    expect(receiver.received.at(-1)?.id).toBe(failed?.id)
    expect(await findWebhook(database.db, 'failing')).toMatchObject({ failed: 0, failingSince: null })
    expect(await database.db.begin((tx) => replay(tx, 'failing', {})), 'nothing has failed').toBe(0)
    const { length } = receiver.received
    expect(await database.db.begin((tx) => replay(tx, 'failing', { message: failed?.id as string }))).toBe(1)
    await eventually(() => expect(receiver.received).toHaveLength(length + 1))
    await expect(database.db.begin((tx) => replay(tx, 'failing', { message: 'msg_none' }))).rejects.toThrow(
      'failing has no message msg_none',
    )
  })

  it.each([
    ['3600', 3600],
    ['1', 5],
    ['9999999', 86_400],
    ['in a day', 86_400],
    ['soon', 5],
  ])('Retry-After %s: the next attempt is after %s s', async (retryAfter, seconds) => {
    const receiver = await newReceiver()
    const date = new Date(Date.now() + 100_000_000).toUTCString()
    receiver.answer = answering(503, { 'retry-after': retryAfter === 'in a day' ? date : retryAfter })
    await create('busy', receiver.url)
    await load()
    run()
    expect(await pauseAfter('busy', 1)).toEqual(seconds)
  })

  it('that answers 410 is disabled: its messages fail, others are told, and it gets them after enable and replay', async () => {
    const [receiver, other] = [await newReceiver(), await newReceiver()]
    const { webhook } = await create('gone', receiver.url, ['data.version'])
    await create('watcher', other.url, ['webhook.disabled'])
    receiver.answer = answering(410)
    const since = new Date(Date.now() - 60_000)
    const [one, two] = [await load(), await load()]
    run()
    await eventually(() => expect(other.received).toHaveLength(1))
    const why = 'it answered 410: the receiver wants no more messages'
    expect(other.received[0]?.message).toMatchObject({
      ...{ type: 'webhook.disabled', data: { webhook: 'gone', why, failing_since: expect.any(String) } },
    })
    expect(await findWebhook(database.db, 'gone')).toMatchObject({
      disabledWhy: why,
      disabledAt: expect.any(Date),
      pending: 0,
    })
    expect(lines.map(({ line }) => line)).toContain('a webhook is disabled; millbook webhook enable enables it again')
    const [entry] = await database.db`select act, detail from audit_entry order by id desc limit 1`
    expect(entry).toMatchObject({ act: 'webhook.disable', detail: { webhook: 'gone', why } })
    const three = await load()
    await expect(database.db.begin((tx) => replay(tx, 'gone', {}))).rejects.toThrow('gone is disabled')
    const { length } = receiver.received
    expect(versions(receiver.received)).toEqual([one])
    receiver.answer = answering(200)
    expect(await database.db.begin((tx) => enableWebhook(tx, webhook.id))).toBe(true)
    await eventually(async () => {
      const [left] = await database.db`select from event where not dispatched`
      expect(left).toBeUndefined()
    })
    expect(await database.db.begin((tx) => replay(tx, 'gone', { since }))).toBe(3)
    await eventually(() => expect(versions(receiver.received.slice(length))).toEqual([one, two, three]))
    expect(reading(receiver.received.at(-1))).toContain('purchase.vendors')
  })

  it('is disabled after five days without a success, not before', async () => {
    const receiver = await newReceiver()
    receiver.answer = answering(500)
    await create('dead', receiver.url)
    const failingFor = (days: number) =>
      database.db`update webhook set failing_since = now() - make_interval(secs => ${days * 86_400})`
    await failingFor(4.9)
    await load()
    run()
    await pauseAfter('dead', 1)
    expect((await findWebhook(database.db, 'dead')).disabledAt).toBeNull()
    await failingFor(5)
    await load([])
    await database.db`update delivery set next_at = now() where state = 'pending'`
    await load([])
    await eventually(async () =>
      expect((await findWebhook(database.db, 'dead')).disabledWhy).toBe(
        'no message has arrived for 5 days; the last attempt: it answered 500',
      ),
    )
  })

  it.each([301, 302, 307, 308])('a redirect with %s is not followed', async (status) => {
    const [receiver, other] = [await newReceiver(), await newReceiver()]
    receiver.answer = answering(status, { location: other.url })
    await create('moved', receiver.url)
    await load()
    run()
    await pauseAfter('moved', 1)
    expect((await deliveries('moved'))[0]?.attempts[0]?.error).toBe(
      `it answered ${status}, a redirect, which is not followed`,
    )
    expect(other.received).toEqual([])
  })

  it('does not keep other webhooks waiting, and has a limited time', async () => {
    const [slow, quick] = [await newReceiver(), await newReceiver()]
    slow.answer = () => {}
    await create('slow', slow.url)
    await create('quick', quick.url)
    run({ ...LOCAL, limitMs: 1000 })
    const all = [await load(), await load(), await load()]
    await eventually(() => expect(versions(quick.received)).toEqual(all))
    await eventually(async () =>
      expect((await deliveries('slow')).at(-1)?.attempts[0]).toMatchObject({
        ...{ status: null, error: 'no response within 1 s' },
      }),
    )
  }, 60_000)

  it('that closes the connection, or is not there, fails in words', async () => {
    const receiver = await newReceiver()
    receiver.answer = (response) => void response.destroy()
    await create('closing', receiver.url)
    await create('absent', 'http://localhost:1/')
    await create('unknown', 'http://receiver.invalid/')
    await load()
    run()
    const errors = async () =>
      await Promise.all(
        ['closing', 'absent', 'unknown'].map(async (name) => (await deliveries(name))[0]?.attempts[0]?.error),
      )
    await eventually(async () =>
      expect(await errors()).toEqual([
        `localhost:${receiver.port} closed the connection without a response`,
        'localhost:1 refused the connection',
        'the host receiver.invalid is unknown',
      ]),
    )
  })
})

describe('addresses', () => {
  /** The error of the first attempt to each URL; null if the message arrived. */
  const errorsOf = async (urls: readonly string[], reach: Reach) => {
    for (const url of urls) await create(url, url)
    await load()
    run(reach)
    return await eventually(async () => {
      const found = await Promise.all(urls.map(async (url) => (await deliveries(url))[0]?.attempts[0]?.error))
      expect(found).not.toContain(undefined)
      return found
    })
  }

  it('private ones are refused unless they are named, after the name was resolved', async () => {
    const receiver = await newReceiver()
    const hosts = ['localhost', '127.0.0.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '0']
    const urls = hosts.map((host, i) => `http://${host}:${receiver.port}/${i}`)
    for (const error of await errorsOf(urls, reachOf(['10.0.0.0/8'])))
      expect(error).toMatch(/^\S+ has the private address \S+, which serve --private-webhooks does not name$/)
    expect(receiver.received).toEqual([])
  })

  it('public ones need https, and https is checked against the certificate', async () => {
    const [trusted, other] = [makePair('localhost'), makePair('localhost')]
    const [one, two] = [await newReceiver(trusted), await newReceiver(other)]
    expect(await errorsOf([one.url, two.url, 'http://192.88.98.1/'], { ...LOCAL, ca: trusted.cert })).toEqual([
      null,
      expect.stringMatching(/^the certificate of localhost:\d+ is not valid: /),
      '192.88.98.1 has a public address, which needs https',
    ])
    expect([one.received.length, two.received.length]).toEqual([1, 0])
  })

  it('a connection goes to the resolved addresses, whatever the name means by then', async () => {
    const { addresses, lookup } = await lookUpOnce('127.0.0.1')
    expect(addresses).toEqual(['127.0.0.1'])
    expect(addresses.some(isPublicAddress)).toBe(false)
    const all = await new Promise((resolve) => lookup('example.org', { all: true }, (_error, found) => resolve(found)))
    expect(all).toEqual([{ address: '127.0.0.1', family: 4 }])
    const one = await new Promise((resolve) => lookup('example.org', {}, (_error, found) => resolve(found)))
    expect(one).toBe('127.0.0.1')
  })
})

describe('several services on one database', () => {
  it('send each message once', async () => {
    const [one, other] = [await newReceiver(), await newReceiver()]
    await create('one', one.url)
    await create('other', other.url)
    run()
    run()
    run()
    const all: number[] = []
    for (let i = 0; i < 20; i++) all.push(await load())
    const sorted = (received: readonly Received[]) => versions(received).sort((a, b) => Number(a) - Number(b))
    await eventually(() => expect(sorted(one.received)).toEqual(all))
    await eventually(() => expect(sorted(other.received)).toEqual(all))
    await eventually(async () => expect(await findWebhook(database.db, 'one')).toMatchObject({ pending: 0, failed: 0 }))
  })

  it('a message that a killed service was sending is sent when its lease is over, not before', async () => {
    const receiver = await newReceiver()
    await create('one', receiver.url)
    await load()
    await database.db`insert into delivery (event, webhook, leased_until)
                      select e.id, w.id, now() + interval '1 hour' from event e, webhook w where not e.dispatched`
    await database.db`update event set dispatched = true`
    run()
    const next = await newReceiver()
    await create('two', next.url)
    const version = await load()
    await eventually(() => expect(versions(next.received)).toEqual([version]))
    expect(versions(receiver.received), 'the later message').toEqual([version])
    await database.db`update delivery set leased_until = now()`
    await load([])
    await eventually(() => expect(versions(receiver.received)).toContain(version - 1))
  })
})

it('a service that ends hands its messages to the next one, which sends them with the same id', async () => {
  const receiver = await newReceiver()
  receiver.answer = () => {}
  await create('one', receiver.url)
  const clock = run()
  await load()
  await eventually(() => expect(receiver.received).toHaveLength(1))
  await clock.end()
  expect((await deliveries('one'))[0]).toMatchObject({ state: 'pending', attempts: [] })
  receiver.answer = answering(200)
  run()
  await eventually(() => expect(receiver.received).toHaveLength(2))
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id)
})

it('names and URLs that make no sense are refused in words', async () => {
  await create('one', 'https://receiver.example/')
  await expect(create('one', 'https://receiver.example/')).rejects.toThrow('there is already a webhook named one')
  await expect(create(' ', 'https://receiver.example/')).rejects.toThrow('the name of a webhook must be')
  for (const [url, why] of [
    ['ftp://receiver.example', /must begin with https/],
    ['receiver.example', /must begin with https/],
    ['https://user:secret@receiver.example/', /must not have a user or a password/],
    ['https://receiver.example/#a', /must not have a fragment/],
  ] as const)
    await expect(create('two', url)).rejects.toThrow(why)
  await expect(findWebhook(database.db, 'onee')).rejects.toThrow('there is no webhook onee')
})
