/** Reports from a running service. */
import {
  type Call,
  ConnectionError,
  GoneError,
  MillbookError as Refused,
  Transport,
  type TransportOptions,
} from '../client/transport.js'
import { MillbookError } from '../errors.js'
import { formatNamed, recordLines, usualFields } from '../formats/index.js'
import { localToday } from '../period-words.js'
import { type Answers, type Fetched, TokenGone, type Wanted, type WantedReport, type WantedView } from './answers.js'
import { type NamedView, viewNamed } from './views.js'

export function serviceAnswers(service: TransportOptions): Answers {
  const transport = new Transport(service)
  return {
    async fetch(wanted: Wanted, signal?: AbortSignal): Promise<Fetched> {
      const { format, options, first, asKnown, against } = wanted
      const since = 'saved' in wanted ? undefined : wanted.since
      const page = first === undefined ? {} : { page: 1, 'per-page': first }
      // Some reports send JSON only in pages, whose links are of no use in a file; the other formats have records alone.
      const asJson = format === 'json' && since === undefined
      const file = { ...options, format: asJson ? recordLines.name : format, ...page, as_known: asKnown, against }
      try {
        const call = 'saved' in wanted ? await viewCall(transport, wanted) : reportCall(wanted)
        const fetched = await transport.call({ ...call, query: { ...call.query, ...file }, signal }, async (response) =>
          fetchedOf(response, format),
        )
        if (!asJson) return fetched
        const name = fetched.name.replace(/[^.]+$/, 'json')
        return { ...fetched, name, length: undefined, bytes: jsonOf(fetched.bytes, fetched.length) }
      } catch (error) {
        if (error instanceof GoneError && since !== undefined) throw new TokenGone(error.message)
        if (error instanceof Refused) throw new MillbookError(inWords(error))
        if (error instanceof ConnectionError)
          throw new MillbookError(`${service.url} cannot be reached: ${error.message}; check that the service runs`)
        throw error
      }
    },
    today: async () => localToday(),
    close: async () => {},
  }
}

function reportCall({ report, params, format, view = {}, since }: WantedReport): Call {
  const { method, path } = report
  const query = { ...view, fields: view.fields ?? usualFields(formatNamed(format)), since }
  return method === 'GET'
    ? { method, path, query: { ...textsOf(params), ...query } }
    : { method, path, query, body: params }
}

async function viewCall(transport: Transport, { saved, user, on }: WantedView): Promise<Call> {
  if (user !== undefined)
    throw new MillbookError(
      'a user is named only to read a database; a service shows the views of the user who signs in, so leave the user out',
    )
  const id = await idOf(transport, saved)
  return { method: 'GET', path: `/v1/views/${encodeURIComponent(id)}/data`, query: { on } }
}

/** An app password may not list views, so its caller must name the id. */
async function idOf(transport: Transport, name: string): Promise<string> {
  try {
    const list = { method: 'GET', path: '/v1/views', query: {} } as const
    const { data } = await transport.call(list, async (response) => (await response.json()) as { data: NamedView[] })
    return viewNamed(name, data).id
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error
    if (/^[\w-]{16}$/.test(name)) return name
    throw new MillbookError(
      `an app password reads a view by its id, and ${name} is none; GET /v1/views and the console show the ids`,
    )
  }
}

const inWords = ({ message, requestId }: Refused): string =>
  requestId === undefined ? message : `${message} (request ${requestId})`

const textsOf = (params: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))

function fetchedOf({ headers, body }: Response, format: string): Fetched {
  const count = Number(headers.get('x-record-count'))
  const length = headers.get('content-encoding') === null ? headers.get('content-length') : null
  return {
    name: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? `report.${format}`,
    version: headers.get('x-data-version') ?? '',
    records: count,
    total: Number(headers.get('x-pagination-total-count') ?? count),
    token: headers.get('x-since-token') ?? undefined,
    length: length === null ? undefined : Number(length),
    bytes: body ?? emptyBody(),
  }
}

const NEWLINE = 10
const COMMA = 44

/** Lines of JSON as one document: a comma in place of each newline but the last. */
async function* jsonOf(lines: AsyncIterable<Uint8Array>, length: number | undefined): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"data":[')
  let [size, ends] = [0, false]
  for await (const piece of lines) {
    if (piece.length === 0) continue
    if (ends) yield Buffer.from(',')
    ends = piece.at(-1) === NEWLINE
    size += piece.length
    yield piece.subarray(0, ends ? -1 : undefined).map((byte) => (byte === NEWLINE ? COMMA : byte))
  }
  if (length !== undefined && size !== length) throw new Error(`${size} of ${length} bytes arrived`)
  yield Buffer.from(']}')
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
