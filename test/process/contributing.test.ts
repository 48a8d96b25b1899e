/** The example report of CONTRIBUTING.md, added to a copy of the project by its steps, passes the checks that it names. */
import { exec } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { PROJECT, stepsOf, take } from '../setup/contributing.js'
import { tempFolder } from '../setup/files.js'

/** Left out of the copy. The copied dist/ comes from `npm ci`. */
const NOT_COPIED = new Set(['.git', 'node_modules', 'coverage', '.millbook'])

it('a report added by the steps of CONTRIBUTING.md passes its checks', async () => {
  const copy = join(tempFolder(), 'millbook')
  cpSync(PROJECT, copy, {
    recursive: true,
    filter: (path) => relative(PROJECT, path) !== basename(path) || !NOT_COPIED.has(basename(path)),
  })
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  const commands = take(stepsOf(readFileSync(join(copy, 'CONTRIBUTING.md'), 'utf8'), 'Adding a report'), copy)
  expect(commands).toContain('npm run client')
  // Run the checks of the quick tier, without the variables of this run.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$|^MILLBOOK_(LONG|TEST_ENGINE)$/.test(name)),
  )
  for (const command of commands) {
    const { stdout } = await promisify(exec)(command, { cwd: copy, env, maxBuffer: 1 << 28 }).catch(
      ({ stdout, stderr }) => expect.fail(`${command}\n${stdout}${stderr}`),
    )
    // A name without a test file would pass as a check.
    const [, names = ''] = /--project \w+ (.*)/.exec(command) ?? []
    const missing = names.split(' ').filter((name) => !stdout.includes(`/${name}.test.ts`))
    if (names !== '') expect(missing).toEqual([])
  }
  expect(readFileSync(join(copy, 'docs/reports.md'), 'utf8')).toContain('/v1/purchase/payment-terms')
})
