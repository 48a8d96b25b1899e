/** Incremental loads store the same rows as loads that read everything, after any history. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entities } from '../../src/import/entities.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { files } from '../setup/books.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good, KEY } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { stored } from '../setup/stored.js'
import { runs } from '../setup/tier.js'

const swapped = files({ warehouses: [`${KEY},Depot`, `${KEY.replace('0', 'f')},Plant`] })
const usual = files({ warehouses: [`${KEY},Plant`, `${KEY.replace('0', 'f')},Depot`] })

/** A change between two loads of the folder. */
type Step =
  | { do: 'rows'; rows: Record<string, string[]>; replace: string[] }
  | { do: 'remove'; name: string }
  | { do: 'jsonl'; name: string }
  | { do: 'append'; name: string; bad: boolean }
  | { do: 'first state' }
  | { do: 'other folder'; files: Record<string, string> }
  | { do: 'sql'; statement: string }
  | { do: 'dry run'; rows: Record<string, string[]> }
  | { do: 'replace'; names: string[] }

const names = entities.map(({ name }) => name)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: anyLoad.map(({ rows, replace }): Step => ({ do: 'rows', rows, replace })) },
  fc.constantFrom(...names).map((name): Step => ({ do: 'remove', name })),
  fc.constantFrom(...names).map((name): Step => ({ do: 'jsonl', name })),
  fc.record({ do: fc.constant('append' as const), name: fc.constantFrom(...names), bad: fc.boolean() }),
  fc.constant<Step>({ do: 'first state' }),
  fc.oneof(
    anyLoad.map(({ rows }): Step => ({ do: 'other folder', files: files(rows) })),
    fc.constantFrom(swapped, usual).map((other): Step => ({ do: 'other folder', files: other })),
  ),
  fc
    .constantFrom(
      "update item set name = 'By hand' where sku = 'FG1'",
      "delete from returns where order_no = 'SO1'".replace('returns', 'sales_return'),
      "update warehouse set location = 'Yard' where location = 'Depot'",
      "update vendor set name = name || '!'",
    )
    .map((statement): Step => ({ do: 'sql', statement })),
  anyLoad.map(({ rows }): Step => ({ do: 'dry run', rows })),
  fc.subarray(names, { maxLength: 4 }).map((names): Step => ({ do: 'replace', names })),
)

/** The same rows as JSON lines, so that only the bytes change. */
function asJsonl(csv: string): string {
  const [head = '', ...lines] = csv.trimEnd().split('\n')
  return lines
    .map((line) => {
      const cells = line.split(',')
      return `${JSON.stringify(Object.fromEntries(head.split(',').map((name, i) => [name, cells[i] === '' ? null : cells[i]])))}\n`
    })
    .join('')
}

it('any sequence of incremental loads stores the same rows as loads that read everything', async () => {
  const [skipping, reading] = [await databaseForThisTest(), await databaseForThisTest()]
  const outcomes = { loaded: 0, refused: 0, unread: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: runs(3, 6), maxLength: runs(5, 14) }), async (steps) => {
      for (const { db } of [skipping, reading])
        await db.unsafe('truncate warehouse, item, vendor, customer, stock_closing, stock_flow, batch_closing cascade')
      let folder: Record<string, string> = { ...good, ...usual }
      const first = { ...folder }
      const loadBoth = async (
        files: Record<string, string>,
        options: { replace?: string[]; dryRun?: boolean } = {},
      ) => {
        const existing = new Set(Object.keys(files).map((name) => name.split('.')[0] as string))
        const replace = (options.replace ?? []).filter((name) => existing.has(name))
        const from = folderOf(files)
        const attempt = async (database: TestDatabase, incremental: boolean) =>
          await load(database, findFiles(from), { ...options, replace, incremental })
        const [some, all] = [await attempt(skipping, true), await attempt(reading, false)]
        expect([some.committed, some.errors.count > 0]).toEqual([all.committed, all.errors.count > 0])
        if (all.errors.count === 0) expect(some.entities).toEqual(all.entities)
        outcomes[all.committed ? 'loaded' : 'refused']++
        outcomes.unread += some.unread.length
        expect(await stored(skipping)).toEqual(await stored(reading))
      }
      await loadBoth(folder)
      for (const step of steps) {
        const csv = (name: string) => `${name}.csv`
        const put = (rows: Record<string, string[]>) => {
          const next = { ...folder }
          for (const [name, text] of Object.entries(files(rows))) {
            delete next[name.replace('.csv', '.jsonl')]
            next[name] = text
          }
          return next
        }
        switch (step.do) {
          case 'rows':
            folder = put(step.rows)
            await loadBoth(folder, { replace: step.replace })
            continue
          case 'replace':
            await loadBoth(folder, { replace: step.names })
            continue
          case 'remove':
            if (Object.keys(folder).length > 1) {
              delete folder[csv(step.name)]
              delete folder[`${step.name}.jsonl`]
            }
            break
          case 'jsonl': {
            const text = folder[csv(step.name)]
            if (text === undefined || text.includes('"')) break
            delete folder[csv(step.name)]
            folder[`${step.name}.jsonl`] = asJsonl(text)
            break
          }
          case 'append': {
            const text = folder[csv(step.name)]
            // A repeated last row, or a row with too many cells: both loads are refused.
            const lines = text?.trimEnd().split('\n') ?? []
            if (text === undefined || lines.length < 2) break
            await loadBoth({ ...folder, [csv(step.name)]: `${text}${lines.at(-1)}${step.bad ? ',,,,' : ''}\n` })
            break
          }
          case 'first state':
            folder = { ...first }
            break
          case 'other folder':
            await loadBoth(step.files)
            break
          case 'sql':
            for (const { db } of [skipping, reading]) await db.unsafe(step.statement)
            break
          case 'dry run':
            await loadBoth(put(step.rows), { dryRun: true })
        }
        await loadBoth(folder)
      }
      expect((await verify(skipping, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')).toEqual([])
    }),
    { numRuns: runs(1, 40), endOnFailure: true },
  )
  // The first load of each run succeeds; chance decides how many others do.
  expect(outcomes.loaded).toBeGreaterThan(runs(0, 40))
  expect(outcomes.unread).toBeGreaterThan(runs(-1, 40))
})

const items = (rows: string[]) => ({ 'items.csv': `sku,name,type,unit\n${rows.join('\n')}\n` })
const row = (n: number, name = `Item ${n}`) => `I${String(n).padStart(5, '0')},${name},FG,PCS`
const all = Array.from({ length: 3000 }, (_, n) => row(n))

it('an unchanged file is not read, and only the changed rows of a changed file are staged', async () => {
  const database = await databaseForThisTest()
  const attempt = (files: Record<string, string>, options = {}) =>
    load(database, findFiles(folderOf(files)), { incremental: true, ...options })
  const counts = { new: 0, changed: 0, same: 3000, removed: 0 }
  expect(await attempt(items(all))).toMatchObject({ unread: [], entities: { items: { new: 3000 } } })
  expect(await attempt(items(all))).toMatchObject({ rows: 0, unread: ['items.csv'], entities: { items: counts } })
  expect(await attempt(items(all), { incremental: false })).toMatchObject({ rows: 3000, unread: [] })
  // A row that moves within the file is unchanged.
  expect(await attempt(items(all.toReversed()))).toMatchObject({ rows: 3000, unread: [], entities: { items: counts } })
  const changed = await attempt(items(all.with(7, row(7, 'Another'))))
  expect(changed.entities['items']).toEqual({ ...counts, changed: 1, same: 2999 })
  const fewer = items(all.slice(0, 2990))
  expect((await attempt(fewer)).entities['items']).toEqual({ ...counts, changed: 1, same: 2989 })
  // --replace removes missing rows even if the file has not changed.
  expect((await attempt(fewer, { replace: ['items'] })).entities['items']).toEqual({
    ...counts,
    same: 2990,
    removed: 10,
  })
  expect(await attempt(fewer, { replace: ['items'] })).toMatchObject({ rows: 0, unread: ['items.csv'] })
  expect((await attempt(items(all))).entities['items']).toEqual({ ...counts, new: 10, same: 2990 })
})

it('the file of a table that another program wrote is read again', async () => {
  const database = await databaseForThisTest()
  const folder = folderOf(items(all))
  await load(database, findFiles(folder), { incremental: true })
  for (const statement of [
    "update item set name = 'By hand' where sku = 'I00007'",
    "delete from item where sku = 'I00007'",
    'truncate item cascade',
  ]) {
    await database.db.unsafe(statement)
    const { unread, entities } = await load(database, findFiles(folder), { incremental: true })
    const { new: added = 0, changed = 0 } = entities['items'] ?? {}
    expect([statement, unread, added + changed > 0]).toEqual([statement, [], true])
  }
})

it('changes of other programs are noticed in every table of an entity', async () => {
  const { db } = await databaseForThisTest()
  const watched = await db`select tgrelid::regclass::text as name from pg_trigger where tgname = 'forget_loaded'`
  expect(watched.map(({ name }) => name).sort()).toEqual(entities.map(({ table }) => table).sort())
})

it('a compressed file is refused, whether or not it was loaded before', async () => {
  const database = await databaseForThisTest()
  await load(database, findFiles(folderOf(items(all))), { incremental: true })
  const folder = folderOf({ 'items.csv.gz': gzipSync(items(all)['items.csv']) })
  expect(() => findFiles(folder)).toThrow(/an import reads/)
})
