/** `millbook user`: the people in whose name clients get their tokens. */
import { buffer } from 'node:stream/consumers'
import { Command } from 'commander'
import { newSecret } from '../access/secrets.js'
import {
  changePassword,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  findUser,
  listUsers,
  type User,
} from '../access/users.js'
import { MillbookError } from '../errors.js'
import { withOptions } from '../runtime/settings.js'
import { databaseCommand, type Json } from './command.js'
import { confirm } from './confirm.js'
import { inTransaction, tell, withDatabase } from './database.js'
import { printFacts, printTable, stateOf, timeOf, tokensOf } from './print.js'

export const userCommand = (): Command => {
  const command = new Command('user').description('the people in whose name clients get their tokens')
  for (const part of [create, list, disable, enable, passwd, remove]) command.addCommand(part())
  return command
}

/** A command about one user. */
const about = (name: string, description: string): Command =>
  databaseCommand(name, description).argument('<name>', 'the username')

const withPassword = (command: Command): Command =>
  withOptions(command, 'argon2').option('--password-stdin', 'take the password from standard input', false)

const create = (): Command =>
  withPassword(about('create', 'create a user; unless one is given, a password is made and printed once')).action(
    async (username: string, options: { passwordStdin: boolean } & Json, command: Command) => {
      const given = options.passwordStdin ? await readPassword() : undefined
      const password = given ?? newPassword()
      await inTransaction(command, (tx) => createUser(tx, username, password))
      if (options.json) console.log(JSON.stringify({ username, ...(given === undefined && { password }) }))
      else printFacts({ username, ...(given === undefined && { password }) })
      if (!options.json && given === undefined) console.log('The password is not shown again.')
    },
  )

const list = (): Command =>
  databaseCommand('list', 'list the users: whether they are active, when a client last got a token for them').action(
    async ({ json }: Json, command: Command) => {
      const users = await withDatabase(command, (db) => listUsers(db))
      if (json) console.log(JSON.stringify({ users: users.map(jsonOf) }))
      else if (users.length === 0) console.log('there is no user yet: millbook user create makes one')
      else
        printTable(
          ['username', 'state', 'created', 'tokens', 'last token'],
          users.map((user) => [
            ...[user.username, stateOf(user.disabledAt), timeOf(user.createdAt)],
            ...[String(user.tokens), timeOf(user.lastTokenAt)],
          ]),
        )
    },
  )

const disable = (): Command =>
  about('disable', 'keep a user out, and end the tokens in their name at once').action(
    async (username: string, { json }: Json, command: Command) => {
      const [user, ended] = await inTransaction(command, async (tx) => {
        const done = await disableUser(tx, username)
        return [await findUser(tx, username), done] as const
      })
      if (json) console.log(JSON.stringify({ ...jsonOf(user), tokens_ended: ended ?? 0 }))
      else if (ended === undefined) console.log(`${username} is ${stateOf(user.disabledAt)} already`)
      else console.log(`${username} is disabled; ${tokensOf(ended)} ended`)
    },
  )

const enable = (): Command =>
  about('enable', 'let a disabled user in again; the tokens in their name stay ended').action(
    async (username: string, { json }: Json, command: Command) => {
      const [user, enabled] = await inTransaction(command, async (tx) => {
        const done = await enableUser(tx, username)
        return [await findUser(tx, username), done] as const
      })
      if (json) console.log(JSON.stringify(jsonOf(user)))
      else console.log(enabled ? `${username} is enabled; clients need new tokens` : `${username} is active already`)
    },
  )

const passwd = (): Command =>
  withPassword(
    about('passwd', 'change a password: unless one is given, it is made and printed once; the tokens of the user end'),
  ).action(async (username: string, options: { passwordStdin: boolean } & Json, command: Command) => {
    const given = options.passwordStdin ? await readPassword() : undefined
    const password = given ?? newPassword()
    const ended = await inTransaction(command, (tx) => changePassword(tx, username, password))
    if (options.json) {
      console.log(JSON.stringify({ username, ...(given === undefined && { password }), tokens_ended: ended }))
      return
    }
    printFacts({ username, ...(given === undefined && { password }) })
    console.log(
      `The password is changed; ${tokensOf(ended)} ended.${given === undefined ? ' It is not shown again.' : ''}`,
    )
  })

const remove = (): Command =>
  about('delete', 'delete a user and the tokens in their name; the audit trail keeps the name')
    .option('--yes', 'do not ask', false)
    .action(async (username: string, { yes, json }: { yes: boolean } & Json, command: Command) => {
      const ended = await withDatabase(command, async (db) => {
        const { tokens } = await findUser(db, username)
        await confirm(`Delete the user ${username} and ${tokensOf(tokens)}?`, yes)
        return await db.begin((tx) => deleteUser(tx, username))
      })
      if (json) console.log(JSON.stringify({ username, tokens_ended: ended }))
      else console.log(`${username} is deleted; ${tokensOf(ended)} ended`)
    })

const newPassword = (): string => newSecret().slice(0, 24)

async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) tell('type the password, which can be seen, then Enter and Ctrl-D')
  const bytes = await buffer(process.stdin)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
  } catch {
    throw new MillbookError('the password is not UTF-8')
  }
}

const jsonOf = (user: User) => ({
  username: user.username,
  created_at: user.createdAt,
  disabled_at: user.disabledAt,
  tokens: user.tokens,
  last_token_at: user.lastTokenAt,
})
