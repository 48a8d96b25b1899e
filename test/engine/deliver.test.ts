/** Deliveries: every due time is delivered once and whole, despite failures and restarts. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.js'
import { databaseAnswers } from '../../src/answers/database.js'
import { readJobs } from '../../src/deliver/jobs.js'
import { Deliveries } from '../../src/deliver/run.js'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { reports } from '../../src/reports/index.js'
import { files, loadBooks } from '../setup/books.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
let answers: Answers
beforeAll(async () => {
  service = await startService()
  await loadBooks(service.database)
  answers = databaseAnswers(service.database)
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
const csv = async () => (await service.call({ path: MATERIALS, query: { format: 'csv' } })).body

it('delivers a slot once, and the next slot again', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const job = jobFor([to], 'file: "stock-{date}-v{version}.csv",')
  const first = await new Deliveries(state).run(job, answers, at('2026-03-05'), options)
  expect(first).toMatchObject({ status: 'delivered', where: [join(to, first.parcel?.name ?? '')] })
  expect(first.parcel?.name).toMatch(/^stock-2026-03-05-v\d+\.csv$/)
  const content = readFileSync(first.where[0] as string, 'utf8')
  expect(content).toBe(await csv())
  expect(first.parcel).toMatchObject({
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: Buffer.byteLength(content),
    records: content.split('\r\n').length - 2,
  })
  const again = await new Deliveries(state).run(job, answers, at('2026-03-05'), options)
  expect(again.status).toBe('already delivered')
  const next = await new Deliveries(state).run(job, answers, at('2026-03-06'), options)
  expect([next.status, readdirSync(to)]).toEqual(['delivered', expect.arrayContaining([next.parcel?.name])])
  expect(readdirSync(to)).toHaveLength(2)
  expect(readdirSync(state)).toEqual(['state.json'])
})

it('after a failure, the next run delivers the same file to the places that lack it', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const missing = join(tempFolder(), 'later')
  const job = jobFor([missing, to], 'file: stock.csv,')
  const before = await csv()
  const failed = await new Deliveries(state).run(job, answers, at('2026-03-05'), options)
  expect(failed).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`cannot write to the folder ${missing}`),
  })
  const { ino } = statSync(join(to, 'stock.csv'))
  await addMaterial()
  mkdirSync(missing)
  const { status } = await new Deliveries(state).run(job, answers, at('2026-03-05'), options)
  expect(status).toBe('delivered')
  expect(readFileSync(join(missing, 'stock.csv'), 'utf8')).toBe(before)
  expect(statSync(join(to, 'stock.csv')).ino).toBe(ino)
  expect(readdirSync(missing)).toEqual(['stock.csv'])
})

it('follows changes: a failed run loses none of them', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const job = jobFor([to], 'since: true, file: changes.ndjson, format: ndjson,')
  const run = (day: string) => new Deliveries(state).run(job, answers, at(day), options)
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
  const again = await new Deliveries(state).run(job, answers, at('2026-03-04'), { ...options, again: true })
  expect([again.status, changes()]).toEqual(['delivered', [`DEL${number - 1}`, `DEL${number}`]])
  expect((await run('2026-03-02')).status).toBe('already delivered') // by a clock that was set back

  // An expired token is reported; the whole report comes only with --whole.
  await service.db`delete from feed_step`
  await service.db`delete from feed_record`
  await service.db`delete from feed`
  const fresh = databaseAnswers(service.database)
  const gone = await new Deliveries(state).run(job, fresh, at('2026-03-05'), options)
  expect(gone).toMatchObject({ status: 'failed', error: expect.stringContaining('--job "stock" --whole') })
  const whole = await new Deliveries(state).run(job, fresh, at('2026-03-05'), { ...options, whole: true })
  await fresh.close()
  expect([whole.status, changes()]).toEqual(['delivered', expect.arrayContaining(['RM1'])])
})

it('a file that was damaged while it waited is fetched again', async () => {
  const [state, to] = [tempFolder(), tempFolder()]
  const missing = join(tempFolder(), 'later')
  const job = jobFor([missing], 'file: stock.csv,')
  expect((await new Deliveries(state).run(job, answers, at('2026-03-05'), options)).status).toBe('failed')
  writeFileSync(join(state, 'stock.parcel'), 'cut')
  mkdirSync(missing)
  expect((await new Deliveries(state).run(job, answers, at('2026-03-05'), options)).status).toBe('delivered')
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
    expect((await new Deliveries(state).run(job, answers, now, options)).status).toBe('delivered')
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
  const running = new Deliveries(state).run(jobFor([to]), slow, at('2026-03-05'), { ...options, signal: stop.signal })
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
