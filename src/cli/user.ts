/** `millbook user`: the people in whose name a client gets its tokens. */
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { withOptions } from '../config.js'
import { createUser } from '../oauth/access.js'
import { newSecret } from '../oauth/secrets.js'
import { withDatabase } from './database.js'

export const userCommand = (): Command =>
  new Command('user').description('the people in whose name clients get their tokens').addCommand(
    withOptions(new Command('create'), 'database', 'data', 'argon2', 'json')
      .description('create a user; unless one is given, a password is made and printed once')
      .argument('<name>', 'the username')
      .option('--password-stdin', 'take the password from standard input', false)
      .action(async (username: string, options: { passwordStdin: boolean; json?: boolean }, command: Command) => {
        const given = options.passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined
        const password = given ?? newSecret().slice(0, 24)
        await withDatabase(command, (db) => createUser(db, username, password))
        if (options.json) {
          console.log(JSON.stringify({ username, ...(given === undefined && { password }) }))
          return
        }
        console.log(`username  ${username}`)
        if (given === undefined) console.log(`password  ${password}\nThe password is not shown again.`)
      }),
  )
