/** `millbook client`: the programs that may call the API. */
import { Command, Option } from 'commander'
import { ASSISTANTS, type AssistantName, assistantNames } from '../access/assistants.js'
import {
  clientJson,
  clientSettingsJson,
  createClient,
  createPublicClient,
  deleteClient,
  disableClient,
  enableClient,
  endOldSecret,
  findClient,
  listClients,
  type RegisteredClient,
  revokeTokens,
  rotateSecret,
  updateClient,
} from '../access/clients.js'
import { checkName } from '../access/names.js'
import type { Tx } from '../db/connect.js'
import { retryDeadlocks } from '../db/retry.js'
import { overlap } from '../runtime/parse.js'
import { addSettings, serveSettings } from '../runtime/settings.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { confirm } from './confirm.js'
import { inTransaction, withDatabase } from './database.js'
import { counted, printFacts, printTable, stateOf, timeOf } from './print.js'
import {
  addRights,
  addShowContacts,
  factsOf,
  type RightsOptions,
  redirectsOf,
  rightsFacts,
  rightsOf,
} from './rights.js'

export const clientCommand = (): Command => {
  const command = new Command('client').description('manage the programs that may call the API')
  const parts = [create, list, show, update, disable, enable, rotate, endOld, revoke, remove]
  for (const part of parts) command.addCommand(part())
  return command
}

const { argon2 } = serveSettings

/** A command about one client. */
const about = (name: string, description: string): Command =>
  databaseCommand(name, description).argument('<client>', 'its name or its id')

/** Runs an act in a transaction; returns the client after it, and the act's result. */
const acted = <T>(command: Command, which: string, act: (tx: Tx) => Promise<T>): Promise<[RegisteredClient, T]> =>
  inTransaction(command, async (tx) => {
    const result = await act(tx)
    return [await findClient(tx, which), result]
  })

interface CreateOptions extends RightsOptions, Json {
  public?: boolean
  for?: AssistantName
}

const create = (): Command =>
  withExamples(
    addSettings(
      addRights(databaseCommand('create', 'create a client and print its secret, which is stored only as a hash')),
      { argon2 },
    )
      .argument('<name>', 'a name for the client')
      .option('--public', "create it without a secret, for a program that runs on people's machines or in browsers")
      .addOption(
        new Option(
          '--for <assistant>',
          'the same for an assistant, with the addresses to which its people return',
        ).choices(assistantNames),
      )
      .action(async (name: string, options: CreateOptions, command: Command) => {
        checkUsage(command, () => checkName('client', name))
        const { for: assistant } = options
        const isPublic = options.public || assistant !== undefined
        if (assistant !== undefined && options.redirect !== undefined)
          command.error(`--for ${assistant} has its addresses: leave --redirect out`)
        const presets = assistant === undefined ? {} : { redirectUris: [...ASSISTANTS[assistant]] }
        const about = { name, ...rightsOf(options), ...presets }
        if (isPublic && about.redirectUris === undefined)
          command.error('a public client signs people in: add --redirect URI, the address to which they return')
        const client = await inTransaction(command, (tx) => (isPublic ? createPublicClient : createClient)(tx, about))
        const { clientId: client_id } = client
        const secret = 'clientSecret' in client ? { client_secret: client.clientSecret as string } : {}
        if (options.json) {
          const kind = isPublic ? { public: true } : secret
          console.log(JSON.stringify({ client_id, ...kind, name, ...clientSettingsJson(client) }))
          return
        }
        const redirects = client.redirectUris.length > 0 ? { redirects: redirectsOf(client) } : {}
        printFacts({ client_id, ...secret, ...rightsFacts(client), ...redirects })
        if (!isPublic) console.log('The secret is not shown again.')
      }),
    'millbook client create "Nightly pull" --groups partner,sales --grants client_credentials',
    'millbook client create "Power BI" --hide-contacts --rate 600 --json',
    'millbook client create Postman --public --redirect https://oauth.pstmn.io/v1/callback',
    'millbook client create Claude --for claude --groups sales,inventory --hide-contacts',
  )

const list = (): Command =>
  withExamples(
    databaseCommand(
      'list',
      'list the clients: their rights, whether they are active, when they last got a token',
    ).action(async ({ json }: Json, command: Command) => {
      const clients = await withDatabase(command, (db) => listClients(db))
      if (json) console.log(JSON.stringify({ clients: clients.map(clientJson) }))
      else if (clients.length === 0) console.log('there is no client yet: create one with millbook client create')
      else {
        const rows = clients.map((client) => Object.values(factsOf(client)))
        printTable(Object.keys(factsOf(clients[0] as RegisteredClient)), rows)
      }
    }),
    'millbook client list',
  )

const show = (): Command =>
  withExamples(
    about('show', 'show the rights of one client, whether it is active, and when it last got a token').action(
      async (which: string, { json }: Json, command: Command) => {
        const client = await withDatabase(command, (db) => findClient(db, which))
        if (json) console.log(JSON.stringify(clientJson(client)))
        else printFacts(factsOf(client))
      },
    ),
    'millbook client show "Nightly pull"',
  )

const update = (): Command =>
  withExamples(
    addShowContacts(addRights(about('update', 'change the rights of a client, also for the tokens that it has')), 'it')
      .addHelpText(
        'after',
        '\nOptions that are not given change nothing; --redirect replaces all redirect URIs. Removing a grant ends the tokens it issued.',
      )
      .action(async (which: string, options: RightsOptions & Json, command: Command) => {
        const change = rightsOf(options)
        if (Object.keys(change).length === 0)
          command.error(
            'nothing to change: give --groups, --grants, --rate, --redirect, --hide-contacts or --show-contacts',
          )
        const [client, { changed, ended }] = await acted(command, which, (tx) => updateClient(tx, which, change))
        if (options.json) {
          console.log(JSON.stringify({ ...clientJson(client), changed: Object.keys(changed), tokens_ended: ended }))
          return
        }
        printFacts(factsOf(client))
        if (Object.keys(changed).length === 0) console.log('Nothing changed: the client had these settings already.')
        if (ended > 0) console.log(`Removing grants ended ${counted(ended, 'token')}.`)
      }),
    'millbook client update "Nightly pull" --groups all --rate default',
    'millbook client update Postman --redirect https://oauth.pstmn.io/v1/callback --redirect http://127.0.0.1/callback',
  )

const disable = (): Command =>
  withExamples(
    about('disable', 'refuse a client from now on, and end its tokens at once').action(
      async (which: string, { json }: Json, command: Command) => {
        const [client, ended] = await acted(command, which, (tx) => disableClient(tx, which))
        if (json) console.log(JSON.stringify({ ...clientJson(client), tokens_ended: ended ?? 0 }))
        else if (ended === undefined) console.log(`${client.name} is ${stateOf(client.disabledAt)} already`)
        else console.log(`${client.name} is disabled; ${counted(ended, 'token')} ended`)
      },
    ),
    'millbook client disable "Nightly pull"',
  )

const enable = (): Command =>
  withExamples(
    about('enable', 'let a disabled client in again; its old tokens stay ended').action(
      async (which: string, { json }: Json, command: Command) => {
        const [client, enabled] = await acted(command, which, (tx) => enableClient(tx, which))
        if (json) console.log(JSON.stringify(clientJson(client)))
        else
          console.log(enabled ? `${client.name} is enabled; it needs new tokens` : `${client.name} is active already`)
      },
    ),
    'millbook client enable "Nightly pull"',
  )

const rotate = (): Command =>
  withExamples(
    addSettings(
      about('rotate-secret', 'give a client a new secret and print it; the old one stays valid for a while'),
      {
        argon2,
      },
    )
      .addOption(
        new Option('--overlap <time>', 'how long the old secret stays valid: 30m, 24h, 7d; 0 ends it at once')
          .argParser(overlap)
          .default(86_400, '24h'),
      )
      .addHelpText('after', '\nTokens stay valid: after a leak, run millbook client revoke-tokens too.')
      .action(async (which: string, options: { overlap: number } & Json, command: Command) => {
        const [client, rotation] = await acted(command, which, (tx) => rotateSecret(tx, which, options.overlap))
        const { clientSecret: client_secret, oldSecretUntil, endedEarly } = rotation
        if (options.json) {
          console.log(JSON.stringify({ client_secret, ...clientJson(client), ended_early: endedEarly }))
          return
        }
        printFacts({
          client_id: client.clientId,
          client_secret,
          old_secret: oldSecretUntil === null ? 'ended' : `valid until ${timeOf(oldSecretUntil)}`,
        })
        if (endedEarly !== null)
          console.log(
            `An earlier rotation was not over: its old secret, valid until ${timeOf(endedEarly)}, ended` +
              `${oldSecretUntil === null ? ' too.' : '; the secret that you replaced now is the old one.'}`,
          )
        console.log('The secret is not shown again.')
      }),
    'millbook client rotate-secret "Nightly pull" --overlap 7d',
  )

const endOld = (): Command =>
  withExamples(
    about('end-old-secret', 'end the old secret of a rotation before its time').action(
      async (which: string, { json }: Json, command: Command) => {
        const [client, ended] = await acted(command, which, (tx) => endOldSecret(tx, which))
        if (json) console.log(JSON.stringify(clientJson(client)))
        else console.log(`${client.name} has one secret${ended ? ': the old one ended' : ' already'}`)
      },
    ),
    'millbook client end-old-secret "Nightly pull"',
  )

const revoke = (): Command =>
  withExamples(
    about('revoke-tokens', 'end all tokens of a client at once; it may get new ones').action(
      async (which: string, { json }: Json, command: Command) => {
        const [client, ended] = await acted(command, which, (tx) => revokeTokens(tx, which))
        if (json) console.log(JSON.stringify({ ...clientJson(client), tokens_ended: ended }))
        else console.log(`${counted(ended, 'token')} of ${client.name} ended`)
      },
    ),
    'millbook client revoke-tokens "Nightly pull"',
  )

const remove = (): Command =>
  withExamples(
    about('delete', 'delete a client and its tokens; the audit trail keeps its name')
      .option('--yes', 'do not ask for confirmation', false)
      .action(async (which: string, { yes, json }: { yes: boolean } & Json, command: Command) => {
        const [client, ended] = await withDatabase(command, async (db) => {
          const found = await findClient(db, which)
          await confirm(
            `Delete the client ${found.name} (${found.clientId}) and its ${counted(found.tokens, 'token')}?`,
            yes,
          )
          return [found, await retryDeadlocks(() => db.begin((tx) => deleteClient(tx, found.clientId)))] as const
        })
        const { clientId: client_id, name } = client
        if (json) console.log(JSON.stringify({ client_id, name, tokens_ended: ended }))
        else console.log(`${name} is deleted; ${counted(ended, 'token')} ended`)
      }),
    'millbook client delete "Power BI" --yes',
  )
