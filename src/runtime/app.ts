/** The whole HTTP service, apart from listening: tests use it as production does. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { tokenCache } from '../access/tokens.js'
import type { Database } from '../db/connect.js'
import { type LoadOptions, limitLoad } from '../http/concurrency.js'
import { type ConnectionOptions, makeServer, tendConnections } from '../http/connections.js'
import { allowOrigins } from '../http/cors.js'
import { answerBadHttp, handleErrors, sendProblem, toProblem } from '../http/errors.js'
import { everyHeader } from '../http/headers.js'
import { inTurns, type LineWriter, logRequests } from '../http/log.js'
import { readJsonBodies } from '../http/request-body.js'
import { keepPairFresh, readPair, type TlsFiles } from '../http/tls.js'
import { Kernel } from '../kernel/ask.js'
import type { Report } from '../kernel/report.js'
import { SnapshotFolder } from '../store/snapshots.js'
import { followVersions } from '../store/versions.js'
import * as list from '../surfaces/list.js'
import type { Services, Surface } from '../surfaces/surface.js'

export interface AppOptions extends ConnectionOptions, LoadOptions {
  database: Pick<Database, 'db' | 'engine' | 'listen'>
  reports: readonly Report[]
  /** The folder of reports that were worked out, shared by processes on one database; one of its own unless given. */
  snapshots?: string
  /** Addresses or networks whose X-Forwarded-* headers are believed. */
  trustedProxies?: string[]
  /** Units a minute of a client that has no rate of its own; 0, as by default here, for no limit. */
  rate?: number
  /** Origins whose pages may call the service from a browser; `*` for all. */
  corsOrigins?: string[]
  /** With these, the service speaks HTTPS only. */
  tls?: TlsFiles | undefined
  /** How many processes answer together: a client's rate and the checks of secrets are shared out among them. */
  workers?: number
  /** The number of this one among them, for the log. */
  worker?: number
  logLevel?: string
  /** Where the log goes; stderr unless said otherwise. */
  logTo?: LineWriter
}

const surfaces = Object.values<Surface>(list)

/** Whatever is logged, these never are. */
const SECRETS = [
  'authorization',
  'password',
  'client_secret',
  'refresh_token',
  'refreshToken',
  'access_token',
  'token',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
const BODY_LIMIT = 64 * 1024
/** A caller's own request id is kept if it is harmless. */
const REQUEST_ID = /^[\w.:-]{1,64}$/

/** Surfaces parse the query string themselves, and only where they have not seen it before. */
const unparsed = () => ({})

/** Unlike any other: a name for this process, and a count. */
const PROCESS = randomBytes(9).toString('base64url')
let requests = 0
const newRequestId = () => `${PROCESS}-${++requests}`

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    database,
    snapshots,
    reports,
    trustedProxies = [],
    corsOrigins = [],
    tls,
    rate = 0,
    workers = 1,
    worker,
    logLevel = 'info',
    logTo = process.stderr,
  } = options
  const { db } = database
  const pair = tls && readPair(tls)
  const lines = inTurns(logTo)
  const base = { pid: process.pid, hostname: hostname(), ...(worker !== undefined && { worker }) }
  const app = Fastify({
    serverFactory: (handler) => makeServer(handler, options, pair),
    bodyLimit: BODY_LIMIT,
    return503OnClosing: false, // what still comes is answered, and ends its connection
    routerOptions: { querystringParser: unparsed },
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    frameworkErrors: (error, request, reply) => {
      begin?.(request, reply, () => {})
      reply.headers(everyHeader(request))
      sendProblem(toProblem(error), request, reply)
    },
    clientErrorHandler: (error, socket) => answerBadHttp(error, socket, app.log),
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId()
    },
  })
  // Not handed to Fastify: it would listen for the end of every answer, and make a logger for every request.
  app.log = pino({ level: logLevel, redact: SECRETS, base }, lines)
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  handleErrors(app)
  readJsonBodies(app)

  tendConnections(app, options, tls !== undefined)
  if (tls && pair) keepPairFresh(app, tls, pair)
  const begin = ['info', 'debug', 'trace'].includes(logLevel) ? logRequests(base, lines.later) : undefined
  if (begin) app.addHook('onRequest', begin)
  app.addHook('onSend', (request, reply, _payload, done) => {
    const headers = everyHeader(request)
    for (const name in headers) if (!reply.hasHeader(name)) reply.header(name, headers[name])
    done()
  })
  allowOrigins(app, corsOrigins)

  const versions = followVersions(database)
  const folder = snapshots ?? mkdtempSync(join(tmpdir(), 'millbook-snapshots-'))
  const kernel = new Kernel(database, versions, new SnapshotFolder(folder), (error) =>
    app.log.warn({ err: error }, 'computing a report in the background failed'),
  )
  app.addHook('onClose', async () => {
    await kernel.drain()
    await versions.close()
    if (snapshots === undefined) rmSync(folder, { recursive: true, force: true })
    lines.close()
  })

  app.decorateRequest('caller', null)
  app.decorateRequest('allowance', null)
  const tokens = tokenCache(db, versions)
  const services: Services = { database, reports, kernel, tokens, rate, workers, surfaces }
  const mount = async (scope: FastifyInstance, surface: Surface) =>
    scope.register(async (own) => surface.mount(own, services))
  for (const surface of surfaces) if (!surface.limited) await mount(app, surface)
  await app.register(async (limited) => {
    limitLoad(limited, options)
    for (const surface of surfaces) if (surface.limited) await mount(limited, surface)
  })
  return app
}
