/** The settings of the commands that serve: from flags and the environment, errors for wrong ones, and docs/settings.md. */
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Command } from 'commander'
import { afterEach, expect, it, vi } from 'vitest'
import {
  addSettings,
  databaseSettings,
  limitsOf,
  printableSettings,
  readServeSettings,
  type ServeSettings,
  serveSettings,
} from '../../src/runtime/settings.js'

function parse(...flags: string[]): Command {
  const command = addSettings(addSettings(new Command(), databaseSettings), serveSettings, { workers: 1 })
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parse(flags, { from: 'user' })
}
const read = (...flags: string[]): ServeSettings => readServeSettings(parse(...flags))
afterEach(() => void vi.unstubAllEnvs())

it('the defaults serve only this machine, with generous limits', () => {
  expect(read()).toEqual({
    host: '127.0.0.1',
    port: 8080,
    workers: 1,
    tls: undefined,
    trustedProxies: [],
    corsOrigins: [],
    clientDocuments: [],
    privateWebhooks: [],
    readFrom: [],
    publicUrl: undefined,
    maxConnections: 1024,
    maxConnectionsPerAddress: 256,
    maxRequests: 256,
    maxRequestsPerClient: 32,
    maxWaitSeconds: 30,
    rate: 6000,
    warmUp: 20,
    warmUpSeconds: 60,
    historyDays: 400,
    changesDays: 35,
    changesRecords: 10_000_000,
    metricsHost: '127.0.0.1',
    metricsPort: 9464,
    tracesTo: undefined,
    tracesPercent: 100,
    maxReportSeconds: 60,
    startWaitSeconds: 60,
    graceSeconds: 20,
    snapshotsIn: tmpdir(),
    argon2: 'm=19456,t=2,p=1',
    logLevel: 'info',
  })
})

it('limits a report by its setting, and the wait for a lock or a connection to 5 and 10 seconds', () => {
  expect(limitsOf(read())).toEqual({ statement: 60_000, lock: 5000, connection: 10_000 })
  expect(limitsOf(read('--max-report-seconds', '7')).statement).toBe(7000)
})

it('settings come from the environment; a flag overrides a variable, and an empty variable counts as unset', () => {
  for (const [name, value] of Object.entries({
    MAX_REQUESTS: '9',
    MAX_REQUESTS_PER_CLIENT: '3',
    MAX_CONNECTIONS: '50',
    WORKERS: '3',
    CORS_ORIGINS: ' https://a.example, http://localhost:3000 ',
    TLS_CERT: '',
    PORT: '',
  }))
    vi.stubEnv(`MILLBOOK_${name}`, value)
  expect(read('--max-requests', '7')).toMatchObject({
    maxRequests: 7,
    maxRequestsPerClient: 3,
    maxConnections: 50,
    workers: 3,
    corsOrigins: ['https://a.example', 'http://localhost:3000'],
    tls: undefined,
    port: 8080,
  })
  expect(read('--cors-origins', '*').corsOrigins).toEqual(['*'])
})

it('replicas come from one flag, several flags or the variable, and their passwords are never shown', () => {
  const [a, b] = ['postgres://u:secret@a/db', 'postgres://u:secret@b/db']
  const server = ['--database', 'postgres://u:secret@p/db']
  expect(read(...server, '--read-from', a, b).readFrom).toEqual([a, b])
  expect(read(...server, '--read-from', a, '--read-from', b, '--read-from', a).readFrom).toEqual([a, b])
  vi.stubEnv('MILLBOOK_READ_FROM', `${b}, ${a}`)
  expect(read(...server).readFrom).toEqual([b, a])
  expect(read(...server, '--read-from', a).readFrom).toEqual([a])
  const printed = printableSettings(parse(...server))
  expect(printed).toMatchObject({ readFrom: ['postgres://u:***@b/db', 'postgres://u:***@a/db'] })
  expect(JSON.stringify(printed)).not.toContain('secret')
})

it.each([
  [['--read-from', 'postgres://a/db'], '--read-from needs a PostgreSQL server (--database)'],
  [['--data', 'd', '--read-from', 'postgres://a/db'], '--read-from needs a PostgreSQL server (--database)'],
  [['--database', 'postgres://p/db', '--read-from', 'a:5432'], '--read-from: the database URL is not of the form'],
  [['--tls-cert', 'c.pem'], '--tls-cert is given without --tls-key: HTTPS needs both'],
  [['--tls-key', 'k.pem'], '--tls-key is given without --tls-cert: HTTPS needs both'],
  [['--tls-cert', 'c.pem', '--tls-key', 'k.pem'], '--tls-cert: c.pem does not exist'],
  [['--trusted-proxies', '10.0.0.0/33'], '10.0.0.0/33 is neither an address such as 10.0.0.1 nor a network'],
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
  [['--traces-to', 'collector:4318'], 'It must be a URL such as http://127.0.0.1:4318.'],
  [['--traces-to', 'http://u:p@collector'], '--traces-to has a password or a query: remove it'],
  [['--traces-to', 'http://collector/?key=x'], '--traces-to has a password or a query: remove it'],
  [['--log-level', 'loud'], 'It must be one of fatal, error, warn'],
  [['--argon2', 'm=8,t=1,p=1'], 'makes guessing too cheap'],
])('%j is refused with a sentence', (flags, sentence) => {
  expect(() => read(...flags)).toThrow(sentence)
})

it('the table in docs/settings.md has a row for each setting, with its default', () => {
  const readme = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')
  const rows = [...readme.matchAll(/^\| `(--[a-z0-9-]+ <.*?>)` \| (.*?) \|/gm)].map(([, flag, value]) => [flag, value])
  const declared = Object.values(serveSettings).map((setting) => {
    const text = 'defaultText' in setting ? setting.defaultText : 'default' in setting && `\`${setting.default}\``
    return [setting.flag, text || 'none']
  })
  expect(rows).toEqual(declared)
})
