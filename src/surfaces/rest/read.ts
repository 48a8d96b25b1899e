/** Reads a request: the report's parameters, its view, the page, the pinned version and the format. */
import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type FieldError, Problem } from '../../errors.js'
import type { Format, Options } from '../../formats/format.js'
import { chooseFormat, formatParam, optionParams, usualFields } from '../../formats/index.js'
import { originOf } from '../../http/origin.js'
import { parseJson } from '../../http/request-body.js'
import type { Asked } from '../../kernel/answer/ask.js'
import { sinceParam } from '../../kernel/answer/feeds.js'
import { againstParam, asKnownParam } from '../../kernel/report/as-known.js'
import { pageParams, requestedPage } from '../../kernel/report/paging.js'
import { type Params, readParams, unknownParam, type Values } from '../../kernel/report/params.js'
import type { Report, ViewSpec } from '../../kernel/report/report.js'
import { viewed } from '../../kernel/report/view.js'
import { viewParams } from '../../kernel/report/view-params.js'

/** The parameters that every report takes in its query string. */
export const commonParams = {
  ...pageParams,
  ...viewParams,
  since: sinceParam,
  as_known: asKnownParam,
  against: againstParam,
  format: formatParam,
  ...optionParams,
} satisfies Params

const COMMON = Object.keys(commonParams)

/** The meaning of a request. */
export interface Reading extends Asked {
  readonly format: Format
  readonly options: Options
  /** Names the format with its options. */
  readonly representation: string
  /** Identifies the response among all responses with the same records. */
  readonly variant: string
  /** The URL of another page of the same report. */
  link(page: number, pin: string | undefined): string
}

type Given = Record<string, unknown>

const REMEMBERED = 5000
const LONGEST_REMEMBERED = 1000

interface Known {
  /** The report as declared; the report of the reading may be a view of it. */
  report: Report
  origin: string
  accept: string
  /** Whether a browser sent it. */
  browser: boolean
  reading: Reading
}

/** Caches the meaning of requests: most are repeated, and reading a request takes longer than answering it from memory. */
export class Readings {
  /** By method, URL and body. */
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED })

  read(report: Report, request: FastifyRequest): Reading {
    const { url, headers } = request
    const { accept = '' } = headers
    const body = (request.body as string | undefined) ?? ''
    const origin = originOf(request)
    const browser = headers['sec-fetch-mode'] !== undefined
    const key = `${isGet(request) ? 'GET' : 'POST'} ${url} ${body}`
    const known = this.#known.get(key)
    if (known?.report === report && known.origin === origin && known.accept === accept && known.browser === browser)
      return known.reading
    const reading = readRequest(report, request, origin, body, browser)
    if (key.length <= LONGEST_REMEMBERED) this.#known.set(key, { report, origin, accept, browser, reading })
    return reading
  }
}

function readRequest(
  declared: Report,
  request: FastifyRequest,
  origin: string,
  body: string,
  browser: boolean,
): Reading {
  const inUrl = isGet(request)
  const { values, sent, common } = readValues(
    ...([declared, inUrl, parse(queryOf(request.url)), parseJson(body) ?? {}, body !== ''] as const),
  )
  const { fields, sort, search, group, measures, compare, filter, having } = common
  const view = { fields, sort, search, group, measures, compare, filter, having }
  const links = { path: declared.path, own: inUrl ? sent : {}, view }
  return readingOf(declared, values, common, links, request, origin, browser)
}

/** The parameters that a reading is made from. */
export type Common = Values<typeof commonParams>

/** The path of links to other pages, and the parameters that they repeat. */
interface Links {
  readonly path: string
  readonly own: Given
  readonly view: ViewSpec
}

/** The meaning of a request for a report with these parameters. */
export function readingOf(
  declared: Report,
  values: Values<Params>,
  common: Common,
  { path, own, view: { filter, having, ...view } }: Links,
  { headers: { accept } }: Pick<FastifyRequest, 'headers'>,
  origin: string,
  browser: boolean,
): Reading {
  const format = chooseFormat(common.format, accept)
  const report = viewed(declared, values, { ...common, fields: common.fields ?? usualFields(format) })
  const options = optionsFor(format, common, browser)
  const { snapshot: pin, 'per-page': perPage, since, as_known: asKnown, against } = common
  const wholeByDefault = format.extension !== undefined || since !== undefined
  const isTotals = report.view?.totals !== undefined
  const page = isTotals ? undefined : requestedPage(report, values, common, wholeByDefault)
  const link = (number: number, snapshot: string | undefined) => {
    const url = new URL(path, origin)
    const page = { page: number, 'per-page': perPage, snapshot }
    const params = {
      ...own,
      ...page,
      ...view,
      since,
      as_known: asKnown,
      against,
      format: common.format,
      ...definedOf(common),
      filter,
      having,
    }
    for (const [name, given] of Object.entries(params))
      for (const value of [given].flat()) if (value !== undefined) url.searchParams.append(name, String(value))
    return url.href
  }
  const named = format.namesRequest ? [report.id] : []
  const changes = [since !== undefined && 'changes', against !== undefined && 'against'].filter(
    (word) => word !== false,
  )
  const representation = [format.name, ...named, ...changes, ...Object.entries(options).flat()].join('-')
  return {
    ...{ report, values, page, pin, since, asKnown, against, format, options, representation, link },
    variant:
      page === undefined
        ? [representation, ...(since === undefined ? [] : [since])].join(' ')
        : `${representation} ${pin ?? ''} ${link(page.number, undefined)}`,
  }
}

/** The options in force. For browsers formulas are made safe, because people may open the download in a spreadsheet. */
function optionsFor(format: Format, given: Options, browser: boolean): Options {
  const names = format.options ?? []
  const errors = optionNames
    .filter((name) => !names.includes(name) && ![undefined, usual(name)].includes(given[name]))
    .map((name) => ({ field: name, message: `must be ${usual(name)} in the format ${format.name}` }))
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  const all: Options = { ...(browser && names.includes('formulas') && { formulas: 'safe' }), ...definedOf(given) }
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])))
}

const usual = (name: keyof Options) => (optionParams[name].type as { words: readonly string[] }).words[0]

/** The options that the caller gives. */
const definedOf = (given: Options): Options =>
  Object.fromEntries(optionNames.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))

const optionNames = Object.keys(optionParams) as (keyof Options)[]

export const queryOf = (url: string): string => {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Links repeat the parameters of a GET; callers send a POST to a link with the same body again. */
const isGet = ({ method }: FastifyRequest): boolean => method !== 'POST'

/** The report's parameters come in the body, for a GET also in the query string; common parameters in the query string. */
function readValues(report: Report, inUrl: boolean, query: Given, body: Given, hasBody: boolean) {
  const errors: FieldError[] = []
  const given: Given = Object.assign(Object.create(null), body) // a parameter may be called anything, __proto__ too
  const common: Given = {}
  const own = Object.keys(report.request)
  for (const [name, value] of Object.entries(query)) {
    if (Object.hasOwn(commonParams, name)) common[name] = value
    else if (!Object.hasOwn(report.request, name))
      errors.push(unknownParam(name, inUrl ? [...own, ...COMMON] : COMMON, 'of the query string', own))
    else if (!inUrl)
      errors.push({
        field: name,
        message: 'belongs in the JSON body of a POST; send a GET to have it in the query string',
      })
    else if (Object.hasOwn(body, name) && String(body[name]) !== value)
      errors.push({
        field: name,
        message: 'is given twice, with one value in the body and another in the query string; send it once',
      })
    else given[name] = value
  }
  for (const name of COMMON)
    if (Object.hasOwn(given, name) && !Object.hasOwn(report.request, name)) {
      errors.push({ field: name, message: 'belongs in the query string, not in the body' })
      delete given[name]
    }
  const params = readParams(report.request, given, COMMON)
  const commons = readParams(commonParams, common)
  if ('errors' in params) errors.push(...params.errors)
  if ('errors' in commons) errors.push(...commons.errors)
  if (errors.length > 0 || 'errors' in params || 'errors' in commons) {
    const lost = inUrl && !hasBody && errors.some(({ message }) => message.startsWith('is required'))
    throw new Problem('invalid-parameters', { errors, ...(lost && { detail: BODY_LOST }) })
  }
  const sent = Object.fromEntries(Object.keys(params.values).map((name) => [name, given[name]]))
  return { values: params.values, sent, common: commons.values }
}

const BODY_LOST =
  'The request arrived without a body. Many clients and proxies drop the body of a GET; send the parameters in the query string.'
