/**
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): a program whose client_id is an HTTPS URL describes
 * itself at that URL. Only hosts that the operator allows are asked, and never an address of a private network.
 */
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Queryable, Tx } from '../db/connect.js'
import { Problem } from '../errors.js'
import { isPublicAddress, lookUpOnce } from '../network.js'
import { Turns } from '../turns.js'
import { checkRedirectUri } from './redirects.js'

/** The metadata that a program publishes about itself. */
export interface ClientDocument {
  readonly name: string
  readonly redirectUris: readonly string[]
}

/** Fetches a document; only tests use another one. */
export type FetchDocument = (url: URL) => Promise<string>

/** Its name, which the address without https:// is, has 100 characters at most. */
const LONGEST_ID = 108
const LARGEST_DOCUMENT = 16 * 1024
const TIMEOUT_MS = 5000
const KEPT_MS = 3_600_000
const FAILURE_KEPT_MS = 60_000
const AT_ONCE = 4

/** Whether a client_id is the URL of a document: https, on the usual port, with a path, and in its usual spelling. */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > LONGEST_ID || !URL.canParse(clientId)) return false
  const { href, pathname, port, username, password, search } = new URL(clientId)
  const isPlain = username === '' && password === '' && port === '' && search === '' && !clientId.includes('#')
  return isPlain && pathname !== '/' && href === clientId && !isIP(new URL(clientId).hostname.replace(/^\[|\]$/g, ''))
}

type Kept = { readonly document: ClientDocument } | { readonly refused: string }

export class ClientDocuments {
  readonly #hosts: readonly string[]
  readonly #fetch: FetchDocument
  readonly #kept = new LRUCache<string, Kept>({ max: 200 })
  readonly #turns = new Turns(AT_ONCE)

  /** `hosts` may be asked for documents; `*` allows every public host. */
  constructor(hosts: readonly string[], fetch: FetchDocument = fetchPublic) {
    this.#hosts = hosts
    this.#fetch = fetch
  }

  /** Whether any program may describe itself. */
  get areAllowed(): boolean {
    return this.#hosts.length > 0
  }

  /** The document of a program; throws a problem for a person if it cannot be had. */
  async of(clientId: string): Promise<ClientDocument> {
    const { host } = new URL(clientId)
    if (!this.#hosts.includes('*') && !this.#hosts.includes(host))
      throw refused(
        `Programs of ${host} may not ask people to sign in here. The operator of this service can allow them.`,
      )
    const known = this.#kept.get(clientId) ?? (await this.#ask(clientId))
    if ('document' in known) return known.document
    throw refused(`${host} does not say who its program is: ${known.refused}.`)
  }

  async #ask(clientId: string): Promise<Kept> {
    const kept = await this.#turns
      .run(async () => ({ document: readDocument(clientId, await this.#fetch(new URL(clientId))) }))
      .catch((error: Error) => ({ refused: error.message }))
    this.#kept.set(clientId, kept, { ttl: 'document' in kept ? KEPT_MS : FAILURE_KEPT_MS })
    return kept
  }
}

const refused = (detail: string) => new Problem('malformed-request', { detail })

/** Printable text without characters that reorder it. */
const NAME = /^[^\p{Cc}\p{Cf}]{1,80}$/u

export function readDocument(clientId: string, text: string): ClientDocument {
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method, client_secret } = parse(text)
  if (client_id !== clientId) throw new Error('its document has another client_id')
  if (typeof client_name !== 'string' || !NAME.test(client_name)) throw new Error('its document has no client_name')
  if (client_secret !== undefined || (token_endpoint_auth_method ?? 'none') !== 'none')
    throw new Error(
      'its document is of a program with a secret or a key, and only programs without may describe themselves',
    )
  if (!Array.isArray(redirect_uris)) throw new Error('its document has no redirect_uris')
  const redirectUris = redirect_uris.filter(isUsable)
  if (redirectUris.length === 0)
    throw new Error('its document has no redirect URI with https or of the address 127.0.0.1')
  return { name: client_name, redirectUris }
}

function parse(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>
  } catch {}
  throw new Error('its document is not a JSON object')
}

function isUsable(uri: unknown): uri is string {
  try {
    checkRedirectUri(uri as string)
    return typeof uri === 'string'
  } catch {
    return false
  }
}

/** Resolves the host once, refuses it if any of its addresses is private, and connects to these addresses only. */
async function fetchPublic(url: URL): Promise<string> {
  const { addresses, lookup } = await lookUpOnce(url.hostname)
  if (addresses.length === 0) throw new Error('its host is unknown')
  if (!addresses.every(isPublicAddress)) throw new Error('its host has an address of a private network')
  return await fetchBy(url, lookup)
}

/** Follows no redirect, reads no more than a document has, and waits no longer than a few seconds. `ca` is for tests. */
export function fetchBy(url: URL, lookup: LookupFunction, ca?: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...{ lookup, agent: false, headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT_MS) },
        ...(ca !== undefined && { ca }),
      },
      (response) => {
        const { statusCode, headers } = response
        const stop = (reason: string) => {
          reject(new Error(reason))
          sent.destroy()
        }
        if (statusCode !== 200) return stop(`it answered ${statusCode}`)
        if (!/^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
          return stop('it answered with something else than JSON')
        const pieces: Buffer[] = []
        let size = 0
        response.on('data', (piece: Buffer) => {
          size += piece.length
          pieces.push(piece)
          if (size > LARGEST_DOCUMENT) stop(`its document is larger than ${LARGEST_DOCUMENT / 1024} KB`)
        })
        response.on('end', () => resolve(Buffer.concat(pieces).toString()))
        response.on('error', () => reject(new Error('the connection was lost')))
      },
    )
    sent.on('error', () => reject(new Error('it could not be reached')))
    sent.end()
  })
}

/** Keeps a program that has described itself as a public client, so that tokens and the audit trail can name it. */
export async function keepDescribed(tx: Tx, clientId: string, { redirectUris }: ClientDocument): Promise<void> {
  await tx`select keep_described_client(${clientId}, ${[...redirectUris]})`
}

/** The row of a program that has described itself before: an operator may limit or disable it. */
export async function describedClient(
  db: Queryable,
  clientId: string,
): Promise<{ groups: string[] | null; isDisabled: boolean } | undefined> {
  const [row] = await db<{ groups: string[] | null; isDisabled: boolean }[]>`
    select to_json(groups) as groups, disabled_at is not null as "isDisabled" from api_client where client_id = ${clientId}`
  return row
}
