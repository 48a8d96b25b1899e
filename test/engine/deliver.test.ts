/** Deliveries: every due time is delivered once and whole, despite failures and restarts. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.js'
import { databaseAnswers } from '../../src/answers/database.js'
import { type Job, readJobs } from '../../src/deliver/jobs.js'
import { Deliveries, type Outcome } from '../../src/deliver/run.js'
import { figuresOf, type Parcel } from '../../src/deliver/target.js'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { reports } from '../../src/reports/index.js'
import { files, openBooks } from '../setup/books.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
let answers: Answers
beforeAll(async () => {
  service = await startService({}, await openBooks())
  answers = databaseAnswers(service.database, reports)
})
afterAll(async () => {
  await answers.close()
  await service.close()
})

const MATERIALS = '/v1/inventory/material'
const options = { signal: new AbortController().signal, firstPause: 1 }
const at = (day: string) => new Date(`${day}T12:00:00`)
let number = 0
const addMaterial = () =>
  load(service.database, findFiles(folderOf(files({ items: [`DEL${++number},Rennet,MAT,RAW,KG,`] }))))
const jobFor = (folders: readonly string[], more = '') => {
  const [job] = readJobs(
    `jobs: {stock: {report: masters.material, retries: 1, ${more} to: [${folders.map((path) => `{folder: ${path}}`)}]}}`,
    reports,
  )
  if (job === undefined) throw new Error('no job')
  return job
}
/** Runs a job and returns the outcome of its last due time. */
const deliver = async (state: string, job: Job, from: Answers, now: Date, by = {}): Promise<Outcome> =>
  (await new Deliveries(state).run(job, from, now, { ...options, ...by })).at(-1) as Outcome
const csv = async () => (await service.call({ path: MATERIALS, query: { format: 'csv' } })).body

it('delivers a slot once, and the next slot again', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const job = jobFor([to], 'file: "stock-{date}-v{version}.csv",')
  const first = await deliver(state, job, answers, at('2026-03-05'))
  expect(first).toMatchObject({ status: 'delivered', where: [join(to, first.parcel?.name ?? '')] })
  expect(first.parcel?.name).toMatch(/^stock-2026-03-05-v\d+\.csv$/)
  const content = readFileSync(first.where[0] as string, 'utf8')
  expect(content).toBe(await csv())
  expect(first.parcel).toMatchObject({
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: Buffer.byteLength(content),
    records: content.split('\r\n').length - 2,
  })
  const again = await deliver(state, job, answers, at('2026-03-05'))
  expect(again.status).toBe('already delivered')
  const next = await deliver(state, job, answers, at('2026-03-06'))
  expect([next.status, readdirSync(to)]).toEqual(['delivered', expect.arrayContaining([next.parcel?.name])])
  expect(readdirSync(to)).toHaveLength(2)
  expect(readdirSync(state)).toEqual(['state.json'])
})

it('after a failure, the next run delivers the same file to the places that lack it', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const missing = join(tempFolder(), 'later')
  const job = jobFor([missing, to], 'file: stock.csv,')
  const before = await csv()
  const failed = await deliver(state, job, answers, at('2026-03-05'))
  expect(failed).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`cannot write to the folder ${missing}`),
  })
  const { ino } = statSync(join(to, 'stock.csv'))
  await addMaterial()
  mkdirSync(missing)
  const { status } = await deliver(state, job, answers, at('2026-03-05'))
  expect(status).toBe('delivered')
  expect(readFileSync(join(missing, 'stock.csv'), 'utf8')).toBe(before)
  expect(statSync(join(to, 'stock.csv')).ino).toBe(ino)
  expect(readdirSync(missing)).toEqual(['stock.csv'])
})

it('follows changes: a failed run loses none of them', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const job = jobFor([to], 'since: true, file: changes.ndjson, format: ndjson,')
  const run = (day: string) => deliver(state, job, answers, at(day))
  const changes = () =>
    readFileSync(join(to, 'changes.ndjson'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).item_sku)
  await run('2026-03-01')
  expect(changes()).toContain('RM1')
  expect((await run('2026-03-02')).status).toBe('nothing has changed')
  expect(changes()).toContain('RM1') // the receiver may not have read it yet
  await addMaterial()
  rmSync(to, { recursive: true })
  expect((await run('2026-03-03')).status).toBe('failed')
  await addMaterial()
  mkdirSync(to)
  await run('2026-03-04') // the slot of the third was never delivered; its changes come with this one
  expect(changes()).toEqual([`DEL${number - 1}`, `DEL${number}`])
  rmSync(join(to, 'changes.ndjson'))
  const again = await deliver(state, job, answers, at('2026-03-04'), { again: true })
  expect([again.status, changes()]).toEqual(['delivered', [`DEL${number - 1}`, `DEL${number}`]])
  expect((await run('2026-03-02')).status).toBe('already delivered') // by a clock that was set back

  // An expired token is reported; the whole report comes only with --whole.
  await service.db`delete from feed_step`
  await service.db`delete from feed_record`
  await service.db`delete from feed`
  const fresh = databaseAnswers(service.database, reports)
  const gone = await deliver(state, job, fresh, at('2026-03-05'))
  expect(gone).toMatchObject({ status: 'failed', error: expect.stringContaining('--job "stock" --whole') })
  const whole = await deliver(state, job, fresh, at('2026-03-05'), { whole: true })
  await fresh.close()
  expect([whole.status, changes()]).toEqual(['delivered', expect.arrayContaining(['RM1'])])
})

it('a file that was damaged while it waited is fetched again', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const missing = join(tempFolder(), 'later')
  const job = jobFor([missing], 'file: stock.csv,')
  expect((await deliver(state, job, answers, at('2026-03-05'))).status).toBe('failed')
  writeFileSync(join(state, 'stock.parcel'), 'cut')
  mkdirSync(missing)
  expect((await deliver(state, job, answers, at('2026-03-05'))).status).toBe('delivered')
  expect(readFileSync(join(missing, 'stock.csv'), 'utf8')).toBe(await csv())
  writeFileSync(join(state, 'state.json'), '{"stock":')
  expect(() => new Deliveries(state)).toThrow(/state.json is damaged/)
  expect(readdirSync(to)).toEqual([])
})

it('every run writes changes to a new file name', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const job = jobFor([to], 'since: true, every: hour,')
  for (const hour of [6, 7, 8]) {
    const now = new Date(`2026-03-05T0${hour}:30:00`)
    await addMaterial()
    expect((await deliver(state, job, answers, now)).status).toBe('delivered')
  }
  expect(readdirSync(to)).toHaveLength(3)
})

it('a stopped run leaves no partly delivered file', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const stop = new AbortController()
  const slow: Answers = {
    ...answers,
    async fetch(wanted, signal) {
      const fetched = await answers.fetch(wanted, signal)
      const bytes = async function* () {
        for await (const piece of fetched.bytes) {
          yield piece.subarray(0, 10)
          stop.abort(new Error('stopped'))
          throw new Error('the connection was lost')
        }
      }
      return { ...fetched, bytes: bytes() }
    },
  }
  const running = deliver(state, jobFor([to]), slow, at('2026-03-05'), { signal: stop.signal })
  await expect(running).rejects.toThrow('stopped')
  expect([readdirSync(to), readdirSync(state)]).toEqual([[], []])
})

it('only one process delivers at a time', async () => {
  const state = tempFolder()
  const inner = await Deliveries.alone(state, () => Deliveries.alone(state, async () => 'both'))
  expect(inner).toBeUndefined()
  expect(await Deliveries.alone(state, async () => 'free again')).toBe('free again')
  expect(existsSync(join(state, 'lock'))).toBe(true)
})

describe('due times that were missed', () => {
  const invoices = (to: string, more: string) =>
    readJobs(`jobs: {sales: {report: sales.invoices, ${more} to: [{folder: ${to}}]}}`, reports)[0] as Job
  const run = (state: string, job: Job, day: string) => new Deliveries(state).run(job, answers, at(day), options)

  it('are covered by one run, which says so in its name and its outcome', async () => {
    const [state, to] = [tempFolder(), tempFolder()]
    const job = invoices(to, 'period: yesterday,')
    await run(state, job, '2024-03-04')
    const outcomes = await run(state, job, '2024-03-08')
    expect(outcomes).toHaveLength(1)
    const [{ parcel, missed } = {} as Outcome] = outcomes
    expect(parcel?.parameters).toEqual({ from_date: '2024-03-04', to_date: '2024-03-07' })
    expect(missed).toEqual({ times: 3, first: new Date('2024-03-05T00:00:00').toISOString() })
    expect(parcel?.missed).toEqual(missed)
    const times = ['2024-03-05', '2024-03-08'].map((day) =>
      new Date(`${day}T00:00:00`).toISOString().replaceAll(/[-:]|\.\d+Z$/g, ''),
    )
    expect(parcel?.name).toMatch(new RegExp(`^sales-invoices_2024-03-04_2024-03-07_${times.join('_')}_v\\d+\\.csv$`))
    expect(figuresOf(parcel as Parcel)).toMatchObject({ missed_times: 3, missed_since: missed?.first })
    // The next run missed nothing; --again repeats the run with all that it covered.
    const again = await deliver(state, job, answers, at('2024-03-08'), { again: true })
    expect([again.missed, again.parcel?.parameters]).toEqual([missed, parcel?.parameters])
    const next = await deliver(state, job, answers, at('2024-03-09'))
    expect([next.missed, next.parcel?.parameters]).toEqual([
      undefined,
      { from_date: '2024-03-08', to_date: '2024-03-08' },
    ])
  })

  it('are in the placeholders of a file name', async () => {
    const [state, to] = [tempFolder(), tempFolder()]
    const job = invoices(to, 'period: yesterday, file: "sales-{date}.csv",')
    await run(state, job, '2024-03-04')
    await run(state, job, '2024-03-08')
    expect(readdirSync(to)).toEqual(['sales-2024-03-04.csv', 'sales-2024-03-05_2024-03-08.csv'])
  })

  it('include a time whose run failed', async () => {
    const [state, to] = [tempFolder(), join(tempFolder(), 'later')]
    const job = invoices(to, 'period: yesterday, retries: 0,')
    mkdirSync(to)
    await run(state, job, '2024-03-04')
    rmSync(to, { recursive: true })
    expect((await deliver(state, job, answers, at('2024-03-05'))).status).toBe('failed')
    mkdirSync(to)
    const { parcel } = await deliver(state, job, answers, at('2024-03-06'))
    expect(parcel?.parameters).toEqual({ from_date: '2024-03-04', to_date: '2024-03-05' })
  })

  it.each([
    ['with missed: each', 'sales.invoices', 'period: yesterday, missed: each,'],
    ['for a report about a single day', 'partner.invetory-snapshot', 'parameters: {date: yesterday},'],
  ])('are delivered one by one %s', async (_when, report, settings) => {
    const [state, to] = [tempFolder(), tempFolder()]
    const file = 'file: "{date}.csv",'
    const [job] = readJobs(`jobs: {each: {report: ${report}, ${settings} ${file} to: [{folder: ${to}}]}}`, reports)
    await run(state, job as Job, '2024-03-04')
    const outcomes = await run(state, job as Job, '2024-03-07')
    expect(outcomes.map(({ status, missed }) => [status, missed])).toEqual(Array(3).fill(['delivered', undefined]))
    expect(outcomes.map(({ parcel }) => Object.values(parcel?.parameters ?? {})[0])).toEqual([
      ...['2024-03-04', '2024-03-05', '2024-03-06'],
    ])
    expect(readdirSync(to)).toEqual(['2024-03-04.csv', '2024-03-05.csv', '2024-03-06.csv', '2024-03-07.csv'])
  })

  it('wait for the first of them that fails', async () => {
    const [state, to] = [tempFolder(), join(tempFolder(), 'later')]
    const job = invoices(to, 'period: yesterday, missed: each, retries: 0, file: "{date}.csv",')
    mkdirSync(to)
    await run(state, job, '2024-03-04')
    rmSync(to, { recursive: true })
    expect((await run(state, job, '2024-03-06')).map(({ status }) => status)).toEqual(['failed'])
    mkdirSync(to)
    await run(state, job, '2024-03-06')
    expect(readdirSync(to)).toEqual(['2024-03-05.csv', '2024-03-06.csv'])
  })
})
