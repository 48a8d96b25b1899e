/** `millbook audit`: the changes to clients and users, and the tokens that were issued. */
import { type Command, InvalidArgumentError } from 'commander'
import { ACTS, type AuditFilter, type PastEntry, readAudit } from '../access/audit.js'
import { nearest } from '../nearest.js'
import { pastMoment, wholeNumber } from '../runtime/parse.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { tell, withDatabase } from './database.js'
import { printTable, timeOf } from './print.js'

interface Options extends Omit<AuditFilter, 'username'>, Json {
  user?: string
}

export const auditCommand = (): Command =>
  withExamples(
    databaseCommand('audit', 'show changes to clients and users, and the tokens that were issued; newest last')
      .option(
        '--since <when>',
        'only entries since this day (2026-01-31, UTC), or of the last 30m, 12h, 7d',
        pastMoment,
      )
      .option('--act <act>', 'only this act, with * for any text: client.*, user.passwd', act)
      .option('--client <name>', 'only entries about this client')
      .option('--user <name>', 'only entries about this user')
      .option('--limit <n>', 'show at most this many entries, the newest', wholeNumber(1, 999_999_999), 100)
      .addHelpText('after', `\nActs: ${ACTS.join(', ')}.`)
      .action(async ({ user, json, ...rest }: Options, command: Command) => {
        const filter = { ...rest, ...(user !== undefined && { username: user }) }
        const { entries, more } = await withDatabase(command, (db) => readAudit(db, filter))
        if (json) {
          console.log(JSON.stringify({ entries, more }))
          return
        }
        if (more) tell(`these are the newest ${entries.length} entries: use --limit or --since to see older ones`)
        if (entries.length === 0) tell('no entries')
        else printTable(['at', 'act', 'actor', 'client', 'user', 'address', 'detail'], entries.map(cells))
      }),
    'millbook audit --since 7d',
    "millbook audit --act 'client.*' --limit 20 --json",
  )

function act(text: string): string {
  const pattern = new RegExp(`^${text.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`)
  if (!ACTS.some((known) => pattern.test(known)))
    throw new InvalidArgumentError(`There is no such act${nearest(text, ACTS)}. There are ${ACTS.join(', ')}.`)
  return text
}

const cells = ({ at, act, actor, client, username, address, detail }: PastEntry): string[] => [
  ...[timeOf(at, 'second'), act, actor, client ?? '-', username ?? '-', address ?? '-'],
  Object.entries(detail)
    .map(([name, value]) => `${name}=${isChange(value) ? `${plain(value.from)}→${plain(value.to)}` : plain(value)}`)
    .join(' '),
]

const isChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value

/** Plain words without quotes; anything else as JSON. */
function plain(value: unknown): string {
  if (value === null) return '-'
  const text = Array.isArray(value) ? value.join(',') : value
  return typeof text === 'string' && /^[^\s"=]+$/.test(text) ? text : JSON.stringify(value)
}
