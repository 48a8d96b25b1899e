/** A Tryton for the long tier: its Python packages in a separate folder, and a database that it fills through its own API. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeTarget } from './database.js'

/** A series that Tryton supports for five years; the connector was tried with 6.0 and 8.0 too. */
const SERIES = process.env['MILLBOOK_TRYTON_SERIES'] ?? '7.0'
const MODULES = ['sale', 'purchase', 'production', 'stock_lot', 'stock_lot_sled']
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const SCRIPT = fileURLToPath(new URL('tryton.py', import.meta.url))

const run = promisify(execFile)

/** Tryton's own figures. */
export interface Figures {
  /** Quantities, by `item in warehouse`. */
  readonly stock: Readonly<Record<string, string>>
  /** Quantities, by `item lot in warehouse`. */
  readonly lots: Readonly<Record<string, string>>
  /** Quantity times cost price, by item. */
  readonly worth: Readonly<Record<string, string>>
  /** Amount before tax, tax, total and currency, by the document's number. */
  readonly sales: Readonly<Record<string, string>>
  readonly purchases: Readonly<Record<string, string>>
  readonly invoices: Readonly<Record<string, string>>
}

export interface Tryton {
  readonly url: string
  figures(): Promise<Figures>
  /** Changes a document, deletes one, and adds a back-dated one. */
  change(): Promise<void>
  drop(): Promise<void>
}

/** Throws an error that says why it cannot be installed. Installed packages are kept for the next run. */
export async function installTryton(): Promise<string> {
  const folder = join(CACHE, `tryton-${SERIES}`)
  const installed = join(folder, 'installed')
  if (existsSync(installed)) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true })
  const drivers = ['psycopg2-binary', 'psycopg[binary,pool]', 'pytz']
  const packages = ['trytond', 'proteus', ...MODULES.map((name) => `trytond_${name}`)]
  try {
    await run('python3', ['-m', 'venv', folder])
    const wanted = [...packages.map((name) => `${name}~=${SERIES}.0`), ...drivers]
    await run(join(folder, 'bin', 'pip'), ['install', '-q', ...wanted])
  } catch (error) {
    throw new Error(
      `Tryton ${SERIES} cannot be installed: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`,
    )
  }
  writeFileSync(installed, '')
  return folder
}

export async function fillTryton(folder: string): Promise<Tryton> {
  const { target, drop } = await makeTarget('empty', 'server')
  if (!('url' in target)) throw new Error('not a server')
  const { host, pathname } = new URL(target.url)
  const database = pathname.slice(1)
  const passwords = join(folder, 'password')
  writeFileSync(passwords, 'not used')
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
    TRYTOND_DATABASE_URI: `postgresql://postgres:@${host}/`,
    TRYTONPASSFILE: passwords,
  }
  const python = (action: string) =>
    run('python', ['-W', 'ignore', SCRIPT, database, action], { env, maxBuffer: 1 << 26 })
  await run(
    'trytond-admin',
    ['-d', database, '-u', 'ir', ...MODULES, '--activate-dependencies', '--email', 'admin@example.com'],
    { env, maxBuffer: 1 << 26 },
  )
  await python('fill')
  return {
    url: target.url,
    figures: async () => JSON.parse((await python('figures')).stdout),
    change: async () => void (await python('change')),
    drop,
  }
}
