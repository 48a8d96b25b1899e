/** Mounts the OAuth 2 endpoints and their metadata; /oauth2/token and /oauth2/revoke take JSON (the contract) and forms (the RFCs). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ClientDocuments } from '../../access/client-documents.js'
import { GRANTS } from '../../access/clients.js'
import type { Guard } from '../../access/sign-in.js'
import type { TokenCache } from '../../access/token-cache.js'
import type { Db } from '../../db/connect.js'
import { groups } from '../../groups.js'
import { isFault, sendProblem, toProblem } from '../../http/errors.js'
import { addressOf, originOf } from '../../http/origin.js'
import { readFormBodies } from '../../http/request-body.js'
import { refusals } from '../../metrics/metrics.js'
import { mountAuthorize } from './authorize-routes.js'
import { oauthEndpoints } from './grants.js'
import { failureFrom, type OAuthResponse } from './responses.js'

export async function mountOAuth(
  app: FastifyInstance,
  db: Db,
  cache: TokenCache,
  guard: Guard,
  documents: ClientDocuments,
): Promise<void> {
  const endpoints = oauthEndpoints(db, cache, guard)
  await mountAuthorize(app, db, guard, documents)
  await app.register(async (scope) => {
    readFormBodies(scope)
    // Errors of the caller have the form of RFC 6749 §5.2; errors of the service are problem+json, as everywhere.
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
    const methods = ['client_secret_basic', 'client_secret_post', 'none']
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/oauth2/token`,
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      revocation_endpoint_auth_methods_supported: methods,
      grant_types_supported: GRANTS,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true, // RFC 9207
      client_id_metadata_document_supported: documents.areAllowed,
      scopes_supported: groups,
      service_documentation: `${issuer}/docs`,
    }
  })

  /** RFC 9728 §3. */
  app.get('/.well-known/oauth-protected-resource', async (request) => {
    const resource = originOf(request)
    return {
      resource,
      authorization_servers: [resource],
      scopes_supported: groups,
      bearer_methods_supported: ['header'],
      resource_name: 'Millbook',
      resource_documentation: `${resource}/docs`,
    }
  })
}

const toOAuth = (request: FastifyRequest) => ({
  body: (request.body ?? {}) as Record<string, unknown>,
  authorization: request.headers.authorization,
  address: addressOf(request),
  issuer: originOf(request),
})

function send(reply: FastifyReply, { status, headers, body }: OAuthResponse): FastifyReply {
  if (typeof body['error'] === 'string') refusals.add({ reason: body['error'] })
  return reply.code(status).headers(headers).send(body)
}
