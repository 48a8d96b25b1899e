/** What the commands that work on a database have in common. */
import { Command } from 'commander'
import { withOptions } from '../runtime/settings.js'

/** Of every such command: whether its result is for a program. */
export interface Json {
  json?: boolean
}

export const databaseCommand = (name: string, description: string): Command =>
  withOptions(new Command(name), 'database', 'data', 'json').description(description)
