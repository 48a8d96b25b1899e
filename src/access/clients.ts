/** Administration of clients: the programs that may call the API. */
import type { Queryable, Tx } from '../db/connect.js'
import { sql } from '../db/sql.js'
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'
import { audit, type By, type Changes, changesOf } from './audit.js'
import { endTokens, endTokensOfClient } from './end-tokens.js'
import { checkName, unknownName } from './names.js'
import { checkRedirectUri } from './redirects.js'
import { hashSecret, newSecret } from './secrets.js'

/** The built-in public client of the console. */
export const CONSOLE = 'console'
/** The built-in client that all app passwords count as. It gets no tokens. */
export const APP_PASSWORDS = 'app-passwords'

const BUILT_IN: Readonly<Record<string, string>> = {
  [CONSOLE]: 'the client of the console',
  [APP_PASSWORDS]: 'the client of app passwords',
}

/** "the client of the console" for a built-in client. */
export const builtIn = (clientId: string): string | undefined =>
  Object.hasOwn(BUILT_IN, clientId) ? BUILT_IN[clientId] : undefined

export const GRANTS = ['password', 'refresh_token', 'client_credentials', 'authorization_code'] as const
/** The grants of a client without a secret: they prove by other means that the request is the client's. */
const PUBLIC_GRANTS: readonly Grant[] = ['refresh_token', 'authorization_code']
export type Grant = (typeof GRANTS)[number]

export interface ClientSettings {
  /** Groups of reports that the client may use; null for all. */
  groups: string[] | null
  /** Send phone numbers and email addresses as empty strings. */
  hideContacts: boolean
  /** Grant types that the client may use to get tokens. */
  grants: Grant[]
  /** Units a minute; null for the service's default. */
  rate: number | null
  /** URIs that the authorization endpoint may send people back to. */
  redirectUris: string[]
}

export interface RegisteredClient extends ClientSettings {
  clientId: string
  name: string
  /** Whether the client has no secret: a program on people's own machines or in their browsers (RFC 6749 §2.1). */
  isPublic: boolean
  createdAt: Date
  disabledAt: Date | null
  /** When the previous secret expires; null if it has expired or there is none. */
  oldSecretUntil: Date | null
  /** Number of valid tokens. */
  tokens: number
  lastTokenAt: Date | null
}

export interface NewPublicClient extends ClientSettings {
  clientId: string
  name: string
}

export interface NewClient extends NewPublicClient {
  /** Shown once: the database stores only its hash. */
  clientSecret: string
}

/** Grants by name, without duplicates, in a fixed order. */
export function checkGrants(names: readonly string[]): Grant[] {
  for (const name of names)
    if (!(GRANTS as readonly string[]).includes(name))
      throw new MillbookError(`there is no grant ${name}${nearest(name, GRANTS)}; use ${GRANTS.join(', ')}`)
  const grants = GRANTS.filter((grant) => names.includes(grant))
  if (grants.length === 0)
    throw new MillbookError(`a client needs a grant; give it at least one of ${GRANTS.join(', ')}`)
  if (grants.includes('refresh_token') && !grants.includes('password') && !grants.includes('authorization_code'))
    throw new MillbookError(
      'refresh_token needs password or authorization_code, because only these grants issue refresh tokens; add one of them',
    )
  return grants
}

/** Throws if the settings contradict each other. */
function checkSettings(settings: ClientSettings, isPublic: boolean): ClientSettings {
  const grants = checkGrants(settings.grants)
  const wrong = isPublic && grants.find((grant) => !PUBLIC_GRANTS.includes(grant))
  if (wrong)
    throw new MillbookError(
      `a public client has no secret, so it may not use ${wrong}; give it authorization_code, or create it with a secret`,
    )
  const redirectUris = [...new Set(settings.redirectUris)]
  if (grants.includes('authorization_code') !== redirectUris.length > 0)
    throw new MillbookError(
      redirectUris.length > 0
        ? 'a redirect URI is only for the grant authorization_code; add that grant'
        : 'the grant authorization_code needs a redirect URI, to which people return after signing in; add one',
    )
  return { ...settings, grants, redirectUris }
}

type About = { name: string } & Partial<ClientSettings>

/** Creates a client with a secret. */
export async function createClient(tx: Tx, about: About, by: By = {}): Promise<NewClient> {
  const clientSecret = newSecret()
  return { ...(await insertClient(tx, about, await hashSecret(clientSecret), by)), clientSecret }
}

export const createPublicClient = (tx: Tx, about: About, by: By = {}): Promise<NewPublicClient> =>
  insertClient(tx, about, null, by)

async function insertClient(tx: Tx, { name, ...about }: About, hash: string | null, by: By): Promise<NewPublicClient> {
  const { groups = null, hideContacts = false, rate = null, redirectUris = [] } = about
  const usual: Grant[] = [redirectUris.length > 0 ? 'authorization_code' : 'password', 'refresh_token']
  const settings = checkSettings({ groups, hideContacts, grants: about.grants ?? usual, rate, redirectUris }, !hash)
  checkName('client', name)
  for (const uri of redirectUris) checkRedirectUri(uri)
  const clientId = newClientId()
  const [other] = await tx`select name from api_client where client_id = ${name}`
  if (other !== undefined)
    throw new MillbookError(`${name} is the id of the client ${other.name}; choose another name`, { kind: 'conflict' })
  const made = await tx`
    insert into api_client (client_id, name, secret_hash, groups, hide_contacts, grants, rate, redirect_uris)
    values (${clientId}, ${name}, ${hash}, ${groups}, ${hideContacts}, ${settings.grants}, ${rate}, ${settings.redirectUris})
    on conflict (name) do nothing returning 1`
  if (made.length === 0)
    throw new MillbookError(`there is already a client named ${name}; choose another name`, { kind: 'conflict' })
  await audit(tx, {
    ...by,
    act: 'client.create',
    client: name,
    detail: { client_id: clientId, ...(hash === null && { public: true }), ...describeSettings(settings) },
  })
  return { clientId, name, ...settings }
}

/** A random id without leading dashes, which a command line would take for an option. */
const newClientId = (): string => newSecret().replace(/^-+/, '').slice(0, 22)

/** Settings for the audit trail and the command line. */
const describeSettings = (settings: ClientSettings): Record<string, unknown> => ({
  groups: settings.groups ?? 'all',
  hide_contacts: settings.hideContacts,
  grants: settings.grants,
  rate: settings.rate ?? 'default',
  redirect_uris: settings.redirectUris,
})

/** A client in the JSON of the command line and of the API. */
export const clientJson = (client: RegisteredClient) => ({
  client_id: client.clientId,
  name: client.name,
  public: client.isPublic,
  ...clientSettingsJson(client),
  created_at: client.createdAt,
  disabled_at: client.disabledAt,
  old_secret_until: client.oldSecretUntil,
  tokens: client.tokens,
  last_token_at: client.lastTokenAt,
})

export const clientSettingsJson = ({ groups, grants, rate, hideContacts, redirectUris }: ClientSettings) => ({
  ...{ groups, hide_contacts: hideContacts, grants, rate, redirect_uris: redirectUris },
})

export const listClients = (db: Queryable): Promise<RegisteredClient[]> => clients(db, null)

/** Finds a client by name, or by id if no client has that name. */
export async function findClient(db: Queryable, nameOrId: string): Promise<RegisteredClient> {
  const found = await clients(db, nameOrId)
  const client = found.find(({ name }) => name === nameOrId) ?? found[0]
  if (client !== undefined) return client
  const known = await db<{ name: string }[]>`select name from api_client`
  throw unknownName(
    'client',
    nameOrId,
    known.map(({ name }) => name),
  )
}

/** The audit trail adds the last issue of deleted tokens; entries of earlier clients with the same name are skipped. */
const clients = async (db: Queryable, nameOrId: string | null): Promise<RegisteredClient[]> =>
  await db<RegisteredClient[]>`
    select c.client_id as "clientId", c.name, to_json(c.groups) as groups, c.hide_contacts as "hideContacts",
           to_json(c.grants) as grants, c.rate, to_json(c.redirect_uris) as "redirectUris",
           c.secret_hash is null as "isPublic", c.created_at as "createdAt", c.disabled_at as "disabledAt",
           case when c.old_secret_until > now() then c.old_secret_until end as "oldSecretUntil",
           t.valid as tokens, greatest(t.newest, a.newest) as "lastTokenAt"
      from api_client c
     cross join lateral (select count(*) filter (where expires_at > now())::int as valid, max(created_at) as newest
                           from api_token where client_id = c.client_id) t
     cross join lateral (select max(at) as newest from audit_entry
                          where client = c.name and act = 'token.issue' and at >= c.created_at) a
     where ${nameOrId}::text is null or ${nameOrId} in (c.name, c.client_id)
     order by c.name`

/** Finds the client and locks its row until the transaction ends. */
async function lockClient(tx: Tx, nameOrId: string): Promise<RegisteredClient> {
  await tx`select from api_client where ${nameOrId} in (name, client_id) for update`
  return await findClient(tx, nameOrId)
}

/** Returns the changed settings; ends the tokens that were issued by a grant that the client lost. */
export async function updateClient(
  tx: Tx,
  nameOrId: string,
  change: Partial<ClientSettings>,
  by: By = {},
): Promise<{ changed: Changes; ended: number }> {
  const client = await lockClient(tx, nameOrId)
  const { clientId, name, isPublic } = client
  const built = builtIn(clientId)
  if (built !== undefined && (change.grants ?? change.redirectUris) !== undefined)
    throw new MillbookError(`${built} is built in; you can change only its groups, contacts and rate`, {
      kind: 'conflict',
    })
  const kept = (change.grants ?? client.grants).includes('authorization_code') ? client.redirectUris : []
  for (const uri of change.redirectUris ?? []) checkRedirectUri(uri)
  const wanted = { ...client, redirectUris: kept, ...change }
  const settings = clientId === APP_PASSWORDS ? wanted : checkSettings(wanted, isPublic)
  const { groups, hideContacts, rate } = settings
  const changed = changesOf(describeSettings(client), describeSettings(settings))
  if (Object.keys(changed).length === 0) return { changed, ended: 0 }
  const lost = (grant: Grant) => client.grants.includes(grant) && !settings.grants.includes(grant)
  const ended = await endTokens(
    tx,
    sql`client_id = ${clientId} and (${lost('refresh_token')} and kind = 'refresh'
         or ${lost('password')} and username is not null and code_hash is null
         or ${lost('authorization_code')} and code_hash is not null
         or ${lost('client_credentials')} and username is null)`,
  )
  if (lost('authorization_code')) await tx`delete from authorization_code where client_id = ${clientId}`
  await tx`
    update api_client set groups = ${groups}, hide_contacts = ${hideContacts},
           grants = ${settings.grants}, rate = ${rate}, redirect_uris = ${settings.redirectUris} where client_id = ${clientId}`
  await audit(tx, {
    ...by,
    act: 'client.update',
    client: name,
    detail: { ...changed, ...(ended > 0 && { tokens_ended: ended }) },
  })
  return { changed, ended }
}

/** Ends the client's tokens and returns how many; undefined if the client was disabled already. */
export async function disableClient(tx: Tx, nameOrId: string, by: By = {}): Promise<number | undefined> {
  const { clientId, name, disabledAt } = await lockClient(tx, nameOrId)
  if (disabledAt !== null) return undefined
  const ended = await endTokensOfClient(tx, clientId)
  await tx`update api_client set disabled_at = now() where client_id = ${clientId}`
  await audit(tx, { ...by, act: 'client.disable', client: name, detail: { tokens_ended: ended } })
  return ended
}

/** Returns false if the client was not disabled. */
export async function enableClient(tx: Tx, nameOrId: string, by: By = {}): Promise<boolean> {
  const { clientId, name, disabledAt } = await lockClient(tx, nameOrId)
  if (disabledAt === null) return false
  await endTokensOfClient(tx, clientId) // a token that was being issued while the client was disabled
  await tx`update api_client set disabled_at = null where client_id = ${clientId}`
  await audit(tx, { ...by, act: 'client.enable', client: name, detail: { disabled_since: disabledAt } })
  return true
}

export interface Rotation {
  /** Shown once: the database stores only its hash. */
  clientSecret: string
  /** When the previous secret expires; null if it has. */
  oldSecretUntil: Date | null
  /** When an even older secret would have expired; it has ended now, because a client has at most two secrets. */
  endedEarly: Date | null
}

/** Creates a new secret; the previous one stays valid for the overlap, so that all programs of the client can switch. */
export async function rotateSecret(tx: Tx, nameOrId: string, overlapSeconds: number, by: By = {}): Promise<Rotation> {
  const clientSecret = newSecret()
  const hash = await hashSecret(clientSecret)
  const { clientId, name, isPublic, oldSecretUntil: endedEarly } = await lockClient(tx, nameOrId)
  if (isPublic) throw new MillbookError(`${name} is a public client and has no secret to replace`, { kind: 'conflict' })
  const overlaps = overlapSeconds > 0
  const [row] = await tx<{ until: Date | null }[]>`
    update api_client
       set secret_hash = ${hash}, old_secret_hash = case when ${overlaps} then secret_hash end,
           old_secret_until = case when ${overlaps} then now() + make_interval(secs => ${overlapSeconds}) end
     where client_id = ${clientId} returning old_secret_until as until`
  const oldSecretUntil = row?.until ?? null
  const detail = { old_secret_until: oldSecretUntil, ...(endedEarly && { ended_early: endedEarly }) }
  await audit(tx, { ...by, act: 'client.rotate-secret', client: name, detail })
  return { clientSecret, oldSecretUntil, endedEarly }
}

/** Ends the overlap of a rotation early; returns false if there is none. */
export async function endOldSecret(tx: Tx, nameOrId: string, by: By = {}): Promise<boolean> {
  const { clientId, name, oldSecretUntil } = await lockClient(tx, nameOrId)
  if (oldSecretUntil === null) return false
  await tx`update api_client set old_secret_hash = null, old_secret_until = null where client_id = ${clientId}`
  await audit(tx, { ...by, act: 'client.end-old-secret', client: name, detail: { ended_early: oldSecretUntil } })
  return true
}

/** Ends the client's tokens and returns how many. */
export async function revokeTokens(tx: Tx, nameOrId: string, by: By = {}): Promise<number> {
  const { clientId, name } = await lockClient(tx, nameOrId)
  const ended = await endTokensOfClient(tx, clientId)
  await audit(tx, { ...by, act: 'client.revoke-tokens', client: name, detail: { tokens_ended: ended } })
  return ended
}

/** Ends the client's tokens and returns how many. */
export async function deleteClient(tx: Tx, nameOrId: string, by: By = {}): Promise<number> {
  const { clientId, name, createdAt } = await lockClient(tx, nameOrId)
  const built = builtIn(clientId)
  if (built !== undefined)
    throw new MillbookError(`${built} is built in and cannot be deleted; disable it instead`, { kind: 'conflict' })
  const ended = await endTokensOfClient(tx, clientId)
  await tx`delete from api_client where client_id = ${clientId}`
  const detail = { client_id: clientId, created_at: createdAt, tokens_ended: ended }
  await audit(tx, { ...by, act: 'client.delete', client: name, detail })
  return ended
}
