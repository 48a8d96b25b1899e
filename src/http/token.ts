/** POST /oauth2/token: JSON bodies as in the contract, and forms as in RFC 6749. */
import type { FastifyInstance } from 'fastify'
import type { Db } from '../db/connect.js'
import { failure, type TokenAnswer, tokenEndpoint } from '../oauth/grants.js'
import { readFormBodies } from './body.js'
import { sendProblem, toProblem } from './errors.js'

export async function mountToken(app: FastifyInstance, db: Db): Promise<void> {
  const answer = tokenEndpoint(db)
  await app.register(async (scope) => {
    readFormBodies(scope)
    // What cannot be read is answered as RFC 6749 §5.2 has it; what is our fault, as everywhere else.
    scope.setErrorHandler((error: Error, request, reply) => {
      const problem = toProblem(error)
      if (problem.status < 500)
        return send(failure(problem.status, 'invalid_request', problem.detail ?? problem.message))
      request.log.error({ err: problem.cause ?? error }, problem.message)
      return sendProblem(problem, request, reply)

      function send({ status, headers, body }: TokenAnswer) {
        return reply.code(status).headers(headers).send(body)
      }
    })
    scope.post('/oauth2/token', async (request, reply) => {
      const { status, headers, body } = await answer(
        (request.body ?? {}) as Record<string, unknown>,
        request.headers.authorization,
      )
      return reply.code(status).headers(headers).send(body)
    })
  })
}
