/** Where a request comes from, and the address that its caller used for this service, for links to it. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../errors.js'

/** The last one asked for: nearly every request has the same. */
let known = { protocol: '', host: '', origin: '' }

/** A proxy that is trusted may still pass on whatever scheme its own caller named. */
export function originOf(request: FastifyRequest): string {
  const { protocol, host } = request
  if (host === '' || host !== known.host || protocol !== known.protocol) {
    const scheme = (protocol as string) === 'https' ? 'https' : 'http'
    known = { protocol, host, origin: new URL(`${scheme}://${hostOf(request)}`).origin }
  }
  return known.origin
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** The host that the caller used; where it named none, as only HTTP/1.0 allows, the address that it reached. */
function hostOf({ host, socket, raw }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket
  if (!host && raw.httpVersion !== '1.0')
    throw new Problem('malformed-request', { detail: 'The Host header is empty; it names this service.' })
  const named = host || `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
  if (!HOST.test(named) || !URL.canParse(`http://${named}`))
    throw new Problem('malformed-request', { detail: 'The Host header is not a host.' })
  return named
}

/** As a trusted proxy tells it, some of them with a port; where that is no address, the proxy's own. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const [, inBrackets, bare] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(ip) ?? []
  return [ip, inBrackets, bare].find((text) => text !== undefined && isIP(text) > 0) ?? socket.remoteAddress ?? ''
}
