/** Reports as known: after any loads, every report answers for every version exactly what it answered then. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect } from 'vitest'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { closePeriod, reopenPeriod } from '../../src/closed/close.js'
import type { Tx } from '../../src/db/connect.js'
import { entities } from '../../src/import/entities.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { undoLoad } from '../../src/import/undo/undo.js'
import { reports } from '../../src/reports/index.js'
import { forgetHistory } from '../../src/store/history.js'
import { booksForThisTest, files, openBooks } from '../setup/books.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { anyLoad } from '../setup/loads.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }
const CODES = { plan: ['FG1=5'], sku: ['FG1'], product_sku: ['FG1'], order_no: ['SO1'], batch_no: ['B1'], code: ['C1'] }
const asked = reports.flatMap((report) =>
  someRequestsFor(report, RANGE, CODES).map((body) => ({ report, body, paged: (report.perPageFrom ?? '') in body })),
)

/** Every 100th sequence asks every report, the others a part of them: together they ask each report many times. */
const PARTS = runs(19, 57)

async function answersOf(service: Service, questions: typeof asked, asKnown?: number): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { report, body, paged } of questions) {
    const query = { fields: 'all', ...(paged ? {} : { 'per-page': 5000 }), ...(asKnown && { as_known: asKnown }) }
    const { statusCode, body: text, headers } = await service.call({ path: report.path, body, query })
    if (asKnown !== undefined && statusCode === 200) expect(headers['x-data-version']).toBe(String(asKnown))
    // Links repeat the parameters of the request.
    answers[`${report.id} ${JSON.stringify(body)}`] =
      statusCode === 200
        ? JSON.stringify(JSON.parse(text).data)
        : `${statusCode} ${JSON.parse(text).errors?.[0]?.message}`
  }
  return answers
}

/** The rows of each import file, by their keys, as texts under the names of its columns. */
async function rowsOfFiles({ db }: Pick<TestDatabase, 'db'>): Promise<Record<string, Record<string, string | null>>> {
  const rows: Record<string, Record<string, string | null>> = {}
  for (const { name, table, columns, key, conversion } of entities) {
    const texts = Object.entries(columns).map(([file, { stored = file, lookup, sqlType }]) => {
      const code = { item: 'sku', warehouse: 'location' }[lookup?.table ?? '']
      if (code) return `(select ${code} from ${lookup?.table} where id = t.${stored}) as ${file}`
      return sqlType === 'text[]' ? `array_to_string(t.${stored}, '|') as ${file}` : `t.${stored}::text as ${file}`
    })
    if (conversion) texts.push('t.given::text as given')
    for (const row of await db.unsafe<Record<string, string | null>[]>(`select ${texts.join(', ')} from ${table} t`)) {
      const id = JSON.stringify([name, ...key.map((column) => row[column])])
      rows[id] = Object.fromEntries(Object.entries(row).filter(([column]) => !key.includes(column)))
    }
  }
  return rows
}

type Change = {
  entity: string
  key: object
  change: string
  fields: Record<string, Record<'before' | 'after', string>>
}

/** The rows after changes. A change that does not fit the rows fails the test. */
function changed(rows: Awaited<ReturnType<typeof rowsOfFiles>>, changes: readonly Change[]): typeof rows {
  const after = structuredClone(rows)
  for (const { entity, key, change, fields } of changes) {
    const id = JSON.stringify([entity, ...Object.values(key).map(String)])
    expect([id, change, change === 'new']).toEqual([id, change, after[id] === undefined])
    const was = after[id] ?? {}
    for (const [name, { before }] of Object.entries(fields)) expect(was[name] ?? null).toBe(before)
    if (change === 'changed') expect(Object.keys(fields)).not.toEqual([])
    if (change === 'gone') delete after[id]
    else after[id] = { ...was, ...Object.fromEntries(Object.entries(fields).map(([name, { after }]) => [name, after])) }
  }
  return after
}

const withoutNulls = (rows: Awaited<ReturnType<typeof rowsOfFiles>>) =>
  Object.entries(rows)
    .map(([id, row]) => [id, Object.entries(row).filter(([, value]) => value !== null)].flat(2).join(' '))
    .sort()

/** For 500 sequences on a busy machine. */
const HOURS = 4 * 3_600_000

sameOnBoth(
  'after any loads, reports as known are what they were, and the changes lead from version to version',
  async () => {
    let sequences = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyLoad, fc.constantFrom('load', 'load', 'load', 'undo', 'rebuild', 'close')), {
          minLength: 1,
          maxLength: runs(2, 4),
        }),
        async (sequence) => {
          const all = sequences % 100 === 0
          const questions = asked.filter((_, i) => all || i % PARTS === sequences % PARTS)
          const follows = sequences % 5 === 0
          sequences++
          const database = await openBooks()
          const service = await startService({}, database)
          const known = new Map<number, Record<string, string>>()
          const states: Awaited<ReturnType<typeof rowsOfFiles>>[] = []
          const remember = async (again = false) => {
            const [now] = await database.db<{ version: number }[]>`select version::int as version from data_version`
            if (!now || (known.has(now.version) && !again)) return
            known.set(now.version, await answersOf(service, questions))
            if (follows) states[now.version] = await rowsOfFiles(database)
          }
          await remember()
          const closeOrReopen = async () => {
            const period = { period: '2024-03', reason: 'reported' }
            await closePeriod(database, (work) => database.db.begin(work), period, {}).catch(() =>
              reopenPeriod((work) => database.db.begin(work), period, {}),
            )
            await remember(true)
          }
          // The last loads surely change names that many reports show.
          const last = [{ items: ['FG1,Ghee in a jar,FG,,JAR,'] }, { customers: ['C1,Other name'] }]
          let copy: { version: number; pieces: Buffer[]; answers: Record<string, string> } | undefined
          const copyAt = Math.floor(sequence.length / 2)
          for (const [i, [{ rows, replace }, then]] of sequence.entries()) {
            const { committed, dataVersion } = await load(database, findFiles(folderOf(files(rows))), { replace })
            await remember()
            if (then === 'undo' && committed && !known.has(dataVersion + 1)) {
              await undoLoad(database, dataVersion).catch((error: Error) =>
                expect(error.message).toMatch(/no load|not made by a load/),
              )
              await remember()
            }
            if (then === 'close') await closeOrReopen()
            if (then === 'rebuild') {
              await verify(database, { rebuild: true })
              await remember()
            }
            const [version, answers] = [...known].at(-1) as [number, Record<string, string>]
            if (follows && i === copyAt)
              copy = { version, answers, pieces: await Readable.from(writeBackup(database)).toArray() }
          }
          for (const rows of last) {
            await load(database, findFiles(folderOf(files(rows))))
            await remember()
          }
          const [first = {}, ...later] = known.values()
          const final = later.at(-1) ?? {}
          const differing = Object.keys(first).filter((question) => first[question] !== final[question])
          if (all) expect(differing.length).toBeGreaterThan(8)
          if (all) expect(Object.values(final).filter((answer) => answer.length > 100).length).toBeGreaterThan(20)
          for (const [version, answers] of known) {
            const again = await answersOf(service, questions, version)
            for (const [question, answer] of Object.entries(answers))
              expect({ version, question, answer: again[question] }).toEqual({ version, question, answer })
          }
          if (copy !== undefined) {
            const other = await openTestDatabase('empty')
            await restore(other, Readable.from(copy.pieces))
            const restored = await startService({}, other)
            const again = await answersOf(restored, questions)
            for (const [question, answer] of Object.entries(copy.answers))
              expect({ restored: copy.version, question, answer: again[question] }).toEqual({
                ...{ restored: copy.version, question, answer },
              })
            await restored.close()
          }
          const versions = follows ? [...known.keys()] : []
          for (const [i, to] of versions.entries()) {
            const isLast = i === versions.length - 1
            const first = versions[isLast ? 0 : Math.max(i - 1, 0)] as number
            const query = { 'per-page': 5000 }
            const body = { from_version: first, to_version: to }
            const { data } = (await service.call({ path: '/v1/history/changes', body, query })).json()
            let rows = states[first] as (typeof states)[number]
            for (let version = first + 1; version <= to; version++)
              rows = changed(
                rows,
                data.filter((one: { version: number }) => one.version === version),
              )
            expect(withoutNulls(rows)).toEqual(withoutNulls(states[to] as typeof rows))
          }
          await service.close()
        },
      ),
      { numRuns: runs(20, 500), endOnFailure: true },
    )
  },
  HOURS,
)

sameOnBoth('what a closed version knew is never forgotten, and a reopened one like any other', async () => {
  const database = await booksForThisTest()
  const { db } = database
  const change = <T>(work: (tx: Tx) => Promise<T>) => db.begin(work)
  const service = await startService({}, database)
  const rows = (qty: number, name: string) => ({
    items: [`FG1,${name},FG,,JAR,`],
    stock_movements: [`M20,2024-03-10,other_receipt,FG1,Plant,B1,${qty},${qty},${qty},,,,,,,`],
    invoices: [`I1,SO1,2024-03-07 09:30:00,2024-04-07,${20 + qty},2.4,${22.4 + qty},${22.4 + qty}`],
  })
  for (const version of [3, 4, 5, 6, 7]) {
    const { committed } = await load(database, findFiles(folderOf(files(rows(version, `Ghee ${version}`)))))
    expect(committed).toBe(true)
  }
  for (const [period, asKnown] of [
    ['2024-02', 3],
    ['2024-03', 5],
    ['2024-04', 5],
  ] as const)
    await closePeriod(database, change, { period, asKnown, reason: 'reported' }, {})
  // A version was loaded on each of seven days, 20 to 14 days ago.
  await db`update known_version set committed_at = now() - make_interval(days => 21 - version::int)`
  const versions = [2, 3, 4, 5, 6, 7]
  const some = asked.filter((_, i) => i % runs(4, 1) === 0)
  const known = new Map([
    [3, await answersOf(service, some, 3)],
    [5, await answersOf(service, some, 5)],
  ])
  const kept = async () => {
    const status = async (as_known: string | number) =>
      (await service.call({ path: '/v1/masters/items', body: {}, query: { as_known } })).statusCode
    const found: number[] = []
    for (const version of versions) if ((await status(version)) === 200) found.push(version)
    const days: number[] = []
    for (const version of versions) {
      const [{ day } = { day: '' }] = await db<{ day: string }[]>`
        select to_char(now() - make_interval(days => 21 - ${version}::int) + interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as day`
      if ((await status(day)) === 200) days.push(version)
    }
    expect(days).toEqual(found)
    return found
  }
  const answersAre = async (versions: readonly number[]) => {
    for (const version of versions) expect(await answersOf(service, some, version)).toEqual(known.get(version))
  }
  expect(await kept()).toEqual(versions)
  const forgotten = await forgetHistory(db, 14)
  expect(forgotten).toBeGreaterThan(5)
  expect(await kept()).toEqual([3, 5, 7])
  await answersAre([3, 5])
  expect((await verify(database, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')).toEqual([])
  await expect(closePeriod(database, change, { period: '2024-05', asKnown: 4, reason: 'x' }, {})).rejects.toThrow(
    'what was known at version 4 is not kept any more',
  )
  for (const period of ['2024-02', '2024-03']) await reopenPeriod(change, { period, reason: 'corrected' }, {})
  expect(await forgetHistory(db, 14)).toBeGreaterThan(0)
  expect(await kept()).toEqual([5, 7]) // 2024-04 is still closed with version 5
  await answersAre([5])
  await reopenPeriod(change, { period: '2024-04', reason: 'corrected' }, {})
  expect(await forgetHistory(db, 14)).toBeGreaterThan(0)
  expect(await kept()).toEqual([7])
  const [past] = await db`select count(*)::int as rows from past_stock_movement`
  expect(past).toEqual({ rows: 0 })
  await service.app.close()
})
