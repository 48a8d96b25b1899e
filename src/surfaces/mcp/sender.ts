/**
 * Who may send to /mcp: no page of another site (the Origin header), and no page that made a browser take its name for this machine
 * (the Host header). The specification asks for both.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../errors.js'
import { originOf } from '../../http/origin.js'

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

export function checkSender(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  try {
    const { origin } = request.headers
    const own = originOf(request)
    // CORS has let the origins in that the operator allows.
    const isAllowed = reply.hasHeader('access-control-allow-origin')
    if (origin !== undefined && origin !== own && !isAllowed)
      throw refused(`The request comes from a page of ${origin.slice(0, 100)}, which may not send it.`)
    checkHost(request)
    done()
  } catch (error) {
    done(error as Error)
  }
}

function checkHost({ headers: { host = '' }, server, socket, ip }: FastifyRequest): void {
  const { publicOrigin } = server
  if (publicOrigin !== undefined && host === new URL(publicOrigin).host) return
  // A trusted proxy has forwarded the request, and names the host that it got.
  if (ip !== socket.remoteAddress) return
  if (!LOOPBACK_ADDRESS.test(socket.localAddress ?? '')) {
    if (publicOrigin === undefined) return
    throw refused(`The Host header is not ${new URL(publicOrigin).host}.`)
  }
  if (!LOOPBACK_NAME.test(host))
    throw refused(
      'The Host header is not this machine. Behind a proxy, start the service with --public-url or --trusted-proxies.',
    )
}

const refused = (detail: string) => new Problem('forbidden', { detail })
