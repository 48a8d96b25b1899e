/** `millbook migrate --sql-access` and `--no-sql-access` as people type them, and the recipe that reads with SQL. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { missingPython, pip, run as runProgram } from '../../scripts/generated-clients/client.mjs'
import { connect } from '../../src/db/connect.js'
import { loadSample } from '../../src/demo/sample.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { run } from '../setup/program.js'
import { inLongTier } from '../setup/tier.js'

async function server() {
  const { target, flags, drop } = await makeTarget('migrated', 'server')
  const { url } = target as { url: string }
  const name = new URL(url).pathname.slice(1)
  onTestFinished(async () => {
    await run(['migrate', '--no-sql-access', ...flags])
    await drop()
  })
  return { url, flags, name }
}

it('turns SQL access on and off, as text and as JSON; doctor checks it', async () => {
  const { flags, name } = await server()
  const on = await run(['migrate', '--sql-access', ...flags])
  expect([on.code, on.stderr]).toEqual([0, ''])
  expect(on.stdout).toMatch(
    new RegExp(
      `^SQL access: ${name}_reader reads \\d+ functions and \\d+ views, ${name}_reader_contacts also contact data; docs/sql.md has the next steps$`,
      'm',
    ),
  )
  const again = await run(['migrate', '--json', ...flags])
  expect(JSON.parse(again.stdout).sql_access).toEqual({
    ...{ reader: `${name}_reader`, contacts: `${name}_reader_contacts` },
    ...{ functions: expect.any(Number), views: expect.any(Number) },
  })
  const { findings } = JSON.parse((await run(['doctor', '--json', ...flags])).stdout)
  expect(findings).toContainEqual({
    ...{ check: 'sql access', state: 'ok' },
    found: expect.stringMatching(
      /^\w+_reader and \w+_reader_contacts read \d+ functions and \d+ views, and nothing else$/,
    ),
  })
  const off = await run(['migrate', '--no-sql-access', '--json', ...flags])
  expect(JSON.parse(off.stdout).sql_access).toEqual({ ended: true })
  expect((await run(['migrate', '--no-sql-access', ...flags])).stdout).toContain('\nSQL access is off\n')
  expect(JSON.parse((await run(['migrate', '--json', ...flags])).stdout)).not.toHaveProperty('sql_access')
})

it('the embedded database refuses it and says why', async () => {
  const { flags, drop } = await makeTarget('migrated', 'embedded')
  onTestFinished(drop)
  expect(await run(['migrate', '--sql-access', ...flags])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'SQL access needs a PostgreSQL server: the embedded database has one session, no roles and no port',
    ),
  })
})

inLongTier('the recipe reads invoices, their lines and the stock with SQLAlchemy and pandas', async (context) => {
  const missing = missingPython()
  if (missing !== undefined) return context.skip(missing)
  const { url, flags, name } = await server()
  const database = await connect({ url })
  onTestFinished(() => database.close())
  await loadSample(database, { today: '2026-06-30', scale: 0.1, months: 2 })
  await run(['migrate', '--sql-access', ...flags])
  await database.db.unsafe(`alter role ${name}_reader login`)
  const folder = tempFolder()
  await pip(folder, ['sqlalchemy==2.0.44', 'psycopg[binary]==3.2.12', 'pandas==3.1.1'])
  cpSync(fileURLToPath(new URL('../../recipes/with_sql.py', import.meta.url)), join(folder, 'with_sql.py'))
  const printed = await runProgram(folder, 'python', ['with_sql.py'], {
    PATH: [join(folder, 'venv', 'bin'), process.env['PATH']].join(':'),
    MILLBOOK_SQL_URL: url.replace(/^postgres:\/\/postgres@/, `postgresql+psycopg://${name}_reader@`),
    MILLBOOK_FROM: '2000-01-01',
    MILLBOOK_TO: '2099-12-31',
  })
  const [truth] = await database.db<{ text: string }[]>`
    select format(E'version %s\n%s invoices, total_amt %s\n%s lines, taxable_value %s\n', (select version from data_version),
                  count(*), sum(round(total_amt, 2)), (select count(*) from invoice_line), (select sum(round(taxable_value, 2)) from invoice_line)) as text
      from invoice`
  expect(printed).toMatch(/\n\d+ kinds of stock\n$/)
  expect(printed.replace(/\d+ kinds of stock\n$/, '')).toBe(truth?.text)
})
