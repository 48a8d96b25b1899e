/** `millbook backup` and `millbook restore` as an operator runs them. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeBackupFile } from '../../src/backup/file.js'
import { writeBackup } from '../../src/backup/write.js'
import { connect } from '../../src/db/connect.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { run, start } from '../setup/program.js'

it('an encrypted backup of one engine is restored on the other; a wrong file creates nothing', async () => {
  const { flags, target, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  const folder = tempFolder()
  const [file, data] = [join(folder, 'made.backup'), join(folder, 'data')]
  const env = { MILLBOOK_BACKUP_PASSPHRASE: 'a long sentence' }
  const made = await run(['backup', file, '--json', ...flags], { env })
  expect(JSON.parse(made.stdout)).toMatchObject({ encrypted: true, data_version: 0 })
  expect([statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ['made.backup']])

  writeFileSync(join(folder, 'other'), 'hello')
  for (const [args, why] of [
    [[file], 'the backup is encrypted'],
    [[join(folder, 'missing')], 'there is no such file'],
    [[join(folder, 'other')], 'this is not a backup of Millbook'],
  ] as const) {
    const refused = await run(['restore', ...args, '--data', data])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)])
    expect(existsSync(data)).toBe(false)
  }

  const restored = await run(['restore', file, '--data', data, '--json'], { env })
  expect([restored.code, JSON.parse(restored.stdout)]).toEqual([0, expect.objectContaining({ ok: true, findings: [] })])

  // Findings of verify are reported, and the data is restored anyway.
  const source = await connect(target)
  await source.db`
    insert into stock_closing (item_id, warehouse_id, day, kind, qty, val, val_tax)
    values (1, 1, '2024-02-01', 'hold', 1, 1, 1)`
  const wrong = join(folder, 'wrong.backup')
  await writeBackupFile(wrong, writeBackup(source), {})
  await source.close()
  const empty = await makeTarget('empty', 'server')
  onTestFinished(empty.drop)
  const told = await run(['restore', wrong, '--json', ...empty.flags])
  const findings = [expect.objectContaining({ check: 'closings differ from the ledger', count: 1 })]
  expect([told.code, JSON.parse(told.stdout)]).toEqual([1, expect.objectContaining({ ok: false, findings })])
  const there = await connect(empty.target)
  expect(await there.db`select from stock_closing`).toHaveLength(1)
  await there.close()

  for (const [args, more, why] of [
    [[folder], {}, 'it is not a regular file; name another one'],
    [[file], {}, 'exists: name another file, or give --force to replace it'],
    [[join(folder, 'none', 'x')], {}, 'there is no such folder; create it'],
    [
      [join(folder, 'x')],
      { MILLBOOK_BACKUP_PASSPHRASE: '' },
      'MILLBOOK_BACKUP_PASSPHRASE is empty: set it, or unset it',
    ],
  ] as const) {
    const refused = await run(['backup', ...args, ...flags], { env: more })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)])
    expect(refused.stderr.trim().split('\n')).toHaveLength(1)
  }
  expect(readdirSync(folder).sort()).toEqual(['data', 'made.backup', 'other', 'wrong.backup'])
})

it('Ctrl-C leaves no partial file', async () => {
  const { flags, target, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  const folder = tempFolder()
  const session = await connect(target)
  onTestFinished(() => session.close())
  await session.db.begin(async (tx) => {
    await tx`lock table vendor`
    const backup = start(['backup', join(folder, 'x.backup'), ...flags])
    await expect.poll(() => readdirSync(folder).length).toBe(1)
    backup.process.kill('SIGINT')
    expect((await backup.ended).signal).toBe('SIGINT')
  })
  expect(readdirSync(folder)).toEqual([])
})

it('only commands that may create a database migrate its schema', async () => {
  const { flags, drop } = await makeTarget('empty', 'server')
  onTestFinished(drop)
  for (const command of [['verify'], ['client', 'list'], ['user', 'list'], ['audit']]) {
    const refused = await run([...command, ...flags])
    expect([command, refused.code, refused.stderr]).toEqual([
      command,
      1,
      expect.stringContaining('run millbook migrate'),
    ])
  }
})
