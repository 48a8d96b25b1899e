/** Every setting: its flag, its environment variable, its default and its meaning, declared once. */
import { isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Target } from './db/connect.js'
import { MillbookError } from './errors.js'
import { DEFAULT_COST } from './oauth/secrets.js'

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
    new Option('--host <address>', 'listen on this address; 0.0.0.0 or :: for all')
      .env('MILLBOOK_HOST')
      .default('127.0.0.1'),
  trustedProxies: () =>
    new Option(
      '--trusted-proxies <list>',
      'addresses or networks, separated by commas, whose X-Forwarded-* headers are believed',
    ).env('MILLBOOK_TRUSTED_PROXIES'),
  rate: () =>
    new Option('--rate <units>', 'what a client without a rate of its own may use a minute, in units; 0 for no limit')
      .env('MILLBOOK_RATE')
      .argParser(units)
      .default(DEFAULT_RATE),
  argon2: () =>
    new Option('--argon2 <cost>', 'cost of hashing the secrets made from now on: memory in KiB, passes, threads')
      .env('MILLBOOK_ARGON2')
      .default(DEFAULT_COST),
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

/** What a command that serves HTTP is told. */
export interface ServeConfig {
  port: number
  host: string
  trustedProxies: string[]
  rate: number
  logLevel: string
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && longest > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
}

export function serveConfig(command: Command): ServeConfig {
  const { port, host, trustedProxies = '', rate, logLevel } = command.opts()
  const proxies = (trustedProxies as string)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const wrong = proxies.find((entry) => !isNetwork(entry))
  if (wrong !== undefined)
    throw new MillbookError(
      `--trusted-proxies: ${wrong} is neither an address such as 10.0.0.1 nor a network such as 10.0.0.0/8`,
    )
  return { port, host, trustedProxies: proxies, rate, logLevel }
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
