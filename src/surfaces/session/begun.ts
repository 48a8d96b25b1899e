/** The state of a sign-in between its begin and its callback, in a cookie of the browser that began it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE } from '../../access/clients.js'
import { newSecret } from '../../access/secrets.js'
import { challengeOf } from '../../access/sessions.js'
import { Problem } from '../../errors.js'
import { clearCookie, cookieOf, setCookie } from '../../http/cookies.js'
import { originOf } from '../../http/origin.js'

export const CALLBACK = '/session/callback'
const COOKIE = 'millbook-begin'
const SECONDS = 600

interface Begun {
  state: string
  verifier: string
  /** The path of this service to go to once signed in. */
  back: string
}

/** Returns the parameters of the authorization request. */
export function begin(request: FastifyRequest, reply: FastifyReply, back: string): Record<string, string> {
  const begun: Begun = { state: newSecret(), verifier: newSecret(), back }
  setCookie(request, reply, COOKIE, Buffer.from(JSON.stringify(begun)).toString('base64url'), SECONDS)
  return {
    response_type: 'code',
    client_id: CONSOLE,
    redirect_uri: `${originOf(request)}${CALLBACK}`,
    state: begun.state,
    code_challenge: challengeOf(begun.verifier),
    code_challenge_method: 'S256',
  }
}

/** The sign-in that this browser began; removes it, so that it works once. */
export function takeBegun(request: FastifyRequest, reply: FastifyReply): Begun | undefined {
  const cookie = cookieOf(request, COOKIE)
  if (!cookie) return undefined
  clearCookie(request, reply, COOKIE)
  try {
    const { state, verifier, back } = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as Begun
    return { state: String(state), verifier: String(verifier), back: localPath(String(back), originOf(request)) }
  } catch {
    return undefined
  }
}

/** Throws unless this is a path of this service: a link must not lead from its sign-in page to another host. */
export function localPath(path: string, origin: string): string {
  const local = /^\/(?![/\\])[!-[\]-~]*$/.test(path) && path.length <= 2000 && new URL(path, origin).origin === origin
  if (local) return path
  throw new Problem('malformed-request', {
    detail: 'return must be a path of this service, percent-encoded, such as /#/inventory/fg-stock-status.',
  })
}
