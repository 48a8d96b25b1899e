/** The rights of a client, as options of a command and as its output. */
import { type Command, InvalidArgumentError } from 'commander'
import { type ClientSettings, checkGrants, GRANTS, type Grant, type RegisteredClient } from '../access/clients.js'
import { groups } from '../groups.js'
import { list, wholeNumber } from '../runtime/parse.js'
import { stateOf, timeOf } from './print.js'

export interface RightsOptions {
  groups?: string[] | 'all'
  grants?: Grant[]
  rate?: number | 'default'
  hideContacts?: boolean
  showContacts?: boolean
}

const rate = wholeNumber(1, 999_999_999)

export const addRights = (command: Command): Command =>
  command
    .option(
      '--groups <list>',
      `let it use only these groups of reports, separated by commas: ${groups.join(',')}; or all`,
      groupList,
    )
    .option(
      '--grants <list>',
      `let it get tokens in these ways, separated by commas: ${GRANTS.join(',')} (a new client: password,refresh_token)`,
      grantList,
    )
    .option('--rate <n>', 'let it use this many units a minute; or default', (text) =>
      text === 'default' ? text : rate(text),
    )
    .option('--hide-contacts', 'send it phone numbers and email addresses as empty strings')

function groupList(text: string): string[] | 'all' {
  if (text === 'all') return 'all'
  const names = list(text)
  const unknown = names.filter((name) => !(groups as readonly string[]).includes(name))
  if (unknown.length > 0 || names.length === 0)
    throw new InvalidArgumentError(
      `${names.length === 0 ? 'Name a group.' : `Not a group: ${unknown.join(', ')}.`} There are ${groups.join(', ')}; all for every one.`,
    )
  return groups.filter((group) => names.includes(group))
}

function grantList(text: string): Grant[] {
  try {
    return checkGrants(list(text))
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}

/** Those that were given. */
export function rightsOf(options: RightsOptions): Partial<ClientSettings> {
  const { groups, grants, rate, hideContacts, showContacts } = options
  return {
    ...(groups !== undefined && { groups: groups === 'all' ? null : groups }),
    ...(grants !== undefined && { grants }),
    ...(rate !== undefined && { rate: rate === 'default' ? null : rate }),
    ...((hideContacts || showContacts) && { hideContacts: hideContacts === true }),
  }
}

export const rightsJson = ({ groups, grants, rate, hideContacts }: ClientSettings) => ({
  ...{ groups, hide_contacts: hideContacts, grants, rate },
})

export const rightsFacts = ({ groups, grants, rate, hideContacts }: ClientSettings) => ({
  groups: groups?.join(',') ?? 'all',
  contacts: hideContacts ? 'hidden' : 'shown',
  grants: grants.join(','),
  rate: rate === null ? 'default' : `${rate} a minute`,
})

export const jsonOf = (client: RegisteredClient) => ({
  client_id: client.clientId,
  name: client.name,
  ...rightsJson(client),
  created_at: client.createdAt,
  disabled_at: client.disabledAt,
  old_secret_until: client.oldSecretUntil,
  tokens: client.tokens,
  last_token_at: client.lastTokenAt,
})

export const factsOf = (client: RegisteredClient) => ({
  name: client.name,
  client_id: client.clientId,
  state: stateOf(client.disabledAt),
  ...rightsFacts(client),
  created: timeOf(client.createdAt),
  'old secret': client.oldSecretUntil === null ? '-' : `valid until ${timeOf(client.oldSecretUntil)}`,
  tokens: String(client.tokens),
  'last token': timeOf(client.lastTokenAt),
})
