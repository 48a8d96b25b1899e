/** `millbook report`, `profile` and `completion`, against a service and straight on a database. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { expect, it } from 'vitest'
import { completions } from '../../src/cli/completion.js'
import { makeProgram } from '../../src/cli/program.js'
import { reports } from '../../src/reports/index.js'
import { files } from '../setup/books.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { askToken, CLI, type Demo, run, runOnTerminal, startDemo } from '../setup/program.js'
import { inLongTier, long, runs } from '../setup/tier.js'

const LOADED = 2 // the version of the data at the start of every test

inLongTier(
  'gives the same report from a service and from its database; follows changes; shows a table',
  async () => {
    const folder = tempFolder()
    const data = join(folder, 'data')
    const { run: served, demo } = await startDemo(data)
    const books = folderOf(files({ items: ['ZZ0,Rennet,MAT,RAW,KG,'] }))
    expect((await run(['import', books, '--data', data])).code).toBe(0)
    await sameFromBoth(folder, data, demo)
    await follows(folder, data)
    await showsTable(data)
    served.process.kill('SIGTERM')
    await served.ended
  },
  600_000,
)

async function sameFromBoth(folder: string, data: string, demo: Demo): Promise<void> {
  const env = {
    XDG_CONFIG_HOME: folder,
    MILLBOOK_URL: demo.base_url,
    MILLBOOK_CLIENT_ID: demo.client_id,
    MILLBOOK_CLIENT_SECRET: demo.client_secret,
    MILLBOOK_USERNAME: demo.username,
    MILLBOOK_PASSWORD: demo.password,
  }
  const report = ['report', 'invoices', '--period', 'last-month']
  for (const format of runs(0, 1) === 0 ? ['json', 'parquet'] : ['csv', 'json', 'ndjson', 'parquet']) {
    const [one, other] = [join(folder, `service.${format}`), join(folder, `database.${format}`)]
    const told = await run([...report, '-o', one, '--json'], { env })
    expect([told.code, told.stderr]).toEqual([0, ''])
    const bytes = readFileSync(one)
    expect(JSON.parse(told.stdout)).toEqual({
      ...{ file: one, bytes: bytes.length, version: LOADED, records: expect.any(Number) },
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect((await run([...report, '-o', other, '--data', data])).code).toBe(0)
    expect(readFileSync(other)).toEqual(bytes)
  }
  const records = JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8')).data
  expect(records.length).toBeGreaterThan(5)

  // Data goes to stdout.
  const numbersIn = async (...more: string[]) => {
    const csv = await run([...report, ...more], { env })
    return (parse(csv.stdout, { columns: true }) as { invoice_no: string }[]).map(({ invoice_no }) => invoice_no)
  }
  const numbers = records.map(({ invoice_no }: { invoice_no: string }) => invoice_no)
  expect(await numbersIn()).toEqual(numbers)
  const ofLines = records.flatMap(({ invoice_no, items }: { invoice_no: string; items: object[] }) =>
    items.map(() => invoice_no),
  )
  expect(await numbersIn('--lines', 'yes')).toEqual(ofLines)
  const lines = await run([...report, '--lines', 'yes', '--format', 'table', '--rows', '1'], { env })
  expect(lines.stdout).toMatch(/^invoice_date +invoice_no +items_product_sku /)
  const book = join(folder, 'names.xlsx')
  expect((await run([...report, '--headings', 'api', '-o', book], { env })).code).toBe(0)
  expect(strFromU8(unzipSync(readFileSync(book))['xl/worksheets/sheet1.xml'] as Uint8Array)).toContain(
    '<t>total_amt</t>',
  )
  expect(JSON.parse((await run([...report, '--json'], { env })).stdout).data).toEqual(records)

  pipes(records, report, [{ env }, { more: ['--data', data] }])
  await showsViews(records, [...report, '--json'], [{ env }, { more: ['--data', data] }])

  await savedViews(demo, [{ env }, { more: ['--data', data] }])

  // A profile in place of the environment.
  const secrets = JSON.stringify(demo)
  const added = await run(['profile', 'add', 'work', '--url', demo.base_url, '--stdin'], {
    input: secrets,
    env: { XDG_CONFIG_HOME: folder },
  })
  expect(added.code).toBe(0)
  const kept = join(folder, 'millbook', 'profiles.json')
  expect(statSync(kept).mode & 0o777).toBe(0o600)
  const own = { XDG_CONFIG_HOME: folder }
  const listed = await run(['profile', 'list', '--json'], { env: own })
  expect(listed.stdout).not.toContain(demo.client_secret)
  expect(JSON.parse(listed.stdout).profiles).toMatchObject([{ name: 'work', url: demo.base_url }])
  expect((await run(['profile', 'test', 'work'], { env: own })).stdout).toContain(`version ${LOADED} of the data`)
  const byProfile = await run(['report', 'masters.material', '--profile', 'work', '--json'], { env: own })
  expect(JSON.parse(byProfile.stdout).data.length).toBeGreaterThan(5)
  chmodSync(kept, 0o644)
  const open = await run(['report', 'masters.material', '--profile', 'work'], { env: own })
  expect([open.code, open.stderr]).toEqual([1, expect.stringContaining(`run chmod 600 ${kept}`)])
  chmodSync(kept, 0o600)
  expect((await run(['profile', 'remove', 'work'], { env: own })).code).toBe(0)
  expect(readFileSync(kept, 'utf8').trim()).toBe('{}')

  // A wrong secret is reported, and no file is left behind.
  const wrong = await run([...report, '-o', join(folder, 'never.csv')], {
    env: { ...env, MILLBOOK_CLIENT_SECRET: 'no' },
  })
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).not.toContain('    at ')
  expect(readdirSync(folder).filter((name) => name.includes('never'))).toEqual([])
}

interface Source {
  readonly env?: Record<string, string>
  readonly more?: readonly string[]
}

/** `--columns` and `--rows` in a pipe: the same fields and records in every format, from a service and from a database. */
function pipes(
  records: readonly Record<string, string>[],
  report: readonly string[],
  sources: readonly Source[],
): void {
  const wanted = records.slice(0, 3).map(({ total_amt, invoice_no }) => ({ total_amt, invoice_no }))
  for (const { env = {}, more = [] } of sources) {
    const piped = (format: string) => {
      const words = [CLI, ...report, '--columns', 'total_amt,invoice_no', '--rows', '3', '--format', format, ...more]
      const line = `'${process.execPath}' ${words.map((word) => `'${word}'`).join(' ')} | cat`
      return execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { ...process.env, ...env } })
    }
    expect(JSON.parse(piped('json'))).toEqual({ data: wanted })
    expect(piped('csv').split('\r\n')).toEqual([
      'total_amt,invoice_no',
      ...wanted.map(({ total_amt, invoice_no }) => `${total_amt},${invoice_no}`),
      '',
    ])
  }
}

/** `--sort`, `--filter`, `--search` and `--totals`. */
async function showsViews(
  records: readonly Record<string, string>[],
  report: readonly string[],
  sources: readonly Source[],
): Promise<void> {
  const name = records[0]?.['customer_name'] ?? ''
  const wanted = records
    .filter(({ customer_name, sub_total }) => customer_name !== name && Number(sub_total) > 50)
    .sort((a, b) => Number(b['sub_total']) - Number(a['sub_total']))
  expect(wanted.length).toBeGreaterThan(2)
  const view = ['--filter', 'sub_total>50', '--filter', `customer_name!=${name}`, '--search', 'so- inv/']
  for (const { env = {}, more = [] } of sources) {
    const sorted = await run([...report, ...view, '--sort', '-sub_total', ...more], { env })
    expect(JSON.parse(sorted.stdout).data).toEqual(wanted)
    const totals = await run([...report, ...view, '--totals', ...more], { env })
    const counted = wanted.filter(({ invoice_status }) => invoice_status !== 'Cancelled')
    const cents = counted.reduce((sum, { sub_total = '' }) => sum + BigInt(sub_total.replace('.', '')), 0n)
    expect(JSON.parse(totals.stdout).data).toMatchObject([
      {
        rows: counted.length,
        _cancelled: wanted.length - counted.length,
        sub_total: String(cents).replace(/(?=..$)/, '.'),
      },
    ])
    const table = await run([...report.slice(0, -1), ...view, '--totals', '--format', 'table', ...more], { env })
    expect(table.stdout).toMatch(/^rows\s+shipping/)
    const wrong = await run([...report, '--filter', 'sub_totl>1', ...more], { env })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('did you mean sub_total?')])
  }
}

/** `report --view`, by the name or the id of a view. */
async function savedViews(demo: Demo, sources: readonly Source[]): Promise<void> {
  const { username, password } = demo
  const token = await askToken(demo, { grant_type: 'password', username, password })
  const { access_token } = (await token.json()) as { access_token: string }
  const response = await fetch(`${demo.base_url}/v1/views`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'By customer', report: 'sales.invoices', period: 'last-month', group: 'customer_name' },
      ...{ measures: 'sum(total_amt)', sort: '-total_amt' },
    }),
  })
  const { id } = (await response.json()) as { id: string }
  const group = ['--group', 'customer_name', '--measures', 'sum(total_amt)', '--sort', '-total_amt']
  for (const { env = {}, more = [] } of sources) {
    const expected = await run(['report', 'invoices', '--period', 'last-month', ...group, ...more], { env })
    expect(expected.stdout).toMatch(/^customer_name,rows,total_amt,_cancelled\r\n.+,\d+,\d+\.\d\d,\d+\r\n/)
    for (const named of [
      ['--view', 'By customer'],
      ['--view', id],
      ['view', 'By customer'],
    ])
      expect((await run(['report', ...named, ...more], { env })).stdout).toBe(expected.stdout)
    const json = await run(['report', '--view', id, '--json', ...more], { env })
    expect(JSON.parse(json.stdout).data[0]).toEqual({
      customer_name: expect.any(String),
      rows: expect.any(Number),
      total_amt: expect.any(String),
      _cancelled: 0,
    })
    const table = await run(['report', '--view', id, '--format', 'table', '--rows', '2', ...more], { env })
    expect(table.stdout).toMatch(
      /^customer_name +rows +total_amt +_cancelled\n─+ +─+ +─+ +─+\n.+ +\d+ +\d+\.\d\d +0\n.+\n$/,
    )
    const wrong = await run(['report', '--view', 'By custmer', ...more], { env })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('did you mean By customer?')])
  }
  const more = ['--data', sources.flatMap(({ more = [] }) => more)[1] as string]
  const mine = await run(['report', '--view', 'By customer', '--user', username, ...more])
  expect(mine.stdout).toMatch(/^customer_name,rows,total_amt/)
}

/** `--since`: a nightly job is one line of cron. */
async function follows(folder: string, data: string): Promise<void> {
  const [token, out] = [join(folder, 'token.json'), join(folder, 'changes-{version}.csv')]
  const pull = (...more: string[]) =>
    run(['report', 'masters.material', '--since', token, '-o', out, '--data', data, '--json', ...more])
  const changes = (version: number) =>
    parse(readFileSync(join(folder, `changes-${version}.csv`)), { columns: true }) as Record<string, string>[]
  const first = JSON.parse((await pull()).stdout)
  expect(first).toMatchObject({ version: LOADED, token: expect.any(String) })
  expect(changes(LOADED)).toHaveLength(first.records)
  expect(new Set(changes(LOADED).map(({ _change }) => _change))).toEqual(new Set(['upsert']))

  const books = folderOf(files({ items: ['ZZ1,Rennet,MAT,RAW,KG,'] }))
  expect((await run(['import', books, '--data', data])).code).toBe(0)
  expect((await pull()).code).toBe(0)
  expect(changes(LOADED + 1).map(({ _change, item_sku }) => [_change, item_sku])).toEqual([['upsert', 'ZZ1']])
  // Nothing has changed: the file of the last run stays, because the receiver may not have read it yet.
  expect(JSON.parse((await pull()).stdout)).toMatchObject({ records: 0, file: null })
  expect(changes(LOADED + 1)).toHaveLength(1)

  // A failed run keeps the token of the last successful one.
  await run(['import', folderOf(files({ items: ['ZZ2,Rennet,MAT,RAW,KG,'] })), '--data', data])
  const before = readFileSync(token, 'utf8')
  const failed = await run([
    ...['report', 'masters.material', '--since', token, '-o', join(folder, 'no/such/folder.csv'), '--data', data],
  ])
  expect([failed.code, readFileSync(token, 'utf8')]).toEqual([1, before])
  expect(failed.stderr).not.toMatch(/\n {4}at /)
  const other = await run(['report', 'masters.finished-goods', '--since', token, '--data', data])
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('has the token of masters.material')])
  writeFileSync(token, before.replace(/"token":"\w+"/, `"token":"${'0'.repeat(32)}"`))
  const gone = await pull()
  expect([gone.code, JSON.parse(gone.stderr).error]).toEqual([1, expect.stringContaining('delete the file')])
  expect(existsSync(token)).toBe(true)
}

/** On a terminal: a table that fits, and a note about the columns that it leaves out. */
async function showsTable(data: string): Promise<void> {
  // A reader that closes the pipe early gets the beginning, and no stack is printed.
  const words = [CLI, 'report', 'order-status', '--variant', 'WR', '--period', 'last-month', '--data', data]
  const piped = `'${process.execPath}' ${words.map((word) => `'${word}'`).join(' ')} | head -1`
  const head = spawnSync('sh', ['-c', piped], { encoding: 'utf8' })
  expect([head.stdout.split(',')[0], /\n {4}at /.test(head.stderr)]).toEqual(['product_sku', false])
  const device = await run(['report', 'masters.material', '-o', '/dev/null', '--data', data])
  expect([device.code, device.stderr]).toEqual([1, expect.stringContaining('/dev/null is not a file')])
  const { code, sent } = await runOnTerminal(
    ['report', 'invoices', '--period', 'last-month', '--rows', '3', '--data', data],
    100,
  )
  expect(code).toBe(0)
  const lines = sent.replaceAll('\r', '').split('\n')
  const at = lines.findIndex((line) => line.startsWith('invoice_no'))
  expect(lines.slice(at, at + 5).every((line) => line.length <= 100)).toBe(true)
  expect(lines[at + 2]).toMatch(/^INV/)
  expect(sent).toMatch(/columns do not fit: .*total_amt/)
  expect(sent).toMatch(/3 of \d+ records, version \d+/)
  const chosen = await runOnTerminal(
    ['report', 'invoices', '--period', 'last-month', '--columns', 'invoice_no,total_amt', '--data', data],
    60,
  )
  expect(chosen.sent).toMatch(/invoice_no\s+total_amt\r?\n/)
}

it('report --list names every report, and completion knows commands, reports, options and values', async () => {
  for (const list of long ? [['--list'], ['list'], ['--list', '--data', 'nowhere']] : []) {
    const { code, stdout } = await run(['report', ...list, '--json'])
    expect([code, JSON.parse(stdout).reports.length]).toEqual([0, reports.length])
  }
  const program = await makeProgram()
  expect(completions(program, ['rep'])).toEqual(['report'])
  expect(completions(program, ['report', 'inv'])).toContain('invoices')
  expect(completions(program, ['report', 'invoices', '--per'])).toEqual(['--period'])
  expect(completions(program, ['report', 'invoices', '--period', 'last-m'])).toEqual(['last-month'])
  expect(completions(program, ['report', 'invoices', '--format', 'p'])).toEqual(['parquet'])
  expect(completions(program, ['completion', ''])).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  const called = await run(['complete', '--', 'report', 'fg-st'])
  expect(called.stdout.trim()).toBe('fg-stock-status')
  const folder = tempFolder()
  writeFileSync(join(folder, 'millbook'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
  const typed = `eval "$(millbook completion bash)"; COMP_WORDS=(millbook report invoices --format pa); COMP_CWORD=4; _millbook; echo "\${COMPREPLY[*]}"`
  const bash = execFileSync('bash', ['-c', typed], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
  })
  expect(bash.trim()).toBe('parquet')
})
