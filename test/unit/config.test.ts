/** The settings of the commands that serve: from flags and the environment, and what is said of wrong ones. */
import { tmpdir } from 'node:os'
import { Command } from 'commander'
import { afterEach, expect, it, vi } from 'vitest'
import { type ServeConfig, serveConfig, serving, withOptions } from '../../src/runtime/settings.js'

function read(...flags: string[]): ServeConfig {
  const command = withOptions(new Command(), ...serving, 'demoWorkers')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  return serveConfig(command.parse(flags, { from: 'user' }))
}
afterEach(() => void vi.unstubAllEnvs())

it('has defaults that let in nobody else and are generous to those who are here', () => {
  expect(read()).toEqual({
    host: '127.0.0.1',
    port: 8080,
    workers: 1,
    tls: undefined,
    trustedProxies: [],
    corsOrigins: [],
    maxConnections: 1024,
    maxRequests: 256,
    maxRequestsPerClient: 32,
    rate: 6000,
    snapshotsIn: tmpdir(),
    argon2: 'm=19456,t=2,p=1',
    logLevel: 'info',
  })
})

it('takes them from the environment, where a flag goes before and an empty variable counts as none', () => {
  for (const [name, value] of Object.entries({
    MAX_REQUESTS: '9',
    MAX_REQUESTS_PER_CLIENT: '3',
    MAX_CONNECTIONS: '50',
    WORKERS: '3',
    CORS_ORIGINS: ' https://a.example, http://localhost:3000 ',
    TLS_CERT: '',
  }))
    vi.stubEnv(`MILLBOOK_${name}`, value)
  expect(read('--max-requests', '7')).toMatchObject({
    maxRequests: 7,
    maxRequestsPerClient: 3,
    maxConnections: 50,
    workers: 3,
    corsOrigins: ['https://a.example', 'http://localhost:3000'],
    tls: undefined,
  })
  expect(read('--cors-origins', '*').corsOrigins).toEqual(['*'])
})

it.each([
  [['--tls-cert', 'c.pem'], '--tls-cert is given without --tls-key: HTTPS needs both'],
  [['--tls-key', 'k.pem'], '--tls-key is given without --tls-cert: HTTPS needs both'],
  [['--tls-cert', 'c.pem', '--tls-key', 'k.pem'], '--tls-cert: c.pem does not exist'],
  [['--cors-origins', 'https://a.example/'], 'https://a.example/ is not an origin; write https://a.example'],
  [['--cors-origins', 'https://A.example'], 'https://A.example is not an origin; write https://a.example'],
  [['--cors-origins', 'https://a.example:443'], 'https://a.example:443 is not an origin; write https://a.example'],
  [['--cors-origins', 'https://a.example,a.example'], 'a.example is not an origin such as https://reports.example'],
  [['--cors-origins', 'null'], 'null is not an origin such as'],
  [['--cors-origins', 'https://*.example'], 'is not an origin'],
  [['--cors-origins', '*,https://a.example'], '* allows every origin; give it alone'],
  [['--max-requests', '0'], 'It must be a whole number from 1 to 999999.'],
  [['--max-requests-per-client', 'many'], 'It must be a whole number'],
  [['--workers', '0'], 'It must be a whole number from 1 to 999.'],
  [['--max-connections', '1.5'], 'It must be a whole number'],
])('%j is refused with a sentence', (flags, sentence) => {
  expect(() => read(...flags)).toThrow(sentence)
})
