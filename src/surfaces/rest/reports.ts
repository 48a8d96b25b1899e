/** Mounts every report of a list as a route. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { parse } from 'node:querystring'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, TokenCache } from '../../access/tokens.js'
import { type FieldError, Problem } from '../../errors.js'
import { encoder, encodingFor, SMALLEST_ENCODED } from '../../http/encoding.js'
import { HSTS, SECURITY_HEADERS } from '../../http/headers.js'
import { originOf } from '../../http/origin.js'
import { parseJson, readJsonTexts } from '../../http/request-body.js'
import type { Answers, Edition, Question } from '../../kernel/ask.js'
import { envelope, pageAsked, pageParams } from '../../kernel/paging.js'
import { type Params, readParams, type Values } from '../../kernel/params.js'
import type { Report } from '../../kernel/report.js'
import type { Page } from '../../kernel/statement.js'
import { readRecords, recordsBytes, streamRecords, writeAll } from '../../store/snapshots.js'
import { authorize } from './bearer.js'
import { NO_LIMIT, type RateLimit } from './rate.js'
import { Bodies, type Body } from './response-cache.js'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** What the caller is told of its rate. */
    allowance: Record<string, string>
  }
}

type Given = Record<string, unknown>

/** A query string that is only read where it was not seen before. */
type Unread = { text: string }
export const unread = (text: string): Unread => ({ text })

export function mountReports(
  app: FastifyInstance,
  answers: Answers,
  cache: TokenCache,
  rate: RateLimit,
  reports: readonly Report[],
): void {
  readJsonTexts(app)
  const bodies = new Bodies()
  const readings = new Readings()
  app.decorateRequest('caller', null)
  app.decorateRequest('allowance', null as never) // until it is taken
  for (const report of reports) {
    app.route({
      method: report.method,
      url: report.path,
      exposeHeadRoute: false, // a GET here may carry a body, which a HEAD cannot
      // Most requests are answered from memory: nothing of them waits for a promise that is not needed.
      onRequest: (request, reply, done) => {
        const admit = (caller: Caller) => {
          request.caller = caller
          return rate.take(caller, report.cost)
        }
        const caller = authorize(cache, request, report.group)
        const headers = caller instanceof Promise ? caller.then(admit) : admit(caller)
        const go = (some: Record<string, string>) => {
          request.allowance = some
          if (some !== NO_LIMIT) reply.headers(some)
          done()
        }
        if (headers instanceof Promise) headers.then(go, done)
        else go(headers)
      },
      handler: (request, reply) => answer(answers, bodies, readings, report, request, reply),
    })
  }
}

/** What is asked for. */
interface Asked {
  readonly question: Question
  readonly page: Page | undefined
  readonly pin: string | undefined
  readonly perPage: number | undefined
  /** What its body follows from, beside the edition. */
  readonly about: string
  /** The name of its body in the edition that it was last asked in. */
  latest?: { edition: Edition; name: string }
}

function nameIn(edition: Edition, asked: Asked): string {
  if (asked.latest?.edition !== edition) asked.latest = { edition, name: edition.key + asked.about }
  return asked.latest.name
}

function answer(
  answers: Answers,
  bodies: Bodies,
  readings: Readings,
  report: Report,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> | undefined {
  const asked = readings.read(report, request)
  const edition = answers.edition(asked.question, asked.pin)
  const known = edition instanceof Promise ? undefined : bodies.get(nameIn(edition, asked))
  return known === undefined
    ? workOut(answers, bodies, asked, edition, request, reply)
    : sendBody(known, request, reply)
}

type Known = Map<string, Map<string, Map<string, Asked>>>

/** Remembers what requests mean: most are the same again and again. */
class Readings {
  /** By the service's address, by what was asked of it, and by what was sent: put together they would be a long key. */
  readonly #shown: Known = new Map()
  /** Of callers that must not see contact data. */
  readonly #hidden: Known = new Map()
  #count = 0

  read(report: Report, request: FastifyRequest): Asked {
    const hideContacts = request.caller?.hideContacts ?? true
    const text = (request.body as string | undefined) ?? ''
    const origin = originOf(request)
    const all = hideContacts ? this.#hidden : this.#shown
    const known = all.get(origin)?.get(request.url)?.get(text)
    if (known?.question.report === report) return known
    const { values, asked } = read(report, parse((request.query as Unread).text), parseJson(text) ?? {})
    const page = pageAsked(report, values, asked)
    const { snapshot: pin, 'per-page': perPage } = asked
    const meaning: Asked = {
      question: { report, values, view: { hideContacts } },
      ...{ page, pin, perPage },
      about:
        page === undefined
          ? ''
          : ` ${page.number} ${page.size} ${perPage ?? ''} ${pin !== undefined} ${origin}${inLinks(report, values)}`,
    }
    if (origin.length + request.url.length + text.length > LONGEST_REMEMBERED) return meaning
    if (this.#count++ >= REMEMBERED) {
      this.#shown.clear()
      this.#hidden.clear()
      this.#count = 1
    }
    inside(inside(all, origin), request.url).set(text, meaning)
    return meaning
  }
}

function inside<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const there = maps.get(key) ?? new Map<string, T>()
  maps.set(key, there)
  return there
}

const REMEMBERED = 5000
const LONGEST_REMEMBERED = 1000

/** The data may change while an answer is worked out: then the present one is. */
const TRIES = 5

async function workOut(
  answers: Answers,
  bodies: Bodies,
  asked: Asked,
  first: Edition | Promise<Edition>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { question, page, pin, perPage } = asked
  const { report, values } = question
  for (let i = 0; i < TRIES; i++) {
    const edition = await (i === 0 ? first : answers.edition(question, pin))
    const name = nameIn(edition, asked) // everything that the body follows from
    const known = bodies.get(name)
    if (known !== undefined) {
      await sendBody(known, request, reply)
      return reply
    }
    const headers = aboutEdition(edition, name)
    if (matches(request.headers['if-none-match'], headers.etag)) return withHeaders(reply, headers).code(304).send()

    if (page === undefined) {
      const file = await answers.whole(question, edition)
      const bytes = file === undefined ? undefined : await recordsBytes(file)
      if (file === undefined || bytes === undefined) continue
      if (bytes > LARGEST_IN_MEMORY) return await sendLarge(answers, edition, file, bytes, headers, request, reply)
      const slice = await readRecords(file, 0, Number.POSITIVE_INFINITY)
      if (slice === undefined) continue
      const body = bodies.keep(name, Buffer.concat([OPEN, slice.bytes, CLOSE]), headers, FIELDS)
      await sendBody(body, request, reply)
      return reply
    }
    const slice = await answers.page(question, edition, page, pin === undefined)
    if (slice !== undefined) {
      const enveloped = envelope(slice, page, (number, which) =>
        linkTo(report, request, values, {
          page: number,
          'per-page': perPage,
          snapshot: which === 'pinned' ? edition.pin : which === 'self' ? pin : undefined,
        }),
      )
      const body = bodies.keep(name, enveloped.body, { ...headers, ...enveloped.headers }, FIELDS)
      await sendBody(body, request, reply)
      return reply
    }
    if (pin !== undefined) throw gone()
  }
  throw new Problem('unavailable', {
    detail: 'The data changes faster than the report can be worked out; try again shortly.',
    headers: { 'retry-after': '1' },
  })
}

/** Sends at once, unless an encoding has to be worked out first. */
function sendBody(body: Body, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined {
  if (matches(request.headers['if-none-match'], body.headers.etag)) {
    withHeaders(reply, body.headers).code(304).send()
    return undefined
  }
  const encoding = body.plain.length < SMALLEST_ENCODED ? undefined : encodingFor(request.headers['accept-encoding'])
  const bytes = encoding === undefined ? body.plain : body.encoded(encoding)
  if (bytes instanceof Promise) return bytes.then((some) => sendBytes(some, encoding, body, reply))
  sendBytes(bytes, encoding, body, reply)
  return undefined
}

/** Not by Fastify, unless there is more to say: sending takes longer there than finding out what to send. */
function sendBytes(bytes: Buffer, encoding: string | undefined, body: Body, reply: FastifyReply): FastifyReply {
  const { request, raw } = reply
  if (request.headers.origin !== undefined || reply.hasHeader('vary')) {
    withHeaders(reply, body.headers).type(JSON_TYPE)
    return (encoding === undefined ? reply : reply.header('content-encoding', encoding)).send(bytes)
  }
  const fields = body.fields.concat(['content-length', String(bytes.length), 'x-request-id', request.id])
  if (encoding !== undefined) fields.push('content-encoding', encoding)
  if (request.protocol === 'https') fields.push('strict-transport-security', HSTS)
  for (const name in request.allowance) fields.push(name, request.allowance[name] as string)
  raw.writeHead(200, fields).end(bytes)
  return reply
}

/** What an answer differs by already counts as well. */
function withHeaders(reply: FastifyReply, headers: Record<string, string>): FastifyReply {
  const before = reply.getHeader('vary')
  reply.headers(headers)
  return before === undefined ? reply : reply.header('vary', `${headers['vary']}, ${before}`)
}

const JSON_TYPE = 'application/json; charset=utf-8'
/** Of every report that is sent from memory. */
const FIELDS = { 'content-type': JSON_TYPE, ...SECURITY_HEADERS }
const OPEN = Buffer.from('{"data":[')
const CLOSE = Buffer.from(']}')
/** A whole report that is longer is sent from its file. */
const LARGEST_IN_MEMORY = 1 << 20

const gone = () =>
  new Problem('gone', {
    detail:
      'The data has changed since this walk over pages began, and its version is not kept any more; begin again at page 1.',
  })

/** The tag is weak: it is the same in every encoding. */
const aboutEdition = ({ pin }: Edition, name: string) => ({
  etag: `W/"${createHash('sha256').update(name).digest('base64url').slice(0, 27)}"`,
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding, Authorization',
  'x-data-version': pin.split('-')[0] as string,
})

/** RFC 9110 §13.1.2. These POSTs only read, so 304 is for them what it is for GET. */
function matches(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false
  const tag = etag.replace('W/', '')
  return given.split(',').some((one) => one.trim() === '*' || one.trim().replace('W/', '') === tag)
}

/** Sends a report from its file, in bounded memory and with its length; encoded, from a file that is made once. */
async function sendLarge(
  answers: Answers,
  edition: Edition,
  file: string,
  bytes: number,
  headers: Record<string, string>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = encodingFor(request.headers['accept-encoding'])
  const begin = (length: number) => {
    // Sent to no one, where requests are piled up, it would wait for ever to be taken.
    if (request.raw.socket.destroyed) throw new Problem('unavailable', { detail: 'The connection was closed.' })
    return withHeaders(reply, headers).headers({ 'content-type': JSON_TYPE, 'content-length': length })
  }
  if (encoding === undefined)
    return begin(OPEN.length + bytes + CLOSE.length).send(Readable.from(wholeOf(file), { objectMode: false }))
  const encoded = await answers.derived(edition, encoding, (into) =>
    pipeline(wholeOf(file), encoder(encoding), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) await writeAll(into, piece)
    }),
  )
  const handle = await open(encoded, 'r')
  try {
    begin((await handle.stat()).size)
  } catch (error) {
    await handle.close()
    throw error
  }
  return reply.header('content-encoding', encoding).send(handle.createReadStream({ highWaterMark: 1 << 18 }))
}

async function* wholeOf(file: string): AsyncGenerator<Buffer> {
  yield OPEN
  yield* streamRecords(file)
  yield CLOSE
}

/** The report's parameters from the body, or for a GET from the query string too; the page from the query string. */
function read(report: Report, query: Given, body: Given) {
  const inQuery: Given = Object.create(null) // a parameter may be called anything, __proto__ too
  const paging: Given = {}
  for (const [name, value] of Object.entries(query))
    if (Object.hasOwn(pageParams, name)) paging[name] = value
    else inQuery[name] = value

  const errors: FieldError[] = []
  const given: Given = Object.assign(Object.create(null), body)
  for (const [name, value] of Object.entries(inQuery)) {
    if (report.method === 'GET' && !Object.hasOwn(body, name)) given[name] = value
    else if (report.method === 'GET')
      errors.push({ field: name, message: 'is given twice: in the body and in the query string' })
    else if (Object.hasOwn(report.request, name))
      errors.push({ field: name, message: 'belongs in the JSON body, not in the query string' })
    else
      errors.push({
        field: name.slice(0, 60),
        message: `is not known in the query string; there are ${Object.keys(pageParams).join(', ')}`,
      })
  }
  const params = readParams(report.request, given)
  const pages = readParams(pageParams, paging)
  if ('errors' in params) errors.push(...params.errors)
  if ('errors' in pages) errors.push(...pages.errors)
  if (errors.length > 0 || 'errors' in params || 'errors' in pages) throw new Problem('invalid-parameters', { errors })
  return { values: params.values, asked: pages.values }
}

/** The parameters that links repeat: a GET's. A POST is sent to the link with the same body again. */
const inLinks = ({ method }: Report, values: Values<Params>): string =>
  method !== 'GET'
    ? ''
    : new URLSearchParams(
        Object.entries(values).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      ).toString()

/** The absolute address of another page, under the host that the caller used. */
function linkTo(
  report: Report,
  request: FastifyRequest,
  values: Values<Params>,
  to: { page: number; 'per-page': number | undefined; snapshot: string | undefined },
) {
  const url = new URL(report.path, originOf(request))
  url.search = inLinks(report, values)
  for (const [name, value] of Object.entries(to)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url.href
}
