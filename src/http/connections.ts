/** The server under the app: how long a connection may take over what, how many there may be, and how they end. */
import cluster from 'node:cluster'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { tellPiledUp, whenOver } from './over.js'
import { type Pair, TLS_OPTIONS } from './tls.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * For a process whose place another one has taken: takes no new connections, and returns when those it has are over.
     * Each ends with its next answer, or when it has been idle for a while; no request that is on its way is lost.
     */
    letGo(): Promise<void>
  }
}

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
  /** Without a request, in a process whose place another one has taken. */
  letGo: number
  /** How often the first two are looked at. */
  check: number
}

const TIMEOUTS: Timeouts = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 72_000,
  answer: 30_000,
  letGo: 5_000,
  check: 1_000,
}

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
  const most = options.maxConnections ?? MAX_CONNECTIONS
  if (cluster.isWorker) dropPast(server, most)
  else server.maxConnections = most
  return server
}

/** Node would hand a connection that one worker refuses to the next, and round again for as long as all are full. */
function dropPast(server: Server, most: number): void {
  let open = 0
  server.on('connection', (socket: Socket) => {
    if (open >= most) {
      socket.destroy()
      server.emit('drop')
      return
    }
    open++
    socket.once('close', () => open--)
  })
}

/** Looks after connections as long as the app runs. */
export function tendConnections(app: FastifyInstance, options: ConnectionOptions, tls: boolean): void {
  const { answer, letGo } = { ...TIMEOUTS, ...options.timeouts }
  endConnections(app, tls, letGo)
  tellPiledUp(app.server, MAX_PIPELINED)
  cutOffUnread(app, answer)
  tellOfRefused(app, options.maxConnections ?? MAX_CONNECTIONS)
}

/** Ends connections without a running request when the service closes, at once or after a while: they would hold it up. */
function endConnections(app: FastifyInstance, tls: boolean, letGoMs: number): void {
  const open = new Set<Socket>()
  /** Since when. */
  const idle = new Map<Socket, number>()
  let closing = false
  // With TLS, requests come on the sockets of the second event; one still in its handshake ends with that in time.
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket)
    idle.set(socket, performance.now()) // also one that never sends anything, as browsers and load balancers keep ready
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    idle.delete(socket)
    whenOver(reply.raw, () => {
      if (open.has(socket)) idle.set(socket, performance.now())
    })
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    // Fastify would close it with a body that it refuses. While the client still sends, that resets the connection, and the
    // answer is lost with it; so the rest is read and thrown away, for as long as a request may take.
    else if (reply.hasHeader('connection')) reply.removeHeader('connection')
    done()
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of idle.keys()) socket.destroy()
  })
  app.decorate('letGo', async () => {
    closing = true
    const from = performance.now()
    NetServer.prototype.close.call(app.server) // that of HTTP would cut off idle connections as well
    const count = promisify(app.server.getConnections.bind(app.server))
    while ((await count()) > 0) {
      const now = performance.now()
      for (const [socket, since] of idle) if (now - Math.max(from, since) > letGoMs) socket.destroy()
      await sleep(20)
    }
  })
}

/** Requests on one connection that come before the answers to earlier ones: few programs send any, and none so many. */
const MAX_PIPELINED = 32

/**
 * Only the client's slowness counts, not ours: the time runs while bytes wait for it, and begins anew with each it takes.
 * Most answers have left by the end of the turn that they are sent in: only for others a clock is set.
 */
function cutOffUnread(app: FastifyInstance, milliseconds: number): void {
  let sent: FastifyReply[] = []
  const watch = () => {
    const some = sent
    sent = []
    for (const { raw } of some) {
      if (raw.writableFinished || raw.destroyed) continue
      raw.setTimeout(milliseconds, () => {
        if (raw.socket !== null && raw.socket.writableLength > 0) raw.socket.destroy()
      })
    }
  }
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (sent.length === 0) setImmediate(watch)
    sent.push(reply)
    done()
  })
}

/** At most once a minute: who floods the service must not flood its log too. */
function tellOfRefused(app: FastifyInstance, maxConnections: number): void {
  let told = Number.NEGATIVE_INFINITY
  app.server.on('drop', () => {
    if (performance.now() - told < 60_000) return
    told = performance.now()
    app.log.warn({ maxConnections }, 'too many connections: new ones are refused')
  })
}
