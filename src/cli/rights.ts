/** The rights of clients and users, as options of a command and as its output. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ClientSettings, checkGrants, GRANTS, type Grant, type RegisteredClient } from '../access/clients.js'
import { checkRedirectUri } from '../access/redirects.js'
import { groups } from '../groups.js'
import { list, wholeNumber } from '../runtime/parse.js'
import { stateOf, timeOf } from './print.js'

/** The limits that clients and users share. */
export interface LimitOptions {
  groups?: string[] | 'all'
  hideContacts?: boolean
  showContacts?: boolean
}

export interface RightsOptions extends LimitOptions {
  grants?: Grant[]
  rate?: number | 'default'
  redirect?: string[]
}

const rate = wholeNumber(1, 999_999_999)

/** `whom` is "it" for a client, "them" for a user. */
export const addLimits = (command: Command, whom: string): Command =>
  command
    .option(
      '--groups <list>',
      `let ${whom} use only these groups of reports, separated by commas: ${groups.join(',')}; or all`,
      groupList,
    )
    .option('--hide-contacts', `send ${whom} phone numbers and email addresses as empty strings`)

/** For a command that changes existing limits. */
export const addShowContacts = (command: Command, whom: string): Command =>
  command.addOption(
    new Option('--show-contacts', `send ${whom} phone numbers and email addresses as they are`).conflicts(
      'hideContacts',
    ),
  )

export const addRights = (command: Command): Command =>
  addLimits(command, 'it')
    .option(
      '--grants <list>',
      `let it get tokens in these ways, separated by commas: ${GRANTS.join(',')} (a new client: password,refresh_token, with --redirect authorization_code,refresh_token)`,
      grantList,
    )
    .option('--rate <n>', 'let it use this many units a minute; or default', (text) =>
      text === 'default' ? text : rate(text),
    )
    .option(
      '--redirect <uri>',
      'let it send people to the sign-in page and get them back at this URI; give it once for each URI',
      redirectList,
    )

function groupList(text: string): string[] | 'all' {
  if (text === 'all') return 'all'
  const names = list(text)
  const unknown = names.filter((name) => !(groups as readonly string[]).includes(name))
  if (unknown.length > 0 || names.length === 0)
    throw new InvalidArgumentError(
      `${names.length === 0 ? 'Name a group.' : `Not a group: ${unknown.join(', ')}.`} There are ${groups.join(', ')}; all means every group.`,
    )
  return groups.filter((group) => names.includes(group))
}

function redirectList(uri: string, before: string[] = []): string[] {
  try {
    checkRedirectUri(uri)
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
  return [...before, uri]
}

function grantList(text: string): Grant[] {
  try {
    return checkGrants(list(text))
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}

/** The limits among the given options. */
export const limitsOf = ({ groups, hideContacts, showContacts }: LimitOptions): Partial<Limits> => ({
  ...(groups !== undefined && { groups: groups === 'all' ? null : groups }),
  ...((hideContacts || showContacts) && { hideContacts: hideContacts === true }),
})

/** The rights among the given options. */
export const rightsOf = (options: RightsOptions): Partial<ClientSettings> => ({
  ...limitsOf(options),
  ...(options.grants !== undefined && { grants: options.grants }),
  ...(options.rate !== undefined && { rate: options.rate === 'default' ? null : options.rate }),
  ...(options.redirect !== undefined && { redirectUris: options.redirect }),
})

type Limits = Pick<ClientSettings, 'groups' | 'hideContacts'>

export const limitsFacts = ({ groups, hideContacts }: Limits) => ({
  groups: groups?.join(',') ?? 'all',
  contacts: hideContacts ? 'hidden' : 'shown',
})

export const rightsFacts = ({ grants, rate, ...limits }: ClientSettings) => ({
  ...limitsFacts(limits),
  grants: grants.join(','),
  rate: rate === null ? 'default' : `${rate} a minute`,
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
  redirects: redirectsOf(client),
})

export const redirectsOf = ({ redirectUris }: Pick<ClientSettings, 'redirectUris'>): string =>
  redirectUris.join(' ') || '-'
