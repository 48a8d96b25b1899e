/** Every command and option has a description, and every command that does something has an example. */
import { expect, it } from 'vitest'
import { makeProgram, pathOf, withSubcommands } from '../../src/cli/program.js'
import { databaseSettings, serveSettings } from '../../src/runtime/settings.js'
import { examplesOf, helpOf } from '../setup/help.js'

const program = await makeProgram()
/** All commands except the one that only the scripts of `millbook completion` call. */
const commands = withSubcommands(program)
  .map((command) => [pathOf(command), command] as const)
  .filter(([path]) => path !== 'millbook complete')
const settings = Object.values({ ...databaseSettings, ...serveSettings }).map(({ flag, env }) => [flag, env])

it.each(commands)('%s', (path, command) => {
  expect(command.description()).toMatch(/^[a-z].{14}/)
  for (const { long, description } of command.options)
    expect([long, description]).toEqual([long, expect.stringMatching(/^.{8}/)])
  for (const argument of command.registeredArguments) expect(argument.description).toMatch(/^.{8}/)
  // An option that is a setting of one command is the same setting of every command.
  for (const { flags, envVar } of command.options)
    if (settings.some(([flag]) => flag === flags)) expect(settings).toContainEqual([flags, envVar])
  if (command.commands.length > 0) return
  for (const example of examplesOf(command)) expect(example).toContain(path)
  expect(examplesOf(command)).not.toEqual([])
  if (/^millbook (help|completion)$/.test(path)) return
  if (path.startsWith('millbook profile ')) return expect(helpOf(command)).toContain('--json')
  expect(helpOf(command)).toMatch(/--json .*--data <dir>|--data <dir>[\s\S]*--json/)
})
