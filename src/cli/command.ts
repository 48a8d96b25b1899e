/** Options, examples and usage errors that commands share. */
import { Command } from 'commander'
import { MillbookError } from '../errors.js'
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

/** Runs a check of the typed options; its error is a usage error. */
export function checkUsage(command: Command, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof MillbookError) command.error(error.message)
    throw error
  }
}

/** Shown at the end of --help. A test runs each example in a shell, in the order of the help. */
export const withExamples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n  ${lines.join('\n  ')}`)
