/** The HTTP server under the app: the time limits of a connection, how many there may be, and how they end. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { BlockList, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { network } from '../network.js'
import { whenOver } from './response-end.js'
import { type Pair, TLS_OPTIONS } from './tls.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * For a worker that another one has replaced and that gets no new connections: returns when its connections have
     * closed. Each closes with its next response, or when it has been idle for a while; no request on its way is lost.
     */
    drain(): Promise<void>
  }
}

/** In milliseconds. */
export interface Timeouts {
  /** From the start of a connection or request until its headers are complete; also for a TLS handshake. */
  headers: number
  /** Until the request is complete, with its body. */
  request: number
  /** Between two requests. Longer than the 60 seconds of the usual proxies, so that the proxy closes first. */
  keepAlive: number
  /** While a client reads no byte of a response that waits for it. */
  response: number
  /** Without a request, in a worker that drains. */
  drain: number
  /** How often headers, requests and waiting responses are checked. */
  check: number
}

const TIMEOUTS: Timeouts = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 72_000,
  response: 30_000,
  drain: 5_000,
  check: 1_000,
}

export interface ConnectionOptions {
  timeouts?: Partial<Timeouts>
  /** Connections past this many are closed as soon as they are made. */
  maxConnections?: number
  /** The same for one address; an IPv6 address counts as its /64 network. */
  maxConnectionsPerAddress?: number
  /** Addresses without that limit: proxies, whose connections are of many callers. */
  exempt?: Pick<BlockList, 'check'>
}

export const MAX_CONNECTIONS = 1024
/** As many as requests may run at once: also a proxy that is not trusted has enough for every running request. */
export const MAX_CONNECTIONS_PER_ADDRESS = 256
const MAX_HEADER_BYTES = 16 * 1024
/** The most pipelined requests on one connection; few programs pipeline at all. */
const MAX_PIPELINED = 32

/** Of the listening socket. http.Server sets the same on connections that it accepts itself. */
export const TCP_OPTIONS = { noDelay: true, keepAlive: true } // keepAlive finds out that a client's machine is gone

export function makeServer(handler: RequestListener, options: ConnectionOptions, pair: Pair | undefined): Server {
  const { headers, request, keepAlive, check } = { ...TIMEOUTS, ...options.timeouts }
  const limits = {
    ...TCP_OPTIONS,
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: check,
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false, // Node would reject the request with an empty response; origin.ts rejects it in words
  }
  const server =
    pair === undefined
      ? createServer(limits, handler)
      : // Fastify and this file use only members that both kinds of server have.
        (createTlsServer(
          { ...limits, ...TLS_OPTIONS, ...pair, handshakeTimeout: headers },
          handler,
        ) as unknown as Server)
  // Ignore Expect headers: Node would reject unknown ones with an empty response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** An open connection. */
interface Connection {
  /** Responses that have not ended. */
  readonly responses: ServerResponse[]
  idleSince: number
}

const CONNECTION = Symbol('connection')
type KnownSocket = Socket & { [CONNECTION]?: Connection }

const ignore = () => {}

/** Watches the app's connections from their start to their end. */
export function tendConnections(app: FastifyInstance, options: ConnectionOptions, tls: boolean): void {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const sockets = capConnections(app, options)
  const connections = new Map<Socket, Connection>()
  let [closing, ending] = [false, false]
  // With TLS, requests arrive on the sockets of the second event.
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    const connection: Connection = { responses: [], idleSince: performance.now() }
    connections.set(socket, connection)
    ;(socket as KnownSocket)[CONNECTION] = connection
    socket.once('close', () => {
      connections.delete(socket)
      // Node emits no close event on the later responses of a pipeline.
      for (const response of [...connection.responses]) response.emit('close')
    })
  })
  app.server.prependListener('request', ({ socket }, response) => {
    const connection = (socket as KnownSocket)[CONNECTION]
    if (connection === undefined) return
    const { responses } = connection
    responses.push(response)
    response.on('error', ignore) // the sender handles it; without a listener it would end the process
    whenOver(response, () => {
      responses.splice(responses.indexOf(response), 1)
      connection.idleSince = performance.now()
      if (ending && responses.length === 0) socket.destroySoon() // its headers may have promised keep-alive
    })
    if (closing) response.shouldKeepAlive = false
    if (responses.length > MAX_PIPELINED) socket.destroy()
  })
  // Fastify would close the connection after it has refused a body. While the client still sends, that resets the
  // connection and loses the response; so the rest of the body is read and discarded, within the request timeout.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!closing && reply.hasHeader('connection')) reply.removeHeader('connection')
    done()
  })
  /** From now on each connection closes after its last response, which says so unless its headers have been sent. */
  const closeAfterResponses = () => {
    closing = true
    for (const { responses } of connections.values()) {
      const last = responses.at(-1)
      if (last !== undefined) last.shouldKeepAlive = false
    }
  }
  const closeIdle = (idleMs: number, from = 0) => {
    const now = performance.now()
    for (const [socket, { responses, idleSince }] of connections)
      if (responses.length === 0 && now - Math.max(from, idleSince) >= idleMs) socket.destroy()
  }
  app.addHook('preClose', async () => {
    ending = true
    closeAfterResponses()
    closeIdle(0)
    // Fastify waits for the connections of a server that listens; a worker's does not.
    while (!app.server.listening && sockets.size > 0) await sleep(20)
  })
  app.decorate('drain', async () => {
    closeAfterResponses()
    const from = performance.now()
    while (sockets.size > 0) {
      closeIdle(timeouts.drain, from)
      await sleep(20)
    }
  })
  closeUnread(app, connections, timeouts)
}

/**
 * Counts the open sockets, also during a TLS handshake, and closes connections past the limit. The server's own maxConnections
 * would not do: it counts only connections that it accepted itself, and workers are handed theirs.
 */
function capConnections(app: FastifyInstance, options: ConnectionOptions): ReadonlySet<Socket> {
  const { maxConnections = MAX_CONNECTIONS, maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS, exempt } = options
  const sockets = new Set<Socket>()
  const byAddress = new Map<string, number>()
  let logged = Number.NEGATIVE_INFINITY
  const refuse = (socket: Socket, about: object, message: string) => {
    socket.destroy()
    if (performance.now() - logged < 60_000) return // a flood of connections must not flood the log
    logged = performance.now()
    app.log.warn(about, message)
  }
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress = '', remoteFamily } = socket
    const address = network(remoteAddress)
    const open = byAddress.get(address) ?? 0
    if (sockets.size >= maxConnections)
      return refuse(socket, { maxConnections }, 'too many connections: new ones are refused')
    if (open >= maxConnectionsPerAddress && !exempt?.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4'))
      return refuse(
        socket,
        { address, maxConnectionsPerAddress },
        'too many connections from one address: new ones are refused; if it is a proxy, name it in --trusted-proxies',
      )
    sockets.add(socket)
    byAddress.set(address, open + 1)
    socket.once('close', () => {
      sockets.delete(socket)
      const left = (byAddress.get(address) ?? 1) - 1
      if (left === 0) byAddress.delete(address)
      else byAddress.set(address, left)
    })
  })
  return sockets
}

/**
 * Closes connections whose client does not read: the timeout runs while bytes wait for the client, and starts again with
 * each byte that it takes. Most responses leave at once, so only those found waiting get a timer.
 */
function closeUnread(app: FastifyInstance, connections: Map<Socket, Connection>, timeouts: Timeouts): void {
  const timed = new WeakSet<ServerResponse>()
  const check = setInterval(() => {
    for (const [socket, { responses }] of connections)
      for (const response of responses) {
        if (!response.headersSent || timed.has(response)) continue
        timed.add(response)
        response.setTimeout(timeouts.response, () => {
          if (socket.writableLength > 0) socket.destroy()
        })
        // The next response may still be computed, and the client is not slow then.
        whenOver(response, () => {
          if (responses.length > 0) socket.setTimeout(0)
        })
      }
  }, timeouts.check).unref()
  app.addHook('onClose', async () => clearInterval(check))
}
