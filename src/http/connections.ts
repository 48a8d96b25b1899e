/** The server under the app: how long a connection may take over what, how many there may be, and how they end. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Pair, TLS_OPTIONS } from './tls.js'

/** In milliseconds. */
export interface Timeouts {
  /** From the first moment of a connection or request until its headers are complete; also for a TLS handshake. */
  headers: number
  /** Until the request is complete, with its body. */
  request: number
  /** Between two requests. More than the 60 seconds of the usual proxies: they are the ones to close it. */
  keepAlive: number
  /** While a client takes no byte of an answer that waits for it. */
  answer: number
  /** How often the first two are looked at. */
  check: number
}

const TIMEOUTS: Timeouts = { headers: 10_000, request: 30_000, keepAlive: 72_000, answer: 30_000, check: 1_000 }

export interface ConnectionOptions {
  timeouts?: Partial<Timeouts>
  /** More are closed as soon as they are made. */
  maxConnections?: number
}

export const MAX_CONNECTIONS = 1024
const MAX_HEADER_BYTES = 16 * 1024

export function makeServer(handler: RequestListener, options: ConnectionOptions, pair: Pair | undefined): Server {
  const { headers, request, keepAlive, check } = { ...TIMEOUTS, ...options.timeouts }
  const limits = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: check,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAlive: true, // of TCP: finds out that a client's machine is gone
  }
  const server =
    pair === undefined
      ? createServer(limits, handler)
      : // To Fastify, and to what is used of it here, both kinds are the same.
        (createTlsServer(
          { ...limits, ...TLS_OPTIONS, ...pair, handshakeTimeout: headers },
          handler,
        ) as unknown as Server)
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS
  return server
}

/** Looks after connections as long as the app runs. */
export function tendConnections(app: FastifyInstance, options: ConnectionOptions, tls: boolean): void {
  const { answer } = { ...TIMEOUTS, ...options.timeouts }
  closeIdleConnections(app, tls)
  limitPipelines(app)
  cutOffUnread(app, answer)
  tellOfRefused(app)
}

/** Ends connections without a running request when the service closes: they would hold it up. */
function closeIdleConnections(app: FastifyInstance, tls: boolean): void {
  const open = new Set<Socket>()
  const idle = new Set<Socket>()
  let closing = false
  // With TLS, requests come on the sockets of the second event; one still in its handshake ends with that in time.
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket)
    idle.add(socket) // also one that never sends anything, as browsers and load balancers keep ready
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
  })
  app.addHook('onRequest', async (request) => {
    idle.delete(request.raw.socket)
  })
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
    // Fastify would close it with a body that it refuses. While the client still sends, that resets the connection, and the
    // answer is lost with it; so the rest is read and thrown away, for as long as a request may take.
    else if (reply.hasHeader('connection')) reply.removeHeader('connection')
  })
  app.addHook('onResponse', async (request) => {
    if (open.has(request.raw.socket)) idle.add(request.raw.socket)
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of idle) socket.destroy()
  })
}

/** Requests on one connection that come before the answers to earlier ones: few programs send any, and none so many. */
const MAX_PIPELINED = 32

function limitPipelines(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>()
  app.server.on('request', ({ socket }, answer) => {
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    answer.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
    if (count > MAX_PIPELINED) socket.destroy()
  })
}

/** Only the client's slowness counts, not ours: the time runs while bytes wait for it, and begins anew with each it takes. */
function cutOffUnread(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onSend', async (request, reply) => {
    reply.raw.setTimeout(milliseconds, () => {
      if (request.raw.socket.writableLength > 0) request.raw.socket.destroy()
    })
  })
}

/** At most once a minute: who floods the service must not flood its log too. */
function tellOfRefused(app: FastifyInstance): void {
  let told = Number.NEGATIVE_INFINITY
  app.server.on('drop', () => {
    if (performance.now() - told < 60_000) return
    told = performance.now()
    app.log.warn({ maxConnections: app.server.maxConnections }, 'too many connections: new ones are refused')
  })
}
