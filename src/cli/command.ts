/** What the commands have in common. */
import { Command } from 'commander'
import { addSettings, databaseSettings } from '../runtime/settings.js'

/** The option of every command that prints a result. */
export interface Json {
  json?: boolean
}

export const withJson = (command: Command): Command =>
  command.option('--json', 'print one line of JSON, for programs; errors too')

/** A command that works on a database. */
export const databaseCommand = (name: string, description: string): Command =>
  withJson(addSettings(new Command(name).description(description), databaseSettings))

/** Shown at the end of --help. A test runs each of them in a shell, in the order of the help. */
export const withExamples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n  ${lines.join('\n  ')}`)
