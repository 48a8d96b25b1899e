/** `millbook pull` as a user runs it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entities } from '../../src/import/entities.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { foreignPostgres, foreignSqlite } from '../setup/foreign.js'
import { run, start } from '../setup/program.js'

it('pulls, prints the changes, refuses lost and wrong rows, and --status shows the last result', async () => {
  const { url, connector, run: change } = await foreignSqlite()
  const flags = ['--data', join(tempFolder(), 'books')]
  const first = await run(['pull', connector, '--from', url, ...flags])
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('created the schema, version')])
  expect(first.stdout).toMatch(/^items +3 +0 +0 +0$/m)
  expect(first.stdout).toContain('the data has version 1')
  await change(`delete from its_combos; update its_items set name = 'Butter' where sku = 'FG1'`)
  const emptied = await run(['pull', connector, '--from', url, ...flags])
  expect([emptied.code, emptied.stderr]).toEqual([
    1,
    expect.stringMatching(/no rows of combos.*--allow-empty combos$/m),
  ])
  const trying = ['pull', connector, '--dry-run', '--json', '--allow-empty', 'combos', ...flags]
  const tried = await run(trying, { env: { MILLBOOK_PULL_URL: url } })
  expect(JSON.parse(tried.stdout)).toMatchObject({ committed: false, dry_run: true, data_version: 1 })
  const second = await run(['pull', connector, '--from', url, '--json', '--allow-empty', 'combos', ...flags])
  expect(JSON.parse(second.stdout)).toMatchObject({
    ...{ committed: true, data_version: 2 },
    entities: {
      items: { new: 0, changed: 1, same: 2, removed: 0 },
      combos: { new: 0, changed: 0, same: 0, removed: 1 },
    },
  })
  await change(`update its_items set type = 'THING'`)
  const refused = await run(['pull', connector, '--from', url, ...flags])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/items\.sql:1 \(sku FG1\):.*THING.*expected one of FG/)
  const { stdout } = await run(['pull', '--status', '--json', ...flags])
  expect(JSON.parse(stdout)).toEqual({
    pulls: [
      {
        ...{ connector: 'shop', source: `SQLite file ${url.slice(7)}`, failure: 'rows', rejected: 0 },
        ...{
          pulled_at: expect.any(String),
          succeeded_at: expect.any(String),
          error: expect.stringMatching(/^3 errors/),
        },
      },
    ],
  })
})

it('--every keeps pulling, continues after a failure and stops on a signal', async () => {
  const { url, connector, run: change } = await foreignPostgres()
  const { flags, drop } = await makeTarget('migrated', 'server')
  const pulling = start(['pull', connector, '--from', url, '--every', '1s', '--json', ...flags])
  await pulling.printed('"data_version":1')
  await change('alter table its_items rename to items_of_old')
  await pulling.printed('"error"')
  await change(`alter table items_of_old rename to its_items; update its_items set name = 'Butter' where sku = 'FG1'`)
  await pulling.printed('"data_version":2')
  pulling.process.kill('SIGTERM')
  const { code, stdout, stderr } = await pulling.ended
  expect([code, stderr]).toEqual([0, ''])
  for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^\{"at":"\d{4}-\d\d-\d\dT/)
  expect(stdout).toMatch(/"error":"\w+\.sql: the source \(PostgreSQL database .*\) refuses the query: .*its_items/)
  await drop()
})

it('--init writes a connector with commented-out queries; one query is enough to pull', async () => {
  const folder = join(tempFolder(), 'shop')
  const { stdout } = await run(['pull', '--init', folder])
  expect(stdout).toBe(`wrote connector.json and ${entities.length} queries to ${folder}: see docs/connectors.md\n`)
  expect(readdirSync(folder).sort()).toEqual(['connector.json', ...entities.map(({ name }) => `${name}.sql`)].sort())
  const vendors = readFileSync(join(folder, 'vendors.sql'), 'utf8')
  expect(vendors).toContain('null as code ')
  expect((await run(['pull', '--init', folder])).stderr).toContain('is there already')

  const { url } = await foreignPostgres()
  const { flags, drop } = await makeTarget('migrated', 'server')
  const empty = await run(['pull', folder, '--from', url, ...flags])
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('has no query')])
  const code = vendors.replace(/^-- {1,3}(?=select|,| {2}null|from|order)/gm, '')
  writeFileSync(
    join(folder, 'vendors.sql'),
    code
      .replace(/null as code/, 'code as code')
      .replace(/null as name/, 'name as name')
      .replace(/^from$/m, 'from its_vendors'),
  )
  const pulled = await run(['pull', folder, '--from', url, '--json', ...flags])
  expect(JSON.parse(pulled.stdout)).toMatchObject({
    ...{ committed: true, rows: 1 },
    entities: { vendors: { new: 1 } },
  })
  await drop()
})

it('arguments are checked before the source or the database is opened', async () => {
  const folder = tempFolder()
  const own = join(folder, 'own')
  mkdirSync(own)
  const describe = (about: object) => writeFileSync(join(own, 'connector.json'), JSON.stringify(about))
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run(['pull', ...args, '--data', join(folder, 'none')])
    expect(code).toBe(2)
    return stderr.split('\n')[0]
  }
  expect(await refused()).toBe('millbook: name a connector, or use --list, --status, --inspect FOLDER or --init DIR')
  expect(await refused('erpnxt', '--from', 'sqlite:x')).toMatch(/there is no connector erpnxt/)
  expect(await refused(own, '--from', 'sqlite:x')).toContain(`there is no file ${join(own, 'connector.json')}`)
  describe({ dialect: 'oracle' })
  expect(await refused(own, '--from', 'sqlite:x')).toMatch(/dialect must be one of postgres, mysql, sqlite, sqlserver$/)
  describe({ dialect: 'sqlite', paramaters: {} })
  expect(await refused(own, '--from', 'sqlite:x')).toMatch(/paramaters is unknown.*parameters/)
  describe({ dialect: 'sqlite', parameters: { year2: 'Which' } })
  expect(await refused(own, '--from', 'sqlite:x')).toMatch(/parameters must be an object with names in lowercase/)
  describe({ dialect: 'sqlite', parameters: { company: 'Which' } })
  writeFileSync(join(own, 'item.sql'), 'select 1')
  expect(await refused(own, '--from', 'sqlite:x')).toMatch(/item\.sql: there is no entity item.*items/)
  expect(await refused(own, '--allow-empty', 'item')).toMatch(/There is no entity item.*items/)
  expect(await refused(own)).toContain('name the source with --from, or set MILLBOOK_PULL_URL')
})

it('--inspect proposes a mapping that loads as it is, and replaces no file unless told to', async () => {
  const folder = tempFolder()
  const sales = 'No,Date,Customer,Item,Qty,Unit,Rate,Amount\nA1,01/02/2026,Asha,Ghee,2,Jar,90,180\nTotal,,,,2,,,180\n'
  writeFileSync(join(folder, 'sales.csv'), sales)
  const printed = await run(['pull', '--inspect', folder])
  expect([printed.code, printed.stderr]).toEqual([0, '4 rules for 1 sheet; 1 line to look at, marked LOOK\n'])
  expect(printed.stdout).toMatch(
    /# LOOK: no date tells whether the day or the month comes first.*\ndates: DD\/MM\/YYYY\n/,
  )
  const file = join(folder, 'mapping.yaml')
  expect(await run(['pull', '--inspect', folder, '-o', file])).toMatchObject({ code: 0, stdout: '' })
  expect(readFileSync(file, 'utf8')).toBe(printed.stdout)
  const again = await run(['pull', '--inspect', folder, '-o', file])
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining('already: name another one, or replace it with --force'),
  ])
  expect((await run(['pull', '--inspect', folder, '-o', file, '--force'])).code).toBe(0)
  const { stdout } = await run(['pull', '--inspect', folder, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ text: printed.stdout, unread: [], settings: { dates: { unsure: true } } })
  const pulled = await run([
    'pull',
    'spreadsheets',
    '--from',
    folder,
    '--strict',
    '--data',
    join(tempFolder(), 'books'),
  ])
  expect(pulled.stdout).toContain('  sums as the sheet states them in row 3: Qty 2, Amount 180\n')
  expect(pulled.stdout).toMatch(/^invoices +1 +0 +0 +0$/m)
  expect((await run(['pull', '--inspect', tempFolder()])).stderr).toMatch(/no table in .* fits an entity of Millbook/)
  expect((await run(['pull', 'spreadsheets', '--from', folder, '--force'])).code).toBe(2)
})
