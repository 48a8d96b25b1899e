/** The log of loads: one entry for each load that changed the data, and none for any other. */
import { expect, it } from 'vitest'
import { sweep } from '../../src/access/cleanup.js'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { findLoad, readLoads } from '../../src/import/load-log.js'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { systemUser } from '../../src/system-user.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { change, good } from '../setup/good-files.js'
import { newOperator } from '../setup/operator.js'
import { startService } from '../setup/service.js'
import { inLongTier } from '../setup/tier.js'

const same = { new: 0, changed: 0, removed: 0 }

it('has the files, the counts and the warnings of each load that changed something', async () => {
  const service = await startService()
  const { database } = service
  const files = (changed: Record<string, string> = {}) => findFiles(folderOf({ ...good, ...changed }))
  const done = await load(database, files())
  await load(database, files(), { dryRun: true })
  await load(database, files()) // the same rows
  expect((await load(database, files(change('items.csv', 'FG1', '')))).committed).toBe(false)
  expect((await load(database, files(change('items.csv', 'Ghee', 'Butter')), { dryRun: true })).committed).toBe(false)
  const receipt = change('goods_receipt_items.csv', '5,4,1', '5,5,0')
  const warned = await load(database, files(receipt), { actor: 'asha', replace: ['items'] })
  expect(warned.warnings.count).toBeGreaterThan(0)

  const { loads, more } = await readLoads(database.db, { limit: 10 })
  expect([loads.map(({ version }) => version), more]).toEqual([[2, 1], false])
  expect(loads[1]).toEqual({
    ...{ rejected: 0 },
    ...{ version: 1, committedAt: expect.any(Date), seconds: expect.any(Number), actor: systemUser() },
    ...{ source: findFiles(folderOf(good)).parts.map(({ name }) => name), rows: done.rows, entities: done.entities },
    warnings: 0,
  })
  expect(Math.abs(Date.now() - (loads[1]?.committedAt.getTime() ?? 0))).toBeLessThan(60_000)
  expect(loads[0]).toMatchObject({
    ...{ actor: 'asha', warnings: warned.warnings.count },
    entities: { items: { ...same, same: 3 }, goods_receipt_items: { ...same, changed: 1, same: 0 } },
  })

  const operator = await newOperator(service.app, service.db)
  const listed = (await operator.ask('GET', '/loads')).json()
  expect(listed).toEqual({
    loads: [2, 1].map((version) => expect.objectContaining({ version, committed_at: expect.any(String) })),
    more: false,
    undoable: 2,
  })
  expect(listed.loads[1]).toEqual({
    ...{ version: 1, committed_at: expect.any(String), seconds: expect.any(Number), actor: systemUser() },
    ...{ source: loads[1]?.source, rows: done.rows, entities: done.entities, warnings: 0, rejected: 0 },
  })
  const one = (await operator.ask('GET', '/loads/2')).json()
  expect(one).toEqual({
    load: listed.loads[0],
    first_warnings: warned.warnings.first,
    warning_kinds: warned.warnings.kinds,
  })
  expect((await operator.ask('GET', '/loads?limit=1')).json()).toMatchObject({ loads: [{ version: 2 }], more: true })
  expect((await operator.ask('GET', '/loads?before=2')).json()).toMatchObject({ loads: [{ version: 1 }], more: false })
  for (const version of ['3', '0', 'x', '%00', '99999999999999999999'])
    expect((await operator.ask('GET', `/loads/${version}`)).statusCode).toBe(404)
  await service.close()
})

it('keeps the newest 1,000 entries and the entries of the last 400 days', async () => {
  const database = await databaseForThisTest()
  await database.db.unsafe(`
    insert into load_log (version, committed_at, seconds, actor, source, row_count, entities, warnings, first_warnings)
    select n, now() - case when n <= 150 then interval '401 days' else '399 days' end, 1, 'x', '{}', 1, '{}', 0, '[]'
      from generate_series(1, 1200) n;
    update data_version set version = 1200`)
  await load(database, findFiles(folderOf(good)))
  await sweep(database.db)
  const kept = () => database.db`select count(*)::int as n, min(version)::int, max(version)::int from load_log`
  expect(await kept()).toEqual([{ n: 1051, min: 151, max: 1201 }])
  await database.db`update load_log set committed_at = now() - interval '401 days'`
  await sweep(database.db)
  expect(await kept()).toEqual([{ n: 1000, min: 202, max: 1201 }])
  expect(await findLoad(database.db, 201)).toBeUndefined()
})

inLongTier('is part of a backup, and continues after its restore', async () => {
  const [database, restored] = [await databaseForThisTest(), await databaseForThisTest('empty')]
  await load(database, findFiles(folderOf(good)))
  await restore(restored, writeBackup(database))
  const { loads } = await readLoads(restored.db, { limit: 10 })
  expect(loads).toEqual((await readLoads(database.db, { limit: 10 })).loads)
  await load(restored, findFiles(folderOf({ ...good, ...change('items.csv', 'Ghee', 'Butter') })))
  expect((await readLoads(restored.db, { limit: 10 })).loads.map(({ version }) => version)).toEqual([2, 1])
})
