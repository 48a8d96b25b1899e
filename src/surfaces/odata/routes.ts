/** The requests of OData: the service document, `$metadata`, sets, functions and counts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readsAllowed } from '../../access/readable.js'
import type { Caller } from '../../access/tokens.js'
import { Problem } from '../../errors.js'
import { encode, encodingFor, SMALLEST_ENCODED } from '../../http/encoding.js'
import { isFault, toProblem } from '../../http/errors.js'
import { originOf } from '../../http/origin.js'
import { goneSignal } from '../../http/response-end.js'
import type { Answer, Records } from '../../kernel/answer/answer.js'
import type { Calendar } from '../../views/definition.js'
import { readCalendar } from '../../views/saved.js'
import type { Services } from '../surface.js'
import { keyFilter, reportOf } from './ask.js'
import { collection, entity, serviceDocument } from './bodies.js'
import { sendError, VERSION } from './errors.js'
import { readArguments } from './filter.js'
import { metadata, typeName } from './metadata.js'
import { contentType, formOf, pageSize, requireVersion } from './negotiate.js'
import { type Options, readOptions } from './options.js'
import { noSuch, ODATA_PATH, type Resource, requireAccess, resources, segmentsOf, valuesOf } from './resource.js'
import { functionOf } from './tables.js'
import { unsupported } from './tokens.js'
import { type Place, readToken, tokenOf } from './walk.js'

export async function mountOData(
  app: FastifyInstance,
  { database, kernel, admission, reports }: Services,
): Promise<void> {
  const db = database.quick
  const { tablesOf, resourceOf } = resources(db, reports)

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { url, headers } = request
    const start = url.indexOf('?')
    const [path, query] = start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start + 1)]
    requireVersion(headers)
    const options = readOptions(query)
    const place = options.skiptoken === undefined ? undefined : readToken(options.skiptoken, path, options.rest)
    const caller = request.caller as Caller
    const now = await readCalendar(db)
    const calendar: Calendar = { ...now, today: place?.day ?? now.today }
    const [first = '', ...more] = segmentsOf(path)
    if (first === '' && more.length === 0) {
      const form = formOf(options.format, headers.accept)
      const tables = await tablesOf(caller, calendar)
      return await send(
        request,
        reply,
        contentType(form),
        Buffer.from(serviceDocument(tables, `${originOf(request)}${ODATA_PATH}/`, calendar, form)),
      )
    }
    if (first === '$metadata' && more.length === 0) {
      if (options.format !== undefined && !/^(xml|application\/xml)\b/.test(options.format))
        throw new Problem('not-acceptable', { detail: '$metadata is XML; leave $format out.' })
      const text = metadata(await tablesOf(caller, calendar), calendar.today)
      return await send(request, reply, 'application/xml', Buffer.from(text))
    }
    const resource = await resourceOf(first, more, caller, calendar)
    return await answer(resource, options, place, calendar, path, request, reply)
  }

  async function answer(
    { table, name, isFunction, given, isCount }: Resource,
    options: Options,
    place: Place | undefined,
    calendar: Calendar,
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { trace } = request
    trace.report = table.report.id
    trace.admittedAt = performance.now()
    const caller = request.caller as Caller
    const args = given === undefined ? undefined : readArguments(given, options.aliases)
    const values = isFunction ? valuesOf(table, args ?? []) : table.usual(calendar.today)
    if (values === undefined)
      throw noSuch(name, [functionOf(table)], ` It needs parameters: call ${functionOf(table)}(…).`)
    requireAccess(caller, table, values)
    const key = isFunction || args === undefined ? undefined : keyFilter(table, args)
    const form = isCount ? undefined : formOf(options.format, request.headers.accept)
    const filters = [key, options.filter].filter((filter) => filter !== undefined)
    const isOne = key !== undefined && !isCount
    const chosen = { filters, ...(isCount ? { select: undefined, orderby: undefined } : options) }
    const { size, applied } = pageSize(request.headers.prefer)
    const { top = Number.POSITIVE_INFINITY, skip } = isCount || isOne ? { top: 1, skip: 0 } : options
    const at = place?.at ?? 0
    const wanted = Math.max(0, Math.min(size, top - at))
    const report = reportOf(table, values, chosen, { exact: form?.exact === true, isWalk: top - at > size })
    const ask = async (number: number, size: number, pin: string | undefined): Promise<Answer> => {
      const found = await kernel.ask(
        caller,
        { report, values, page: { number, size }, pin },
        { charge: () => admission.charge(report.cost, request), gone: () => goneSignal(reply.raw) },
      )
      if (found.unchanged) throw new Error('a request without conditions is never unchanged')
      return found
    }
    const { records, total, pin, source } = await windowOf(ask, skip + at, wanted, place?.pin).catch((error) => {
      throw error instanceof Problem && error.code === 'gone' ? expired() : error
    })
    Object.assign(trace, { answeredAt: performance.now(), version: pin.split('-')[0], source, rows: records.length })
    reply.header('x-data-version', pin.split('-')[0])
    if (applied !== undefined) reply.header('preference-applied', applied)
    if (form === undefined) return await send(request, reply, 'text/plain', Buffer.from(String(total)))
    const service = `${originOf(request)}${ODATA_PATH}/`
    const select = options.select === undefined ? '' : `(${options.select.join(',')})`
    const kind = isFunction ? `Collection(${typeName(table)})` : name
    const context = `${service}$metadata#${kind}${select}${isOne ? '/$entity' : ''}`
    if (isOne) {
      const [record] = records
      if (record === undefined) throw noSuch(`${name}(${given})`, [], ' No record has this key.')
      return await send(request, reply, contentType(form), entity(record, context, form))
    }
    const next = at + wanted
    const hasMore = wanted > 0 && next < top && skip + next < total
    const token = hasMore ? tokenOf({ at: next, day: calendar.today, pin }, path, options.rest) : undefined
    const rest = options.rest === '' ? '' : `${options.rest}&`
    const link = token && `${originOf(request)}${path}?${rest}$skiptoken=${token}`
    const count = options.count ? total : undefined
    return await send(request, reply, contentType(form), collection(records, { context, count, link }, form))
  }

  const readable = admission.hook(undefined, readsAllowed)
  await app.register(
    async (own) => {
      // Olingo's client names the type of a body that it does not send.
      own.removeAllContentTypeParsers()
      own.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))
      own.setErrorHandler((error: Error, request, reply) => {
        const problem = toProblem(error)
        if (problem.status >= 500 && problem.status !== 501 && isFault(problem))
          own.log.error({ reqId: request.id, err: problem.cause ?? error }, problem.message)
        return sendError(problem, request, reply)
      })
      own.setNotFoundHandler((request, reply) => {
        const isBatch = request.url.startsWith(`${ODATA_PATH}/$batch`)
        const problem = isBatch
          ? unsupported('$batch')
          : new Problem('method-not-allowed', {
              detail: `This service only reads: use GET, not ${request.method}.`,
              headers: { allow: 'GET, HEAD' },
            })
        return sendError(problem, request, reply)
      })
      for (const url of ['/', '/*'])
        own.route({
          ...{ method: ['GET', 'HEAD'], url, exposeHeadRoute: false, config: { endpoint: 'odata' } },
          ...{ onRequest: readable, handler: handle },
        })
    },
    { prefix: ODATA_PATH },
  )
}

const expired = (): Problem =>
  new Problem('gone', {
    detail:
      'The data has changed since this walk over pages began, and its version is no longer kept; run the query again.',
  })

/** The records from `first` on, at most `count`, all of one version. Pages of the kernel begin at multiples of their size. */
async function windowOf(
  ask: (number: number, size: number, pin: string | undefined) => Promise<Answer>,
  first: number,
  count: number,
  pin: string | undefined,
): Promise<{ records: Buffer[]; total: number; pin: string; source: string }> {
  const size = Math.max(1, count)
  const number = Math.floor(first / size) + 1
  const before = first % size
  const answer = await ask(number, size, pin)
  const records = (await textsOf(answer.records)).slice(before)
  if (before > 0 && answer.records.count === size)
    records.push(...(await textsOf((await ask(number + 1, size, answer.edition.pin)).records)).slice(0, before))
  return {
    ...{ records: count === 0 ? [] : records, total: answer.records.total },
    ...{ pin: answer.edition.pin, source: answer.source },
  }
}

async function textsOf(records: Records): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const run of records.texts()) all.push(...run)
  return all
}

async function send(request: FastifyRequest, reply: FastifyReply, type: string, body: Buffer): Promise<FastifyReply> {
  reply
    .headers({ ...request.allowance, ...VERSION, 'cache-control': 'private, no-cache' })
    .header('vary', 'Accept, Accept-Encoding, Authorization, Prefer')
    .type(type)
  const encoding = body.length < SMALLEST_ENCODED ? undefined : encodingFor(request.headers['accept-encoding'])
  const bytes = encoding === undefined ? body : await encode(body, encoding)
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  request.trace.bytes = bytes.length
  if (request.method === 'HEAD') return reply.header('content-length', bytes.length).send()
  return reply.send(bytes)
}
