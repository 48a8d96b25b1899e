/**
 * Every setting, declared once: its flag, environment variable, default, parser and description. The types, the
 * command-line options, --help, --print-config and the checks come from these declarations.
 */
import { availableParallelism, tmpdir } from 'node:os'
import { type Command, Option } from 'commander'
import { DEFAULT_COST } from '../access/secrets.js'
import type { Limits, Target } from '../db/connect.js'
import { readServerUrl } from '../db/url.js'
import { MAX_REQUESTS, MAX_REQUESTS_PER_CLIENT, MAX_WAIT_SECONDS } from '../http/concurrency.js'
import { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS } from '../http/connections.js'
import { readPair, type TlsFiles } from '../http/tls.js'
import { HISTORY_DAYS } from '../store/history.js'
import { FEED_LIMITS } from '../store/manifests.js'
import {
  argon2Cost,
  documentHosts,
  list,
  networkList,
  oneOf,
  originList,
  text,
  webAddress,
  webOrigin,
  wholeNumber,
} from './parse.js'

interface Setting<T = unknown> {
  flag: string
  env: string
  description: string
  /** Throws commander's InvalidArgumentError. A flag that may be repeated gets its earlier value as `before`. */
  parse(text: string, before?: T): T
  /** Without a default, the setting is undefined unless it is given. */
  default?: T
  /** The default in words, if they say more than the value. */
  defaultText?: string
}
type Settings = Record<string, Setting>

/** The type of the values of declared settings. */
type Values<S extends Settings> = {
  [K in keyof S]: ReturnType<S[K]['parse']> | (S[K] extends { default: unknown } ? never : undefined)
}

/** The directory of the embedded database, unless a setting names a database. */
const DEFAULT_DATA = '.millbook'

/** Which database a command works on. */
export const databaseSettings = {
  database: {
    flag: '--database <url>',
    env: 'MILLBOOK_DATABASE_URL',
    description: 'use this PostgreSQL server: postgres://user:password@host:5432/name',
    parse: text,
  },
  data: {
    flag: '--data <dir>',
    env: 'MILLBOOK_DATA',
    description: `use the embedded database in this directory (default: ${DEFAULT_DATA})`,
    parse: text,
  },
} satisfies Settings

function portOrOff(text: string): number | 'off' {
  return text === 'off' ? 'off' : wholeNumber(0, 65_535)(text)
}

const MAX_REPORT_SECONDS = 60
/** How long a report waits for a lock on a table, and for one of the service's connections. */
const LOCK_MS = 5000
const CONNECTION_MS = 10_000

/** How the service is run. */
export const serveSettings = {
  host: {
    flag: '--host <address>',
    env: 'MILLBOOK_HOST',
    default: '127.0.0.1',
    description: 'listen on this address; 0.0.0.0 or :: for all addresses of this machine',
    parse: text,
  },
  port: {
    flag: '--port <n>',
    env: 'MILLBOOK_PORT',
    default: 8080,
    description: 'listen on this port; 0 for any free one',
    parse: wholeNumber(0, 65_535),
  },
  tlsCert: {
    flag: '--tls-cert <file>',
    env: 'MILLBOOK_TLS_CERT',
    description: 'speak HTTPS with this certificate: PEM, with its chain; a renewed file is loaded without a restart',
    parse: text,
  },
  tlsKey: {
    flag: '--tls-key <file>',
    env: 'MILLBOOK_TLS_KEY',
    description: "the certificate's private key: PEM, without a passphrase",
    parse: text,
  },
  trustedProxies: {
    flag: '--trusted-proxies <list>',
    env: 'MILLBOOK_TRUSTED_PROXIES',
    default: [],
    defaultText: 'none',
    description: 'believe X-Forwarded-* headers from these addresses or networks, separated by commas',
    parse: networkList,
  },
  publicUrl: {
    flag: '--public-url <url>',
    env: 'MILLBOOK_PUBLIC_URL',
    description:
      'use this origin in links, in the OAuth metadata and in the OpenAPI document, such as https://reports.example; without it, they follow the Host header',
    parse: webOrigin,
  },
  loaderDatabase: {
    flag: '--loader-database <url>',
    env: 'MILLBOOK_LOADER_DATABASE_URL',
    description:
      'load the files that people bring in by the console with this login to the same PostgreSQL database, which may be the loader’s; without it, with the login of the service if it may load',
    parse: (value: string): string => value,
  },
  corsOrigins: {
    flag: '--cors-origins <list>',
    env: 'MILLBOOK_CORS_ORIGINS',
    default: [],
    defaultText: 'none',
    description: 'let web pages of these origins call the API from a browser, separated by commas; * for all origins',
    parse: originList,
  },
  clientDocuments: {
    flag: '--client-documents <hosts>',
    env: 'MILLBOOK_CLIENT_DOCUMENTS',
    default: [],
    defaultText: 'none',
    description:
      'let programs of these hosts, such as claude.ai, ask people to sign in without millbook client create: their client_id is the URL of a document there; separated by commas; * for every public host',
    parse: documentHosts,
  },
  privateWebhooks: {
    flag: '--private-webhooks <list>',
    env: 'MILLBOOK_PRIVATE_WEBHOOKS',
    default: [],
    defaultText: 'none',
    description:
      'let webhooks reach these private addresses or networks, such as 10.1.0.0/16, separated by commas; they reach every public address',
    parse: networkList,
  },
  readFrom: {
    flag: '--read-from <url...>',
    env: 'MILLBOOK_READ_FROM',
    default: [] as string[],
    defaultText: 'none',
    description:
      'read reports from these streaming replicas of the PostgreSQL server while they have the current data; in the variable, separated by commas',
    parse: (value: string, before: string[] = []): string[] => [...new Set([...before, ...list(value)])],
  },
  workers: {
    flag: '--workers <n>',
    env: 'MILLBOOK_WORKERS',
    default: availableParallelism(),
    defaultText: 'one per core',
    description: 'answer with this many processes on one port; each gets its share of the limits, rounded up',
    parse: wholeNumber(1, 999),
  },
  maxConnections: {
    flag: '--max-connections <n>',
    env: 'MILLBOOK_MAX_CONNECTIONS',
    default: MAX_CONNECTIONS,
    description: 'close new connections while this many are open',
    parse: wholeNumber(1, 999_999),
  },
  maxConnectionsPerAddress: {
    flag: '--max-connections-per-address <n>',
    env: 'MILLBOOK_MAX_CONNECTIONS_PER_ADDRESS',
    default: MAX_CONNECTIONS_PER_ADDRESS,
    description: 'close new connections from an address while this many from it are open; trusted proxies are exempt',
    parse: wholeNumber(1, 999_999),
  },
  maxRequests: {
    flag: '--max-requests <n>',
    env: 'MILLBOOK_MAX_REQUESTS',
    default: MAX_REQUESTS,
    description: 'answer 503 while this many requests are running',
    parse: wholeNumber(1, 999_999),
  },
  maxRequestsPerClient: {
    flag: '--max-requests-per-client <n>',
    env: 'MILLBOOK_MAX_REQUESTS_PER_CLIENT',
    default: MAX_REQUESTS_PER_CLIENT,
    description: "keep a client's other requests waiting while this many of its requests are running",
    parse: wholeNumber(1, 999_999),
  },
  maxWaitSeconds: {
    flag: '--max-wait-seconds <n>',
    env: 'MILLBOOK_MAX_WAIT_SECONDS',
    default: MAX_WAIT_SECONDS,
    description: 'answer 503 to a request that has waited this long for its turn; 0 to answer at once',
    parse: wholeNumber(0, 3600),
  },
  rate: {
    flag: '--rate <units>',
    env: 'MILLBOOK_RATE',
    default: 6000, // a hundred light requests a second, or ten of the heaviest
    description: 'units a minute for a client for which no rate is set; 0 for no limit',
    parse: wholeNumber(0, 999_999_999),
  },
  warmUp: {
    flag: '--warm-up <reports>',
    env: 'MILLBOOK_WARM_UP',
    default: 20,
    description: 'after a load, compute this many of the most used reports again before they are asked for; 0 for none',
    parse: wholeNumber(0, 2000),
  },
  warmUpSeconds: {
    flag: '--warm-up-seconds <n>',
    env: 'MILLBOOK_WARM_UP_SECONDS',
    default: 60,
    description: 'begin no further report of a warm-up after this time',
    parse: wholeNumber(1, 86_400),
  },
  historyDays: {
    flag: '--history-days <n>',
    env: 'MILLBOOK_HISTORY_DAYS',
    default: HISTORY_DAYS,
    description: 'keep what loads changed and removed for this many days, for ?as_known=',
    parse: wholeNumber(1, 36_500),
  },
  changesDays: {
    flag: '--changes-days <n>',
    env: 'MILLBOOK_CHANGES_DAYS',
    default: FEED_LIMITS.days,
    description: 'delete a ?since= token after this many days without use',
    parse: wholeNumber(1, 3650),
  },
  changesRecords: {
    flag: '--changes-records <n>',
    env: 'MILLBOOK_CHANGES_RECORDS',
    default: FEED_LIMITS.rows,
    description: 'store at most this many records for ?since= tokens; the least recently used tokens are deleted first',
    parse: wholeNumber(1, 999_999_999),
  },
  metricsHost: {
    flag: '--metrics-host <address>',
    env: 'MILLBOOK_METRICS_HOST',
    default: '127.0.0.1',
    description: 'serve /metrics for Prometheus on this address',
    parse: text,
  },
  metricsPort: {
    flag: '--metrics-port <n>',
    env: 'MILLBOOK_METRICS_PORT',
    default: 9464 as number | 'off',
    description: 'serve /metrics on this port; 0 for any free one, off for none',
    parse: portOrOff,
  },
  tracesTo: {
    flag: '--traces-to <url>',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description: 'send traces of requests to this OpenTelemetry collector (OTLP over HTTP)',
    parse: webAddress,
  },
  tracesPercent: {
    flag: '--traces-percent <n>',
    env: 'MILLBOOK_TRACES_PERCENT',
    default: 100,
    description:
      "send this percentage of the traces that begin here; an incoming traceparent header's sampled flag takes precedence",
    parse: wholeNumber(0, 100),
  },
  maxReportSeconds: {
    flag: '--max-report-seconds <n>',
    env: 'MILLBOOK_MAX_REPORT_SECONDS',
    default: MAX_REPORT_SECONDS,
    description: 'on a PostgreSQL server, cancel a report that takes longer and answer 504',
    parse: wholeNumber(1, 86_400),
  },
  startWaitSeconds: {
    flag: '--start-wait-seconds <n>',
    env: 'MILLBOOK_START_WAIT_SECONDS',
    default: 60,
    description:
      'at the start, wait this long for a PostgreSQL server that does not respond or is not migrated yet; 0 to fail at once',
    parse: wholeNumber(0, 3600),
  },
  graceSeconds: {
    flag: '--grace-seconds <n>',
    env: 'MILLBOOK_GRACE_SECONDS',
    default: 20,
    description: 'after SIGTERM, give running requests this time; then cancel them and exit',
    parse: wholeNumber(0, 3600),
  },
  snapshotsIn: {
    flag: '--snapshots-in <dir>',
    env: 'MILLBOOK_SNAPSHOTS_IN',
    default: tmpdir(),
    defaultText: "the system's temporary directory",
    description: 'keep computed reports under this directory while the service runs, up to 2 GiB',
    parse: text,
  },
  argon2: {
    flag: '--argon2 <cost>',
    env: 'MILLBOOK_ARGON2',
    default: DEFAULT_COST,
    description: 'cost of hashing new passwords and client secrets: memory in KiB, passes, threads',
    parse: argon2Cost,
  },
  logLevel: {
    flag: '--log-level <level>',
    env: 'MILLBOOK_LOG_LEVEL',
    default: 'info',
    description: 'log this level and above, as JSON lines on stderr: fatal, error, warn, info, debug, trace or silent',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  },
} satisfies Settings

type Served = Values<typeof serveSettings>
export type ServeSettings = Omit<Served, 'tlsCert' | 'tlsKey'> & { tls: TlsFiles | undefined }

/** The service's time limits for statements, locks and connections. */
export const limitsOf = ({ maxReportSeconds }: Pick<ServeSettings, 'maxReportSeconds'>): Limits => ({
  ...{ statement: maxReportSeconds * 1000, lock: LOCK_MS, connection: CONNECTION_MS },
})

/** Adds options for these settings to a command, which may have other defaults for some. */
export function addSettings<S extends Settings>(
  command: Command,
  settings: S,
  defaults: Partial<Values<S>> = {},
): Command {
  for (const [name, { flag, env, description, parse, default: usual, defaultText }] of Object.entries(settings)) {
    const option = new Option(flag, description).argParser(parse)
    const own = defaults[name]
    if (own !== undefined) option.default(own)
    else if (usual !== undefined) option.default(usual, defaultText)
    if (process.env[env] !== '') option.env(env) // an empty variable counts as unset
    command.addOption(option)
  }
  return command
}

/** Checks settings against each other before a database is opened; a wrong one is a usage error. */
export function readServeSettings(command: Command, check: (files: TlsFiles) => unknown = readPair): ServeSettings {
  const given = command.opts<Served>()
  const { tlsCert, tlsKey, ...rest } = Object.fromEntries(
    Object.keys(serveSettings).map((name) => [name, given[name as keyof Served]]),
  ) as Served
  // Not in the option's parser, because commander's error would print the URL with its password.
  const { username, password, search } = new URL(rest.tracesTo ?? 'http://none')
  if (username + password + search !== '')
    command.error(
      "--traces-to has a password or a query: remove it, and put the collector's credentials into OTEL_EXPORTER_OTLP_HEADERS",
    )
  checkReplicas(command, rest.readFrom)
  checkLoader(command, rest.loaderDatabase)
  return { ...rest, tls: tlsFiles(command, tlsCert, tlsKey, check) }
}

function checkReplicas(command: Command, urls: readonly string[]): void {
  if (urls.length === 0) return
  if (!('url' in databaseTarget(command)))
    command.error(
      '--read-from needs a PostgreSQL server (--database): the embedded database has no replicas; leave it out',
    )
  for (const url of urls)
    try {
      readServerUrl(url)
    } catch (error) {
      command.error(`--read-from: ${(error as Error).message}`)
    }
}

function checkLoader(command: Command, url: string | undefined): void {
  if (url === undefined) return
  if (!('url' in databaseTarget(command)))
    command.error(
      '--loader-database needs a PostgreSQL server (--database): the embedded database has one login; leave it out',
    )
  try {
    readServerUrl(url)
  } catch (error) {
    command.error(`--loader-database: ${(error as Error).message}`)
  }
}

function tlsFiles(
  command: Command,
  cert: string | undefined,
  key: string | undefined,
  check: (files: TlsFiles) => unknown,
): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (key === undefined) command.error('--tls-cert is given without --tls-key: HTTPS needs both')
  if (cert === undefined) command.error('--tls-key is given without --tls-cert: HTTPS needs both')
  check({ cert, key })
  return { cert, key }
}

/** The database that a command works on: a flag overrides the environment, and each may name only one database. */
export function databaseTarget(command: Command): Target {
  for (const source of ['cli', 'env'] as const) {
    const url = givenBy(command, 'database', source)
    const directory = givenBy(command, 'data', source)
    if (url !== undefined && directory !== undefined)
      command.error('give either a PostgreSQL server (--database) or a data directory (--data), not both')
    if (url !== undefined) return serverTarget(command, url)
    if (directory !== undefined) return { directory }
  }
  return { directory: DEFAULT_DATA }
}

/** Checks the URL here and not in the option's parser, because commander's error would print it with its password. */
function serverTarget(command: Command, url: string): Target {
  try {
    readServerUrl(url)
  } catch (error) {
    command.error((error as Error).message)
  }
  return { url }
}

/** A blank value is a mistake: it would become a directory of that name. */
function givenBy(command: Command, name: keyof typeof databaseSettings, source: 'cli' | 'env'): string | undefined {
  if (command.getOptionValueSource(name) !== source) return undefined
  const value: string = command.opts()[name]
  if (value.trim() !== '') return value
  const { flag, env } = databaseSettings[name]
  const named = source === 'env' ? env : flag.split(' ')[0]
  return command.error(`${named} is blank: give it a value, or leave it out to use the directory ${DEFAULT_DATA}`)
}

/** The settings in force, without the database's password. */
export function printableSettings(command: Command): Record<string, unknown> {
  const target = databaseTarget(command)
  const { tls, readFrom, loaderDatabase, ...rest } = readServeSettings(command)
  return {
    ...('url' in target ? { database: withoutPassword(target.url) } : { data: target.directory }),
    ...{ ...rest, readFrom: readFrom.map(withoutPassword) },
    ...(loaderDatabase && { loaderDatabase: withoutPassword(loaderDatabase) }),
    ...(tls && { tlsCert: tls.cert, tlsKey: tls.key }),
  }
}

function withoutPassword(url: string): string {
  const { protocol, username, password, host, pathname } = new URL(url)
  return `${protocol}//${username}${password === '' ? '' : ':***'}${username === '' ? '' : '@'}${host}${pathname}`
}
