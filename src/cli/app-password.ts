/** `millbook user app-password`: the secrets with which workbooks and scripts read reports for a user. */
import { Command } from 'commander'
import {
  type AppPassword,
  appPasswordJson,
  checkAppPasswordName,
  checkIds,
  createAppPassword,
  listAppPasswords,
  revokeAppPassword,
} from '../access/app-passwords.js'
import type { ReadLimits } from '../access/readable.js'
import { findUser } from '../access/users.js'
import { list as parseList } from '../runtime/parse.js'
import { listViews } from '../views/saved.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { inTransaction, withDatabase } from './database.js'
import { printFacts, printTable, timeOf } from './print.js'

export const appPasswordCommand = (): Command => {
  const command = new Command('app-password')
    .description('manage app passwords, with which Excel, BI tools and scripts read reports for a user')
    .helpCommand('help [command]', 'show the help of a subcommand')
  for (const part of [create, list, revoke]) command.addCommand(part())
  return command
}

const create = (): Command =>
  withExamples(
    databaseCommand('create', 'create an app password and print it once: it only reads, with the rights of its user')
      .argument('<username>', 'the user for whom it reads')
      .argument('<name>', 'what it is for, such as a workbook; a user has each name once')
      .option('--reports <list>', 'let it read only these reports, by their ids, separated by commas', parseList)
      .option('--views <list>', 'let it read only these saved views, by their ids, separated by commas', parseList)
      .addHelpText(
        'after',
        '\nPrograms send the username with the app password by HTTP Basic, or the app password as a bearer token.',
      )
      .action(
        async (
          username: string,
          name: string,
          { reports = null, views = null, json }: Json & Partial<ReadLimits>,
          command: Command,
        ) => {
          const known = await import('../reports/index.js')
          checkUsage(command, () => {
            checkAppPasswordName(name)
            checkIds('report', reports, known.reports)
          })
          const limits = { views, reports }
          const { id, appPassword } = await inTransaction(command, async (tx) => {
            checkIds('view', views, await listViews(tx, await findUser(tx, username)))
            return await createAppPassword(tx, username, name, limits)
          })
          if (json) {
            console.log(JSON.stringify({ id, name, username, ...limits, app_password: appPassword }))
            return
          }
          printFacts({ username, app_password: appPassword, name, reads: readsOf(limits) })
          console.log('The app password is not shown again.')
        },
      ),
    'millbook user app-password create asha "Stock workbook" --reports inventory.fg-stock-status',
    'millbook user app-password create asha Tableau',
  )

const list = (): Command =>
  withExamples(
    databaseCommand('list', 'list the app passwords of a user or of all users, and when each was last used')
      .argument('[username]', 'the user; without it, all users')
      .action(async (username: string | undefined, { json }: Json, command: Command) => {
        const found = await withDatabase(command, async (db) => {
          if (username !== undefined) await findUser(db, username)
          return await listAppPasswords(db, username ?? null)
        })
        if (json) console.log(JSON.stringify({ app_passwords: found.map(appPasswordJson) }))
        else if (found.length === 0)
          console.log('there is no app password: create one with millbook user app-password create')
        else printTable(['username', 'name', 'reads', 'created', 'last used'], found.map(rowOf))
      }),
    'millbook user app-password list asha',
  )

const revoke = (): Command =>
  withExamples(
    databaseCommand('revoke', 'end an app password at once: programs that use it get 401')
      .argument('<username>', 'the user to whom it belongs')
      .argument('<name>', 'the name of the app password')
      .action(async (username: string, name: string, { json }: Json, command: Command) => {
        const { id } = await inTransaction(command, async (tx) => {
          await findUser(tx, username)
          return await revokeAppPassword(tx, username, { name })
        })
        if (json) console.log(JSON.stringify({ id, name, username }))
        else console.log(`the app password ${name} of ${username} ended`)
      }),
    'millbook user app-password revoke asha Tableau',
  )

const rowOf = (one: AppPassword): string[] => [
  ...[one.username, one.name, readsOf(one), timeOf(one.createdAt), timeOf(one.lastUsedAt)],
]

const readsOf = ({ views, reports }: ReadLimits): string =>
  views === null && reports === null
    ? 'all'
    : [...(reports ?? []), ...(views ?? []).map((id) => `view ${id}`)].join(', ')
