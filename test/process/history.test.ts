/** `millbook history`, and reports as known at the command line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { KEY } from '../setup/good-files.js'
import { run } from '../setup/program.js'

it('shows the past, answers from it, and forgets it', async () => {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(() => drop())
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run([...words, '--json', ...flags])
    expect([words, code, stderr]).toEqual([words, 0, stderr])
    return JSON.parse(stdout)
  }
  const refused = async (...words: string[]) => {
    const { code, stderr } = await run([...words, ...flags])
    return [code, stderr]
  }
  const said = async (...words: string[]) => (await run([...words, ...flags])).stdout
  expect(await said('history', 'show')).toBe('nothing has been loaded yet\n')
  const folder = folderOf({ 'items.csv': 'sku,name,type,unit\nA,Ghee,FG,KG\n' })
  await json('import', folder)
  writeFileSync(join(folder, 'items.csv'), 'sku,name,type,unit\nA,Butter,FG,KG\n')
  await json('import', folder)
  expect(await said('history', 'show')).toMatch(
    /^versions from 1 on are kept, the first from \S+ \S+Z; changed and removed rows: 1, [\d.]+ MiB\n$/,
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

  const head = 'movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax'
  writeFileSync(join(folder, 'warehouses.csv'), `key,location\n${KEY},Plant\n`)
  writeFileSync(join(folder, 'stock_movements.csv'), `${head}\nM1,2024-03-05,other_receipt,A,Plant,5,5,5\n`)
  await json('import', folder)
  expect(await json('close', '2024-03', '--reason', 'reported')).toMatchObject({
    ...{ period: '2024-03', version: 3, reason: 'reported' },
    ...{ stock_value: '5.0000', sales: '0.00', margin: '0.0000', purchases: '0.00' },
  })
  expect(await refused('close', '2024-03', '--reason', 'reported')).toEqual([
    1,
    'millbook: 2024-03 is closed already; reopen it first\n',
  ])
  expect(await refused('close', 'March', '--reason', 'reported')).toEqual([
    2,
    expect.stringContaining('a period is a month'),
  ])
  writeFileSync(join(folder, 'stock_movements.csv'), `${head}\nM1,2024-03-05,other_receipt,A,Plant,5,9,9\n`)
  const change = '2024-03: stock value was 5.0000 and is 9.0000, +4.0000\n'
  expect(await refused('import', folder, '--refuse-closed')).toEqual([
    1,
    `closed periods: ${change.trimEnd()}; to accept it, load without --refuse-closed\n1 error: nothing was loaded\n`,
  ])
  const { stderr } = await run(['import', folder, ...flags])
  expect(stderr).toBe(`warning: a figure of a closed period changes: 1\n  ${change}`)
  expect(await refused('undo', '--refuse-closed', '--yes')).toEqual([
    1,
    expect.stringContaining('changes closed periods'),
  ])
  expect(await said('reopen', '2024-03', '--reason', 'corrected')).toBe(
    'reopened 2024-03, which was closed with version 3\n',
  )
  expect(await said('close', '2024-03', '--as-known', '3', '--reason', 'reported')).toMatch(
    /^period +2024-03\nversion +3\nclosed +\S+ \S+ by \S+\nreason +reported\nstock value +5\.0000\nsales +0\.00\n/,
  )
}, 120_000)
