/** Builds the HTTP service, everything but listening; tests and production use the same app. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { ClientDocuments, type FetchDocument } from '../access/client-documents.js'
import { rateLimit } from '../access/rate.js'
import { signInGuard } from '../access/sign-in.js'
import { tokenCache } from '../access/token-cache.js'
import type { Database } from '../db/connect.js'
import type { ReplicaServer } from '../db/replica.js'
import { inWords, Problem } from '../errors.js'
import { Admission } from '../http/admit.js'
import { type ConcurrencyOptions, limitConcurrency, Slots } from '../http/concurrency.js'
import { type ConnectionOptions, makeServer, tendConnections } from '../http/connections.js'
import { allowOrigins } from '../http/cors.js'
import { handleErrors, rejectBadHttp, sendProblem, toProblem } from '../http/errors.js'
import { defaultHeaders } from '../http/headers.js'
import { bufferedLines, type LineWriter } from '../http/log.js'
import { observeRequests, Trace } from '../http/observe.js'
import { requireHost } from '../http/origin.js'
import { Repeats } from '../http/repeats.js'
import { readJsonBodies } from '../http/request-body.js'
import { readPair, reloadOnChange, type TlsFiles } from '../http/tls.js'
import { Kernel } from '../kernel/answer/ask.js'
import type { Report } from '../kernel/report/report.js'
import { Traces } from '../metrics/traces.js'
import { networksOf } from '../network.js'
import { PROGRAM_VERSION } from '../program-version.js'
import { FEED_LIMITS } from '../store/manifests.js'
import { Replicas } from '../store/replicas.js'
import { SnapshotFolder } from '../store/snapshots.js'
import { followVersions, LEASE_MS } from '../store/versions.js'
import * as list from '../surfaces/list.js'
import type { Services, Surface } from '../surfaces/surface.js'

export interface AppOptions extends ConnectionOptions, ConcurrencyOptions {
  database: Pick<Database, 'db' | 'quick' | 'engine' | 'target' | 'listen' | 'onSilence'>
  /** Streaming replicas of the database, which are closed with the app. */
  replicas?: readonly ReplicaServer[]
  reports: readonly Report[]
  /** Folder for computed reports, shared by the processes on one database; a temporary folder by default. Other files lie beside it. */
  snapshots?: string
  /** Addresses or networks whose X-Forwarded-* headers are trusted. */
  trustedProxies?: string[]
  /** The origin of links and of the OAuth issuer; by default the origin that each request names. */
  publicUrl?: string | undefined
  /** The database with the login of the loader, for files that are brought in. */
  loaderDatabase?: string | undefined
  /** Units a minute of a client for which no rate is set; 0, the default here, for no limit. */
  rate?: number
  /** How many of the most used reports are computed again after a load; 0, the default here, for none. */
  warmUp?: number
  /** No report of the warm-up begins later than this. */
  warmUpSeconds?: number
  /** The days after which an unused `?since=` token expires, and the most records that are stored for such tokens. */
  changesDays?: number
  changesRecords?: number
  /** How long a process may use a data version that it has read; only tests change it. */
  leaseMs?: number
  /** Origins whose pages may call the service from a browser; `*` for all. */
  corsOrigins?: string[]
  /** Hosts whose programs may ask people to sign in without a registration; `*` for every public host. */
  clientDocuments?: string[]
  /** Only tests fetch the documents of such programs by other means. */
  fetchDocument?: FetchDocument
  /** If given, the service speaks HTTPS only. */
  tls?: TlsFiles | undefined
  /** The URL of an OpenTelemetry collector for traces, and the percentage of traces that it gets. */
  tracesTo?: string | undefined
  tracesPercent?: number
  /** Number of serving processes, each with its share of a client's rate and of the secret checks. */
  workers?: number
  /** The number of this process, for the log. */
  worker?: number
  logLevel?: string
  /** Default: stderr. */
  logTo?: LineWriter
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Cancels the statements of running requests, which then get 503. */
    cancel(): void
  }
}

const endingService = () =>
  new Problem('unavailable', {
    detail: 'The service is being stopped; try again in 5 seconds.',
    headers: { 'retry-after': '5' },
  })

const surfaces = Object.values<Surface>(list)

/** Fields that the logger redacts. */
const SECRETS = [
  'authorization',
  'password',
  'old_password',
  'new_password',
  'app_password',
  'appPassword',
  'client_secret',
  'refresh_token',
  'refreshToken',
  'access_token',
  'token',
  'code_verifier',
  'ticket',
  'cookie',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
const BODY_LIMIT = 64 * 1024
/** The longest path parameter: a name of 100 characters, percent-encoded. */
const LONGEST_PARAM = 1200
/** A request id sent by the caller is used if it matches; log lines and headers can hold it unescaped. */
const REQUEST_ID = /^[\w.:-]{1,64}$/

/** Surfaces parse the query string themselves, and keep the results. */
const unparsed = () => ({})

/** Request ids: unique by a random name of this process and a count. */
const PROCESS = randomBytes(9).toString('base64url')
let requests = 0
const newRequestId = () => `${PROCESS}-${++requests}`

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    database,
    replicas: servers = [],
    snapshots,
    reports,
    trustedProxies = [],
    publicUrl,
    loaderDatabase,
    corsOrigins = [],
    clientDocuments = [],
    fetchDocument,
    tls,
    rate = 0,
    warmUp = 0,
    warmUpSeconds = 60,
    changesDays = FEED_LIMITS.days,
    changesRecords = FEED_LIMITS.rows,
    leaseMs = LEASE_MS,
    tracesTo,
    tracesPercent = 100,
    workers = 1,
    worker,
    logLevel = 'info',
    logTo = process.stderr,
  } = options
  const { quick } = database
  const pair = tls && readPair(tls)
  const lines = bufferedLines(logTo)
  const base = { pid: process.pid, hostname: hostname(), ...(worker !== undefined && { worker }) }
  const versions = followVersions(database, (state) => kernel.dataChanged(state), leaseMs)
  const tokens = tokenCache(quick, versions)
  const slots = new Slots(options)
  const admission = new Admission(tokens, rateLimit(quick, rate, workers), slots)
  const repeats = new Repeats({
    newRequestId,
    observe: (repeat, response) => observe(repeat, response),
    byAddress: trustedProxies.length > 0,
    admission,
  })
  const app = Fastify({
    serverFactory: (handler) => makeServer(repeats.before(handler), options, pair),
    bodyLimit: BODY_LIMIT,
    return503OnClosing: false, // requests that arrive while closing are served, then their connections close
    routerOptions: { querystringParser: unparsed, maxParamLength: LONGEST_PARAM },
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    frameworkErrors: (error, request, reply) => {
      observeByFastify(request, reply, () => {})
      reply.headers(defaultHeaders(request))
      sendProblem(toProblem(error), request, reply)
    },
    clientErrorHandler: (error, socket) => rejectBadHttp(error, socket, app.log),
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId()
    },
  })
  // Not passed to Fastify, which would listen for the end of every response and create a logger per request.
  app.log = pino({ level: logLevel, redact: SECRETS, base }, lines)
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.decorate('publicOrigin', publicUrl)
  handleErrors(app)
  readJsonBodies(app)

  tendConnections(app, { ...options, exempt: networksOf(trustedProxies) }, tls !== undefined)
  if (tls && pair) reloadOnChange(app, tls, pair)
  const logs = ['info', 'debug', 'trace'].includes(logLevel)
  const traces =
    tracesTo === undefined
      ? undefined
      : new Traces({
          ...{ to: tracesTo, percent: tracesPercent, version: PROGRAM_VERSION },
          onError: (error) => app.log.warn({ reason: inWords(error) }, 'sending traces failed; they are lost'),
        })
  const observe = observeRequests(base, { write: logs ? lines.buffer : undefined, traces })
  app.decorateRequest('trace', null as unknown as Trace) // set by the first hook
  const observeByFastify = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    request.trace = new Trace()
    observe(request, reply.raw, reply)
    done()
  }
  app.addHook('onRequest', observeByFastify)
  app.addHook('onRequest', requireHost)
  app.addHook('onSend', (request, reply, _payload, done) => {
    const headers = defaultHeaders(request)
    for (const name in headers) if (!reply.hasHeader(name)) reply.header(name, headers[name])
    done()
  })
  allowOrigins(app, corsOrigins)

  const replicas = new Replicas({
    ...{ servers, versions },
    onChange: ({ name, description }, state, error) =>
      state === 'ready'
        ? app.log.info({ replica: name }, `reports are read from ${name}, ${description}`)
        : app.log.warn({ replica: name, state, err: error }, `${name} is left out: ${description}`),
  })
  const folder = snapshots ?? join(mkdtempSync(join(tmpdir(), 'millbook-snapshots-')), 'files')
  const scratch = dirname(folder)
  const kernel = new Kernel({
    ...{ database, versions, replicas, files: new SnapshotFolder(folder) },
    warmUp: { reports: warmUp, seconds: warmUpSeconds },
    feeds: { days: changesDays, rows: changesRecords },
    onError: (error) => app.log.warn({ err: error }, 'computing a report in the background failed'),
  })
  app.decorate('cancel', () => kernel.cancel(endingService()))
  app.addHook('onClose', async () => {
    await kernel.end()
    await replicas.close()
    await versions.close()
    await traces?.close()
    if (snapshots === undefined) rmSync(scratch, { recursive: true, force: true })
    lines.close()
  })

  app.decorateRequest('caller', null)
  app.decorateRequest('allowance', null)
  const services: Services = {
    loaderTarget: loaderDatabase === undefined ? undefined : { url: loaderDatabase },
    ...{ database, replicas, reports, kernel, tokens, admission, repeats, workers, scratch, surfaces },
    guard: signInGuard(quick, workers),
    documents: new ClientDocuments(clientDocuments, fetchDocument),
  }
  const mount = async (scope: FastifyInstance, surface: Surface) =>
    scope.register(async (own) => surface.mount(own, services))
  for (const surface of surfaces) if (!surface.limited) await mount(app, surface)
  await app.register(async (limited) => {
    // Signing in reads no version of the data, and must not write into another version's tables either.
    limited.addHook('onRequest', (_request, _reply, done) => {
      if (versions.isOtherSchema) versions.read().then(() => done(), done)
      else done()
    })
    limitConcurrency(limited, slots)
    for (const surface of surfaces) if (surface.limited) await mount(limited, surface)
  })
  return app
}
