/** Mounts /session: begin, callback and end of a session, the one-time link, who is signed in, the kept loads, and a new password. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE } from '../../access/clients.js'
import { endSession, sessionByCode, sessionByTicket } from '../../access/sessions.js'
import { type FoundToken, findToken } from '../../access/tokens.js'
import { Problem } from '../../errors.js'
import { pathOf } from '../../http/errors.js'
import { addressOf, namedOrigin, originOf } from '../../http/origin.js'
import { sendFailure, wantsJson } from '../../http/page.js'
import { formToken, requireSameOrigin } from '../../http/same-origin.js'
import { clearSession, csrfOf, requireCsrf, sameText, sessionToken, setSession } from '../../http/session-cookie.js'
import { refusals, tokensIssued } from '../../metrics/metrics.js'
import { FISCAL_MONTH } from '../../period-words.js'
import { PROGRAM_VERSION } from '../../program-version.js'
import type { Services } from '../surface.js'
import { begin, CALLBACK, localPath, takeBegun } from './begun.js'
import { keptLoads } from './loads.js'
import { changeByPerson } from './password.js'

/** The state of the data, and what the pages need to know of the account. */
interface Known {
  readonly version: number
  readonly committedAt: Date
  readonly timeZone: string
  readonly account: string
  readonly currency: string
  readonly yearBegins: number
  readonly hasData: boolean
}

export function mountSession(app: FastifyInstance, { database, tokens: cache, guard }: Services): void {
  const db = database.quick
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })

  app.get('/session', async (request) => {
    const { token, found } = await ownSession(request)
    const { username, role, groups, hideContacts } = found.caller
    const [data] = await db<Known[]>`
      select version::int, committed_at as "committedAt", time_zone as "timeZone", year_begins as "yearBegins",
             exists (select from item) or exists (select from customer) as "hasData",
             name as account, currency
        from data_version cross join account`
    return {
      ...{ username, role, groups, hide_contacts: hideContacts, expires_at: found.expiresAt },
      ...{ csrf: csrfOf(token), version: PROGRAM_VERSION },
      ...{ data_version: data?.version ?? 0, loaded_at: data?.committedAt ?? null },
      ...{ time_zone: data?.timeZone ?? 'UTC', has_data: data?.hasData ?? false },
      ...{
        account: data?.account ?? '',
        currency: data?.currency ?? '',
        year_begins: data?.yearBegins ?? FISCAL_MONTH,
      },
    }
  })

  app.get('/session/loads', async (request) => {
    const { found } = await ownSession(request)
    return await keptLoads(db, queryOf(request), found.caller.groups === null)
  })

  app.get('/session/begin', async (request, reply) => {
    const back = localPath(queryOf(request).get('return') ?? '/', originOf(request))
    return reply.redirect(`/oauth2/authorize?${new URLSearchParams(begin(request, reply, back))}`, 303)
  })

  /** For script that signs in over its own page, which then posts these fields with username and password. */
  app.post('/session/begin', async (request, reply) => {
    requireSameOrigin(request)
    const fields = { ...begin(request, reply, '/'), form_token: formToken(request, reply) }
    return { action: '/oauth2/authorize', fields }
  })

  app.get(CALLBACK, async (request, reply) => {
    const json = wantsJson(request.headers.accept)
    try {
      const { token, back } = await exchange(request, reply)
      await replaceSession(request, reply, token, 'authorization_code')
      return json ? reply.code(204).send() : reply.redirect(back, 303)
    } catch (error) {
      if (json || !(error instanceof Problem)) throw error
      refusals.add({ reason: error.code })
      const again = { href: '/session/begin', words: 'Sign in again' }
      return sendFailure(reply, error.status, error.detail ?? error.message, again)
    }
  })

  app.post('/session/open', async (request, reply) => {
    requireThisMachine(request)
    const { ticket } = (request.body ?? {}) as { ticket?: unknown }
    if (typeof ticket !== 'string' || ticket === '')
      throw new Problem('malformed-request', {
        detail: 'ticket is missing; send {"ticket": "…"} with the ticket from the link.',
      })
    const token = await sessionByTicket(db, ticket, addressOf(request))
    if (token === undefined)
      throw new Problem('link-ended', {
        detail:
          'A link works once, within an hour, and only until its user is changed; sign in with a password, or make a new link with millbook user link.',
      })
    await replaceSession(request, reply, token, 'link')
    return reply.code(204).send()
  })

  app.post('/session/end', async (request, reply) => {
    requireSameOrigin(request)
    const token = sessionToken(request)
    if (token !== undefined) {
      requireCsrf(request, token)
      await endSession(db, token, addressOf(request))
      cache.forget()
    }
    clearSession(request, reply)
    return reply.code(204).send()
  })

  app.post('/session/password', async (request, reply) => {
    requireSameOrigin(request)
    const { token, found } = await ownSession(request)
    requireCsrf(request, token)
    const ended = await changeByPerson({ db, guard }, found, request, reply)
    cache.forget()
    return ended
  })

  async function ownSession(request: FastifyRequest): Promise<{ token: string; found: FoundToken }> {
    const token = sessionToken(request)
    const found = token === undefined ? undefined : await findToken(db, 'access', token)
    if (token === undefined || found?.caller.clientId !== CONSOLE) throw noSession(request)
    return { token, found }
  }

  async function exchange(request: FastifyRequest, reply: FastifyReply): Promise<{ token: string; back: string }> {
    const query = queryOf(request)
    const begun = takeBegun(request, reply)
    if (begun === undefined || !sameText(query.get('state') ?? '', begun.state))
      throw new Problem('malformed-request', {
        detail: 'This sign-in was not begun in this browser, or more than 10 minutes ago; sign in again.',
      })
    if (query.has('error'))
      throw new Problem('forbidden', { detail: query.get('error_description') ?? 'Signing in failed; sign in again.' })
    const [origin, code, { verifier, back }] = [originOf(request), query.get('code') ?? '', begun]
    // RFC 9207 §2.4: do not use a code that another server issued.
    const token =
      query.get('iss') === origin
        ? await sessionByCode(db, { code, redirectUri: `${origin}${CALLBACK}`, verifier }, addressOf(request))
        : undefined
    if (token !== undefined) return { token, back }
    throw new Problem('sign-in-failed', {
      detail: 'The sign-in took longer than a minute to complete, or was completed before; sign in again.',
      headers: { 'www-authenticate': 'Bearer realm="millbook"' },
    })
  }

  /** Ends the browser's earlier session: its token would stay valid, and nobody could end it. */
  async function replaceSession(request: FastifyRequest, reply: FastifyReply, token: string, grant: string) {
    tokensIssued.add({ grant })
    const before = sessionToken(request)
    if (before !== undefined && (await endSession(db, before, addressOf(request)))) cache.forget()
    setSession(request, reply, token)
  }
}

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(request.url.slice(pathOf(request).length))

function noSession(request: FastifyRequest): Problem {
  const metadata = `${originOf(request)}/.well-known/oauth-protected-resource`
  return new Problem('unauthorized', {
    detail: 'There is no session, or it has ended; sign in at /session/begin.',
    headers: { 'www-authenticate': `Bearer realm="millbook", resource_metadata="${metadata}"` }, // RFC 9728 §5.1
  })
}

/** Throws unless a browser on this machine sent the request straight to the service. */
function requireThisMachine(request: FastifyRequest): void {
  requireSameOrigin(request)
  const { headers, socket } = request
  const local = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
  const forwarded = Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'))
  // A proxy that forwards no header still changes the host that the browser named.
  const direct = headers.origin === undefined || headers.origin === namedOrigin(request)
  if (local && !forwarded && direct) return
  throw new Problem('forbidden', {
    detail: 'This link works only in a browser on the machine that runs the service; sign in with a password instead.',
  })
}
