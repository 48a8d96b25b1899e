/**
 * Every recipe works against a demo, with the records, totals and column types of the report.
 * A proxy injects 429, 503 and 410. Power Query, Google Sheets and n8n cannot run here: the query is
 * parsed and its names are looked up in the OpenAPI document, the other two run with stand-ins that send real requests.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { missingPython, npm, pip, run as runProgram } from '../../scripts/generated-clients/client.mjs'
import { type Column, columnsOf, type ValueColumn } from '../../src/kernel/report/columns.js'
import { mostDigits } from '../../src/kernel/report/fields.js'
import type { Shape } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { type Faults, startFaults } from '../setup/faults.js'
import { tempFolder } from '../setup/files.js'
import { askToken, CLI, type Demo, run } from '../setup/program.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const recipe = (name: string): string => join(PROJECT, 'recipes', name)
const PERIOD = { from_date: '2000-01-01', to_date: '2099-12-31' }
const PYTHON = ['requests==2.34.2', 'pandas==3.1.1', 'pyarrow==26.0.1', 'dlt[duckdb]==1.31.0', 'duckdb-cli==1.5.6']
const NODE = ['newman@6.2.2', '@microsoft/powerquery-parser@0.18.4']
const noPython = missingPython() !== undefined

let [folder, data, demo, served, faults]: [string, string, Demo, ChildProcess, Faults] = [] as never
/** The environment variables of the recipes. */
let settings: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millbook-recipes-'))
  data = join(folder, 'data')
  const small = ['--scale', '0.2', '--months', '2']
  served = spawn(process.execPath, [CLI, 'demo', '--port', '0', '--data', data, '--json', ...small], { stdio: 'pipe' })
  served.stderr?.resume()
  const [line] = await once(served.stdout as NodeJS.ReadableStream, 'data')
  demo = JSON.parse(String(line))
  faults = await startFaults(demo.base_url)
  settings = {
    MILLBOOK_URL: faults.url,
    MILLBOOK_CLIENT_ID: demo.client_id,
    MILLBOOK_CLIENT_SECRET: demo.client_secret,
    MILLBOOK_USERNAME: demo.username,
    MILLBOOK_PASSWORD: demo.password,
    MILLBOOK_FROM: PERIOD.from_date,
    MILLBOOK_TO: PERIOD.to_date,
    MILLBOOK_PER_PAGE: '100', // the invoices of the sample are four pages
  }
  if (!noPython) await pip(folder, PYTHON)
  await npm(folder, NODE)
}, 600_000)

afterAll(async () => {
  faults?.close()
  const ended = once(served, 'exit')
  served.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
})

beforeEach(() => faults.reset())

interface Invoice {
  invoice_no: string
  invoice_status: string
  customer_name: string
  order_no: string
  invoice_date: string
  total_amt: string
  items: { taxable_value: string }[]
  taxes: { amount: string }[]
}

async function token(): Promise<string> {
  const answer = await askToken(demo, { grant_type: 'client_credentials' })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** The invoices of the report, by default with the fields of the contract, and the lines of totals that the recipes print. */
async function truth(fields = 'contract') {
  const response = await fetch(`${demo.base_url}/v1/sales/invoices?per-page=5000&fields=${fields}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
    body: JSON.stringify(PERIOD),
  })
  const { data: invoices } = (await response.json()) as { data: Invoice[] }
  const lines = invoices.flatMap(({ items }) => items)
  const taxes = invoices.flatMap(({ taxes = [] }) => taxes)
  return {
    invoices,
    total: `${invoices.length} invoices, total_amt ${sum(invoices.map(({ total_amt }) => total_amt))}`,
    lines: `${lines.length} lines, taxable_value ${sum(lines.map(({ taxable_value }) => taxable_value))}`,
    taxes: `${taxes.length} taxes, amount ${sum(taxes.map(({ amount }) => amount))}`,
  }
}

const sum = (amounts: string[]): string =>
  String(amounts.reduce((sum, text) => sum + BigInt(text.replace('.', '')), 0n)).replace(/(\d\d)$/, '.$1')

/** The output of a program that runs with the settings above and finds the installed packages. */
const output = (cwd: string, program: string, args: string[], env: Record<string, string> = {}): Promise<string> =>
  runProgram(cwd, program, args, {
    PATH: [join(folder, 'venv', 'bin'), join(folder, 'node_modules', '.bin'), process.env['PATH']].join(':'),
    ...settings,
    ...env,
  })

it('curl fetches all pages', async () => {
  const cwd = tempFolder()
  expect(await output(cwd, 'sh', [recipe('curl.sh')])).toBe('4 pages\n')
  const pages = readdirSync(cwd).map((name) => JSON.parse(readFileSync(join(cwd, name), 'utf8')).data)
  expect(pages.flat()).toEqual((await truth()).invoices)
  expect(faults.met()).toEqual([429, 503, 410])
})

it('curl stops at an error and shows it', async () => {
  const env = { MILLBOOK_FROM: 'yesterday' }
  await expect(output(tempFolder(), 'sh', [recipe('curl.sh')], env)).rejects.toThrow('invalid-parameters')
  const secret = { MILLBOOK_CLIENT_SECRET: 'no "such" \\secret' }
  await expect(output(tempFolder(), 'sh', [recipe('curl.sh')], secret)).rejects.toThrow('no token')
})

it('TypeScript prints the total, then the changes', async () => {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(PROJECT, join(cwd, 'node_modules', 'millbook'))
  symlinkSync(join(PROJECT, 'node_modules', '@types'), join(cwd, 'node_modules', '@types'))
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  copyFileSync(recipe('typescript.ts'), join(cwd, 'typescript.ts'))
  const flags = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--rootDir', '.']
  await runProgram(cwd, join(PROJECT, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...flags, 'typescript.ts'])
  const { total, invoices } = await truth()
  const start = () => output(cwd, process.execPath, ['typescript.js'])
  expect(await start()).toBe(`${total}\n${invoices.length} new or changed, 0 removed\n`)
  expect(faults.met()).toEqual([429, 503])
  expect(await start()).toBe(`${total}\n0 new or changed, 0 removed\n`)
  writeFileSync(join(cwd, 'invoices.token'), '0'.repeat(32)) // a token that the service does not know
  expect(await start()).toBe(`${total}\n${invoices.length} new or changed, 0 removed\n`)
})

/** The type of every single value of the invoices and of their lists, as `table column type`, from the report's declaration. */
function typesOf(type: (column: ValueColumn) => string): string[] {
  const shape = reports.find(({ id }) => id === 'sales.invoices')?.shapes.get('') as Shape
  const typed = (table: string, columns: readonly Column[]): string[] =>
    columns.flatMap((column): string[] => {
      if (column.kind === 'lines') return typed(column.name, column.columns)
      if (column.kind === 'nested') throw new Error('invoices have no nested objects')
      return [`${table} ${column.name} ${type(column)}`]
    })
  const all = typed('invoices', columnsOf(shape))
  for (const named of ['invoices document_total_amt', 'items document_rate', 'taxes rate'])
    expect(all.some((one) => one.startsWith(`${named} `))).toBe(true)
  return all
}

const arrowType = (column: ValueColumn): string => {
  if (column.kind === 'decimal' || column.kind === 'number') return `decimal128(38, ${mostDigits(column)})[pyarrow]`
  const types = { integer: 'int64', date: 'date32[day]', timestamp: 'timestamp[ms]', text: 'string', word: 'string' }
  return `${types[column.kind as keyof typeof types]}[pyarrow]`
}

const duckdbType = (column: ValueColumn): string => {
  if (column.kind === 'decimal' || column.kind === 'number') return `DECIMAL(38,${mostDigits(column)})`
  const types = { integer: 'BIGINT', date: 'DATE', timestamp: 'TIMESTAMP', text: 'VARCHAR', word: 'VARCHAR' }
  return types[column.kind as keyof typeof types]
}

it.skipIf(noPython)('pandas gets the same types and exact totals from pages of JSON and from Parquet', async () => {
  const printed = await output(tempFolder(), 'python', [recipe('with_pandas.py')])
  const { total, lines, taxes } = await truth('all')
  const key = (table: string) => [`${table} invoice_date timestamp[ms][pyarrow]`, `${table} invoice_no string[pyarrow]`]
  const types = [...typesOf(arrowType), ...key('items'), ...key('taxes')]
  const expected = [...types.map((type) => type.replace(' ', '.')), lines, taxes, total]
  const busy = ['HTTP 429; trying again in 1 s', 'HTTP 503; trying again in 1 s']
  const both = ['json', 'parquet'].flatMap((way) => expected.map((row) => `${way}: ${row}`))
  expect(printed.trimEnd().split('\n').sort()).toEqual([...busy, ...both].sort())
  expect(faults.met()).toEqual([429, 503, 410])
})

it.skipIf(noPython)('DuckDB gets types and exact totals, from CSV and from Parquet', async () => {
  faults.reset(3) // a file has no pages that could be gone
  const rows = (await output(tempFolder(), 'sh', [recipe('duckdb.sh')])).trimEnd().split('\n')
  const { total, lines } = await truth()
  expect(rows.slice(-4)).toEqual([`csv: ${total}`, `csv: ${lines}`, `parquet: ${lines}`, `parquet: ${total}`])
  const types = typesOf(duckdbType).filter((type) => type.startsWith('invoices '))
  const [lists, values] = [/^(items|taxes) STRUCT\(.*\)\[\]$/, rows.slice(0, -4)]
  expect(values.filter((type) => !lists.test(type))).toEqual(types.map((type) => type.slice('invoices '.length)))
  expect(values.filter((type) => lists.test(type))).toHaveLength(2)
  expect(faults.met()).toEqual([429, 503])
})

/** Loads the sample's invoices again, without the last ones and with a changed reference in the first. */
async function changeInvoices(removed: number): Promise<void> {
  const [books, load] = [tempFolder(), tempFolder()]
  const made = await run(['demo', '--files', books, '--scale', '0.2', '--months', '2'])
  expect([made.code, made.stderr]).toEqual([0, expect.anything()])
  const [head, first = '', ...rows] = readFileSync(join(books, 'invoices.csv'), 'utf8').trimEnd().split('\n')
  const gone = new Set(rows.splice(-removed).map((row) => row.split(',')[0]))
  const column = head?.split(',').indexOf('reference')
  const changed = first.split(',').map((cell, i) => (i === column ? `Corrected ${removed}` : cell))
  writeFileSync(join(load, 'invoices.csv'), [head, changed.join(','), ...rows, ''].join('\n'))
  const items = readFileSync(join(books, 'invoice_items.csv'), 'utf8').split('\n')
  writeFileSync(
    join(load, 'invoice_items.csv'),
    items.filter((row) => !gone.has(row.split(',')[0] as string)).join('\n'),
  )
  const imported = await run(['import', load, '--replace', 'invoices,invoice_items', '--data', data])
  expect([imported.code, imported.stderr]).toEqual([0, expect.anything()])
  await new Promise((resolve) => setTimeout(resolve, 1000)) // the service notices a load within 300 ms
}

it.skipIf(noPython)('dlt loads everything at first, then only changes, removed invoices included', async () => {
  const cwd = tempFolder()
  const load = async () => {
    const rows = (await output(cwd, 'python', [recipe('with_dlt.py')], { DLT_DATA_DIR: cwd })).split('\n')
    const { total, lines } = await truth()
    expect(rows.slice(-3)).toEqual([lines, total, ''])
    const types = typesOf(duckdbType).map((type) => type.replace(/^(items|taxes)/, 'invoices__$1'))
    const found = rows.filter((row) => row.startsWith('invoices'))
    expect(found.sort()).toEqual([...types, 'invoices _deleted BOOLEAN'].sort()) // as DuckDB reads the Parquet file
    return rows[0] ?? ''
  }
  expect(await load()).toBe('the token has expired: all invoices are loaded again')
  expect(faults.met()).toEqual([429, 503, 410])
  expect(await load()).toBe('0 new, changed or removed')
  await changeInvoices(1)
  expect(await load()).toBe('2 new, changed or removed')
})

it.skipIf(noPython)('pandas and dlt handle a period without invoices', async () => {
  const env = { MILLBOOK_FROM: '1990-01-01', MILLBOOK_TO: '1990-01-31' }
  for (const name of ['with_pandas.py', 'with_dlt.py']) {
    const cwd = tempFolder()
    const ended = output(cwd, 'python', [recipe(name)], { ...env, DLT_DATA_DIR: cwd })
    await expect(ended).rejects.toThrow(/^no invoices in this period$/m)
  }
})

it('cron fetches everything in the first night, then only changes, removed invoices included', async () => {
  const { night, nights, ofNight } = await cron(tempFolder())
  const { invoices: before } = await truth('all')
  await night()
  expect(ofNight(1)).toEqual(before.map((invoice) => ({ _change: 'upsert', ...invoice })))
  await changeInvoices(2)
  await night()
  const { invoices: after } = await truth('all')
  expect(after.length).toBeLessThan(before.length)
  expect(ofNight(2)).toEqual([
    { _change: 'upsert', ...after[0] },
    ...before.slice(after.length).map(({ invoice_no, invoice_date }) => ({
      ...{ _change: 'delete', invoice_no, invoice_date },
    })),
  ])
  await night()
  expect(nights()).toBe(2) // nothing has changed
})

/** Runs the line of the crontab like cron: with a shell, a home, and the variables of the file. */
async function cron(home: string) {
  const rows = readFileSync(recipe('nightly/crontab'), 'utf8').split('\n')
  const variables: Record<string, string> = {}
  for (const row of rows) {
    const [, name, value = ''] = /^([A-Z_]+)=(.*)$/.exec(row) ?? []
    if (name !== undefined) variables[name] = value
  }
  const [, line = ''] = rows.map((row) => /^30 2 \* \* \* (.+)$/.exec(row)).find((found) => found !== null) ?? []
  const command = line.replaceAll('\\%', '%')
  expect(line.replaceAll('\\%', '')).not.toContain('%') // cron ends the command at a percent sign
  const bin = join(home, 'bin')
  mkdirSync(bin)
  mkdirSync(join(home, 'millbook'))
  const program = join(bin, 'millbook')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
  const env: Record<string, string> = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, XDG_CONFIG_HOME: home, ...variables }
  const added = await run(['profile', 'add', env['MILLBOOK_PROFILE'] ?? '', '--url', demo.base_url, '--stdin'], {
    input: JSON.stringify(demo),
    env: { XDG_CONFIG_HOME: home },
  })
  expect(added.code).toBe(0)
  const made = () => readdirSync(join(home, 'millbook')).filter((name) => name.endsWith('.ndjson'))
  return {
    async night() {
      await new Promise((resolve) => setTimeout(resolve, 1100)) // the file's name contains the second
      const child = spawn('sh', ['-c', command], { env, stdio: 'ignore' })
      expect(await once(child, 'exit')).toEqual([0, null])
    },
    nights: () => made().length,
    ofNight: (number: number): unknown[] =>
      readFileSync(join(home, 'millbook', made().sort()[number - 1] as string), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}

it('newman runs the Postman collection', async () => {
  const printed = await output(tempFolder(), 'sh', [recipe('postman/run.sh')])
  const { total, invoices } = await truth()
  expect(printed).toContain(`'${total}'`)
  expect(printed).toContain(`'${invoices.length} new or changed, 0 removed'`)
  expect(faults.met()).toEqual([429, 503, 410])
})

it('Google Sheets gets all rows (with stand-ins for its services)', async () => {
  const script = join(PROJECT, 'test/setup/apps-script.mjs')
  const { sheets, log } = JSON.parse(
    await output(tempFolder(), process.execPath, [script, recipe('google-sheets.gs')]),
  ) as { sheets: { Invoices: { values: unknown[][]; formats: string[][] } }; log: string[] }
  const { total, invoices } = await truth()
  expect(log).toEqual(['HTTP 429; trying again in 1 s', 'HTTP 503; trying again in 1 s', total])
  const { values, formats } = sheets.Invoices
  const [names = [], ...rows] = values as [string[], ...unknown[][]]
  const [number, amount] = [names.indexOf('invoice_no'), names.indexOf('total_amt')]
  expect(rows.map((row) => [row[number], row[amount]])).toEqual(
    invoices.map(({ invoice_no, total_amt }) => [invoice_no, Number(total_amt)]),
  )
  expect([formats[1]?.[number], formats[1]?.[amount]]).toEqual(['@', '#,##0.00'])
  expect(faults.met()).toEqual([429, 503, 410])
})

/** A saved view of groups, and an app password that reads nothing else, for the recipes of recipes/view/. */
async function viewSettings(): Promise<Record<string, string>> {
  const { username, password } = demo
  const answer = await askToken(demo, { grant_type: 'password', username, password })
  const { access_token } = (await answer.json()) as { access_token: string }
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const response = await fetch(`${demo.base_url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.status).toBe(201)
    return (await response.json()) as Record<string, string>
  }
  const name = `Recipe ${++views}`
  const { id = '' } = await post('/v1/views', {
    ...{
      name,
      report: 'sales.invoices',
      values: PERIOD,
      group: 'customer_name',
      measures: 'sum(total_amt),max(due_date)',
    },
  })
  const { app_password = '' } = await post('/v1/app-passwords', { name, views: [id] })
  return { MILLBOOK_VIEW: id, MILLBOOK_APP_PASSWORD: app_password }
}
let views = 0

/** The customers, and the total of the invoices that are not cancelled. */
async function viewTruth() {
  const counted = (await truth()).invoices.filter((invoice) => invoice.invoice_status !== 'Cancelled')
  const customers = [...new Set(counted.map(({ customer_name }) => customer_name))].sort()
  return { customers, total: sum(counted.map(({ total_amt }) => total_amt)) }
}

it('curl fetches a saved view with an app password', async () => {
  faults.reset(3)
  const cwd = tempFolder()
  const env = await viewSettings()
  const start = (more: Record<string, string> = {}) => output(cwd, 'sh', [recipe('view/curl.sh')], { ...env, ...more })
  expect(await output(cwd, 'sh', [recipe('view/curl.sh')], env)).toBe(
    `view.csv: ${(await viewTruth()).customers.length} records\n`,
  )
  const rows = parse(readFileSync(join(cwd, 'view.csv'), 'utf8'), { columns: true }) as Record<string, string>[]
  expect(rows.map(({ customer_name }) => customer_name).sort()).toEqual((await viewTruth()).customers)
  expect(sum(rows.map(({ total_amt = '' }) => total_amt))).toBe((await viewTruth()).total)
  expect(await start({ MILLBOOK_FORMAT: 'parquet' })).toMatch(/^view.parquet: \d+ records\n$/)
  expect(faults.met()).toEqual([429, 503])
  expect(readdirSync(cwd).sort()).toEqual(['view.csv', 'view.parquet'])
  await expect(start({ MILLBOOK_APP_PASSWORD: demo.password })).rejects.toThrow('app password')
  await expect(start({ MILLBOOK_VIEW: 'x'.repeat(16) })).rejects.toThrow(/forbidden|does-not-exist/)
})

it.skipIf(noPython)('pandas reads a saved view with an app password, its decimals exact', async () => {
  faults.reset(3)
  const env = await viewSettings()
  const start = () => output(tempFolder(), 'python', [recipe('view/with_pandas.py')], env)
  const { customers, total } = await viewTruth()
  const expected = [
    'customer_name string[pyarrow]',
    'rows int64[pyarrow]',
    `total_amt decimal128(38, 2)[pyarrow], sum ${total}`,
    'due_date_max date32[day][pyarrow]',
    '_cancelled int64[pyarrow]',
    `${customers.length} records`,
  ]
  for (const _ of [1, 2]) expect((await start()).trimEnd().split('\n')).toEqual(expected)
  expect(faults.met()).toEqual([429, 503])
})

it('Google Sheets gets a saved view with an app password (with stand-ins for its services)', async () => {
  faults.reset(3)
  const env = await viewSettings()
  const script = join(PROJECT, 'test/setup/apps-script.mjs')
  const start = async () =>
    JSON.parse(
      await output(tempFolder(), process.execPath, [script, recipe('view/google-sheets.gs'), 'refreshView'], env),
    ) as { sheets: { View: { values: unknown[][]; formats: string[][] } }; log: string[] }
  const { customers } = await viewTruth()
  await start()
  const { sheets, log } = await start()
  expect(log).toEqual([`${customers.length} records`])
  const [names, first = []] = sheets.View.values
  expect(names).toEqual(['customer_name', 'rows', 'total_amt', 'due_date_max', '_cancelled'])
  expect(first.map((value) => typeof value)).toEqual(['string', 'number', 'number', 'string', 'number'])
  expect(sheets.View.values.length).toBe(customers.length + 1)
  expect(faults.met()).toEqual([429, 503])
})

it('the Power Query recipe of a saved view parses, and its link works with Basic (it cannot run without Windows)', async () => {
  const { DefaultSettings, TaskUtils } = createRequire(join(folder, 'package.json'))('@microsoft/powerquery-parser')
  const text = readFileSync(recipe('view/excel.pq'), 'utf8')
  const parsed = await TaskUtils.tryLexParse(DefaultSettings, text)
  expect([parsed.error?.message, parsed.resultKind]).toEqual([undefined, 'Ok'])
  const { texts, keys, variables } = namesOf(parsed.ast)
  expect([...new Set(variables.filter((name) => name.startsWith('MILLBOOK_')))].sort()).toEqual([
    ...['MILLBOOK_URL', 'MILLBOOK_VIEW'],
  ])
  expect(keys.filter((key) => !OPTIONS_OF_M.has(key))).toEqual(['format'])
  const [start, end, format] = texts
  expect([start, end, format]).toEqual(['v1/views/', '/data', 'csv'])
  const env = await viewSettings()
  const signIn = Buffer.from(`${demo.username}:${env['MILLBOOK_APP_PASSWORD']}`).toString('base64')
  const link = `${demo.base_url}/${start}${env['MILLBOOK_VIEW']}${end}?format=${format}`
  const csv = await fetch(link, { headers: { authorization: `Basic ${signIn}` } })
  expect([csv.status, (await csv.text()).split('\r\n')[0]]).toEqual([
    200,
    'customer_name,rows,total_amt,due_date_max,_cancelled',
  ])
})

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  $ref?: string
}
interface Operation {
  parameters?: { name: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content: Record<string, { schema: Schema }> }>
}

it('the Power Query recipe parses, and its paths, parameters and fields exist (it cannot run without Windows)', async () => {
  const document = (await (await fetch(`${demo.base_url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  /** The names of all properties of a schema. */
  const namesIn = (schema: Schema | undefined, names = new Set<string>()): Set<string> => {
    if (schema === undefined) return names
    const { $ref, properties = {}, items, anyOf = [], oneOf = [] } = schema
    const inside = [...anyOf, ...oneOf, ...(items ? [items] : []), ...Object.values(properties)]
    if ($ref !== undefined) inside.push(document.components.schemas[$ref.split('/').at(-1) as string] as Schema)
    for (const name of Object.keys(properties)) names.add(name)
    for (const one of inside) namesIn(one, names)
    return names
  }
  const { DefaultSettings, TaskUtils } = createRequire(join(folder, 'package.json'))('@microsoft/powerquery-parser')
  const expected = { 'invoices.pq': '/v1/sales/invoices', 'sales-orders-csv.pq': '/v1/sales-orders' }
  expect(readdirSync(recipe('power-query')).sort()).toEqual(Object.keys(expected))
  for (const [name, path] of Object.entries(expected)) {
    const parsed = await TaskUtils.tryLexParse(DefaultSettings, readFileSync(recipe(`power-query/${name}`), 'utf8'))
    expect([name, parsed.error?.message, parsed.resultKind]).toEqual([name, undefined, 'Ok'])
    const { texts, keys, selected, variables } = namesOf(parsed.ast)
    const operations = ['/oauth2/token', path].map((path) => Object.values(document.paths[path] ?? {})[0] as Operation)
    const [sent, got] = [new Set<string>(), new Set<string>()]
    for (const { parameters = [], requestBody, responses } of operations) {
      for (const { name } of parameters) sent.add(name)
      namesIn(requestBody?.content['application/json']?.schema, sent)
      namesIn(responses['200']?.content['application/json']?.schema, got)
    }
    expect(texts.filter((text) => /^(v1|oauth2)\//.test(text)).map((text) => `/${text}`)).toEqual([
      '/oauth2/token',
      path,
    ])
    expect(keys.filter((key) => !sent.has(key) && !OPTIONS_OF_M.has(key))).toEqual([])
    expect(selected.filter((key) => !got.has(key) && !METADATA_OF_M.has(key))).toEqual([])
    const fields = texts.filter((text) => /^[a-z]+(_[a-z]+)+$|^(shipping|qty|rate|items|gstn)$/.test(text))
    expect(fields.length).toBeGreaterThan(4)
    expect(fields.filter((text) => !got.has(text))).toEqual([])
    const parameters = variables.filter((name) => name.startsWith('MILLBOOK_'))
    expect([...new Set(parameters)].sort()).toEqual(
      Object.keys(settings)
        .filter((name) => name !== 'MILLBOOK_PER_PAGE')
        .sort(),
    )
  }

  // The link of the CSV, with the parameters of the query.
  const query = new URLSearchParams({ format: 'csv', lines: 'no', method: 'month', ...PERIOD })
  const text = readFileSync(recipe('power-query/sales-orders-csv.pq'), 'utf8')
  for (const [name, value] of query)
    expect(text).toMatch(new RegExp(`\\b${name} = ("${value}"|MILLBOOK_(FROM|TO)),?\\n`))
  const headers = { authorization: `Bearer ${await token()}` }
  const csv = await fetch(`${demo.base_url}/v1/sales-orders?${query}`, { headers })
  const [head = ''] = (await csv.text()).split('\n')
  const typed = [...text.matchAll(/\{"(\w+)", /g)].map(([, name]) => name)
  expect(typed.length).toBeGreaterThan(4)
  expect(head.trim().split(',')).toEqual(expect.arrayContaining(typed))
})

const OPTIONS_OF_M = new Set(
  `RelativePath Query Headers Content ManualStatusHandling IsRetry #"Content-Type" Authorization Delimiter Encoding
  PromoteAllScalars`.split(/\s+/),
)
const METADATA_OF_M = new Set(['Response.Status', 'Headers', 'Query', 'snapshot'])

interface Node {
  kind?: string
  literal?: string
  literalKind?: string
  key?: Node
  content?: Node
}

/** Names in a tree of Power Query: texts, the fields of records, the fields that are selected, and variables. */
function namesOf(tree: Node) {
  const names = { texts: [] as string[], keys: [] as string[], selected: [] as string[], variables: [] as string[] }
  const unquoted = (text = '') => text.replace(/^#?"(.*)"$/, '$1')
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    const { kind, literal = '', literalKind, key, content } = node as Node
    if (kind === 'LiteralExpression' && literalKind === 'Text') names.texts.push(unquoted(literal))
    if (kind === 'GeneralizedIdentifierPairedExpression') {
      const name = key?.literal ?? ''
      names.keys.push(OPTIONS_OF_M.has(name) ? name : unquoted(name))
    }
    if (kind === 'FieldSelector') names.selected.push(unquoted(content?.literal))
    if (kind === 'Identifier') names.variables.push(literal)
    for (const inside of Object.values(node)) walk(inside)
  }
  walk(tree)
  return names
}

it('the requests and the code of the n8n recipe work (with a stand-in for n8n)', async () => {
  const { nodes, connections } = JSON.parse(readFileSync(recipe('nightly/n8n.json'), 'utf8'))
  interface Item {
    json: Record<string, unknown>
  }
  const kept: Record<string, unknown> = {}
  const night = async () => {
    const results = new Map<string, Item[]>()
    let [name, items] = ['Every night', [{ json: {} }] as Item[]]
    while (name !== undefined && items.length > 0) {
      const { type, parameters } = nodes.find((node: { name: string }) => node.name === name)
      const first = items[0] as Item
      const scope = {
        $env: settings,
        $json: first.json,
        $input: { first: () => first },
        $: (name: string) => ({ first: () => results.get(name)?.[0] }),
        $getWorkflowStaticData: () => kept,
      }
      const js = (code: string) => new Function(...Object.keys(scope), code)(...Object.values(scope))
      const text = (value: string) =>
        value.startsWith('=')
          ? value.slice(1).replace(/\{\{(.*?)\}\}(?!\})/gs, (_, expression) => js(`return ${expression}`))
          : value
      if (type.endsWith('.code')) items = js(parameters.jsCode)
      if (type.endsWith('.httpRequest')) {
        const pairs = ({ parameters = [] }: { parameters?: { name: string; value: string }[] } = {}) =>
          parameters.map(({ name, value }) => [name, text(value)])
        const url = new URL(text(parameters.url))
        for (const [name, value] of pairs(parameters.queryParameters)) url.searchParams.set(name as string, value ?? '')
        const response = await fetch(url, {
          method: parameters.method,
          headers: { ...Object.fromEntries(pairs(parameters.headerParameters)), 'content-type': 'application/json' },
          body: text(parameters.jsonBody),
        })
        expect([name, response.status]).toEqual([name, 200])
        items = [{ json: (await response.json()) as Item['json'] }]
      }
      results.set(name, items)
      name = connections[name]?.main[0][0].node
    }
    return results.get('Your destination') ?? []
  }
  settings['MILLBOOK_URL'] = demo.base_url
  const { invoices } = await truth()
  expect((await night()).map(({ json }) => json)).toEqual(
    invoices.map((invoice) => ({ _change: 'upsert', ...invoice })),
  )
  expect(kept['since']).toMatch(/^[0-9a-f]{32}$/)
  expect(await night()).toEqual([])
})
