/**
 * Writes responses, directly to Node's response with a prepared list of headers: Fastify's own sending takes longer than
 * finding the answer (docs/decisions/0014).
 */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../errors.js'
import { answerBody, fileNameOf } from '../../formats/body.js'
import type { About } from '../../formats/format.js'
import { type Encoding, encode, encoder, encodingFor, SMALLEST_ENCODED } from '../../http/encoding.js'
import { HSTS, SECURITY_HEADERS } from '../../http/headers.js'
import { type Trace, tenths } from '../../http/observe.js'
import type { Answer, Edition, Records } from '../../kernel/answer/answer.js'
import { writeAll } from '../../store/records.js'
import { isDiskFailure } from '../../store/snapshots.js'
import type { Reading } from './read.js'

/** A response body in memory, with its headers as names and values in turn. */
interface Representation {
  readonly variant: string
  /** The version that the headers and links name. */
  readonly pin: string
  readonly plain: Buffer
  readonly headers: readonly string[]
  readonly encoded: Map<Encoding, Buffer | Promise<Buffer>>
  readonly ready: Map<Encoding | undefined, Ready>
}

/** RFC 9110 §13.1.2: whether the caller has this response already. These POSTs only read, so 304 is right for them too. */
export function callerHas(request: FastifyRequest, reading: Reading): ((edition: Edition) => boolean) | undefined {
  const given = request.headers['if-none-match']
  if (given === undefined) return undefined
  const tags = given.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return (edition) => tags.includes('*') || tags.includes(etagOf(edition, reading).replace('W/', ''))
}

export function writeUnchanged(edition: Edition, reading: Reading, request: FastifyRequest, reply: FastifyReply): void {
  begin(request, reply, 304, headersOf(edition, reading)).end()
}

/** Writes immediately if the response is in memory. */
export function writeAnswer(
  answer: Answer,
  reading: Reading,
  request: FastifyRequest,
  reply: FastifyReply,
): undefined | Promise<void> {
  const { records, edition } = answer
  const known = records.recall<Representation>(variantOf(answer, reading))
  if (known?.pin === edition.pin) return writeKnown(known, records, request, reply)
  return represent(answer, reading, known, request, reply)
}

/** Different questions can have the same records, but each has its own token. */
const variantOf = ({ changes }: Answer, { variant }: Reading): string =>
  changes === undefined ? variant : `${variant} ${changes.token}`

/** `known` is the response for another version of the data with the same records: without links, its body is the same. */
async function represent(
  answer: Answer,
  reading: Reading,
  known: Representation | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { format, page } = reading
  const { edition, changes } = answer
  const variant = variantOf(answer, reading)
  const { records, about } = answerBody(answer, format, aboutAnswer(answer, reading))
  await format.check?.(records, about)
  if (records.isLarge || changes?.removed.isLarge)
    return await writeLarge(edition, records, reading, about, request, reply)
  const body =
    known !== undefined && page === undefined && !format.namesRequest && changes === undefined
      ? { plain: known.plain, encoded: known.encoded }
      : { plain: await collect(format.encode(records, about)), encoded: new Map() }
  const headers = [...headersOf(edition, reading), ...headersOfBody(records, reading, about)]
  const made: Representation = { variant, pin: edition.pin, headers, ...body, ready: new Map() }
  await writeKnown(records.keep(variant, made, made.plain.length), records, request, reply)
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

function writeKnown(
  known: Representation,
  records: Records,
  request: FastifyRequest,
  reply: FastifyReply,
): undefined | Promise<void> {
  const { plain, headers } = known
  const encoding = plain.length < SMALLEST_ENCODED ? undefined : encodingFor(request.headers['accept-encoding'])
  const write = (bytes: Buffer) => {
    const raw = begin(request, reply, 200, headers, headersOfBytes(bytes, encoding))
    request.trace.bytes = bytes.length
    if (request.method === 'HEAD') raw.end()
    else raw.end(bytes)
  }
  const bytes = encoding === undefined ? plain : encodedOnce(known, records, encoding)
  if (bytes instanceof Promise) return bytes.then(write)
  write(bytes)
  return undefined
}

const headersOfBytes = ({ length }: Buffer, encoding: Encoding | undefined): string[] =>
  encoding === undefined
    ? ['content-length', String(length)]
    : ['content-length', String(length), 'content-encoding', encoding]

/** A response in memory that can be sent again, with its headers except the ones from `ofEachResponse`. */
export interface Ready {
  readonly bytes: Buffer
  readonly headers: readonly string[]
  /** For the log. */
  readonly shared: NonNullable<Trace['shared']>
}

export function recallReady(answer: Answer, reading: Reading, accepted: Encoding | undefined): Ready | undefined {
  const known = answer.records.recall<Representation>(variantOf(answer, reading))
  if (known?.pin !== answer.edition.pin) return undefined
  const encoding = known.plain.length < SMALLEST_ENCODED ? undefined : accepted
  const ready = known.ready.get(encoding)
  if (ready !== undefined) return ready
  const bytes = encoding === undefined ? known.plain : known.encoded.get(encoding)
  if (bytes === undefined || bytes instanceof Promise) return undefined
  const made = { bytes, headers: known.headers.concat(headersOfBytes(bytes, encoding)), shared: {} }
  known.ready.set(encoding, made)
  return made
}

function encodedOnce(
  { variant, plain, encoded }: Representation,
  records: Records,
  encoding: Encoding,
): Buffer | Promise<Buffer> {
  const known = encoded.get(encoding)
  if (known !== undefined) return known
  const making = encode(plain, encoding).then(
    (bytes) => {
      encoded.set(encoding, bytes)
      records.keep(`${variant} ${encoding}`, bytes, bytes.length)
      return bytes
    },
    (error) => {
      encoded.delete(encoding)
      throw error
    },
  )
  encoded.set(encoding, making)
  return making
}

/**
 * Streams a report from files in bounded memory, with its length; formats and encodings are made into files once. If the disk is
 * full, they are made for each caller, without a length.
 */
async function writeLarge(
  edition: Edition,
  records: Records,
  reading: Reading,
  about: About,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { format } = reading
  const encoding = encodingFor(request.headers['accept-encoding'])
  const headers = [...headersOf(edition, reading), ...headersOfBody(records, reading, about)]
  const body = () => format.encode(records, about)
  if (encoding === undefined && format.length !== undefined)
    return await stream(
      Readable.from(body(), { objectMode: false }),
      format.length(records, about),
      headers,
      request,
      reply,
    )
  const named = [reading.representation]
  if (format.namesRequest || about.changes !== undefined) named.push(`v${about.version}`)
  if (about.changes !== undefined) named.push(about.changes.token)
  const made = named.join('-')
  const name = encoding === undefined ? made : `${made}.${encoding}`
  if (encoding !== undefined) headers.push('content-encoding', encoding)
  let path: string
  try {
    path = await records.file(name, async (file) => {
      const into = async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) await writeAll(file, piece)
      }
      if (encoding === undefined) await into(body())
      else await pipeline(body(), encoder(encoding), into)
    })
  } catch (error) {
    if (!isDiskFailure(error)) throw error
    const encoded = encoding === undefined ? Readable.from(body()) : Readable.from(body()).compose(encoder(encoding))
    return await stream(encoded, undefined, headers, request, reply)
  }
  const file = await open(path, 'r')
  const { size } = await file.stat()
  await stream(file.createReadStream({ highWaterMark: 1 << 18 }), size, headers, request, reply)
}

async function stream(
  body: Readable,
  length: number | undefined,
  headers: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // A pipelined response on a closed socket never drains.
  if (request.raw.socket.destroyed) {
    body.destroy()
    throw new Problem('unavailable', { detail: 'The connection was closed.' })
  }
  const raw = begin(request, reply, 200, headers, length === undefined ? [] : ['content-length', String(length)])
  if (request.method === 'HEAD') {
    body.destroy()
    raw.end()
    return
  }
  const { socket } = request.raw
  const before = socket.bytesWritten
  try {
    await pipeline(body, raw)
    request.trace.bytes = length ?? socket.bytesWritten - before
  } catch (error) {
    raw.destroy() // the headers are sent: only an early end can signal the failure
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'EPIPE' && code !== 'ECONNRESET')
      reply.server.log.error({ reqId: request.id, err: error }, 'a response was cut off')
  }
}

/** Sends the status and the headers. */
function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  prepared: readonly string[],
  own: readonly string[] = [],
) {
  const headers = prepared.concat(own, ofEachResponse(request))
  if (reply.hasHeader('vary') || request.headers.origin !== undefined) {
    // Headers that CORS added; two Vary headers count as one (RFC 9110 §5.3).
    for (const [name, value] of Object.entries(reply.getHeaders())) headers.push(name, String(value))
  }
  return reply.raw.writeHead(status, headers)
}

/** The headers that differ between any two responses. */
export function ofEachResponse(
  { id, trace, protocol, allowance }: Pick<FastifyRequest, 'id' | 'trace' | 'protocol' | 'allowance'>,
  now = performance.now(),
): string[] {
  const headers = ['x-request-id', id, 'server-timing', timingOf(trace, now)]
  if (protocol === 'https') headers.push('strict-transport-security', HSTS)
  for (const name in allowance) headers.push(name, allowance[name] as string)
  return headers
}

/** How long each stage took; encoding is measured up to the headers. */
const timingOf = ({ startedAt, admittedAt, answeredAt }: Trace, now: number): string =>
  `admit;dur=${tenths(admittedAt - startedAt)}, query;dur=${tenths(answeredAt - admittedAt)}, encode;dur=${tenths(now - answeredAt)}`

/** The tag is weak: it is the same in every encoding. */
const etagOf = ({ key }: Edition, { variant }: Reading): string =>
  `W/"${createHash('sha256').update(`${key} ${variant}`).digest('base64url').slice(0, 27)}"`

/** The number of the version of the data. */
export function versionOf({ pin }: Edition): string {
  const end = pin.indexOf('-')
  return end < 0 ? pin : pin.slice(0, end)
}

const headersOf = (edition: Edition, reading: Reading): string[] =>
  Object.entries({
    ...SECURITY_HEADERS,
    etag: etagOf(edition, reading),
    'cache-control': 'private, no-cache',
    vary: reading.format.options?.includes('formulas')
      ? 'Accept, Accept-Encoding, Authorization, Sec-Fetch-Mode'
      : 'Accept, Accept-Encoding, Authorization',
    'x-data-version': versionOf(edition),
  }).flat()

function aboutAnswer({ edition, records, changes }: Answer, reading: Reading): Omit<About, 'changes'> {
  const { report, values, page, pin, options, link, asKnown, against } = reading
  const known = { ...(asKnown && { as_known: asKnown }), ...(against && { against }) }
  const about = { report, values, options, version: versionOf(edition), known }
  if (page === undefined) return { ...about, page }
  const { number, size } = page
  const total = records.total + (changes?.removed.total ?? 0)
  const pages = Math.ceil(total / size)
  const links = {
    self: link(number, pin),
    first: link(1, undefined),
    last: link(Math.max(1, pages), pages > 1 ? edition.pin : undefined),
    ...(number < pages && { next: link(number + 1, edition.pin) }),
  }
  return { ...about, page: { number, size, links } }
}

/** The number of records and whether they are all; for a file also its name, and the links that JSON has in its body. */
function headersOfBody(records: Records, reading: Reading, about: About): string[] {
  const { format, page } = reading
  const removed = format.removedApart ? about.changes?.removed : undefined
  const [count, total] = [records.count + (removed?.count ?? 0), records.total + (removed?.total ?? 0)]
  const headers = ['content-type', format.contentType, 'x-record-count', String(count)]
  headers.push('x-complete', String(page === undefined || count === total), ...paginationOf(total, about))
  if (about.changes !== undefined) headers.push('x-since-token', about.changes.token)
  if (format.extension === undefined) return headers
  headers.push('content-disposition', `attachment; filename="${fileNameOf(about, format, reading)}"`)
  const links = Object.entries(about.page?.links ?? {}).map(([rel, href]) => `<${href}>; rel="${rel}"`)
  if (links.length > 0) headers.push('link', links.join(', '))
  return headers
}

const paginationOf = (total: number, { page }: About): string[] =>
  page === undefined
    ? []
    : Object.entries({
        'x-pagination-total-count': String(total),
        'x-pagination-page-count': String(Math.ceil(total / page.size)),
        'x-pagination-current-page': String(page.number),
        'x-pagination-per-page': String(page.size),
      }).flat()
