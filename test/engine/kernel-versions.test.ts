/** The kernel with an outdated version in memory. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.js'
import { type Asked, Kernel } from '../../src/kernel/answer/ask.js'
import { Integer, Text } from '../../src/kernel/report/fields.js'
import { readParams } from '../../src/kernel/report/params.js'
import { defineReport } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { SnapshotFolder } from '../../src/store/snapshots.js'
import { readState, type State, type Versions } from '../../src/store/versions.js'
import { openBooks } from '../setup/books.js'
import type { TestDatabase } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openBooks()
})
afterAll(() => database.drop())

const who = { groups: null, hideContacts: false }
const invoices = (pin?: string): Asked => {
  const report = reports.find(({ id }) => id === 'sales.invoices') as Asked['report']
  const read = readParams(report.request, { from_date: '2024-01-01', to_date: '2024-12-31' })
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  return { report, values: read.values, page: { number: 1, size: 20 }, pin }
}

/** A kernel that has an older version in memory until it reads the version again. */
async function kernelBehind(files = new SnapshotFolder(tempFolder())) {
  const present = await readState(database.db)
  const older = `0-${present.id.split('-')[1]}`
  let known: State = { ...present, id: older, changes: { '': older } }
  const now = () => {
    known = present
    return Promise.resolve(present)
  }
  const versions: Versions = {
    ...{ current: () => known, read: now, forget: () => void now(), close: async () => {} },
    isOtherSchema: false,
    changesBy: async (id) => (id === present.id ? present.changes : undefined),
  }
  const kernel = new Kernel({
    ...{ database, versions, files, warmUp: { reports: 0, seconds: 0 } },
    feeds: { days: 1, rows: 1 },
    onError: (error) => {
      throw error
    },
  })
  return { kernel, present }
}

it('a page of an outdated version is computed again, and charged once', async () => {
  const { kernel, present } = await kernelBehind()
  let charges = 0
  const answer = await kernel.ask(who, invoices(), { charge: () => void charges++ })
  expect(answer).toMatchObject({ unchanged: false, edition: { pin: present.id } })
  expect(charges).toBe(1)
  await kernel.end()
})

it('the kernel itself refuses a caller without the report’s group', async () => {
  const { kernel } = await kernelBehind()
  const asking = async () => await kernel.ask({ groups: ['masters'], hideContacts: false }, invoices())
  await expect(asking()).rejects.toMatchObject({ status: 403 })
  await kernel.end()
})

it('a whole report of more than 1 MiB is not kept in memory; a page always is', async () => {
  const report = defineReport({
    ...{ id: 'masters.long', method: 'POST', path: '/v1/long', summary: '', description: '', request: {} },
    record: { n: Integer(''), text: Text('') },
    orderBy: ['n'],
    query: () => sql`select n, repeat('x', 300) as text from generate_series(1, 6000) n`,
  }) as unknown as Asked['report']
  const { kernel } = await kernelBehind()
  const isLarge = async (page: Asked['page']) => {
    const answer = await kernel.ask(who, { report, values: {}, page, pin: undefined })
    return !answer.unchanged && answer.records.isLarge
  }
  expect(await isLarge(undefined)).toBe(true)
  expect(await isLarge({ number: 1, size: 5000 })).toBe(false)
  await kernel.end()
})

/** As after a failure to write. */
class FullDisk extends SnapshotFolder {
  override get isUsable(): boolean {
    return false
  }
}

it.each([false, true])(
  'with a full disk, pages and whole reports are computed without a file; of a listing: %s',
  async (listing) => {
    const { kernel } = await kernelBehind(new FullDisk(tempFolder()))
    const report = defineReport({
      ...{ id: 'masters.five', method: 'POST', path: '/v1/five', summary: '', description: '', request: {} },
      ...{ record: { n: Integer('') }, orderBy: ['n'], ...(listing && { listing: true as const }) },
      query: () => sql`select n from generate_series(1, 5) n`,
    }) as unknown as Asked['report']
    const numbers = async (page: Asked['page']) => {
      const answer = await kernel.ask(who, { report, values: {}, page, pin: undefined })
      const found: string[] = []
      if (!answer.unchanged) for await (const run of answer.records.texts()) found.push(...run.map(String))
      return found.join()
    }
    expect(await numbers({ number: 2, size: 2 })).toBe('{"n":3},{"n":4}')
    expect(await numbers(undefined)).toBe('{"n":1},{"n":2},{"n":3},{"n":4},{"n":5}')
    await kernel.end()
  },
)

it('a pin of a newer version, issued by another process, is answered and not 410', async () => {
  const { kernel, present } = await kernelBehind()
  expect(await kernel.ask(who, invoices(present.id))).toMatchObject({ unchanged: false, edition: { pin: present.id } })
  await expect(kernel.ask(who, invoices('999999999-1'))).rejects.toMatchObject({ status: 410 })
  await kernel.end()
})
