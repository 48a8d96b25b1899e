/** Mounts /oauth2/token and /oauth2/revoke, for JSON bodies (the contract) and forms (the RFCs), and their metadata. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GRANTS } from '../../access/clients.js'
import type { TokenCache } from '../../access/tokens.js'
import type { Db } from '../../db/connect.js'
import { groups } from '../../groups.js'
import { isFault, sendProblem, toProblem } from '../../http/errors.js'
import { addressOf, originOf } from '../../http/origin.js'
import { readFormBodies } from '../../http/request-body.js'
import { refusals } from '../../metrics/metrics.js'
import { failureFrom, type OAuthResponse, oauthEndpoints } from './grants.js'

export async function mountToken(app: FastifyInstance, db: Db, cache: TokenCache, workers = 1): Promise<void> {
  const endpoints = oauthEndpoints(db, cache, workers)
  await app.register(async (scope) => {
    readFormBodies(scope)
    // The caller's errors have the form of RFC 6749 §5.2; the service's own are problem+json, as everywhere.
    scope.setErrorHandler((error: Error, request, reply) => {
      const problem = toProblem(error)
      if (problem.status >= 500 && isFault(problem))
        app.log.error({ reqId: request.id, err: problem.cause ?? error }, problem.message)
      if (problem.status < 500 || problem.status === 503) return send(reply, failureFrom(problem))
      return sendProblem(problem, request, reply)
    })
    for (const name of ['token', 'revoke'] as const)
      scope.post(`/oauth2/${name}`, async (request, reply) => send(reply, await endpoints[name](toOAuth(request))))
  })

  /** RFC 8414 §3. */
  app.get('/.well-known/oauth-authorization-server', async (request) => {
    const issuer = originOf(request)
    const methods = ['client_secret_basic', 'client_secret_post']
    return {
      issuer,
      token_endpoint: `${issuer}/oauth2/token`,
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      revocation_endpoint_auth_methods_supported: methods,
      grant_types_supported: GRANTS,
      response_types_supported: [], // there is no authorization endpoint
      scopes_supported: groups,
      service_documentation: `${issuer}/docs`,
    }
  })
}

const toOAuth = (request: FastifyRequest) => ({
  body: (request.body ?? {}) as Record<string, unknown>,
  authorization: request.headers.authorization,
  address: addressOf(request),
})

function send(reply: FastifyReply, { status, headers, body }: OAuthResponse): FastifyReply {
  if (typeof body['error'] === 'string') refusals.add({ reason: body['error'] })
  return reply.code(status).headers(headers).send(body)
}
