/** `millbook history`, and reports as known at the command line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { run } from '../setup/program.js'

it('shows the past, answers from it, and forgets it', async () => {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(() => drop())
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run([...words, '--json', ...flags])
    expect([words, code, stderr]).toEqual([words, 0, stderr])
    return JSON.parse(stdout)
  }
  const said = async (...words: string[]) => (await run([...words, ...flags])).stdout
  expect(await said('history', 'show')).toBe('nothing has been loaded yet\n')
  const folder = folderOf({ 'items.csv': 'sku,name,type,unit\nA,Ghee,FG,KG\n' })
  await json('import', folder)
  writeFileSync(join(folder, 'items.csv'), 'sku,name,type,unit\nA,Butter,FG,KG\n')
  await json('import', folder)
  expect(await said('history', 'show')).toMatch(
    /^versions from 1 on are kept, the first from \S+ \S+Z; about \d+ changed and removed rows take [\d.]+ MiB\n$/,
  )
  const items = ['report', 'masters.items']
  expect((await json(...items, '--as-known', '1')).data[0].name).toBe('Ghee')
  expect((await json(...items, '--against', '1')).data).toEqual([
    { change: 'changed', key: { sku: 'A' }, fields: { name: { before: 'Ghee', after: 'Butter' } } },
  ])
  const table = await said(...items, '--against', '1', '--format', 'table')
  expect(table).toMatch(/_change +sku +field +before +after\n.*\n?changed +A +name +Ghee +Butter/)
  const wrong = await run([...items, '--as-known', 'yesterday', ...flags])
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('It must be a version such as 12, a day such as'),
  ])
  const both = await run([...items, '--as-known', '1', '--since', join(folder, 'token'), ...flags])
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--since cannot be combined with --as-known')])
  expect(await said('history', 'prune')).toBe('forgot 0 rows; reports can be asked of versions from 1 on\n')
  expect(await json('history', 'prune', '--days', '1')).toEqual({ rows: 0, oldest_version: 1 })
}, 120_000)
