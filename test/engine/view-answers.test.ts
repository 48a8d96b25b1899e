/** Saved views for commands and deliveries: the same from a service and straight from a database, within the rights of their reader. */
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answers, WantedView } from '../../src/answers/answers.js'
import { databaseAnswers } from '../../src/answers/database.js'
import { serviceAnswers } from '../../src/answers/service.js'
import { readJobs } from '../../src/deliver/jobs.js'
import { Deliveries } from '../../src/deliver/run.js'
import { figuresOf, type Parcel } from '../../src/deliver/target.js'
import { reports } from '../../src/reports/index.js'
import { openBooks } from '../setup/books.js'
import { tempFolder } from '../setup/files.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }

let service: Service
let [asha, ravi, stores] = [] as unknown as [Caller, Caller, Caller]
let database: Answers
let url: string
beforeAll(async () => {
  service = await startService({}, await openBooks())
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  asha = await service.newCaller()
  ravi = await service.newCaller()
  stores = await service.newCaller()
  await service.db`update api_user set groups = '{inventory}' where username = ${stores.username}`
  await service.db`update access_version set version = version + 1`
  database = databaseAnswers(service.database, reports)
})
afterAll(async () => {
  await database.close()
  await service.close()
})

const serviceFor = ({ client_id, client_secret, username, password }: Caller): Answers =>
  serviceAnswers({ url, retries: 0, auth: { clientId: client_id, clientSecret: client_secret, username, password } })

const post = async (by: Caller, path: string, body: object) => {
  const response = await service.call({ method: 'POST', path, body, token: by.token })
  expect([response.statusCode, response.statusCode === 201 ? '' : response.body]).toEqual([201, ''])
  return response.json() as Record<string, string>
}
const save = async (by: Caller, name: string, more: object = {}): Promise<string> => {
  const view = {
    name,
    report: 'sales.invoices',
    values: RANGE,
    group: 'invoice_no',
    measures: 'sum(total_amt)',
    ...more,
  }
  return String((await post(by, '/v1/views', view))['id'])
}

const bytesOf = async (answers: Answers, wanted: Partial<WantedView> & { saved: string }) => {
  const fetched = await answers.fetch({ format: 'csv', ...wanted })
  const pieces: Uint8Array[] = []
  for await (const piece of fetched.bytes) pieces.push(piece)
  const { bytes: _, ...about } = fetched
  return { about, bytes: Buffer.concat(pieces) }
}
const textOf = async (answers: Answers, wanted: Partial<WantedView> & { saved: string }) =>
  (await bytesOf(answers, wanted)).bytes.toString()

describe('a saved view', () => {
  it('is the same file from a service and from a database, by its name and by its id', async () => {
    const id = await save(asha, 'By number', { sort: '-invoice_no' })
    for (const format of ['csv', 'json', 'ndjson', 'parquet'])
      for (const saved of ['By number', id]) {
        const [one, other] = [
          await bytesOf(serviceFor(asha), { saved, format }),
          await bytesOf(database, { saved, format, user: asha.username }),
        ]
        expect(other.bytes.equals(one.bytes), format).toBe(true)
        expect(one.about).toMatchObject({
          records: other.about.records,
          version: other.about.version,
          name: other.about.name,
        })
      }
    expect(await textOf(database, { saved: id })).toMatch(/^invoice_no,rows,total_amt,_cancelled\r\nI/)
    const first = await bytesOf(serviceFor(asha), { saved: id, first: 1 })
    expect(first.about).toMatchObject({ records: 1, total: expect.any(Number) })
    expect(first.bytes.equals((await bytesOf(database, { saved: id, first: 1 })).bytes)).toBe(true)
  })

  it('counts the words of its period from a day', async () => {
    const id = await save(asha, 'Last month', { values: {}, period: 'last-month' })
    for (const answers of [serviceFor(asha), database]) {
      expect(await textOf(answers, { saved: id, on: '2024-04-15' })).toContain('I1')
      expect(await textOf(answers, { saved: id, on: '2024-06-15' })).toBe('invoice_no,rows,total_amt,_cancelled\r\n')
    }
  })

  it("is the reader's own one of its name, else the only shared one", async () => {
    await save(asha, 'Same', { fields: 'rows', shared: 'everyone' })
    await save(ravi, 'Same', { fields: 'total_amt', shared: 'everyone' })
    for (const [by, column] of [
      [asha, 'rows'],
      [ravi, 'total_amt'],
    ] as const) {
      expect(await textOf(serviceFor(by), { saved: 'Same' })).toMatch(new RegExp(`^${column}\r`))
      expect(await textOf(database, { saved: 'Same', user: by.username })).toMatch(new RegExp(`^${column}\r`))
    }
    const several = /^2 users have a view named Same; name one by its id: [\w-]{16} of .+, [\w-]{16} of /
    await expect(database.fetch({ saved: 'Same', format: 'csv' })).rejects.toThrow(several)
    await expect(serviceFor(service.caller).fetch({ saved: 'Same', format: 'csv' })).rejects.toThrow(several)
  })

  it('is refused to a reader with whom it is not shared, and to one who lacks its group', async () => {
    await save(asha, 'Private')
    await save(asha, 'For all', { shared: 'everyone' })
    for (const [answers, user] of [
      [serviceFor(ravi), undefined],
      [database, ravi.username],
    ] as const)
      await expect(answers.fetch({ saved: 'Privat', user, format: 'csv' })).rejects.toThrow(
        /^there is no view Privat, or it is not shared with the user who reads it/,
      )
    await expect(database.fetch({ saved: 'Privat', format: 'csv' })).rejects.toThrow(/did you mean Private\?/)
    await expect(database.fetch({ saved: 'For all', user: stores.username, format: 'csv' })).rejects.toThrow(
      `${stores.username} may not use the group sales`,
    )
    await expect(serviceFor(stores).fetch({ saved: 'For all', format: 'csv' })).rejects.toThrow(
      /there is no view For all/,
    )
    await expect(database.fetch({ saved: 'For all', user: 'nobody', format: 'csv' })).rejects.toThrow(
      /no user.* nobody/,
    )
    await expect(serviceFor(asha).fetch({ saved: 'Private', user: 'asha', format: 'csv' })).rejects.toThrow(
      /a user is named only to read a database/,
    )
  })

  it('hides contact data from a user who must not see it', async () => {
    await service.db`update customer set billing_phone = '5550100777'`
    await service.db`update data_version set version = version + 1`
    const values = { method: 'month', ...RANGE }
    await save(asha, 'Phones', {
      report: 'sales.sales-orders',
      values,
      group: 'customer.billing.phone',
      shared: 'everyone',
      measures: 'rows',
    })
    for (const answers of [serviceFor(ravi), database]) {
      const user = answers === database ? ravi.username : undefined
      expect(await textOf(answers, { saved: 'Phones', user })).toContain('5550100777')
    }
    await service.db`update api_user set hide_contacts = true where username = ${ravi.username}`
    await service.db`update access_version set version = version + 1`
    for (const answers of [serviceFor(ravi), database]) {
      const user = answers === database ? ravi.username : undefined
      expect(await textOf(answers, { saved: 'Phones', user })).not.toContain('5550100777')
    }
  })

  it('is read by its id with an app password', async () => {
    const id = await save(asha, 'For a script')
    const { app_password: appPassword = '' } = await post(asha, '/v1/app-passwords', { name: 'script', views: [id] })
    const answers = serviceAnswers({ url, retries: 0, auth: { appPassword } })
    expect(await textOf(answers, { saved: id })).toBe(await textOf(serviceFor(asha), { saved: id }))
    await expect(answers.fetch({ saved: 'For a script', format: 'csv' })).rejects.toThrow(/reads a view by its id/)
  })

  it('says what is gone', async () => {
    const id = await save(asha, 'Old', { fields: 'rows' })
    await service.db`update saved_view set definition = replace(definition::text, 'rows', 'nothing')::json where id = ${id}`
    for (const answers of [serviceFor(asha), database])
      await expect(answers.fetch({ saved: id, format: 'csv' })).rejects.toThrow(
        /The view Old no longer fits this version of the service: fields names "nothing"/,
      )
  })
})

describe('a delivery of a saved view', () => {
  const options = { signal: new AbortController().signal, firstPause: 1 }
  const at = (day: string) => new Date(`${day}T12:00:00`)

  it('has its name from the job, and the period of the day on which it was due, also for missed days', async () => {
    await save(asha, 'March', { values: {}, period: 'yesterday', fields: 'invoice_no' })
    for (const [answers, user] of [
      [serviceFor(asha), ''],
      [database, `user: ${asha.username}, `],
    ] as const) {
      const [state, to] = [tempFolder(), tempFolder()]
      const [job] = readJobs(`jobs: {invoices: {view: March, ${user}to: [{folder: ${to}}]}}`, reports)
      if (job === undefined) throw new Error('no job')
      const run = (day: string) => new Deliveries(state).run(job, answers, at(day), options)
      const [first] = await run('2024-03-08')
      expect(first).toMatchObject({ status: 'delivered' })
      const figures = figuresOf(first?.parcel as Parcel)
      expect(figures).toMatchObject({
        job: 'invoices',
        view: 'March',
        file: expect.stringMatching(/^invoices_2024-03-08_v\d+\.csv$/),
      })
      expect(figures).not.toHaveProperty('report')
      expect(readFileSync(join(to, figures.file), 'utf8')).toBe('invoice_no\r\nI1\r\n')
      const outcomes = await run('2024-03-11')
      expect(outcomes.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered'])
      expect(readdirSync(to).map((name) => name.replace(/_v\d+/, ''))).toEqual(
        [8, 9, 10, 11].map((day) => `invoices_2024-03-${String(day).padStart(2, '0')}.csv`),
      )
      expect(readFileSync(join(to, String(readdirSync(to)[2])), 'utf8')).toBe('invoice_no\r\n')
    }
  })

  it('fails if the view is gone, and is tried again', async () => {
    const id = await save(asha, 'Short-lived')
    const [state, to] = [tempFolder(), tempFolder()]
    const [job] = readJobs(`jobs: {gone: {view: Short-lived, to: [{folder: ${to}}]}}`, reports)
    if (job === undefined) throw new Error('no job')
    await service.db`delete from saved_view where id = ${id}`
    const [failed] = await new Deliveries(state).run(job, serviceFor(asha), at('2024-03-08'), options)
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('there is no view Short-lived') })
    await save(asha, 'Short-lived')
    const [again] = await new Deliveries(state).run(job, serviceFor(asha), at('2024-03-08'), options)
    expect([again?.status, readdirSync(to).length]).toEqual(['delivered', 1])
  })
})
