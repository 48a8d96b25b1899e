/** Mounts /oauth2/authorize: a page for people, and JSON for the console, which signs in over its own page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ClientDocuments } from '../../access/client-documents.js'
import type { Guard } from '../../access/sign-in.js'
import type { Db } from '../../db/connect.js'
import { Problem } from '../../errors.js'
import { pathOf, toProblem } from '../../http/errors.js'
import { addressOf, originOf } from '../../http/origin.js'
import { STYLESHEET, sendFailure, wantsJson } from '../../http/page.js'
import { readFormBodies } from '../../http/request-body.js'
import { formToken, hasFormToken, requireSameOrigin } from '../../http/same-origin.js'
import { refusals } from '../../metrics/metrics.js'
import { type Authorization, parametersIn, RedirectError, readAuthorization, signIn } from './authorize.js'
import { sendSignInPage } from './sign-in-page.js'
import { style } from './style.js'

const PATH = '/oauth2/authorize'

export async function mountAuthorize(
  app: FastifyInstance,
  db: Db,
  guard: Guard,
  documents: ClientDocuments,
): Promise<void> {
  app.get(STYLESHEET, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(style),
  )
  app.get(PATH, async (request, reply) => {
    const query = request.url.slice(pathOf(request).length)
    return await toPage(reply, async () => {
      const authorization = await readAuthorization(
        db,
        documents,
        parametersIn(new URLSearchParams(query)),
        originOf(request),
      )
      return sendSignInPage(reply, { authorization, formToken: formToken(request, reply), status: 200 })
    })
  })
  await app.register(async (scope) => {
    readFormBodies(scope)
    scope.post(PATH, (request, reply) => {
      const sent = (request.body ?? {}) as Record<string, unknown>
      const json = wantsJson(request.headers.accept)
      return json ? sendJson(request, reply, sent) : toPage(reply, () => submit(request, reply, sent))
    })
  })

  async function authorizationIn(request: FastifyRequest, sent: Record<string, unknown>): Promise<Authorization> {
    return await readAuthorization(db, documents, parametersIn(Object.entries(sent)), originOf(request))
  }

  function checkSender(request: FastifyRequest, sent: Record<string, unknown>): void {
    requireSameOrigin(request)
    if (!hasFormToken(request, sent['form_token']))
      throw new Problem('forbidden', {
        detail: 'The form was open for more than an hour, or the browser blocks cookies; allow cookies and try again.',
      })
  }

  const enter = (request: FastifyRequest, authorization: Authorization, sent: Record<string, unknown>) =>
    signIn(
      db,
      guard,
      authorization,
      { username: textOf(sent['username']), password: textOf(sent['password']) },
      addressOf(request),
    )

  async function sendJson(request: FastifyRequest, reply: FastifyReply, sent: Record<string, unknown>) {
    reply.header('cache-control', 'no-store')
    try {
      const authorization = await authorizationIn(request, sent)
      checkSender(request, sent)
      return await reply.send({ redirect_to: await enter(request, authorization, sent) })
    } catch (error) {
      throw error instanceof RedirectError ? new Problem('malformed-request', { detail: error.message }) : error
    }
  }

  /** Shows the form again if the person can correct the error. */
  async function submit(request: FastifyRequest, reply: FastifyReply, sent: Record<string, unknown>) {
    const authorization = await authorizationIn(request, sent)
    try {
      checkSender(request, sent)
      const to = await enter(request, authorization, sent)
      return reply.header('cache-control', 'no-store').redirect(to, 303)
    } catch (error) {
      if (error instanceof RedirectError) throw error
      const problem = toProblem(error as Error)
      if (problem.status >= 500 && problem.status !== 503) throw error
      refusals.add({ reason: problem.code })
      reply.headers(problem.headers)
      return sendSignInPage(reply, {
        ...{ authorization, formToken: formToken(request, reply), status: problem.status },
        ...{ alert: problem.detail ?? problem.message, username: textOf(sent['username']).slice(0, 100) },
      })
    }
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Shows errors to people: by a redirect to the program, or on a page if a redirect would be unsafe. */
async function toPage(reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RedirectError) return reply.header('cache-control', 'no-store').redirect(error.to, 303)
    if (!(error instanceof Problem)) throw error
    refusals.add({ reason: error.code })
    return sendFailure(reply.headers(error.headers), error.status, error.detail ?? error.message)
  }
}
