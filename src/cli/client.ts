/** `millbook client`: the programs that may call the API. */
import { Command, InvalidArgumentError } from 'commander'
import { withOptions } from '../config.js'
import { groups } from '../groups.js'
import { createClient } from '../oauth/access.js'
import { withDatabase } from './database.js'

function groupList(text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const unknown = names.filter((name) => !(groups as readonly string[]).includes(name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Not a group: ${unknown.join(', ')}. There are ${groups.join(', ')}.`)
  return names
}

export const clientCommand = (): Command =>
  new Command('client').description('the programs that may call the API').addCommand(
    withOptions(new Command('create'), 'database', 'data', 'argon2', 'json')
      .description('create a client; its secret is printed once and stored only as a hash')
      .argument('<name>', 'what to call it')
      .option(
        '--groups <list>',
        `let it use these groups of reports only, separated by commas: ${groups.join(',')}`,
        groupList,
      )
      .option('--hide-contacts', 'send it phone numbers and email addresses as empty strings', false)
      .action(
        async (
          name: string,
          options: { groups?: string[]; hideContacts: boolean; json?: boolean },
          command: Command,
        ) => {
          const { groups = null, hideContacts } = options
          const client = await withDatabase(command, (db) => createClient(db, { name, groups, hideContacts }))
          if (options.json) {
            const { clientId: client_id, clientSecret: client_secret } = client
            console.log(JSON.stringify({ client_id, client_secret, name, groups, hide_contacts: hideContacts }))
            return
          }
          console.log(`client_id      ${client.clientId}`)
          console.log(`client_secret  ${client.clientSecret}`)
          console.log(`groups         ${groups?.join(', ') ?? 'all'}`)
          console.log('The secret is not shown again.')
        },
      ),
  )
