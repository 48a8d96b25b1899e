/** The steps of CONTRIBUTING.md fit the project; test/process/contributing.test.ts carries them out. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT, patched, stepsOf } from '../setup/contributing.js'

const steps = stepsOf(readFileSync(join(PROJECT, 'CONTRIBUTING.md'), 'utf8'), 'Adding a report')

it('the example report does not exist yet, its diffs apply, and its commands exist', () => {
  expect(steps.map(({ kind }) => kind)).toEqual(['ts', 'diff', 'ts', 'diff', 'sh', 'sh'])
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { scripts: object }
  for (const step of steps)
    if (step.kind === 'ts') expect([step.file, existsSync(join(PROJECT, step.file))]).toEqual([step.file, false])
    else if (step.kind === 'diff')
      expect(patched(readFileSync(join(PROJECT, step.file), 'utf8'), step.text)).toMatch(/vendors/)
    else for (const [, script] of step.text.matchAll(/^npm run (\S+)/gm)) expect(Object.keys(scripts)).toContain(script)
})

it('a diff whose lines are missing or appear twice in the file is refused', () => {
  expect(patched('a\nb\nc\n', ' a\n+x\n@@\n-c\n+y\n')).toBe('a\nx\nb\ny\n')
  expect(() => patched('a\n', ' b\n+x\n')).toThrow('must be in the file once, not 0 times')
  expect(() => patched('a\na\n', ' a\n+x\n')).toThrow('must be in the file once, not 2 times')
})
