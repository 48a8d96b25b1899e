/** Mounts every report of a list as a route. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../db/connect.js'
import { type FieldError, Problem } from '../errors.js'
import type { Caller } from '../oauth/access.js'
import type { TokenCache } from '../oauth/tokens.js'
import type { Report } from '../report/define.js'
import { envelope, pageAsked, pageParams } from '../report/paging.js'
import { type Params, readParams, type Values } from '../report/params.js'
import { runPage, runWhole } from '../report/run.js'
import { authorize } from './bearer.js'
import { originOf } from './origin.js'
import type { RateLimit } from './rate.js'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

type Given = Record<string, unknown>

export function mountReports(
  app: FastifyInstance,
  db: Db,
  cache: TokenCache,
  rate: RateLimit,
  reports: readonly Report[],
): void {
  app.decorateRequest('caller', null)
  for (const report of reports) {
    app.route({
      method: report.method,
      url: report.path,
      exposeHeadRoute: false, // a GET here may carry a body, which a HEAD cannot
      onRequest: async (request, reply) => {
        request.caller = await authorize(cache, request, report.group)
        reply.headers(await rate.take(request.caller, report.cost))
      },
      handler: (request, reply) => answer(db, report, request, reply),
    })
  }
}

async function answer(db: Db, report: Report, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { values, asked } = read(report, request)
  const view = { hideContacts: request.caller?.hideContacts ?? true }
  const page = pageAsked(report, values, asked)
  reply.type('application/json; charset=utf-8')
  if (page === undefined) {
    const runs: string[] = []
    for await (const records of runWhole(db, report, values, view)) runs.push(records.join(','))
    return reply.send(`{"data":[${runs.join(',')}]}`)
  }
  const { body, headers } = envelope(await runPage(db, report, values, view, page), page, (number) =>
    linkTo(report, request, values, asked['per-page'], number),
  )
  return reply.headers(headers).send(body)
}

/** The report's parameters from the body, or for a GET from the query string too; the page from the query string. */
function read(report: Report, request: FastifyRequest) {
  const query = request.query as Given
  const body = (request.body ?? {}) as Given
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

/** The absolute address of another page, under the host that the caller used. */
function linkTo(
  report: Report,
  request: FastifyRequest,
  values: Values<Params>,
  perPage: number | undefined,
  page: number,
) {
  const url = new URL(report.path, originOf(request))
  // A GET's link holds its parameters; a POST is sent to the link with the same body again.
  if (report.method === 'GET')
    for (const [name, value] of Object.entries(values))
      if (value !== undefined) url.searchParams.set(name, String(value))
  url.searchParams.set('page', String(page))
  if (perPage !== undefined) url.searchParams.set('per-page', String(perPage))
  return url.href
}
