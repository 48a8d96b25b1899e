/** `millbook webhook` and the service: every command, and services that are killed at any moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { createWebhook } from '../../src/notify/webhooks.js'
import { commitVersion } from '../../src/store/commit.js'
import { makeTarget } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { eventually } from '../setup/patience.js'
import { type Run, run, start } from '../setup/program.js'
import { answering, newReceiver } from '../setup/receiver.js'
import { inLongTier } from '../setup/tier.js'

const serve = async (flags: string[]): Promise<Run> => {
  const service = start(['serve', '--port', '0', '--json', '--private-webhooks', '127.0.0.1,::1', ...flags])
  await service.firstLine
  return service
}

it('millbook webhook administers webhooks; a service tells them of loads, also after it was killed while it sent a message', async () => {
  const { target, flags, drop } = await makeTarget('migrated', 'embedded')
  onTestFinished(() => drop())
  const said = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(['webhook', ...words, ...flags])
    return [code, stdout + stderr] as const
  }
  const json = async (...words: string[]) => JSON.parse((await said(...words, '--json'))[1])
  const receiver = await newReceiver()
  receiver.answer = () => {} // it never responds
  expect(await said('list')).toEqual([0, 'there is no webhook yet: create one with millbook webhook create\n'])
  expect(await said('create', 'Stock', '--url', 'stock.example')).toEqual([
    2,
    'millbook: the URL of a webhook must begin with https://, or with http:// for a private address\nrun millbook webhook create --help to see the usage\n',
  ])
  expect((await said('create', 'Stock', '--url', receiver.url, '--events', 'data.versions'))[1]).toContain(
    'data.versions is not an event; there are data.version, webhook.disabled.',
  )
  const made = await json('create', 'Stock', '--url', receiver.url, '--events', 'data.version')
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^[\w-]{16}$/), name: 'Stock', url: receiver.url, events: ['data.version'] },
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
  })
  // While no service runs.
  expect((await run(['import', folderOf({ 'items.csv': 'sku,name,type,unit\nA,Ghee,FG,KG\n' }), ...flags])).code).toBe(
    0,
  )
  expect((await json('list')).webhooks[0]).toMatchObject({ name: 'Stock', pending: 0, last_delivered_at: null })

  const first = await serve(flags)
  await eventually(() => expect(receiver.received).toHaveLength(1))
  first.process.kill('SIGKILL')
  const { stderr } = await first.ended
  expect(stderr).not.toContain('whsec_')
  const database = await connect(target)
  await database.db`update delivery set leased_until = now()` // else it takes a minute
  await database.close()
  receiver.answer = answering(200)
  const second = await serve(flags)
  await eventually(() => expect(receiver.received).toHaveLength(2))
  const [before, after] = receiver.received
  expect(after?.id).toBe(before?.id)
  expect(new Verifier(made.secret).verify(after?.body ?? '', after?.headers ?? {})).toMatchObject({
    ...{ type: 'data.version', data: { version: 1, reports: expect.arrayContaining(['masters.items']) } },
  })
  await eventually(async () =>
    expect((await json('deliveries', 'Stock')).deliveries).toEqual([
      {
        ...{ id: after?.id, type: 'data.version', at: after?.message.timestamp, state: 'delivered' },
        ...{ data: after?.message.data, next_attempt_at: null },
        attempts: [{ at: expect.any(String), status: 200, error: null }],
      },
    ]),
  )
  expect((await said('deliveries', 'Stock'))[1]).toMatch(
    /^id +event +at .*\nmsg_\w+ +data\.version .* delivered +1 +200 /,
  )
  expect(await said('replay', 'Stock')).toEqual([
    0,
    '0 messages will be sent again; a running service does it at once\n',
  ])
  expect(await json('replay', 'Stock', '--message', after?.id ?? '')).toEqual({ messages: 1 })
  await eventually(() => expect(receiver.received).toHaveLength(3))
  const rotated = await json('rotate-secret', 'Stock', '--overlap', '7d')
  expect(rotated).toMatchObject({ name: 'Stock', old_secret_until: expect.any(String) })
  expect(rotated.secret).not.toBe(made.secret)
  expect(await said('enable', 'Stock')).toEqual([0, 'Stock is active already\n'])
  expect((await said('list'))[1]).toMatch(/Stock +http\S+ +data\.version +active/)
  expect((await said('delete', 'Stock'))[1]).toContain('add --yes to confirm it')
  expect(await said('delete', 'Stock', '--yes')).toEqual([0, 'Stock is deleted\n'])
  second.process.kill('SIGTERM')
  expect((await second.ended).code).toBe(0)
  const audit = await run(['audit', '--act', 'webhook.*', '--json', ...flags])
  const { entries } = JSON.parse(audit.stdout)
  expect(entries.map(({ act }: { act: string }) => act)).toEqual(
    ['create', 'replay', 'replay', 'rotate-secret', 'delete'].map((act) => `webhook.${act}`),
  )
  expect(audit.stdout).not.toContain('whsec_')
})

inLongTier('two services, a hundred kills: every version is told, under one id, and nothing else', async () => {
  const { target, flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(() => drop())
  const database = await connect(target)
  onTestFinished(() => database.close())
  const { db } = database
  const receiver = await newReceiver()
  receiver.answer = (response) =>
    void setTimeout(() => answering(Math.random() < 0.2 ? 500 : 204)(response), Math.random() * 50)
  const { secret } = await db.begin((tx) => createWebhook(tx, { name: 'one', url: receiver.url }))
  const services = [await serve(flags), await serve(flags)]
  const versions: number[] = []
  const due = () =>
    db`update delivery set leased_until = null, next_at = now() where state = 'pending' and next_at < now() + interval '1 hour'`
  for (let kill = 0; kill < 100; kill++) {
    for (let i = 0; i < 5; i++) {
      versions.push(await db.begin((tx) => commitVersion(tx, database.engine, ['vendor'])))
      await sleep(Math.random() * 30)
    }
    const victim = services[kill % 2] as Run
    victim.process.kill('SIGKILL')
    await victim.ended
    await due()
    services[kill % 2] = await serve(flags)
  }
  await eventually(async () => {
    await due()
    await db`select pg_notify('millbook_version', '')`
    const states = await db`select state, count(*)::int as count from delivery group by state`
    expect(states).toEqual([{ state: 'delivered', count: versions.length }])
  })
  const ids = new Map(receiver.received.map((each) => [each.id, each]))
  expect([...ids.values()].map(({ message }) => message.data['version']).sort((a, b) => Number(a) - Number(b))).toEqual(
    versions,
  )
  for (const { id, body, headers } of receiver.received) {
    expect(body).toBe(ids.get(id)?.body)
    new Verifier(secret).verify(body, headers)
  }
  for (const { process } of services) process.kill('SIGTERM')
})
