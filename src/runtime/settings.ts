/** Every setting: its flag, its environment variable, its default and its meaning, declared once. */
import { isIP } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_COST } from '../access/secrets.js'
import type { Target } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { MAX_REQUESTS, MAX_REQUESTS_PER_CLIENT } from '../http/concurrency.js'
import { MAX_CONNECTIONS } from '../http/connections.js'
import { readPair, type TlsFiles } from '../http/tls.js'

/** Where the embedded database lives when nothing else is said. */
const DEFAULT_DATA = '.millbook'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const port = (text: string): number => {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return number
}

function units(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of units a minute.')
  return Number(text)
}

/** Units a minute: a hundred light requests a second, or ten of the heaviest. */
const DEFAULT_RATE = 6000

const count = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
  return Number(text)
}

const processes = (text: string): number => {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.')
  return Number(text)
}

const workers = (byDefault: number, shown?: string) =>
  new Option('--workers <n>', 'answer by so many processes on one port; each has its part of the limits, rounded up')
    .env('MILLBOOK_WORKERS')
    .argParser(processes)
    .default(byDefault, shown)

const options = {
  database: () =>
    new Option('--database <url>', 'use this PostgreSQL server: postgres://user:password@host:5432/name').env(
      'MILLBOOK_DATABASE_URL',
    ),
  data: () =>
    new Option('--data <dir>', `use the embedded database in this directory (default: ${DEFAULT_DATA})`).env(
      'MILLBOOK_DATA',
    ),
  port: () =>
    new Option('--port <n>', 'listen on this port; 0 for any free one')
      .env('MILLBOOK_PORT')
      .argParser(port)
      .default(8080),
  host: () =>
    new Option('--host <address>', 'listen on this address; 0.0.0.0 or :: for all of this machine')
      .env('MILLBOOK_HOST')
      .default('127.0.0.1'),
  trustedProxies: () =>
    new Option(
      '--trusted-proxies <list>',
      'addresses or networks, separated by commas, whose X-Forwarded-* headers are believed',
    ).env('MILLBOOK_TRUSTED_PROXIES'),
  workers: () => workers(availableParallelism(), 'one per core'),
  demoWorkers: () => workers(1),
  rate: () =>
    new Option('--rate <units>', 'what a client without a rate of its own may use a minute, in units; 0 for no limit')
      .env('MILLBOOK_RATE')
      .argParser(units)
      .default(DEFAULT_RATE),
  argon2: () =>
    new Option('--argon2 <cost>', 'cost of hashing the secrets made from now on: memory in KiB, passes, threads')
      .env('MILLBOOK_ARGON2')
      .default(DEFAULT_COST),
  tlsCert: () =>
    new Option(
      '--tls-cert <file>',
      'speak HTTPS with this certificate: PEM, followed by the chain; a renewed one is taken without a restart',
    ).env('MILLBOOK_TLS_CERT'),
  tlsKey: () =>
    new Option('--tls-key <file>', "the certificate's private key: PEM, without a passphrase").env('MILLBOOK_TLS_KEY'),
  corsOrigins: () =>
    new Option(
      '--cors-origins <list>',
      'origins, separated by commas, whose pages may call the service from a browser, or * for all (default: none)',
    ).env('MILLBOOK_CORS_ORIGINS'),
  maxConnections: () =>
    new Option('--max-connections <n>', 'refuse connections past so many')
      .env('MILLBOOK_MAX_CONNECTIONS')
      .argParser(count)
      .default(MAX_CONNECTIONS),
  maxRequests: () =>
    new Option('--max-requests <n>', 'answer 503 when so many requests are in work')
      .env('MILLBOOK_MAX_REQUESTS')
      .argParser(count)
      .default(MAX_REQUESTS),
  maxRequestsPerClient: () =>
    new Option('--max-requests-per-client <n>', 'answer 503 when so many requests of one client are in work')
      .env('MILLBOOK_MAX_REQUESTS_PER_CLIENT')
      .argParser(count)
      .default(MAX_REQUESTS_PER_CLIENT),
  snapshotsIn: () =>
    new Option('--snapshots-in <dir>', 'keep reports that were worked out under this folder, up to 2 GiB of them')
      .env('MILLBOOK_SNAPSHOTS_IN')
      .default(tmpdir(), "the system's folder for temporary files"),
  logLevel: () =>
    new Option('--log-level <level>', 'how much is logged, as JSON lines on stderr')
      .env('MILLBOOK_LOG_LEVEL')
      .choices(logLevels)
      .default('info'),
  json: () => new Option('--json', 'machine-readable output: one line of JSON'),
  printConfig: () => new Option('--print-config', 'print the settings in force, without secrets, and stop'),
} satisfies Record<string, () => Option>

/** Adds settings to a command. */
export function withOptions(command: Command, ...names: (keyof typeof options)[]): Command {
  for (const name of names) command.addOption(options[name]())
  return command
}

/** The settings of every command that serves HTTP, apart from `workers`, whose default differs. */
export const serving = [
  'port',
  'host',
  'tlsCert',
  'tlsKey',
  'trustedProxies',
  'corsOrigins',
  'maxConnections',
  'maxRequests',
  'maxRequestsPerClient',
  'rate',
  'argon2',
  'snapshotsIn',
  'logLevel',
] as const satisfies (keyof typeof options)[]

/** What a command that serves HTTP is told. */
export interface ServeConfig {
  port: number
  host: string
  workers: number
  tls: TlsFiles | undefined
  trustedProxies: string[]
  rate: number
  argon2: string
  corsOrigins: string[]
  maxConnections: number
  maxRequests: number
  maxRequestsPerClient: number
  snapshotsIn: string
  logLevel: string
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && longest > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
}

/** Everything that can be wrong with them is found here, before a database is opened. */
export function serveConfig(command: Command): ServeConfig {
  const { tlsCert, tlsKey, trustedProxies, corsOrigins, ...rest } = command.opts()
  return {
    port: rest.port,
    host: rest.host,
    workers: rest.workers,
    tls: tlsFiles(tlsCert, tlsKey),
    trustedProxies: networks(trustedProxies),
    corsOrigins: origins(corsOrigins),
    maxConnections: rest.maxConnections,
    maxRequests: rest.maxRequests,
    maxRequestsPerClient: rest.maxRequestsPerClient,
    rate: rest.rate,
    argon2: rest.argon2,
    snapshotsIn: rest.snapshotsIn,
    logLevel: rest.logLevel,
  }
}

const listed = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function networks(text: string | undefined): string[] {
  const entries = listed(text)
  const wrong = entries.find((entry) => !isNetwork(entry))
  if (wrong !== undefined)
    throw new MillbookError(
      `--trusted-proxies: ${wrong} is neither an address such as 10.0.0.1 nor a network such as 10.0.0.0/8`,
    )
  return entries
}

/** As a browser sends them: it must be equal to the letter. */
function origins(text: string | undefined): string[] {
  const entries = listed(text)
  if (entries.includes('*') && entries.length > 1)
    throw new MillbookError('--cors-origins: * allows every origin; give it alone, or name the origins without it')
  for (const entry of entries) {
    if (entry === '*') continue
    const { protocol, origin } = URL.canParse(entry) ? new URL(entry) : {}
    if ((protocol !== 'http:' && protocol !== 'https:') || entry.includes('*'))
      throw new MillbookError(`--cors-origins: ${entry} is not an origin such as https://reports.example`)
    if (entry !== origin) throw new MillbookError(`--cors-origins: ${entry} is not an origin; write ${origin}`)
  }
  return entries
}

function tlsFiles(cert = '', key = ''): TlsFiles | undefined {
  if (cert === '' && key === '') return undefined
  if (cert === '' || key === '')
    throw new MillbookError(
      cert === ''
        ? '--tls-key is given without --tls-cert: HTTPS needs both'
        : '--tls-cert is given without --tls-key: HTTPS needs both',
    )
  readPair({ cert, key })
  return { cert, key }
}

/** The database that a command works on. A flag goes before the environment, and one of a kind must be the only one. */
export function databaseTarget(command: Command): Target {
  for (const source of ['cli', 'env'] as const) {
    const url = givenBy(command, 'database', source)
    const directory = givenBy(command, 'data', source)
    if (url !== undefined && directory !== undefined)
      throw new MillbookError('give either a PostgreSQL server (--database) or a data directory (--data), not both')
    if (url !== undefined) return { engine: 'server', url }
    if (directory !== undefined) return { engine: 'embedded', directory }
  }
  return { engine: 'embedded', directory: DEFAULT_DATA }
}

/** An empty variable counts as none; else what is blank is a mistake, and would become a directory of that name. */
function givenBy(command: Command, name: 'database' | 'data', source: 'cli' | 'env'): string | undefined {
  const value = command.getOptionValueSource(name) === source ? (command.opts()[name] as string) : undefined
  if (value === undefined || (value === '' && source === 'env')) return undefined
  if (value.trim() !== '') return value
  const { long, envVar } = options[name]()
  throw new MillbookError(
    `${source === 'env' ? envVar : long} is blank: give it a value, or leave it out to use the directory ${DEFAULT_DATA}`,
  )
}

function withoutPassword(url: string): string {
  try {
    const { protocol, username, password, host, pathname } = new URL(url)
    if (!/^postgres(ql)?:$/.test(protocol)) return '***'
    return `${protocol}//${username}${password === '' ? '' : ':***'}${username === '' ? '' : '@'}${host}${pathname}`
  } catch {
    return '***'
  }
}

/** The settings in force, for people; a database's password is left out. */
export function printableConfig(command: Command): Record<string, unknown> {
  const { printConfig: _, json: __, database: ___, data: ____, ...rest } = command.opts()
  const target = databaseTarget(command)
  return {
    ...(target.engine === 'server' ? { database: withoutPassword(target.url) } : { data: target.directory }),
    ...rest,
  }
}
