/** The last load taken back: every row of business data and of derived tables is as it was. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sampleCompany } from '../../src/demo/sample.js'
import { entities } from '../../src/import/entities.js'
import { readLoads } from '../../src/import/load-log.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { findUndoable, undoLoad } from '../../src/import/undo/undo.js'
import { files } from '../setup/books.js'
import { databaseForThisTest, remember } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { storedWithIds as stored } from '../setup/stored.js'
import { inLongTier, runs, sameOnBoth } from '../setup/tier.js'

const fromFiles = (rows: Record<string, string>) => findFiles(folderOf(rows))

sameOnBoth('any load into any books can be taken back, and leaves every row as it was', async () => {
  const database = await databaseForThisTest()
  const outcomes = { undone: 0, refused: 0, same: 0 }
  await load(database, fromFiles(good))
  const restore = await remember(database)
  await fc.assert(
    fc.asyncProperty(anyLoad, anyLoad, async (before, now) => {
      await restore()
      const { dataVersion } = await load(database, fromFiles(files(before.rows)))
      const [rows, findings] = [await stored(database), await verify(database, { rebuild: false })]
      const attempt = (rows: Record<string, string[]>, replace: string[]) =>
        load(database, fromFiles(files(rows)), { replace })
      let result = await attempt(now.rows, now.replace)
      const isUndoable = async () => {
        const found = (await findUndoable(database.db))?.version // of `before`, if this load changed nothing
        return found === result.dataVersion && found > dataVersion
      }
      if (!result.committed || !(await isUndoable())) {
        // Most random rows contradict the books, and some change nothing.
        outcomes[result.committed ? 'same' : 'refused']++
        expect(await stored(database)).toEqual(rows)
        result = await attempt({ items: ['FG1,Another name,FG,,JAR,', 'NEW1,New,FG,,JAR,'] }, [])
        expect([result.committed, await isUndoable()]).toEqual([true, true])
      } else outcomes.undone++
      const undone = await undoLoad(database, result.dataVersion)
      expect(undone.version).toBe(result.dataVersion + 1)
      expect(await stored(database)).toEqual(rows)
      expect(await verify(database, { rebuild: false })).toEqual(findings)
    }),
    { numRuns: runs(3, 60) },
  )
  expect(outcomes.undone).toBeGreaterThan(runs(-1, 3))
})

const company = (today: string, months: number) => sampleCompany({ today, scale: 0.1, months })
const all = entities.map(({ name }) => name)

it('the first load can be taken back: the account is empty again', async () => {
  const database = await databaseForThisTest()
  const before = await stored(database)
  const { dataVersion } = await load(database, company('2026-06-30', runs(1, 6)), { actor: 'asha' })
  const { entities: counts, version } = await undoLoad(database, dataVersion, { actor: 'vikram' })
  expect(await stored(database)).toEqual(before)
  expect(counts['stock_movements']?.removed).toBeGreaterThan(runs(100, 1000))
  expect(await findUndoable(database.db)).toEqual({ version, name: 'undo of version 1, sample company' })
  const { loads } = await readLoads(database.db, { limit: 2 })
  expect(loads.map(({ version, actor, source }) => [version, actor, source])).toEqual([
    [version, 'vikram', ['undo of version 1, sample company']],
    [1, 'asha', ['sample company']],
  ])
})

inLongTier('a load that changes and removes most rows can be taken back', async () => {
  const database = await databaseForThisTest()
  await load(database, company('2026-05-31', runs(1, 4)))
  const before = await stored(database)
  const { dataVersion, entities: counts } = await load(database, company('2026-06-30', runs(1, 3)), {
    replace: all.filter((name) => name !== 'account'),
  })
  const sum = (kind: 'new' | 'changed' | 'removed') => Object.values(counts).reduce((sum, one) => sum + one[kind], 0)
  expect([sum('new'), sum('changed'), sum('removed')].every((rows) => rows > runs(20, 100))).toBe(true)
  await undoLoad(database, dataVersion)
  expect(await stored(database)).toEqual(before)
  expect((await verify(database, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')).toEqual([])
})

it('is refused if something has changed the data since, and changes nothing', async () => {
  const database = await databaseForThisTest()
  const items = (name: string) => fromFiles({ 'items.csv': `sku,name,type,unit\nA,${name},FG,KG\n` })
  const first = await load(database, items('One'))
  await load(database, items('One')) // changes nothing
  expect((await findUndoable(database.db))?.version).toBe(first.dataVersion)
  await load(database, items('Other'), { dryRun: true })
  expect((await findUndoable(database.db))?.version).toBe(first.dataVersion)
  await load(database, items('Two'))
  const before = await stored(database)
  await expect(undoLoad(database, first.dataVersion)).rejects.toThrow(
    'something changed the data after version 1, so that load can no longer be taken back',
  )
  for (const version of [0, 99])
    await expect(undoLoad(database, version)).rejects.toThrow(`there is no load of version ${version}`)
  const third = await load(database, items('Three'))
  await verify(database, { rebuild: true })
  await expect(undoLoad(database, third.dataVersion)).rejects.toThrow('something changed the data after version 3')
  expect(await findUndoable(database.db)).toBeUndefined()
  expect(before['item']).toHaveLength(1)
})

it('is all or nothing: a row that cannot be restored leaves the load as it was', async () => {
  const database = await databaseForThisTest()
  const { dataVersion } = await load(
    database,
    fromFiles({ 'items.csv': 'sku,name,type,unit\nA,One,FG,KG\nB,Two,FG,KG\n' }),
  )
  // By hand, without a load: a row of the company's own table refers to an item that the load added.
  await database.db.unsafe("create table own_note (sku code references item (sku)); insert into own_note values ('B')")
  const before = await stored(database)
  await expect(undoLoad(database, dataVersion)).rejects.toThrow(/own_note/)
  expect(await stored(database)).toEqual(before)
  await database.db.unsafe('drop table own_note')
  await undoLoad(database, dataVersion)
  expect((await stored(database))['item']).toEqual([])
})
