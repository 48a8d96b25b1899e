/** The requests of OData: the service document, `$metadata`, sets, functions and counts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readsAllowed, readsView } from '../../access/readable.js'
import type { Caller } from '../../access/tokens.js'
import { MillbookError, Problem } from '../../errors.js'
import { mayUse } from '../../groups.js'
import { encode, encodingFor, SMALLEST_ENCODED } from '../../http/encoding.js'
import { isFault, toProblem } from '../../http/errors.js'
import { originOf } from '../../http/origin.js'
import { goneSignal } from '../../http/response-end.js'
import type { Answer, Records } from '../../kernel/answer/answer.js'
import { plainName } from '../../kernel/report/flat.js'
import { reportNamed } from '../../kernel/report/names.js'
import { type Params, readParams, type Values } from '../../kernel/report/params.js'
import type { Report } from '../../kernel/report/report.js'
import { nearest } from '../../nearest.js'
import type { Calendar } from '../../views/definition.js'
import { findView, readCalendar } from '../../views/saved.js'
import type { Services } from '../surface.js'
import { keyFilter, reportOf } from './ask.js'
import { edmTypeOfParam } from './edm.js'
import { sendError, VERSION } from './errors.js'
import { odc, pbids } from './files.js'
import { type Argument, readArguments } from './filter.js'
import { metadata, typeName } from './metadata.js'
import { contentType, type Form, formOf, pageSize, requireVersion } from './negotiate.js'
import { decoded, type Options, readOptions } from './options.js'
import { aliasOf, functionOf, missingFor, type Table, tablesFor, tablesOfReports, tablesOfViews } from './tables.js'
import { unsupported, wrong } from './tokens.js'
import { type Place, readToken, tokenOf } from './walk.js'

export const ODATA_PATH = '/odata'

/** What a path names. */
interface Resource {
  readonly table: Table
  /** The name in the path. */
  readonly name: string
  readonly isFunction: boolean
  /** The text between its parentheses. */
  readonly given: string | undefined
  readonly isCount: boolean
}

export async function mountOData(
  app: FastifyInstance,
  { database, kernel, admission, reports }: Services,
): Promise<void> {
  const db = database.quick
  const ofReports = tablesOfReports(reports)

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
        Buffer.from(serviceDocument(tables, originOf(request), calendar, form)),
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

  const tablesOf = async (caller: Caller, calendar: Calendar): Promise<Table[]> => {
    const { tables } = await tablesOfViews(db, caller, reports, calendar)
    return tablesFor(caller, [...tables, ...ofReports], calendar.today)
  }

  /** Finds the table that a path names. */
  async function resourceOf(
    first: string,
    more: readonly string[],
    caller: Caller,
    calendar: Calendar,
  ): Promise<Resource> {
    if (first.startsWith('$')) throw unsupported(first.slice(0, 60))
    const [, name = '', given] = /^([^()]+)(?:\((.*)\))?$/s.exec(first) ?? []
    if (name === '') throw wrong(`The path has ${JSON.stringify(first.slice(0, 60))}, which is not the name of a set.`)
    const found = await find(name, caller, calendar)
    const [next, ...rest] = more
    if (rest.length > 0 || (next !== undefined && next !== '$count')) {
      const isKnown = next?.startsWith('$') === true || Object.hasOwn(found.table.flat.record, next ?? '')
      if (isKnown) throw unsupported('paths to single properties, references and values')
      throw noSuch(`${first}/${more.join('/')}`, [])
    }
    return { ...found, name, given, isCount: next !== undefined }
  }

  async function find(
    name: string,
    caller: Caller,
    calendar: Calendar,
  ): Promise<Pick<Resource, 'table' | 'isFunction'>> {
    const table = ofReports.find((one) => one.name === name)
    if (table !== undefined) return { table, isFunction: false }
    const called = ofReports.find((one) => one.params !== undefined && functionOf(one) === name)
    if (called !== undefined) return { table: called, isFunction: true }
    const { tables, broken } = await tablesOfViews(db, caller, reports, calendar)
    const view = tables.find((one) => one.name === name || one.alias === name)
    if (view !== undefined) return { table: view, isFunction: false }
    const problem = broken.get(name)
    if (problem !== undefined) throw problem
    throw noSuch(
      name,
      tablesFor(caller, [...tables, ...ofReports], calendar.today).map((one) => one.name),
    )
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

  const files = [
    { extension: 'odc', type: 'text/x-ms-odc; charset=utf-8', make: odc },
    { extension: 'pbids', type: 'application/json; charset=utf-8', make: pbids },
  ]
  for (const { extension, type, make } of files)
    app.get(
      `/v1/views/:id(^[\\w-]+).${extension}`,
      { onRequest: admission.hook(undefined, readsView) },
      async (request, reply) => {
        const caller = request.caller as Caller
        const { id, definition } = await findView(db, (request.params as { id: string }).id, caller).catch((error) => {
          throw error instanceof MillbookError ? new Problem('does-not-exist', { detail: `${error.message}.` }) : error
        })
        requireGroup(caller, reportNamed(definition.report, reports))
        const text = make(`${originOf(request)}${ODATA_PATH}/${aliasOf(id)}`, definition.name)
        const name = plainName(definition.name)
        return reply
          .headers({ ...request.allowance, 'cache-control': 'no-store' })
          .header(
            'content-disposition',
            `attachment; filename="${name.replace(/[^ -~]/g, '_')}.${extension}"; filename*=UTF-8''${encodeURIComponent(name)}.${extension}`,
          )
          .type(type)
          .send(text)
      },
    )
}

/** The parts of a path, decoded. A slash inside quotes is no separator: invoice numbers have some, and not every program encodes them. */
export function segmentsOf(path: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (const [part] of path.slice(ODATA_PATH.length + 1).matchAll(/'|%27|\/|(?:(?!%27)[^'/])+/g)) {
    if (part === '/' && !isQuoted) {
      parts.push('')
      continue
    }
    if (part === "'" || part === '%27') isQuoted = !isQuoted
    parts.push(parts.pop() + part)
  }
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  return parts.map((part) => decoded(part.replaceAll('+', '%2B')))
}

/** The parameters that a path gives; 400 with all of the wrong ones. */
function valuesOf({ report, shape, params = {} }: Table, args: readonly Argument[]): Values<Params> {
  const given: Record<string, unknown> = {}
  for (const { name, value } of args) {
    const param = name === undefined ? undefined : params[name]
    const names = Object.keys(params)
    if (name === undefined || param === undefined)
      throw wrong(
        `${name?.slice(0, 60) ?? 'A value without a name'} is not a parameter of this function${nearest(name ?? '', names)}; there are ${names.join(', ') || 'none'}.`,
      )
    if (name in given) throw wrong(`${name} is given twice.`)
    if (value.type === 'null') continue
    const { name: type, compares } = edmTypeOfParam(param.type)
    if (value.type !== compares)
      throw wrong(
        `${name} is ${type}; write ${compares === 'string' ? "a text in quotes: 'FG'" : compares === 'date' ? 'a date without quotes: 2026-06-30' : 'a number'}.`,
      )
    given[name] = value.text
  }
  if (report.shapedBy !== undefined) given[report.shapedBy] = shape
  const read = readParams(report.request, given)
  if ('errors' in read) throw new Problem('invalid-parameters', { errors: read.errors })
  return read.values
}

function requireAccess(caller: Caller, table: Table, values: Values<Params>): void {
  const missing = missingFor(caller, table, values)
  if (missing === undefined)
    throw new Problem('forbidden', {
      detail: 'This app password is limited to other reports and views; make one that may read this.',
    })
  if (missing.length > 0)
    throw new Problem('forbidden', {
      detail: `These records need the ${missing.length > 1 ? 'groups' : 'group'} ${missing.join(' and ')}; ask the operator for access.`,
    })
}

function requireGroup(caller: Caller, report: Report | undefined): void {
  if (report === undefined || mayUse(caller, report.group)) return
  throw new Problem('forbidden', {
    detail: `This view shows the report ${report.id}, and you may not use the group ${report.group}; ask the operator for access to it.`,
  })
}

const noSuch = (name: string, known: readonly string[], more = ''): Problem =>
  new Problem('does-not-exist', {
    detail: `There is no ${name.slice(0, 100)} here${known.length > 1 ? nearest(name.slice(0, 100), known) : ''}.${more || ' GET /odata/ lists the sets.'}`,
  })

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

function serviceDocument(tables: readonly Table[], origin: string, { today }: Calendar, { metadata }: Form): string {
  const value = tables
    .filter((table) => table.usual(today) !== undefined)
    .map(({ name, title }) => ({ name, title, kind: 'EntitySet', url: name }))
  return JSON.stringify({ ...(metadata !== 'none' && { '@odata.context': `${origin}${ODATA_PATH}/$metadata` }), value })
}

const COMMA = Buffer.from(',')

function collection(
  records: readonly Buffer[],
  { context, count, link }: { context: string; count: number | undefined; link: string | undefined },
  { metadata, exact }: Form,
): Buffer {
  const head = [
    metadata !== 'none' && `"@odata.context":${JSON.stringify(context)}`,
    count !== undefined && `"@odata.count":${exact ? `"${count}"` : count}`,
    '"value":[',
  ].filter((part) => part !== false)
  const pieces: Buffer[] = [Buffer.from(`{${head.join(',')}`)]
  for (const [i, record] of records.entries()) {
    if (i > 0) pieces.push(COMMA)
    pieces.push(record)
  }
  pieces.push(Buffer.from(link === undefined ? ']}' : `],"@odata.nextLink":${JSON.stringify(link)}}`))
  return Buffer.concat(pieces)
}

function entity(record: Buffer, context: string, { metadata }: Form): Buffer {
  if (metadata === 'none') return record
  const start = Buffer.from(`{"@odata.context":${JSON.stringify(context)}${record.length > 2 ? ',' : ''}`)
  return Buffer.concat([start, record.subarray(1)])
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
