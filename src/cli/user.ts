/** `millbook user`: the people for whom clients get tokens. */
import { buffer } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { type Ended, NONE_ENDED } from '../access/end-tokens.js'
import { checkName } from '../access/names.js'
import { newSecret } from '../access/secrets.js'
import { newTicket } from '../access/sessions.js'
import {
  changePassword,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  findUser,
  listUsers,
  type Role,
  revokeTokensOfUser,
  type User,
  type UserSettings,
  updateUser,
  userJson,
  userSettingsJson,
} from '../access/users.js'
import type { Tx } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { originList } from '../runtime/parse.js'
import { addSettings, serveSettings } from '../runtime/settings.js'
import { appPasswordCommand } from './app-password.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { confirm } from './confirm.js'
import { inTransaction, tell, withDatabase } from './database.js'
import { counted, printFacts, printTable, stateOf, timeOf } from './print.js'
import { addLimits, addShowContacts, type LimitOptions, limitsFacts, limitsOf } from './rights.js'

export const userCommand = (): Command => {
  const command = new Command('user').description('manage the people for whom clients get tokens')
  const parts = [create, list, update, link, appPasswordCommand, disable, enable, passwd, revoke, remove]
  for (const part of parts) command.addCommand(part())
  return command
}

/** A command about one user. */
const about = (name: string, description: string): Command =>
  databaseCommand(name, description).argument('<name>', 'the username')

/** Runs an act in a transaction; returns the user after it, and the act's result. */
const acted = <T>(command: Command, username: string, act: (tx: Tx) => Promise<T>): Promise<[User, T]> =>
  inTransaction(command, async (tx) => {
    const result = await act(tx)
    return [await findUser(tx, username), result]
  })

const withPassword = (command: Command): Command =>
  addSettings(command, { argon2: serveSettings.argon2 }).option(
    '--password-stdin',
    'read the password from standard input instead of generating one',
    false,
  )

interface PasswordOptions extends Json {
  passwordStdin: boolean
}

interface UserOptions extends LimitOptions {
  operator?: boolean
  loader?: boolean
  reader?: boolean
}

const addUserRights = (command: Command): Command =>
  addLimits(command, 'them')
    .addOption(new Option('--operator', 'let them administer the service in the console, too').conflicts('loader'))
    .option('--loader', 'let them bring in files in the console, too')

const roleOf = ({ operator, loader, reader }: UserOptions): { role?: Role } =>
  operator ? { role: 'operator' } : loader ? { role: 'loader' } : reader ? { role: 'reader' } : {}

/** The settings among the given options. */
const settingsOf = (options: UserOptions): Partial<UserSettings> => ({
  ...roleOf(options),
  ...limitsOf(options),
})

const create = (): Command =>
  withExamples(
    withPassword(
      addUserRights(about('create', 'create a user and print a generated password, which is stored only as a hash')),
    ).action(async (username: string, options: PasswordOptions & UserOptions, command: Command) => {
      checkUsage(command, () => checkName('user', username))
      const { password, shown } = await choosePassword(options)
      const made = await inTransaction(command, (tx) => createUser(tx, username, password, settingsOf(options)))
      if (options.json) {
        console.log(JSON.stringify({ username, ...shown, ...userSettingsJson(made) }))
        return
      }
      printFacts({ username, ...shown, role: made.role, ...limitsFacts(made) })
      if (shown !== undefined) console.log('The password is not shown again.')
    }),
    'millbook user create asha --operator',
    'echo "correct horse battery" | millbook user create vikram --groups sales,inventory --password-stdin',
  )

const list = (): Command =>
  withExamples(
    databaseCommand(
      'list',
      'list the users: their rights, whether they are active, when a client last got a token for them',
    ).action(async ({ json }: Json, command: Command) => {
      const users = await withDatabase(command, (db) => listUsers(db))
      if (json) console.log(JSON.stringify({ users: users.map(userJson) }))
      else if (users.length === 0) console.log('there is no user yet: create one with millbook user create')
      else
        printTable(
          ['username', 'state', 'role', 'groups', 'contacts', 'created', 'tokens', 'last token'],
          users.map((user) => [
            ...[user.username, stateOf(user.disabledAt), user.role, ...Object.values(limitsFacts(user))],
            ...[timeOf(user.createdAt), String(user.tokens), timeOf(user.lastTokenAt)],
          ]),
        )
    }),
    'millbook user list',
  )

const update = (): Command =>
  withExamples(
    addShowContacts(
      addUserRights(about('set', 'change the rights of a user, also for the tokens that clients have')),
      'them',
    )
      .addOption(new Option('--reader', 'let them only read reports').conflicts(['operator', 'loader']))
      .addHelpText('after', '\nOptions that are not given change nothing.')
      .action(async (username: string, options: UserOptions & Json, command: Command) => {
        const change = settingsOf(options)
        if (Object.keys(change).length === 0)
          command.error(
            'nothing to change: give --operator, --loader, --reader, --groups, --hide-contacts or --show-contacts',
          )
        const [user, changed] = await acted(command, username, (tx) => updateUser(tx, username, change))
        if (options.json) {
          console.log(JSON.stringify({ ...userJson(user), changed: Object.keys(changed) }))
          return
        }
        printFacts({ username, role: user.role, ...limitsFacts(user) })
        if (Object.keys(changed).length === 0) console.log('Nothing changed: the user had these settings already.')
      }),
    'millbook user set asha --groups all --show-contacts',
    'millbook user set vikram --operator',
  )

const link = (): Command =>
  withExamples(
    about('link', 'print a link that opens the console signed in as a user: once, within an hour, on this machine')
      .option('--url <url>', 'the address of the service', originOption, 'http://127.0.0.1:8080')
      .action(async (username: string, { url, json }: Json & { url: string }, command: Command) => {
        const ticket = await inTransaction(command, (tx) => newTicket(tx, username))
        const opened = linkTo(url, ticket)
        if (json) console.log(JSON.stringify({ username, url: opened }))
        else {
          console.log(opened)
          tell('It works once, within an hour, in a browser on the machine that runs the service.')
        }
      }),
    'millbook user link asha',
    'millbook user link asha --url https://localhost:8443',
  )

/** Takes an origin, with or without a slash at its end. */
const originOption = (text: string): string => originList(text.replace(/\/$/, '')).join()

/** The ticket is in the fragment, which browsers do not send to servers, so that no log has it. */
export const linkTo = (url: string, ticket: string): string => `${url}/#open=${ticket}`

const disable = (): Command =>
  withExamples(
    about('disable', 'refuse a user from now on, and end their tokens and app passwords at once').action(
      async (username: string, { json }: Json, command: Command) => {
        const [user, ended] = await acted(command, username, (tx) => disableUser(tx, username))
        if (json) console.log(JSON.stringify({ ...userJson(user), ...(ended ?? NONE_ENDED) }))
        else if (ended === undefined) console.log(`${username} is ${stateOf(user.disabledAt)} already`)
        else console.log(`${username} is disabled; ${inWords(ended)} ended`)
      },
    ),
    'millbook user disable asha',
  )

const enable = (): Command =>
  withExamples(
    about('enable', 'let a disabled user in again; their old tokens and app passwords stay ended').action(
      async (username: string, { json }: Json, command: Command) => {
        const [user, enabled] = await acted(command, username, (tx) => enableUser(tx, username))
        if (json) console.log(JSON.stringify(userJson(user)))
        else console.log(enabled ? `${username} is enabled; clients need new tokens` : `${username} is active already`)
      },
    ),
    'millbook user enable asha',
  )

const passwd = (): Command =>
  withExamples(
    withPassword(
      about('passwd', "replace a user's password and end their tokens and app passwords; prints a generated password"),
    ).action(async (username: string, options: PasswordOptions, command: Command) => {
      const { password, shown } = await choosePassword(options)
      const ended = await inTransaction(command, (tx) => changePassword(tx, username, password))
      if (options.json) {
        console.log(JSON.stringify({ username, ...shown, ...ended }))
        return
      }
      printFacts({ username, ...shown })
      console.log(`The password is changed; ${inWords(ended)} ended.${shown ? ' It is not shown again.' : ''}`)
    }),
    'millbook user passwd asha',
  )

const revoke = (): Command =>
  withExamples(
    about(
      'revoke-tokens',
      'end all tokens of a user at once, sessions and app passwords too; clients may get new ones',
    ).action(async (username: string, { json }: Json, command: Command) => {
      const [user, ended] = await acted(command, username, (tx) => revokeTokensOfUser(tx, username))
      if (json) console.log(JSON.stringify({ ...userJson(user), ...ended }))
      else console.log(`${inWords(ended)} of ${username} ended`)
    }),
    'millbook user revoke-tokens asha',
  )

const remove = (): Command =>
  withExamples(
    about('delete', 'delete a user with their tokens and app passwords; the audit trail keeps the name')
      .option('--yes', 'do not ask for confirmation', false)
      .action(async (username: string, { yes, json }: { yes: boolean } & Json, command: Command) => {
        const ended = await withDatabase(command, async (db) => {
          const { tokens } = await findUser(db, username)
          await confirm(`Delete the user ${username} and ${counted(tokens, 'token')}?`, yes)
          return await db.begin((tx) => deleteUser(tx, username))
        })
        if (json) console.log(JSON.stringify({ username, ...ended }))
        else console.log(`${username} is deleted; ${inWords(ended)} ended`)
      }),
    'millbook user delete vikram --yes',
  )

/** "2 tokens", "2 tokens and 1 app password". */
const inWords = ({ tokens_ended, app_passwords_ended }: Ended): string =>
  [
    counted(tokens_ended, 'token'),
    ...(app_passwords_ended > 0 ? [counted(app_passwords_ended, 'app password')] : []),
  ].join(' and ')

/** Reads a password from standard input or generates one; only a generated one is `shown`. */
async function choosePassword({ passwordStdin }: PasswordOptions) {
  if (passwordStdin) return { password: await readPassword(), shown: undefined }
  const password = newSecret().slice(0, 24)
  return { password, shown: { password } }
}

async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) tell('type the password, which will be visible, then press Enter and Ctrl-D')
  const bytes = await buffer(process.stdin)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
  } catch {
    throw new MillbookError('the password is not UTF-8: send it in that encoding')
  }
}
