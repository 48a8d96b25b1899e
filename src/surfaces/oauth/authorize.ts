/** The authorization endpoint (RFC 6749 §4.1, RFC 7636, RFC 9207): reads a request, signs a person in, issues a code. */
import {
  type ClientDocument,
  type ClientDocuments,
  describedClient,
  isDocumentUrl,
  keepDescribed,
} from '../../access/client-documents.js'
import { saveCode } from '../../access/codes.js'
import { isRegistered } from '../../access/redirects.js'
import { notAResource, type Resource, resourceAt } from '../../access/resources.js'
import type { Guard } from '../../access/sign-in.js'
import { stillValid } from '../../access/tokens.js'
import type { Db } from '../../db/connect.js'
import { Problem } from '../../errors.js'
import { groups as allGroups, commonGroups } from '../../groups.js'
import { auditRefusal } from './client-authentication.js'

export const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
] as const
type Name = (typeof PARAMETERS)[number]
export type Parameters = Partial<Record<Name, string>>

export interface Authorization {
  client: { clientId: string; name: string; groups: string[] | null }
  /** Only of a program that describes itself at its client_id. */
  document?: ClientDocument
  redirectUri: string
  state: string | undefined
  challenge: string
  /** The groups in `scope`; null for all groups that the client and the user may use. */
  groups: string[] | null
  /** What the token is to open. */
  resource: Resource
  /** As they were sent, for the form. */
  parameters: Parameters
  /** The identifier of this service (RFC 9207). */
  issuer: string
}

/** An error that a redirect reports to the program (RFC 6749 §4.1.2.1). */
export class RedirectError extends Error {
  readonly to: string

  constructor(about: Pick<Authorization, 'redirectUri' | 'state' | 'issuer'>, error: string, description: string) {
    super(description)
    this.to = backTo(about, { error, error_description: description })
  }
}

function backTo({ redirectUri, state, issuer }: Pick<Authorization, 'redirectUri' | 'state' | 'issuer'>, more: object) {
  const query = new URLSearchParams({ ...more, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}

/** The URL for a person who does not want to sign in. */
export const cancelled = (about: Authorization): string =>
  new RedirectError(about, 'access_denied', 'The person did not sign in.').to

/** The parameters of a query string or a form. An empty one counts as left out (RFC 6749 §3.1). */
export function parametersIn(pairs: Iterable<readonly [string, unknown]>): {
  found: Parameters
  repeated: Set<string>
} {
  const found: Parameters = {}
  const repeated = new Set<string>()
  for (const [name, value] of pairs) {
    if (!(PARAMETERS as readonly string[]).includes(name) || value === '') continue
    if (typeof value !== 'string' || name in found) repeated.add(name)
    else found[name as Name] = value
  }
  return { found, repeated }
}

/**
 * Checks a request. Throws a problem for a page until the redirect URI is known to be the client's, because a redirect could
 * send people to an attacker's site. Throws a RedirectError after that.
 */
export async function readAuthorization(
  db: Db,
  documents: ClientDocuments,
  { found: parameters, repeated }: ReturnType<typeof parametersIn>,
  issuer: string,
): Promise<Authorization> {
  const { client_id, redirect_uri: redirectUri } = parameters
  for (const name of ['client_id', 'redirect_uri'] as const)
    if (parameters[name] === undefined || repeated.has(name) || parameters[name].includes('\0'))
      throw refused(
        `${name} is missing, empty or given twice. The program that sent you here must send it exactly once.`,
      )
  const client = isDocumentUrl(client_id as string)
    ? await describedBy(db, documents, client_id as string)
    : await registered(db, client_id as string)
  if (client === undefined)
    throw refused('The client_id is unknown or disabled. Ask the operator of this service for a valid one.')
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris, issuer))
    throw refused(
      `The redirect_uri is not registered for the program ${client.name}. The operator of this service must register it exactly as the program sends it.`,
    )

  const state = parameters.state !== undefined && PRINTABLE.test(parameters.state) ? parameters.state : undefined
  const fail = (error: string, description: string) =>
    new RedirectError({ redirectUri, state, issuer }, error, description)
  const [twice] = repeated
  if (twice !== undefined) throw fail('invalid_request', `${twice} must be given once, as text.`)
  if (parameters.state !== state)
    throw fail('invalid_request', 'state contains a character that is not printable ASCII; remove it.')
  const { response_type, code_challenge: challenge, code_challenge_method, scope } = parameters
  if (response_type === undefined) throw fail('invalid_request', 'response_type is missing; send code.')
  if (response_type !== 'code') throw fail('unsupported_response_type', 'response_type must be code.')
  if (!client.grants.includes('authorization_code'))
    throw fail(
      'unauthorized_client',
      'This client may not use the grant authorization_code; the operator can allow it.',
    )
  if (challenge === undefined)
    throw fail('invalid_request', 'code_challenge is missing; this service requires PKCE (RFC 7636).')
  if (code_challenge_method !== 'S256') throw fail('invalid_request', 'code_challenge_method must be S256.')
  if (!/^[\w-]{43}$/.test(challenge))
    throw fail('invalid_request', 'code_challenge must be the SHA-256 of the verifier in base64url, 43 characters.')
  const groups = scope === undefined ? null : [...new Set(scope.split(' ').filter((group) => group !== ''))]
  const usable: readonly string[] = client.groups ?? allGroups
  if (groups !== null && (groups.length === 0 || !groups.every((group) => usable.includes(group))))
    throw fail(
      'invalid_scope',
      'This client may not use every group in scope; leave scope out for all groups that it may use, or name groups separated by spaces.',
    )
  const resource = parameters.resource === undefined ? null : resourceAt(parameters.resource, issuer)
  if (resource === undefined) throw fail('invalid_target', `${notAResource(issuer)}.`)
  const { document } = client
  return {
    ...{ client, redirectUri, state, challenge, groups, resource, parameters, issuer },
    ...(document !== undefined && { document }),
  }
}

type Known = Authorization['client'] & { grants: string[]; redirectUris: readonly string[]; document?: ClientDocument }

async function registered(db: Db, clientId: string): Promise<Known | undefined> {
  const [client] = await db<Known[]>`
    select client_id as "clientId", name, to_json(groups) as groups, to_json(grants) as grants,
           to_json(redirect_uris) as "redirectUris"
      from api_client where client_id = ${clientId} and disabled_at is null`
  return client
}

/** A program without a registration: its document names it, and an operator may have limited or disabled it. */
async function describedBy(db: Db, documents: ClientDocuments, clientId: string): Promise<Known | undefined> {
  const row = await describedClient(db, clientId)
  if (row?.isDisabled) return undefined
  const document = await documents.of(clientId)
  const { name, redirectUris } = document
  return { clientId, name, groups: row?.groups ?? null, grants: ['authorization_code'], redirectUris, document }
}

const PRINTABLE = /^[\x20-\x7e]+$/

const refused = (detail: string) => new Problem('malformed-request', { detail })

/**
 * Checks the password under the limits on guessing and returns the URL with the code to send the person to. Throws a problem
 * if the person has to try again or to wait.
 */
export async function signIn(
  db: Db,
  guard: Guard,
  authorization: Authorization,
  { username, password }: { username: string; password: string },
  address: string,
): Promise<string> {
  const { client, document, redirectUri, challenge, groups, resource } = authorization
  const { clientId } = client
  if (username === '' || password === '' || /\0/.test(username + password)) throw wrongCredentials()
  const user = await guard.user(username, password, address)
  if (user === undefined) {
    // Record existing names only: people type passwords into the username field.
    const [known] = await db`select from api_user where username = ${username}`
    await auditRefusal(db, client.name, known && username, address, { grant: 'authorization_code' })
    throw wrongCredentials()
  }
  if (commonGroups(client.groups, user.groups, groups)?.length === 0)
    throw new RedirectError(
      authorization,
      'access_denied',
      'This user may not use any group that the program asks for; ask the operator for access.',
    )
  const code = await db.begin(async (tx) => {
    if (document !== undefined) await keepDescribed(tx, clientId, document)
    const made = await saveCode(tx, { clientId, username, redirectUri, challenge, groups, resource })
    if (!(await stillValid(tx, { clientId }, { username, proof: user.proof }, 'authorization_code')))
      throw wrongCredentials()
    return made
  })
  return backTo(authorization, { code })
}

const wrongCredentials = () =>
  new Problem('sign-in-failed', {
    detail: 'The username is unknown, the password is wrong, or the user is disabled; check both and try again.',
    headers: { 'www-authenticate': 'Bearer realm="millbook"' }, // RFC 9110 §11.6.1 requires a challenge; browsers ignore this one
  })
