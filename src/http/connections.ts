/** The server under the app: how long a connection may take over what, how many there may be, and how they end. */
import cluster from 'node:cluster'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { whenOver } from './response-end.js'
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
  /** How often the first two are looked at, and whether an answer waits for its client. */
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
  // Node would refuse what it does not know without a word; nothing has to be expected of us.
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer))
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

/** A connection: the answers that are still to come on it, and since when there were none. */
interface Line {
  readonly answers: ServerResponse[]
  idleSince: number
}

const LINE = Symbol('line')
type OnLine = Socket & { [LINE]?: Line }

/** Requests on one connection that come before the answers to earlier ones: few programs send any, and none so many. */
const MAX_PIPELINED = 32

const nothing = () => {}

/** Looks after connections as long as the app runs. */
export function tendConnections(app: FastifyInstance, options: ConnectionOptions, tls: boolean): void {
  const { answer, letGo, check } = { ...TIMEOUTS, ...options.timeouts }
  const lines = new Map<Socket, Line>()
  let [closing, ending] = [false, false]
  // With TLS, requests come on the sockets of the second event; one still in its handshake ends with that in time.
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    const line: Line = { answers: [], idleSince: performance.now() }
    lines.set(socket, line)
    ;(socket as OnLine)[LINE] = line
    socket.once('close', () => {
      lines.delete(socket)
      // Where requests were piled up, Node does not tell the later answers of the end.
      for (const one of [...line.answers]) one.emit('close')
    })
  })
  app.server.prependListener('request', ({ socket }, one) => {
    const line = (socket as OnLine)[LINE]
    if (line === undefined) return
    line.answers.push(one)
    one.on('error', nothing) // whoever sends hears of it; without a listener it would end the process
    whenOver(one, () => {
      line.answers.splice(line.answers.indexOf(one), 1)
      line.idleSince = performance.now()
      if (ending && line.answers.length === 0) socket.destroySoon() // its head may have been written before
    })
    if (closing) one.shouldKeepAlive = false
    if (line.answers.length > MAX_PIPELINED) socket.destroy()
  })
  // Fastify would close the connection with a body that it refuses. While the client still sends, that resets it, and the
  // answer is lost with it; so the rest is read and thrown away, for as long as a request may take.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!closing && reply.hasHeader('connection')) reply.removeHeader('connection')
    done()
  })
  /** From now on each connection ends with the last answer that is to come on it, and says so if it can still. */
  const close = () => {
    closing = true
    for (const { answers } of lines.values()) {
      const last = answers.at(-1)
      if (last !== undefined) last.shouldKeepAlive = false
    }
  }
  const endIdle = (idleMs: number, from = 0) => {
    const now = performance.now()
    for (const [socket, { answers, idleSince }] of lines)
      if (answers.length === 0 && now - Math.max(from, idleSince) >= idleMs) socket.destroy()
  }
  app.addHook('preClose', async () => {
    ending = true
    close()
    endIdle(0) // they would hold it up
  })
  app.decorate('letGo', async () => {
    close()
    const from = performance.now()
    NetServer.prototype.close.call(app.server) // that of HTTP would cut off idle connections as well
    const count = promisify(app.server.getConnections.bind(app.server))
    while ((await count()) > 0) {
      endIdle(letGo, from)
      await sleep(20)
    }
  })
  cutOffUnread(app, lines, answer, check)
  tellOfRefused(app, options.maxConnections ?? MAX_CONNECTIONS)
}

/**
 * Only the client's slowness counts, not ours: the time runs while bytes wait for it, and begins anew with each it takes.
 * Most answers have left at once: a clock is set for those only that are found waiting.
 */
function cutOffUnread(app: FastifyInstance, lines: Map<Socket, Line>, milliseconds: number, check: number): void {
  const timed = new WeakSet<ServerResponse>()
  const look = setInterval(() => {
    for (const [socket, { answers }] of lines)
      for (const one of answers) {
        if (!one.headersSent || timed.has(one)) continue
        timed.add(one)
        one.setTimeout(milliseconds, () => {
          if (socket.writableLength > 0) socket.destroy()
        })
        // The next answer may still be in work, which is no slowness of the client's.
        whenOver(one, () => {
          if (answers.length > 0) socket.setTimeout(0)
        })
      }
  }, check).unref()
  app.addHook('onClose', async () => clearInterval(look))
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
