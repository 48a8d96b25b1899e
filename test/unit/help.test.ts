/** Every command and option says what it is for. */
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { auditCommand } from '../../src/cli/audit.js'
import { clientCommand } from '../../src/cli/client.js'
import { userCommand } from '../../src/cli/user.js'

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
const commands = [clientCommand(), userCommand(), auditCommand()].flatMap(leaves)
const path = (command: Command | null): string => (command === null ? '' : `${path(command.parent)} ${command.name()}`)

it.each(commands.map((command) => [path(command).trim(), command] as const))('%s', (_name, command) => {
  expect(command.description()).toMatch(/^[a-z].{20}/)
  expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--database', '--data', '--json']))
  for (const { long, description } of command.options)
    expect([long, description]).toEqual([long, expect.stringMatching(/^.{8}/)])
  for (const argument of command.registeredArguments) expect(argument.description).not.toBe('')
})
