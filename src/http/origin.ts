/** The address that a caller used for this service, for links to it. */
import type { FastifyRequest } from 'fastify'
import { Problem } from '../errors.js'

export const originOf = (request: FastifyRequest): string => new URL(`${request.protocol}://${hostOf(request)}`).origin

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** The host that the caller used; where it named none (HTTP/1.0), the address that it reached. */
function hostOf({ host, socket }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket
  const named = host || `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
  const port = Number(/:(\d+)$/.exec(named)?.[1] ?? 0)
  if (!HOST.test(named) || port > 65_535)
    throw new Problem('malformed-request', { detail: 'The Host header is not a host.' })
  return named
}
