/** Checks the access token of a request (RFC 6750) and that its client may use the report's group. */
import type { FastifyRequest } from 'fastify'
import type { Db } from '../db/connect.js'
import { Problem } from '../errors.js'
import { type Caller, findToken } from '../oauth/access.js'

export async function authorize(db: Db, request: FastifyRequest, group: string): Promise<Caller> {
  const caller = await callerOf(db, request.headers.authorization)
  if (caller.groups !== null && !caller.groups.includes(group))
    throw new Problem('forbidden', {
      detail: `This client may use ${caller.groups.join(', ')}, not ${group}.`,
      headers: { 'www-authenticate': `Bearer realm="millbook", error="insufficient_scope", scope="${group}"` },
    })
  return caller
}

async function callerOf(db: Db, authorization: string | undefined): Promise<Caller> {
  if (authorization === undefined)
    // RFC 6750 §3: without any authentication, the challenge carries no error code.
    throw new Problem('unauthorized', {
      detail: 'Send the header Authorization: Bearer <access_token>; POST /oauth2/token gives one.',
      headers: { 'www-authenticate': 'Bearer realm="millbook"' },
    })
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  const caller = token && (await findToken(db, 'access', token))
  if (!caller)
    throw new Problem('unauthorized', {
      detail: 'The access token is malformed, unknown or has expired; POST /oauth2/token gives a new one.',
      headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
    })
  return caller
}
