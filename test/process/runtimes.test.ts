/** The client in Deno, Bun and a browser, against a running service: the same records as in Node. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { expect, it } from 'vitest'
import { findChromium } from '../../scripts/test-needs.mjs'
import { Millbook } from '../../src/client/index.js'
import { tempFolder } from '../setup/files.js'
import { startDemo } from '../setup/program.js'

const CLIENT = fileURLToPath(new URL('../../dist/client/', import.meta.url))
const RANGE = { from_date: '2020-01-01', to_date: '2030-12-31' }

/** Prints the numbers of all invoices, a sum, and the changes since. */
const program = (client: string, options: string) => `
import { Millbook, GoneError } from ${JSON.stringify(client)}
const millbook = new Millbook({ ...${options}, decimals: (text) => BigInt(text.replace('.', '')) })
const query = millbook.sales.invoices(${JSON.stringify(RANGE)})
const numbers = []
let sum = 0n
for await (const { invoice_no, items } of query.rows({ perPage: 7 })) {
  numbers.push(invoice_no)
  for (const { qty } of items) sum += qty
}
const { token, records } = await query.changesSince()
const later = await query.changesSince(token)
const gone = await query.changesSince('0'.repeat(32)).catch((error) => error instanceof GoneError)
const result = JSON.stringify({ numbers, sum: String(sum), first: records.length, later: later.records.length, gone })
`

it('gives the same result in every runtime', async () => {
  const folder = tempFolder()
  const { run: served, demo } = await startDemo(join(folder, 'data'))
  const auth = {
    ...{ clientId: demo.client_id, clientSecret: demo.client_secret },
    ...{ username: demo.username, password: demo.password },
  }
  const options = JSON.stringify({ url: demo.base_url, auth })
  const invoices = await new Millbook({ url: demo.base_url, auth }).sales.invoices(RANGE).all()
  const expected = {
    numbers: invoices.map(({ invoice_no }) => invoice_no),
    sum: String(
      invoices
        .flatMap(({ items }) => items)
        .map(({ qty }) => BigInt(qty.replace('.', '')))
        .reduce((sum, qty) => sum + qty, 0n),
    ),
    ...{ first: invoices.length, later: 0, gone: true },
  }
  expect(invoices.length).toBeGreaterThan(20)

  // Both come from npm, each with a binary for this machine.
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', 'deno@2', 'bun@1', '--no-audit', '--no-fund'], {
    ...{ cwd: folder, stdio: 'pipe' },
    env: { ...process.env, npm_config_ignore_scripts: 'false', npm_config_engine_strict: 'false' },
  })
  const file = join(folder, 'program.mjs')
  const csv = join(folder, 'invoices.csv')
  const saving = `const { records: saved } = await query.save(${JSON.stringify(csv)})`
  writeFileSync(
    file,
    `${program(join(CLIENT, 'index.js'), options)}\n${saving}\nconsole.log(JSON.stringify({ ...JSON.parse(result), saved }))`,
  )
  const deno = ['deno', 'run', '--allow-net', '--allow-read', '--allow-write']
  for (const [name, ...args] of [deno, ['bun', 'run'], ['node']]) {
    const found = name === 'node' ? process.execPath : join(folder, 'node_modules/.bin', name as string)
    const printed = execFileSync(found, [...args, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    expect({ in: name, ...JSON.parse(printed) }).toEqual({ in: name, ...expected, saved: invoices.length })
    expect(readFileSync(csv, 'utf8')).toMatch(/^invoice_no,/)
    rmSync(csv)
  }

  const browser = await chromium.launch({ executablePath: findChromium() as string, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.route('**/client/**', (route) => {
      const name = new URL(route.request().url()).pathname.replace('/client/', '')
      return route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(CLIENT, name), 'utf8') })
    })
    await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<title>blank</title>' }))
    await page.goto(`${demo.base_url}/blank`)
    const printed = await page.evaluate(
      async (text: string) => {
        const own = text.replace(/import (\{.*\}) from (".*")/, 'const $1 = await import($2)')
        return await new (Object.getPrototypeOf(async () => {}).constructor)(`${own}; return result`)()
      },
      program('/client/index.js', options),
    )
    expect(JSON.parse(printed as string)).toEqual(expected)
  } finally {
    await browser.close()
  }
  served.process.kill('SIGTERM')
  await served.ended
}, 600_000)
