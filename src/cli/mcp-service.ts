/** The tools of assistants over a running service, with the credentials of a profile. */
import { ConnectionError, MillbookError as Refused, Transport, type TransportOptions } from '../client/transport.js'
import { Problem } from '../errors.js'
import { recordLines } from '../formats/index.js'
import { leastParams } from '../kernel/report/params.js'
import type { Report } from '../kernel/report/report.js'
import { localToday } from '../period-words.js'
import { exactly } from '../surfaces/mcp/exact.js'
import type { Hit, NamedView, Source, Wanted } from '../surfaces/mcp/source.js'
import type { Definition } from '../views/definition.js'

/** `yearBegins` is the month in which a financial year begins: the service does not say it. */
export async function serviceSource(
  service: TransportOptions,
  all: readonly Report[],
  yearBegins: number,
): Promise<Source> {
  const transport = new Transport(service)
  const get = <T>(path: string, query: Record<string, string | number>, signal?: AbortSignal): Promise<T> =>
    transport
      .call({ method: 'GET', path, query, signal }, async (response) => (await response.json()) as T)
      .catch((error) => {
        throw asProblem(error, service.url)
      })
  const offered = await get<{ data: readonly { id: string }[] }>('/v1/reports', {})
  const reports = all.filter(({ id }) => offered.data.some((one) => one.id === id))

  const ask = async ({ report, params, view, first, asKnown, against }: Wanted, signal: AbortSignal) => {
    const isTotals = view.totals === 'yes'
    const query = {
      ...Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
      ...{ ...view, fields: view.fields ?? (isTotals ? undefined : 'contract'), as_known: asKnown, against },
      ...(!isTotals && { page: 1, 'per-page': first }),
      // JSON has differences as they are, and pages of records with links; lines have the records alone.
      format: against === undefined ? recordLines.name : 'json',
    }
    return await transport
      .call({ method: 'GET', path: report.path, query, signal }, async ({ headers, body }) => {
        const text = await new Response(body).text()
        const records = against === undefined ? text.split('\n').filter(Boolean).map(exactly) : recordsIn(text)
        return {
          version: headers.get('x-data-version') ?? '',
          total: Number(headers.get('x-pagination-total-count') ?? records.length),
          records,
        }
      })
      .catch((error) => {
        throw asProblem(error, service.url)
      })
  }
  /** Costs the service least, and has the version in its answer. */
  const smallest = reports.find(
    ({ request, cost, group }) => leastParams(request).length === 0 && cost === 1 && group !== 'history',
  )

  return {
    reports,
    console: service.url.replace(/\/+$/, ''),
    ask,
    async state(signal) {
      const found = smallest && (await ask({ report: smallest, values: {}, params: {}, view: {}, first: 1 }, signal))
      return { version: found?.version ?? 'unknown', today: localToday(), yearBegins }
    },
    async views(signal) {
      const found = await get<{ data: readonly (Definition & { id: string; owner: string })[] }>(
        '/v1/views',
        {},
        signal,
      ).catch((error) => {
        if (error instanceof Problem && error.code === 'forbidden') return { data: [] } // an app password lists no views
        throw error
      })
      return found.data
        .map(({ id, owner, ...definition }): NamedView => ({ id, owner, definition }))
        .filter(({ definition }) => reports.some(({ id }) => id === definition.report))
    },
    search: async (q, signal) => (await get<{ data: Hit[] }>('/v1/search', { q }, signal)).data,
  }
}

const recordsIn = (text: string) => (exactly(text) as { data: Record<string, unknown>[] }).data

/** What the service refuses is refused in its words; what fails is told as such. */
function asProblem(error: unknown, url: string): unknown {
  if (error instanceof ConnectionError)
    return new Problem('unavailable', { detail: `${url} cannot be reached: ${error.message}` })
  if (!(error instanceof Refused)) return error
  const { status, errors, detail, message } = error
  const detailed = detail === undefined ? message : detail
  if (status === 422)
    return new Problem('invalid-parameters', { errors: [...errors], ...(detail !== undefined && { detail }) })
  if (status === 401) return new Problem('unauthorized', { detail: detailed })
  if (status === 403) return new Problem('forbidden', { detail: detailed })
  if (status === 404) return new Problem('does-not-exist', { detail: detailed })
  if (status === 410) return new Problem('gone', { detail: detailed })
  if (status === 429) return new Problem('too-many-requests', { detail: detailed })
  return new Problem('unavailable', { detail: detailed })
}
