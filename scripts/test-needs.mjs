/**
 * Finds the programs that the tests need beside npm: a PostgreSQL server, Chromium and `script`, and for the long tier
 * faketime, systemd and MariaDB. Run as a script, it installs missing ones on Debian as root, and otherwise lists them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_POSTGRES = 15

/** @param {string} folder */
const postgresVersion = (folder) => {
  try {
    const out = execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
    return existsSync(join(folder, 'initdb')) ? Number.parseInt(/(\d+)/.exec(out)?.[1] ?? '0', 10) : 0
  } catch {
    return 0
  }
}

/** @param {string} parent @param {(name: string) => string} bin */
const versionsIn = (parent, bin) =>
  existsSync(parent)
    ? readdirSync(parent)
        .sort((a, b) => Number.parseInt(b.replace(/\D*/, ''), 10) - Number.parseInt(a.replace(/\D*/, ''), 10))
        .map((name) => join(parent, bin(name), 'bin'))
    : []

/**
 * The folder with PostgreSQL's server programs, which many systems keep out of PATH.
 * @returns {string | undefined}
 */
export function findPostgres() {
  const given = process.env['MILLBOOK_TEST_POSTGRES_BIN']
  const folders = given
    ? [given]
    : [
        ...(process.env['PATH'] ?? '').split(delimiter),
        ...versionsIn('/usr/lib/postgresql', (name) => name),
        ...versionsIn('/opt/homebrew/opt', (name) => (name.startsWith('postgresql') ? name : 'none')),
        ...versionsIn('/usr', (name) => (name.startsWith('pgsql-') ? name : 'none')),
      ]
  return folders.find((folder) => folder !== '' && postgresVersion(folder) >= OLDEST_POSTGRES)
}

/** The shell without windows first: it takes a fifth less of the processor. @returns {string | undefined} */
export function findChromium() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const candidates = [
    process.env['MILLBOOK_TEST_CHROMIUM'] ?? '',
    ...names.flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
  return candidates.find((file) => file !== '' && existsSync(file))
}

/** @param {string} name @returns {string | undefined} */
const onPath = (name) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))

/** `script`, which gives a program a terminal. */
export const findScript = () => onPath('script')

/** `faketime`, which gives a program another clock. */
export const findFaketime = () => onPath('faketime')

/** MariaDB's server, which many systems keep out of PATH. */
export const findMariadb = () =>
  onPath('mariadbd') ?? ['/usr/sbin/mariadbd', '/usr/libexec/mariadbd'].find((file) => existsSync(file))

/** @param {string[]} packages */
function aptInstall(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.error(`installing for the tests: ${packages.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env }
  spawnSync('apt-get', ['update', '-qq'], options)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options)
}

const needs = [
  {
    find: findPostgres,
    package: 'postgresql',
    sentence: `The tests need the server programs of PostgreSQL ${OLDEST_POSTGRES} or newer: install them (apt-get install postgresql, brew install postgresql@17), or set MILLBOOK_TEST_POSTGRES_BIN to their folder.`,
  },
  {
    find: findChromium,
    package: 'chromium-headless-shell',
    sentence:
      'The tests need Chromium or Chrome: install one (apt-get install chromium-headless-shell), or set MILLBOOK_TEST_CHROMIUM to its program.',
  },
  {
    find: findScript,
    package: 'bsdutils',
    sentence:
      'The tests need the program script: install it (apt-get install bsdutils; elsewhere it is in util-linux).',
  },
]
/** Without them, tests of the long tier are skipped. */
const wishes = [
  { find: findFaketime, package: 'faketime' },
  { find: () => onPath('systemctl'), package: 'systemd' },
  { find: findMariadb, package: 'mariadb-server' },
  { find: () => onPath('python3'), package: 'python3-venv' }, // for Tryton, whose packages come from the Python registry
]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = needs.filter((need) => need.find() === undefined)
  const wished = process.env['MILLBOOK_LONG'] === '1' ? wishes.filter((wish) => wish.find() === undefined) : []
  if (missing.length + wished.length > 0) aptInstall([...missing, ...wished].map((need) => need.package))
  for (const need of missing.filter((need) => need.find() === undefined)) {
    console.error(need.sentence)
    process.exitCode = 1
  }
}
