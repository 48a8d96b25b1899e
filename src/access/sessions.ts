/** Sessions of the console: access tokens of its client, by an authorization code or by a link that works once. */
import { createHash } from 'node:crypto'
import type { Db, Queryable, Tx } from '../db/connect.js'
import { retryDeadlocks } from '../db/retry.js'
import { MillbookError } from '../errors.js'
import { hasState } from '../sqlstate.js'
import { audit } from './audit.js'
import { CONSOLE } from './clients.js'
import { findCode, spendCode } from './codes.js'
import type { Ended } from './end-tokens.js'
import { hashToken, newSecret } from './secrets.js'
import { revokeToken, saveToken, stillValid } from './tokens.js'
import { changePassword, findUser } from './users.js'

export const SESSION_SECONDS = 12 * 3600
const LINK_SECONDS = 3600

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** Exchanges a code for the token of a session; undefined if the code is invalid. */
export async function sessionByCode(
  db: Db,
  sent: { code: string; redirectUri: string; verifier: string },
  address: string,
): Promise<string | undefined> {
  const found = await findCode(db, sent.code, address)
  if (found === undefined || found.clientId !== CONSOLE || found.resource !== null) return undefined
  // The code is spent first, so that nobody can try another verifier.
  if (!(await spendCode(db, found.codeHash, address))) return undefined
  if (found.redirectUri !== sent.redirectUri || found.challenge !== challengeOf(sent.verifier)) return undefined
  const { username, groups, codeHash } = found
  return await orUndefined(
    db.begin((tx) => newSession(tx, { username, groups, codeHash, grant: 'authorization_code', address })),
  )
}

/** A ticket that signs the user in once, within an hour. */
export async function newTicket(tx: Tx, username: string): Promise<string> {
  const { disabledAt } = await findUser(tx, username)
  if (disabledAt !== null) throw new MillbookError(`${username} is disabled; run millbook user enable first`)
  const ticket = newSecret()
  await tx`
    insert into sign_in_link (ticket_hash, username, expires_at)
    values (${hashToken(ticket)}, ${username}, now() + make_interval(secs => ${LINK_SECONDS}))`
  await audit(tx, { act: 'user.link', username })
  return ticket
}

/** Exchanges a ticket for the token of a session; undefined if it was used, has expired or is unknown. */
export const sessionByTicket = (db: Db, ticket: string, address: string): Promise<string | undefined> =>
  orUndefined(
    retryDeadlocks(() =>
      db.begin(async (tx) => {
        const [link] = await tx<{ username: string }[]>`
          delete from sign_in_link where ticket_hash = ${hashToken(ticket)} and expires_at > now() returning username`
        if (link === undefined) return undefined
        return await newSession(tx, { ...link, groups: null, codeHash: null, grant: 'link', address })
      }),
    ),
  )

/**
 * Changes the password of a person who has just proved the old one, ends all sessions, tokens and app passwords of the person, and
 * begins a new session in this browser. Undefined if somebody else has changed the password or disabled the user meanwhile.
 */
export const changeOwnPassword = (
  db: Db,
  session: { username: string; groups: string[] | null; proof: string; password: string; address: string },
): Promise<{ token: string; ended: Ended } | undefined> =>
  orUndefined(
    retryDeadlocks(() =>
      db.begin(async (tx) => {
        const { username, groups, proof, password, address } = session
        const [user] = await tx`
          select from api_user where username = ${username} and password_hash = ${proof} and disabled_at is null for update`
        if (user === undefined) throw new Changed()
        const ended = await changePassword(tx, username, password, { actor: username, address })
        const token = await newSession(tx, { username, groups, codeHash: null, grant: 'new_password', address })
        return { token, ended }
      }),
    ),
  )

class Changed extends Error {}

/** A deleted code, user or client is a violated foreign key. */
async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Changed || hasState(error, 'foreign_key_violation')) return undefined
    throw error
  }
}

interface NewSession {
  username: string
  groups: string[] | null
  codeHash: Buffer | null
  grant: string
  address: string
}

async function newSession(tx: Queryable, session: NewSession): Promise<string> {
  const { username, groups, codeHash, grant, address } = session
  const token = newSecret()
  const expiresAt = new Date(Date.now() + SESSION_SECONDS * 1000)
  await saveToken(tx, { kind: 'access', token, clientId: CONSOLE, username, groups, expiresAt, codeHash, address })
  const client = { clientId: CONSOLE, proof: null }
  if (!(await stillValid(tx, client, { username }, 'authorization_code'))) throw new Changed()
  await audit(tx, { act: 'token.issue', ...(await consoleName(tx)), username, address, detail: { grant } })
  return token
}

/** Ends a session at once; returns whether there was one. */
export const endSession = (db: Db, token: string, address: string): Promise<boolean> =>
  retryDeadlocks(() =>
    db.begin(async (tx) => {
      const revoked = await revokeToken(tx, token, CONSOLE)
      if (revoked?.clientId !== CONSOLE) return false
      const username = revoked.username as string // a session is always a person's
      await audit(tx, {
        act: 'token.revoke',
        ...(await consoleName(tx)),
        username,
        address,
        detail: { kind: 'access' },
      })
      return true
    }),
  )

async function consoleName(tx: Queryable): Promise<{ actor: string; client: string }> {
  const [row] = await tx<{ name: string }[]>`select name from api_client where client_id = ${CONSOLE}`
  const name = row?.name ?? CONSOLE
  return { actor: name, client: name }
}
