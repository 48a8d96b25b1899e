/** A dry run of an undo, and loading the same files again after one. */
import { expect } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { findUndoable, lastUndoable, undoLoad } from '../../src/import/undo/undo.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { sameOnBoth } from '../setup/tier.js'

sameOnBoth('a dry run counts and changes nothing; after the undo, the same files are read again', async () => {
  const database = await databaseForThisTest()
  const { db } = database
  const names = async () => (await db<{ name: string }[]>`select name from item order by name`).map(({ name }) => name)
  const items = (...rows: string[]) =>
    findFiles(folderOf({ 'items.csv': ['sku,name,type,unit', ...rows, ''].join('\n') }))
  await expect(lastUndoable(db)).rejects.toThrow('nothing has been loaded yet')
  await load(database, items('A,Ghee,FG,KG'))
  const files = items('A,Butter,FG,KG', 'B,Curd,FG,KG')
  await load(database, files, { incremental: true })
  const counts = { items: { new: 0, changed: 1, same: 0, removed: 1 } }
  const warnings = { count: 0, kinds: [], first: [] }
  expect(await undoLoad(database, 2, { dryRun: true })).toEqual({ version: 2, rows: 2, entities: counts, warnings })
  expect([await names(), await lastUndoable(db)]).toEqual([['Butter', 'Curd'], { version: 2, name: 'items.csv' }])
  expect(await undoLoad(database, 2)).toEqual({ version: 3, rows: 2, entities: counts, warnings })
  expect([await names(), await findUndoable(db)]).toEqual([
    ['Ghee'],
    { version: 3, name: 'undo of version 2, items.csv' },
  ])
  expect((await load(database, files, { incremental: true })).unread).toEqual([])
  expect(await names()).toEqual(['Butter', 'Curd'])
})
