/** The command line as people and scripts use it: help, mistakes, and their exit codes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { folderOf, tempFolder } from '../setup/files.js'
import { eventually } from '../setup/patience.js'
import { run, start } from '../setup/program.js'
import { inLongTier, long } from '../setup/tier.js'

const needDatabase = [
  ...['verify', 'verify --rebuild', 'audit', 'client list', 'client create x', 'user list'],
  ...['user delete x --yes', 'backup x'],
]
it.each(needDatabase.filter((words) => long || ['verify', 'backup x'].includes(words)))(
  '%s: without a database, the command says so and creates nothing',
  async (words) => {
    const directory = join(tempFolder(), 'new')
    const { code, stdout, stderr } = await run([...words.split(' '), '--data', directory])
    expect([code, stdout, stderr]).toEqual([1, '', `millbook: ${noDatabase(directory)}\n`])
    expect(existsSync(directory)).toBe(false)
  },
)

const noDatabase = (directory: string) =>
  `there is no database in ${directory}: name another with --data DIR or --database URL, or create one there with millbook migrate --data ${directory}`

inLongTier('an empty directory counts as no database, and stays empty', async () => {
  const directory = tempFolder()
  const { code, stderr } = await run(['user', 'list', '--json', '--data', directory])
  expect([code, JSON.parse(stderr)]).toEqual([1, { error: noDatabase(directory) }])
  expect(readdirSync(directory)).toEqual([])
})

it.each(['serve', 'import'])('%s creates the directory', async (command) => {
  const args = command === 'serve' ? ['serve', '--port', '0'] : ['import', folderOf({ 'vendors.csv': 'code,name\n' })]
  const directory = join(tempFolder(), 'new')
  const begun = start([...args, '--data', directory])
  await eventually(() => expect(existsSync(join(directory, 'lock'))).toBe(true))
  begun.process.kill('SIGKILL') // creating a whole database takes long
  await begun.ended
})

it('a directory that cannot be created is named', async () => {
  const { code, stderr } = await run(['migrate', '--data', '/proc/nope/data'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^millbook: cannot use the data directory \/proc\/nope\/data: /),
  ])
})

it('a usage error exits with 2 and names the help, with --json as one line of JSON', async () => {
  const wrong = ['client', 'create', 'x', '--groups', 'sails']
  const sentence = /^option '--groups <list>' argument 'sails' is invalid\. Not a group: sails\. There are masters, .*$/
  const plain = await run(wrong)
  const [first = '', ...rest] = plain.stderr.split('\n')
  expect([plain.code, plain.stdout]).toEqual([2, ''])
  expect(first.replace(/^millbook: /, '')).toMatch(sentence)
  expect(rest).toEqual(['run millbook client create --help to see the usage', ''])
  const json = await run([...wrong, '--json'])
  expect([json.code, json.stdout]).toEqual([2, ''])
  expect(json.stderr.split('\n')).toEqual([expect.any(String), ''])
  expect(JSON.parse(json.stderr)).toEqual({ error: expect.stringMatching(sentence) })
})

inLongTier('the error names a wrong environment variable', async () => {
  const { code, stderr } = await run(['serve', '--json'], { env: { MILLBOOK_PORT: 'x' } })
  expect([code, JSON.parse(stderr).error]).toEqual([2, expect.stringContaining("from env 'MILLBOOK_PORT' is invalid")])
})

it('--version prints the version, and help NAME shows the help of a subcommand', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  const direct = await run(['client', 'create', '--help'])
  expect(direct).toMatchObject({ code: 0, stderr: '' })
  expect(direct.stdout).toMatch(/^Usage: millbook client create \[options\] <name>/)
  expect(await run(['help', 'client', 'create'])).toEqual(direct)
  if (long) expect(await run(['help'])).toEqual(await run(['--help']))
})

it('a worker whose service dies while it reads its files ends too', async () => {
  const settings = {
    ...{ worker: 1, workers: 1, logLevel: 'silent', startWaitSeconds: 3600, maxReportSeconds: 1 },
    ...{ argon2: 'm=19456,t=2,p=1', target: { url: 'postgres://nobody@127.0.0.1:1/none' } },
  }
  const worker = fork(fileURLToPath(new URL('../../dist/runtime/worker.js', import.meta.url)), {
    env: { ...process.env, MILLBOOK_WORKER: JSON.stringify(settings) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  onTestFinished(() => void worker.kill('SIGKILL'))
  await once(worker, 'spawn')
  worker.disconnect()
  expect(await once(worker, 'exit')).toEqual([1, null])
})

it('SIGHUP does not end a service that still reads its files', async () => {
  const hooks = `export const resolve = (name, about, next) => {
    if (name.endsWith('/cli/program.js')) process.kill(process.pid, 'SIGHUP')
    return next(name, about)
  }`
  const hangUp = join(
    folderOf({
      'hooks.mjs': hooks,
      'hang-up.mjs': `import { register } from 'node:module'\nregister('./hooks.mjs', import.meta.url)\n`,
    }),
    'hang-up.mjs',
  )
  const { code, stdout } = await run(['serve', '--help'], { env: { NODE_OPTIONS: `--import ${hangUp}` } })
  expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: millbook serve')])
})
