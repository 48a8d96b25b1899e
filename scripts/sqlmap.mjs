/**
 * `node scripts/sqlmap.mjs [--level N] [PATH…]` starts a demo with a small sample and runs sqlmap, with a valid token, on
 * every parameter of every endpoint. Prints a line per endpoint, and fails if sqlmap finds an injection. Needs a build
 * (npm run build) and sqlmap (on Debian: apt-get install sqlmap).
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { reports } from '../dist/reports/index.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { level: { type: 'string', default: '2' } },
})
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'millbook-sqlmap-'))
const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const flags = [
  '--port',
  '0',
  '--data',
  join(folder, 'data'),
  '--json',
  '--scale',
  '0.2',
  '--months',
  '2',
  '--rate',
  '0',
]
const demo = spawn(process.execPath, [program, 'demo', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
let found = 0
try {
  const [line] = await once(createInterface({ input: demo.stdout }), 'line')
  const { base_url, ...credentials } = JSON.parse(line)
  const response = await fetch(`${base_url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', ...credentials }),
  })
  const { access_token, refresh_token } = /** @type {Record<string, string>} */ (await response.json())
  const { client_id, client_secret } = credentials
  const targets = [
    ...reports.map(({ method, path, request }) => ({
      method,
      path: `${path}?page=1&per-page=5`,
      body: Object.fromEntries(Object.entries(request).map(([name, { example }]) => [name, example ?? 'x'])),
    })),
    // A star marks a tested value: sqlmap skips parameters named like a CSRF token otherwise. The other values stay valid,
    // because the limits on guessing would soon refuse wrong credentials.
    {
      method: 'POST',
      path: '/oauth2/token',
      body: {
        grant_type: 'refresh_token',
        refresh_token: `${refresh_token}*`,
        scope: 'masters*',
        client_id,
        client_secret,
      },
    },
    {
      method: 'POST',
      path: '/oauth2/revoke',
      body: { token: 'x*', token_type_hint: 'x*', client_id, client_secret },
    },
  ].filter(({ path }) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
  for (const { method, path, body } of targets) {
    const { stdout } = await run(
      'sqlmap',
      [
        ...['-u', `${base_url}${path}`, '--method', method, '--batch', '--flush-session', '--disable-coloring'],
        ...['--level', values.level, '--risk', '2', '--dbms', 'postgresql', '--threads', '4', '--output-dir', folder],
        ...['--header', `Authorization: Bearer ${access_token}`, '--header', 'Content-Type: application/json'],
        ...['--ignore-code', '*', '--timeout', '60'],
        ...(Object.keys(body).length > 0 ? ['--data', JSON.stringify(body)] : []),
      ],
      { maxBuffer: 1 << 28 },
    )
    const tested = new Set(
      [...stdout.matchAll(/parameter '([^']+)' does not seem to be injectable/g)].map(([, name]) => name),
    )
    const vulnerable = /identified the following injection point|is vulnerable/i.test(stdout)
    const clean = /all tested parameters do not appear to be injectable/i.test(stdout)
    if (vulnerable || !clean) found++
    console.log(
      `${vulnerable ? 'FOUND  ' : clean ? 'nothing' : 'UNCLEAR'}  ${method} ${path}: ${[...tested].join(', ')}`,
    )
    if (vulnerable || !clean) console.log(stdout.slice(-3000))
  }
} finally {
  demo.kill('SIGTERM')
  await once(demo, 'close')
  rmSync(folder, { recursive: true, force: true })
}
process.exit(found === 0 ? 0 : 1)
