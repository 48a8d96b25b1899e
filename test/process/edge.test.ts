/** What the commands that serve are told of TLS, origins and limits, and what they say of who can reach them. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { makePair } from '../setup/certificate.js'
import { makeTarget } from '../setup/database.js'
import { run, start } from '../setup/program.js'

async function serverFlags(): Promise<string[]> {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  return flags
}

function pairOnDisk(): { cert: string; key: string; ca: string } {
  const where = mkdtempSync(join(tmpdir(), 'millbook-tls-'))
  onTestFinished(() => rmSync(where, { recursive: true, force: true }))
  const pair = makePair('localhost')
  const files = { cert: join(where, 'cert.pem'), key: join(where, 'key.pem') }
  writeFileSync(files.cert, pair.cert)
  writeFileSync(files.key, pair.key)
  return { ...files, ca: pair.cert }
}

it('with a certificate and a key the service is HTTPS, a running one takes a renewed pair, and it ends well', async () => {
  const { cert, key, ca } = pairOnDisk()
  const served = start([
    'serve',
    '--port',
    '0',
    '--json',
    '--tls-cert',
    cert,
    '--tls-key',
    key,
    ...(await serverFlags()),
  ])
  const { base_url } = JSON.parse(await served.firstLine)
  expect(base_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const ask = async (trusted: string) => {
    const [answer] = await once(request(`${base_url}/readyz`, { ca: trusted, agent: false }).end(), 'response')
    return await text(answer)
  }
  expect(await ask(ca)).toBe('{"status":"ready"}')
  const renewed = makePair('localhost')
  writeFileSync(cert, renewed.cert)
  writeFileSync(key, renewed.key)
  await expect
    .poll(() => ask(renewed.cert).catch(() => 'not yet'), { timeout: 30_000, interval: 250 })
    .toContain('ready')
  served.process.kill('SIGTERM')
  expect(await served.ended).toMatchObject({ code: 0 })
})

it('it is said who can reach the service, and warned where tokens would travel in the clear', async () => {
  const flags = await serverFlags()
  const { cert, key } = pairOnDisk()
  const said = async (...more: string[]) => {
    const served = start(['serve', '--port', '0', ...more, ...flags])
    let stderr = ''
    for await (const some of served.process.stderr ?? []) {
      stderr += some
      if (/API reference: .*\n.*\n/.test(stderr)) break
    }
    served.process.kill('SIGKILL')
    return stderr
  }
  const [alone, open, safe] = await Promise.all([
    said(),
    said('--host', '0.0.0.0'),
    said('--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key),
  ])
  expect(alone).toMatch(/Millbook serves http:\/\/127.0.0.1:\d+ .*\nOnly this machine can reach it/)
  expect(alone).not.toContain('without TLS')
  expect(open).toMatch(/serves http:\/\/localhost:\d+ .*\nIt listens on all addresses of this machine, without TLS\./)
  expect(open).toMatch(/"level":40,.*without TLS, passwords, tokens and data can be read on the way/)
  expect(safe).toMatch(/serves https:\/\/localhost:\d+ .*\nIt listens on all addresses of this machine\./)
  expect(safe).not.toContain('without TLS')
})

it('wrong settings are named before a database is opened', async () => {
  const { cert, key } = pairOnDisk()
  const cases: [string[], string][] = [
    [['--tls-cert', cert], '--tls-cert is given without --tls-key: HTTPS needs both'],
    [['--tls-key', key], '--tls-key is given without --tls-cert: HTTPS needs both'],
    [['--tls-cert', 'nowhere.pem', '--tls-key', key], '--tls-cert: nowhere.pem does not exist'],
    [['--tls-cert', key, '--tls-key', key], 'holds no certificate as PEM'],
    [
      ['--cors-origins', 'https://a.example/'],
      '--cors-origins: https://a.example/ is not an origin; write https://a.example',
    ],
    [['--cors-origins', 'https://a.example,a.example'], '--cors-origins: a.example is not an origin such as'],
    [['--cors-origins', '*,https://a.example'], '--cors-origins: * allows every origin; give it alone'],
    [['--max-requests', '0'], 'It must be a whole number from 1 to 999999.'],
    [['--max-requests-per-client', 'many'], 'It must be a whole number'],
    [['--max-connections', '-1'], 'It must be a whole number'],
  ]
  const nowhere = ['--database', 'postgres://nobody@127.0.0.1:1/none']
  for (const [flags, sentence] of cases) {
    const { code, stdout, stderr } = await run(['serve', ...flags, ...nowhere])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)])
  }
})

it('limits and origins come from the environment too', async () => {
  const env = { MILLBOOK_MAX_REQUESTS: '9', MILLBOOK_CORS_ORIGINS: 'https://a.example', MILLBOOK_TLS_CERT: '' }
  const served = start(['serve', '--port', '0', '--json', ...(await serverFlags())], { env })
  const { base_url } = JSON.parse(await served.firstLine)
  const answer = await fetch(`${base_url}/healthz`, { headers: { origin: 'https://a.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://a.example')
  const printed = await run(['serve', '--print-config'], { env })
  expect(JSON.parse(printed.stdout)).toMatchObject({ maxRequests: 9, maxRequestsPerClient: 32, maxConnections: 1024 })
})
