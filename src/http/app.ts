/** The whole HTTP service, apart from listening: tests use it as production does. */
import { randomUUID } from 'node:crypto'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Db } from '../db/connect.js'
import { tokenCache } from '../oauth/tokens.js'
import type { Report } from '../report/define.js'
import { readJsonBodies } from './body.js'
import { closeIdleConnections } from './connections.js'
import { mountDocs } from './docs.js'
import { answerBadHttp, handleErrors, sendProblem, toProblem } from './errors.js'
import { mountHealth } from './health.js'
import { rateLimit } from './rate.js'
import { mountReports } from './reports.js'
import { mountToken } from './token.js'

export interface AppOptions {
  db: Db
  reports: readonly Report[]
  /** Addresses or networks whose X-Forwarded-* headers are believed. */
  trustedProxies?: string[]
  /** Units a minute of a client that has no rate of its own; 0, as by default here, for no limit. */
  rate?: number
  logLevel?: string
  /** Where the log goes; stderr unless said otherwise. */
  logTo?: { write(line: string): void }
}

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
/** Pages load and call nothing but this service. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'", 'data:'],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
}
/** A caller's own request id is kept if it is harmless. */
const REQUEST_ID = /^[\w.:-]{1,64}$/

export async function buildApp({
  db,
  reports,
  trustedProxies = [],
  rate = 0,
  logLevel = 'info',
  logTo = process.stderr,
}: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: {
      level: logLevel,
      stream: logTo,
      redact: SECRETS,
    },
    logController: new LogController({ disableRequestLogging: true }), // one line per request is written below
    bodyLimit: BODY_LIMIT,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    frameworkErrors: (error, request, reply) => void sendProblem(toProblem(error), request, reply),
    clientErrorHandler: answerBadHttp,
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
  })
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  handleErrors(app)
  readJsonBodies(app)
  await app.register(helmet, { contentSecurityPolicy, hsts: false })

  closeIdleConnections(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?')[0], // a query string may hold what does not belong into a log
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.caller && { client: request.caller.name }),
      },
      'answered',
    )
  })

  mountHealth(app, db)
  const cache = tokenCache(db)
  await mountToken(app, db, cache)
  mountReports(app, db, cache, rateLimit(db, rate), reports)
  mountDocs(app, reports)
  return app
}
