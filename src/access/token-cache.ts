/** Caches the access tokens and app passwords in use, so that a request in memory needs no query. */
import type { Db } from '../db/connect.js'
import { type FoundAppPassword, findAppPassword, isAppPassword } from './app-password-use.js'
import { type Caller, type FoundToken, findToken } from './tokens.js'

const MAX_CACHED = 10_000

/** An access token or an app password, as an Authorization header has it. */
export interface Credential {
  readonly token: string
  /** The header in its usual spelling. */
  readonly usual: string
  /** The name beside an app password; null without a name. */
  readonly username: string | null
  /** The address of the sender. */
  readonly address: string
}

export interface TokenCache {
  /**
   * The caller of a valid access token or app password, without a promise if it is cached. `read` extracts the credential from the
   * header of a request.
   */
  find<R>(
    header: string,
    request: R,
    read: (header: string, request: R) => Credential,
  ): Caller | undefined | Promise<Caller | undefined>
  /** Call this after revoking a token in this process, which then refuses it immediately. */
  forget(): void
}

/** The version of the access data: it changes with every revoked token and every change of a client or user. */
export interface AccessVersions {
  current(): { readonly access: string } | Promise<{ readonly access: string }>
  forget(): void
}

interface Cached {
  readonly caller: Caller
  readonly expiresAt: number
  /** Notes the use of an app password. */
  readonly used: (() => void) | undefined
}

/** Caches callers by their header until `access_version` changes, which triggers raise in the transaction of each change. */
export function tokenCache(db: Db, versions: AccessVersions): TokenCache {
  const cached = new Map<string, Cached>()
  let version: string | undefined

  function findAt<R>(access: string, header: string, request: R, read: (header: string, request: R) => Credential) {
    if (access !== version) cached.clear()
    version = access
    const known = cached.get(header)
    if (known !== undefined) return callerOf(header, known)
    const credential = read(header, request)
    const spelledOtherwise = header === credential.usual ? undefined : cached.get(credential.usual)
    return spelledOtherwise === undefined ? lookUp(credential) : callerOf(credential.usual, spelledOtherwise)
  }

  function callerOf(header: string, { caller, expiresAt, used }: Cached): Caller | undefined {
    if (expiresAt > Date.now()) {
      used?.()
      return caller
    }
    cached.delete(header)
    return undefined
  }

  async function lookUp({ token, usual, username, address }: Credential): Promise<Caller | undefined> {
    const before = version
    const found: FoundToken | FoundAppPassword | undefined = isAppPassword(token)
      ? await findAppPassword(db, token, username, address)
      : await findToken(db, 'access', token)
    if (found === undefined) return undefined
    const used = 'used' in found ? found.used : undefined
    used?.()
    // A change during the lookup may have revoked the token.
    if (version === before) {
      if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value as string)
      const expiresAt = 'expiresAt' in found ? found.expiresAt.getTime() : Number.POSITIVE_INFINITY
      cached.set(usual, { caller: found.caller, expiresAt, used })
    }
    return found.caller
  }

  return {
    find(header, request, read) {
      const state = versions.current()
      return state instanceof Promise
        ? state.then(({ access }) => findAt(access, header, request, read))
        : findAt(state.access, header, request, read)
    },
    forget: () => versions.forget(),
  }
}
