/** The caller's address, and the origin under which it reached this service (for links). */
import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../errors.js'

/** The last result: nearly every request has the same origin. */
let last = { protocol: '', host: '', origin: '' }

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin of --public-url, which then does not follow the Host header. */
    publicOrigin: string | undefined
  }
}

export const originOf = (request: FastifyRequest): string => request.server.publicOrigin ?? namedOrigin(request)

/** The origin that the request names. Allows http and https only: a trusted proxy may forward any scheme that its caller sent. */
export function namedOrigin(request: FastifyRequest): string {
  const { protocol, host } = request
  if (host === '' || host !== last.host || protocol !== last.protocol) {
    const scheme = (protocol as string) === 'https' ? 'https' : 'http'
    last = { protocol, host, origin: new URL(`${scheme}://${hostOf(request)}`).origin }
  }
  return last.origin
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** The Host header; without one, which only HTTP/1.0 allows, the local address of the connection. */
function hostOf({ host, socket, raw }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket
  if (!host && raw.httpVersion !== '1.0')
    throw new Problem('malformed-request', { detail: 'The Host header is empty; send the host of this service.' })
  const named = host || `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
  if (!HOST.test(named) || !URL.canParse(`http://${named}`))
    throw new Problem('malformed-request', {
      detail: 'The Host header is not a valid host; send the host of this service, such as reports.example:8080.',
    })
  return named
}

/** An onRequest hook: HTTP/1.1 requires one Host header (RFC 9112 §3.2). */
export function requireHost({ raw }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if (hasTwoHosts(raw.rawHeaders))
    done(new Problem('malformed-request', { detail: 'There are two Host headers; send one.' }))
  else if (raw.headers.host !== undefined || raw.httpVersion === '1.0') done()
  else done(new Problem('malformed-request', { detail: 'The Host header is missing; send the host of this service.' }))
}

/** Node takes the first and ignores the others, where a proxy may take the last. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** The address that a trusted proxy forwarded, without a port; the proxy's own address if that is no address. */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, inBrackets, bare] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(ip) ?? []
  return [ip, inBrackets, bare].find((text) => text !== undefined && isIP(text) > 0) ?? socket.remoteAddress ?? ''
}
