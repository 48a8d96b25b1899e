/** `millbook undo` as an operator runs it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { run } from '../setup/program.js'
import { inLongTier } from '../setup/tier.js'

// The quick tier runs the examples of the command's help, and test/engine/undo-again.test.ts.
inLongTier('takes the last load back, and the same files can then be loaded again', async () => {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(() => drop())
  const folder = folderOf({ 'items.csv': 'sku,name,type,unit\nA,Ghee,FG,KG\n' })
  const load = async (...more: string[]) => {
    const { code, stdout } = await run(['import', folder, '--json', ...more, ...flags])
    expect(code).toBe(0)
    return JSON.parse(stdout)
  }
  await load()
  writeFileSync(join(folder, 'items.csv'), 'sku,name,type,unit\nA,Butter,FG,KG\nB,Curd,FG,KG\n')
  await load()
  const tried = await run(['undo', '--dry-run', '--json', ...flags])
  const entities = { items: { new: 0, changed: 1, same: 0, removed: 1 } }
  const warnings = { count: 0, kinds: [], first: [] }
  expect(JSON.parse(tried.stdout)).toEqual({
    ...{ undone: 2, dry_run: true, data_version: 2, rows: 2 },
    ...{ entities, warnings },
  })
  const asked = await run(['undo', ...flags])
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('add --yes to confirm it')])
  const undone = await run(['undo', '2', '--yes', ...flags])
  expect([undone.code, undone.stdout.split('\n').slice(1)]).toEqual([
    0,
    [
      'items                            0           1           1',
      'took back the load of version 2: the data has version 3',
      '',
    ],
  ])
  expect(await load()).toMatchObject({ unread: [], entities: { items: { new: 1, changed: 1 } } })
})
