/** The source of a command's reports: a service, by its URL or a profile, or a database. */
import type { Command } from 'commander'
import type { Answers } from '../answers/answers.js'
import { databaseAnswers } from '../answers/database.js'
import { environmentProfile, profileNamed } from '../answers/profiles.js'
import { serviceAnswers } from '../answers/service.js'
import type { TransportOptions } from '../client/transport.js'
import { MillbookError } from '../errors.js'
import { reports } from '../reports/index.js'
import { databaseCommand } from './command.js'
import { openDatabase, tell } from './database.js'

export interface SourceOptions {
  url?: string
  profile?: string
}

/** A command that reads reports. */
export const sourceCommand = (name: string, description: string): Command =>
  databaseCommand(name, description)
    .option('--url <url>', 'ask the service at this address (or MILLBOOK_URL); credentials come from the environment')
    .option('--profile <name>', 'ask the service of this profile (or MILLBOOK_PROFILE): see millbook profile --help')

/** Opens the source of reports, runs `work` with it, and closes it. */
export async function withAnswers<T>(command: Command, work: (answers: Answers) => Promise<T>): Promise<T> {
  const answers = await openAnswers(command)
  try {
    return await work(answers)
  } finally {
    await answers.close()
  }
}

/** The service that the options or the environment name; undefined for a database. */
export function serviceOf(command: Command): TransportOptions | undefined {
  const { url, profile } = command.opts<SourceOptions>()
  const typed = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (url !== undefined && profile !== undefined) throw new MillbookError('give --url or --profile, not both')
  const local = typed('database') || typed('data')
  if (local && (url !== undefined || profile !== undefined))
    throw new MillbookError('give a service (--url, --profile) or a database (--database, --data), not both')
  const env = local ? {} : process.env
  const named = profile ?? (url === undefined ? env['MILLBOOK_PROFILE'] : undefined)
  const address = url ?? env['MILLBOOK_URL']
  if (named === undefined && address === undefined) return undefined
  const { url: to, ...auth } = named === undefined ? environmentProfile(address as string) : profileNamed(named)
  return {
    url: to,
    auth,
    onRetry: ({ reason, milliseconds }) => tell(`${reason}; trying again in ${Math.ceil(milliseconds / 1000)} s`),
  }
}

async function openAnswers(command: Command): Promise<Answers> {
  const service = serviceOf(command)
  if (service !== undefined) return serviceAnswers(service)
  const opened = await openDatabase(command)
  const answers = databaseAnswers(opened, reports)
  return {
    ...answers,
    close: async () => {
      await answers.close()
      await opened.close()
    },
  }
}
