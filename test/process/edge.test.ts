/** HTTPS from the command line, and the warnings about networks that can reach the service. */
import { once } from 'node:events'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { pairOnDisk } from '../setup/certificate.js'
import { makeTarget } from '../setup/database.js'
import { run, start } from '../setup/program.js'
import { inLongTier } from '../setup/tier.js'

async function serverFlags(): Promise<string[]> {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  return flags
}

it('with a certificate and a key the service speaks HTTPS, and shuts down on SIGTERM', async () => {
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
  const [answer] = await once(request(`${base_url}/readyz`, { ca, agent: false }).end(), 'response')
  expect(await text(answer)).toBe('{"status":"ready"}')
  served.process.kill('SIGTERM')
  expect(await served.ended).toMatchObject({ code: 0 })
})

inLongTier('the service prints which machines can reach it, and warns if tokens would travel unencrypted', async () => {
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
  expect(open).toMatch(/"level":40,.*without TLS, others on the network can read passwords, tokens and data/)
  expect(safe).toMatch(/serves https:\/\/localhost:\d+ .*\nIt listens on all addresses of this machine\./)
  expect(safe).not.toContain('without TLS')
})

it('a wrong setting is reported before a database is opened', async () => {
  const flags = [
    '--tls-cert',
    'nowhere.pem',
    '--tls-key',
    'nowhere.pem',
    '--database',
    'postgres://nobody@127.0.0.1:1/no',
  ]
  const stderr = 'millbook: --tls-cert: nowhere.pem does not exist\n'
  expect(await run(['serve', ...flags])).toMatchObject({ code: 1, stdout: '', stderr })
})
