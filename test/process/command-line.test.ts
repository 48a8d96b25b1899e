/** The command line as people and scripts use it: help, examples, mistakes and their exit codes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeProgram, withSubcommands } from '../../src/cli/program.js'
import { makeTarget } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { examplesOf } from '../setup/help.js'
import { CLI, run, start } from '../setup/program.js'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'millbook-cli-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

it.each(['verify', 'audit', 'client list', 'client create x', 'user list', 'user delete x --yes'])(
  '%s: where there is no database it says so, and creates nothing',
  async (words) => {
    const directory = join(folder(), 'new')
    const { code, stdout, stderr } = await run([...words.split(' '), '--data', directory])
    expect([code, stdout, stderr]).toEqual([1, '', `millbook: ${noDatabase(directory)}\n`])
    expect(existsSync(directory)).toBe(false)
  },
)

const noDatabase = (directory: string) =>
  `there is no database in ${directory}: name another with --data DIR or --database URL, or create one there with millbook migrate --data ${directory}`

it('an empty directory has no database either, and stays empty', async () => {
  const directory = folder()
  const { code, stderr } = await run(['user', 'list', '--json', '--data', directory])
  expect([code, JSON.parse(stderr)]).toEqual([1, { error: noDatabase(directory) }])
  expect(readdirSync(directory)).toEqual([])
})

it.each([
  ['serve', '--port', '0'],
  ['import', folderOf({ 'vendors.csv': 'code,name\n' })],
])('%s creates the directory', async (...args) => {
  const directory = join(folder(), 'new')
  const begun = start([...args, '--data', directory])
  await vi.waitFor(() => expect(existsSync(join(directory, 'lock'))).toBe(true), { timeout: 20_000 })
  begun.process.kill('SIGKILL') // to make a whole database takes long
  await begun.ended
})

it('a usage error ends with 2, what to do next, and one line of JSON with --json', async () => {
  const wrong = ['client', 'create', 'x', '--groups', 'sails']
  const sentence = /^option '--groups <list>' argument 'sails' is invalid\. Not a group: sails\. There are masters, .*$/
  const plain = await run(wrong)
  const [first = '', ...rest] = plain.stderr.split('\n')
  expect([plain.code, plain.stdout]).toEqual([2, ''])
  expect(first.replace(/^millbook: /, '')).toMatch(sentence)
  expect(rest).toEqual(['run millbook client create --help to see what is possible', ''])
  const json = await run([...wrong, '--json'])
  expect([json.code, json.stdout]).toEqual([2, ''])
  expect(json.stderr.split('\n')).toEqual([expect.any(String), ''])
  expect(JSON.parse(json.stderr)).toEqual({ error: expect.stringMatching(sentence) })
})

it('a wrong variable is named', async () => {
  const { code, stderr } = await run(['serve', '--json'], { env: { MILLBOOK_PORT: 'x' } })
  expect([code, JSON.parse(stderr).error]).toEqual([2, expect.stringContaining("from env 'MILLBOOK_PORT' is invalid")])
})

it('--version prints the version, and help shows the help of a subcommand', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  const direct = await run(['client', 'create', '--help'])
  expect(direct).toMatchObject({ code: 0, stderr: '' })
  expect(direct.stdout).toMatch(/^Usage: millbook client create \[options\] <name>/)
  expect(await run(['help', 'client', 'create'])).toEqual(direct)
  expect(await run(['help'])).toEqual(await run(['--help']))
})

it('the examples in the help of all commands work, one after another', async () => {
  const { flags, drop } = await makeTarget('empty', 'server')
  onTestFinished(drop)
  const cwd = folder()
  writeFileSync(join(cwd, 'millbook'), `#!/bin/sh\nexec '${process.execPath}' --liftoff-only '${CLI}' "$@"\n`, {
    mode: 0o755,
  })
  // The demo makes its database from this one, which saves some seconds.
  const begun = await makeTarget('empty', 'embedded')
  onTestFinished(begun.drop)
  cpSync((begun.target as { directory: string }).directory, join(cwd, 'trial'), { recursive: true })
  const env = {
    ...process.env,
    PATH: `${cwd}:${process.env['PATH']}`,
    MILLBOOK_DATABASE_URL: flags[1] as string,
    MILLBOOK_WORKERS: '1',
  }
  for (const example of withSubcommands(makeProgram()).flatMap(examplesOf)) {
    const serves = /millbook (serve|demo)/.test(example) && !/--print-config|--files/.test(example)
    const line = serves ? example.replace(/millbook .*/, 'exec $& --port 0 --json') : example
    const child = spawn('sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const stderr = text(child.stderr)
    if (serves) child.stdout.once('data', () => child.kill('SIGTERM'))
    else child.stdout.resume()
    const [code] = await once(child, 'close')
    expect([example, code, code === 0 ? '' : await stderr]).toEqual([example, 0, ''])
  }
})
