/** `millbook client`: the programs that may call the API. */
import { Command, InvalidArgumentError, Option } from 'commander'
import {
  type ClientSettings,
  checkGrants,
  createClient,
  deleteClient,
  disableClient,
  enableClient,
  endOldSecret,
  findClient,
  GRANTS,
  listClients,
  type RegisteredClient,
  revokeTokens,
  rotateSecret,
  updateClient,
} from '../access/clients.js'
import type { Tx } from '../db/connect.js'
import { retryDeadlocks } from '../db/retry.js'
import { MillbookError } from '../errors.js'
import { groups } from '../groups.js'
import { withOptions } from '../runtime/settings.js'
import { databaseCommand, type Json } from './command.js'
import { confirm } from './confirm.js'
import { inTransaction, withDatabase } from './database.js'
import { countOf, durationOf, listOf } from './parse.js'
import { printFacts, printTable, stateOf, timeOf, tokensOf } from './print.js'

export const clientCommand = (): Command => {
  const command = new Command('client').description('the programs that may call the API')
  const parts = [create, list, show, update, disable, enable, rotate, endOld, revoke, remove]
  for (const part of parts) command.addCommand(part())
  return command
}

/** A command about one client. */
const about = (name: string, description: string): Command =>
  databaseCommand(name, description).argument('<client>', 'its name, or its id')

/** The client after an act, and what came of the act. */
const acted = <T>(command: Command, which: string, act: (tx: Tx) => Promise<T>): Promise<[RegisteredClient, T]> =>
  inTransaction(command, async (tx) => {
    const result = await act(tx)
    return [await findClient(tx, which), result]
  })

const create = (): Command =>
  withOptions(
    withSettings(databaseCommand('create', 'create a client; its secret is printed once and stored only as a hash')),
    'argon2',
  )
    .argument('<name>', 'what to call it')
    .action(async (name: string, options: SettingOptions & Json, command: Command) => {
      const settings = settingsOf(options)
      const client = await inTransaction(command, (tx) => createClient(tx, { name, ...settings }))
      const { clientId: client_id, clientSecret: client_secret } = client
      if (options.json) {
        console.log(JSON.stringify({ client_id, client_secret, name, ...settingsJson(client) }))
        return
      }
      printFacts({ client_id, client_secret, ...settingFacts(client) })
      console.log('The secret is not shown again.')
    })

const list = (): Command =>
  databaseCommand(
    'list',
    'list the clients: what they may do, whether they are active, when they last got a token',
  ).action(async ({ json }: Json, command: Command) => {
    const clients = await withDatabase(command, (db) => listClients(db))
    if (json) console.log(JSON.stringify({ clients: clients.map(jsonOf) }))
    else if (clients.length === 0) console.log('there is no client yet: millbook client create makes one')
    else {
      const rows = clients.map((client) => Object.values(factsOf(client)))
      printTable(Object.keys(factsOf(clients[0] as RegisteredClient)), rows)
    }
  })

const show = (): Command =>
  about('show', 'show what is known of one client').action(async (which: string, { json }: Json, command: Command) => {
    const client = await withDatabase(command, (db) => findClient(db, which))
    if (json) console.log(JSON.stringify(jsonOf(client)))
    else printFacts(factsOf(client))
  })

const update = (): Command =>
  withSettings(about('update', 'change what a client may do; it counts for tokens that it has already'))
    .addOption(
      new Option('--show-contacts', 'send it phone numbers and email addresses as they are').conflicts('hideContacts'),
    )
    .addHelpText('after', '\nWhat is not named stays. Taking a grant away ends the tokens that came by it.')
    .action(async (which: string, options: SettingOptions & Json, command: Command) => {
      const change = settingsOf(options)
      if (Object.keys(change).length === 0)
        throw new MillbookError(
          'nothing to change: give --groups, --grants, --rate, --hide-contacts or --show-contacts',
        )
      const [client, { changed, ended }] = await acted(command, which, (tx) => updateClient(tx, which, change))
      if (options.json) {
        console.log(JSON.stringify({ ...jsonOf(client), changed: Object.keys(changed), tokens_ended: ended }))
        return
      }
      printFacts(factsOf(client))
      if (Object.keys(changed).length === 0) console.log('Nothing changed: it was so already.')
      if (ended > 0) console.log(`The grants that were taken away ended ${tokensOf(ended)}.`)
    })

const disable = (): Command =>
  about('disable', 'keep a client out, and end its tokens at once').action(
    async (which: string, { json }: Json, command: Command) => {
      const [client, ended] = await acted(command, which, (tx) => disableClient(tx, which))
      if (json) console.log(JSON.stringify({ ...jsonOf(client), tokens_ended: ended ?? 0 }))
      else if (ended === undefined) console.log(`${client.name} is ${stateOf(client.disabledAt)} already`)
      else console.log(`${client.name} is disabled; ${tokensOf(ended)} ended`)
    },
  )

const enable = (): Command =>
  about('enable', 'let a disabled client in again; the tokens that it had stay ended').action(
    async (which: string, { json }: Json, command: Command) => {
      const [client, enabled] = await acted(command, which, (tx) => enableClient(tx, which))
      if (json) console.log(JSON.stringify(jsonOf(client)))
      else console.log(enabled ? `${client.name} is enabled; it needs new tokens` : `${client.name} is active already`)
    },
  )

const LONGEST_OVERLAP_DAYS = 90
const overlap = (text: string): number => {
  const seconds = text === '0' ? 0 : durationOf(text)
  if (seconds === undefined || seconds > LONGEST_OVERLAP_DAYS * 86_400)
    throw new InvalidArgumentError(`It must be 0, or like 30m, 24h or 7d, at most ${LONGEST_OVERLAP_DAYS}d.`)
  return seconds
}

const rotate = (): Command =>
  withOptions(
    about('rotate-secret', 'give a client a new secret, printed once; the old one stays valid for a while'),
    'argon2',
  )
    .addOption(
      new Option('--overlap <time>', 'how long the old secret stays valid: 30m, 24h, 7d; 0 ends it at once')
        .argParser(overlap)
        .default(86_400, '24h'),
    )
    .addHelpText('after', '\nTokens stay valid: after a leak, run client revoke-tokens too.')
    .action(async (which: string, options: { overlap: number } & Json, command: Command) => {
      const [client, rotation] = await acted(command, which, (tx) => rotateSecret(tx, which, options.overlap))
      const { clientSecret: client_secret, oldSecretUntil, endedEarly } = rotation
      if (options.json) {
        console.log(JSON.stringify({ client_secret, ...jsonOf(client), ended_early: endedEarly }))
        return
      }
      printFacts({
        client_id: client.clientId,
        client_secret,
        old_secret: oldSecretUntil === null ? 'ended' : `valid until ${timeOf(oldSecretUntil)}`,
      })
      if (endedEarly !== null)
        console.log(
          `A rotation was going on: the secret that was old until now (valid until ${timeOf(endedEarly)}) ended` +
            `${oldSecretUntil === null ? ' too.' : ', and the one that was replaced just now is the old one.'}`,
        )
      console.log('The secret is not shown again.')
    })

const endOld = (): Command =>
  about('end-old-secret', 'end the old secret of a rotation before its time').action(
    async (which: string, { json }: Json, command: Command) => {
      const [client, ended] = await acted(command, which, (tx) => endOldSecret(tx, which))
      if (json) console.log(JSON.stringify(jsonOf(client)))
      else console.log(`${client.name} has one secret${ended ? ': the old one ended' : ' already'}`)
    },
  )

const revoke = (): Command =>
  about('revoke-tokens', 'end all tokens of a client at once; it may get new ones').action(
    async (which: string, { json }: Json, command: Command) => {
      const [client, ended] = await acted(command, which, (tx) => revokeTokens(tx, which))
      if (json) console.log(JSON.stringify({ ...jsonOf(client), tokens_ended: ended }))
      else console.log(`${tokensOf(ended)} of ${client.name} ended`)
    },
  )

const remove = (): Command =>
  about('delete', 'delete a client and its tokens; the audit trail keeps its name')
    .option('--yes', 'do not ask', false)
    .action(async (which: string, { yes, json }: { yes: boolean } & Json, command: Command) => {
      const [client, ended] = await withDatabase(command, async (db) => {
        const found = await findClient(db, which)
        await confirm(`Delete the client ${found.name} (${found.clientId}) and its ${tokensOf(found.tokens)}?`, yes)
        return [found, await retryDeadlocks(() => db.begin((tx) => deleteClient(tx, found.clientId)))] as const
      })
      const { clientId: client_id, name } = client
      if (json) console.log(JSON.stringify({ client_id, name, tokens_ended: ended }))
      else console.log(`${name} is deleted; ${tokensOf(ended)} ended`)
    })

interface SettingOptions {
  groups?: string[] | 'all'
  grants?: string[]
  rate?: number | 'default'
  hideContacts?: boolean
  showContacts?: boolean
}

const withSettings = (command: Command): Command =>
  command
    .option(
      '--groups <list>',
      `let it use these groups of reports only, separated by commas: ${groups.join(',')}; or all`,
      groupList,
    )
    .option(
      '--grants <list>',
      `how it may get tokens, separated by commas: ${GRANTS.join(',')} (at first password,refresh_token)`,
      listOf,
    )
    .option('--rate <n>', 'units a minute that it may use; or default', (text) =>
      text === 'default' ? text : countOf(text),
    )
    .option('--hide-contacts', 'send it phone numbers and email addresses as empty strings')

function groupList(text: string): string[] | 'all' {
  if (text === 'all') return 'all'
  const names = listOf(text)
  const unknown = names.filter((name) => !(groups as readonly string[]).includes(name))
  if (unknown.length > 0 || names.length === 0)
    throw new InvalidArgumentError(
      `${names.length === 0 ? 'Name a group.' : `Not a group: ${unknown.join(', ')}.`} There are ${groups.join(', ')}; all for every one.`,
    )
  return groups.filter((group) => names.includes(group))
}

/** Those that were given. */
function settingsOf(options: SettingOptions): Partial<ClientSettings> {
  const { groups, grants, rate, hideContacts, showContacts } = options
  return {
    ...(groups !== undefined && { groups: groups === 'all' ? null : groups }),
    ...(grants !== undefined && { grants: checkGrants(grants) }),
    ...(rate !== undefined && { rate: rate === 'default' ? null : rate }),
    ...((hideContacts || showContacts) && { hideContacts: hideContacts === true }),
  }
}

const settingsJson = ({ groups, grants, rate, hideContacts }: ClientSettings) => ({
  ...{ groups, hide_contacts: hideContacts, grants, rate },
})

const settingFacts = ({ groups, grants, rate, hideContacts }: ClientSettings) => ({
  groups: groups?.join(',') ?? 'all',
  contacts: hideContacts ? 'hidden' : 'shown',
  grants: grants.join(','),
  rate: rate === null ? 'default' : `${rate} a minute`,
})

const jsonOf = (client: RegisteredClient) => ({
  client_id: client.clientId,
  name: client.name,
  ...settingsJson(client),
  created_at: client.createdAt,
  disabled_at: client.disabledAt,
  old_secret_until: client.oldSecretUntil,
  tokens: client.tokens,
  last_token_at: client.lastTokenAt,
})

const factsOf = (client: RegisteredClient) => ({
  name: client.name,
  client_id: client.clientId,
  state: stateOf(client.disabledAt),
  ...settingFacts(client),
  created: timeOf(client.createdAt),
  'old secret': client.oldSecretUntil === null ? '-' : `valid until ${timeOf(client.oldSecretUntil)}`,
  tokens: String(client.tokens),
  'last token': timeOf(client.lastTokenAt),
})
