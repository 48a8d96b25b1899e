/** `npm pack` makes a package that works in an empty project. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../setup/files.js'
import { askToken, type Demo, startDemo } from '../setup/program.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

it('the build of the container image has every file that it needs', () => {
  const folder = tempFolder()
  const steps = readFileSync(join(PROJECT, 'deploy/Containerfile'), 'utf8').split('\n')
  for (const line of steps) {
    const [, sources = '', target = ''] = /^COPY (?!--from)(.+) (\S+)$/.exec(line) ?? []
    for (const source of sources.split(' ').filter(Boolean)) {
      const to = target.endsWith('/') ? join(target, basename(source)) : target
      cpSync(join(PROJECT, source), join(folder, to), { recursive: true })
    }
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules')) // in place of npm ci
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'pipe' })
  const shipped = tempFolder()
  for (const line of steps) {
    const [, source = '', target = ''] = /^COPY --from=build \/src\/(\S+) (\S+)$/.exec(line) ?? []
    if (source === '' || source === 'node_modules') continue
    cpSync(join(folder, source), join(shipped, target.endsWith('/') ? join(target, basename(source)) : target), {
      recursive: true,
    })
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(shipped, 'node_modules'))
  expect(existsSync(join(shipped, 'dist/console/index.html'))).toBe(true)
  // It loads every module of the service: the reports, their examples and the schema.
  const config = execFileSync(process.execPath, ['dist/cli.js', 'serve', '--print-config', '--json'], { cwd: shipped })
  expect(JSON.parse(String(config))).toMatchObject({ port: 8080 })
  const program = "await import('./dist/runtime/app.js'); await import('./dist/db/migrate.js'); console.log('loaded')"
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: shipped,
    encoding: 'utf8',
  })
  expect(loaded).toBe('loaded\n')
})

it('an installation without install scripts starts the demo and answers a report', async () => {
  const folder = tempFolder()
  // A test dependency of Fastify requires Node 22; our lock file has an older version of it.
  const env = { ...process.env, npm_config_engine_strict: 'false' }
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', env })
  npm('pack', PROJECT, '--silent', '--ignore-scripts') // the test command has built dist/
  const [tarball] = readdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true}')
  npm('install', `./${tarball}`, '--ignore-scripts', '--no-audit', '--no-fund')
  const packed = readdirSync(join(folder, 'node_modules/millbook'))
  expect(packed.sort()).toEqual(['LICENSE', 'README.md', 'connectors', 'dist', 'package.json', 'src'])

  const program = join(folder, 'node_modules/.bin/millbook')
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)
  const flags = ['--port', '0', '--data', join(folder, 'data'), '--scale', '0.2', '--months', '2', '--json']
  const demo = spawn(program, ['demo', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void demo.kill('SIGKILL'))
  const [line] = await once(demo.stdout, 'data')
  const credentials = JSON.parse(String(line)) as Demo
  const { access_token } = (await (await askToken(credentials, { grant_type: 'client_credentials' })).json()) as {
    access_token: string
  }
  const report = await fetch(`${credentials.base_url}/v1/warehouse/warehouse-list`, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  expect(((await report.json()) as { data: unknown[] }).data.length).toBeGreaterThan(0)

  // Use the package's client with its types, and its command line by npx.
  writeFileSync(
    join(folder, 'pull.ts'),
    `import { Millbook } from 'millbook/client'
const [url, clientId, clientSecret] = process.argv.slice(2) as [string, string, string]
const millbook = new Millbook({ url, auth: { clientId, clientSecret } })
for await (const { location } of millbook.masters.warehouseList()) console.log(location.toUpperCase())
`,
  )
  npm('install', 'typescript@5.9.3', '@types/node@20', '--ignore-scripts', '--no-audit', '--no-fund')
  const tsc = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false', 'pull.ts']
  writeFileSync(
    join(folder, 'package.json'),
    readFileSync(join(folder, 'package.json'), 'utf8').replace('{', '{"type":"module",'),
  )
  execFileSync(join(folder, 'node_modules/.bin/tsc'), tsc, { cwd: folder, stdio: 'pipe' })
  const { base_url, client_id, client_secret } = credentials
  const pulled = execFileSync(process.execPath, ['pull.js', base_url, client_id, client_secret], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(pulled.trim().split('\n').length).toBeGreaterThan(2)
  const shown = execFileSync('npx', ['millbook', 'report', 'warehouse-list', '--json'], {
    ...{ cwd: folder, encoding: 'utf8' },
    env: { ...env, MILLBOOK_URL: base_url, MILLBOOK_CLIENT_ID: client_id, MILLBOOK_CLIENT_SECRET: client_secret },
  })
  expect(JSON.parse(shown).data.map(({ location }: { location: string }) => location.toUpperCase())).toEqual(
    pulled.trim().split('\n'),
  )
  const ended = once(demo, 'exit')
  demo.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}, 240_000)

it('the client installs alone, without dependencies, and fetches a report', async () => {
  const folder = tempFolder()
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' })
  const [packed] = JSON.parse(npm(join(PROJECT, 'packages/client'), 'pack', '--json', '--pack-destination', folder))
  const sources = readdirSync(join(PROJECT, 'src/client')).map((name) => name.replace(/\.ts$/, ''))
  const names = packed.files.map(({ path }: { path: string }) => path).sort()
  expect(names).toEqual(
    [
      ...['LICENSE', 'README.md', 'package.json'],
      ...sources.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
    ].sort(),
  )
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  npm(folder, 'install', `./${packed.filename}`, '--offline', '--no-audit', '--no-fund')
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['millbook-client'])

  const { run: served, demo } = await startDemo(join(folder, 'data'))
  writeFileSync(
    join(folder, 'pull.ts'),
    `import { ConnectionError, GoneError, Millbook, MillbookError } from 'millbook-client'
const [url, clientId, clientSecret] = process.argv.slice(2) as [string, string, string]
const millbook = new Millbook({ url, auth: { clientId, clientSecret } })
const warehouses = millbook.masters.warehouseList().view({ sort: '-location', fields: ['location'] })
for await (const { location } of warehouses) console.log(location)
const { records } = await warehouses.save('warehouses.csv')
console.log(records, [ConnectionError, GoneError, MillbookError].every((kind) => typeof kind === 'function'))
declare const process: { argv: string[] }
declare const console: { log(...values: unknown[]): void }
`,
  )
  // Without the types of Node: a browser's are enough.
  const tsc = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom']
  execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), [...tsc, 'pull.ts'], {
    ...{ cwd: folder, stdio: 'pipe' },
  })
  const { base_url, client_id, client_secret } = demo
  const printed = execFileSync(process.execPath, ['pull.js', base_url, client_id, client_secret], {
    ...{ cwd: folder, encoding: 'utf8' },
  })
  const lines = printed.trim().split('\n')
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.at(-1)).toBe(`${lines.length - 1} true`)
  expect(readFileSync(join(folder, 'warehouses.csv'), 'utf8').trim().split('\r\n')).toEqual([
    'location',
    ...lines.slice(0, -1),
  ])
  served.process.kill('SIGTERM')
  await served.ended
}, 240_000)
