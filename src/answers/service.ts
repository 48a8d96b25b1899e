/** Reports from a running service. */
import { GoneError, MillbookError as Refused, Transport, type TransportOptions } from '../client/transport.js'
import { MillbookError } from '../errors.js'
import { type Answers, type Fetched, TokenGone, type Wanted } from './answers.js'
import { localToday } from './dates.js'

export function serviceAnswers(options: TransportOptions): Answers {
  const transport = new Transport(options)
  return {
    async fetch(wanted: Wanted, signal?: AbortSignal): Promise<Fetched> {
      const { report, params, format, options, since, first } = wanted
      const page = first === undefined ? {} : { page: 1, 'per-page': first }
      const query = { ...options, format, since, ...page }
      const call =
        report.method === 'GET'
          ? { method: report.method, path: report.path, query: { ...textsOf(params), ...query } }
          : { method: report.method, path: report.path, query, body: params }
      try {
        return await transport.call({ ...call, signal }, (response) => Promise.resolve(fetchedOf(response, format)))
      } catch (error) {
        if (error instanceof GoneError && since !== undefined) throw new TokenGone(error.message)
        if (error instanceof Refused) throw new MillbookError(inWords(error))
        throw error
      }
    },
    today: async () => localToday(),
    close: async () => {},
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

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
