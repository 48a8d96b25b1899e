/** What a client wants: the version of the protocol, the form of the JSON, the size of a page. */
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../errors.js'
import { LARGEST_PAGE } from '../../kernel/report/paging.js'
import { wrong } from './tokens.js'

/** The JSON of a response. */
export interface Form {
  readonly metadata: 'minimal' | 'none'
  /** Numbers as strings, for programs that would read them into floating point. */
  readonly exact: boolean
}

const MINIMAL: Form = { metadata: 'minimal', exact: false }

export const contentType = ({ metadata, exact }: Form): string =>
  `application/json;odata.metadata=${metadata}${exact ? ';IEEE754Compatible=true' : ''}`

/** A client that reads no version 4.0 names an older one as the highest. */
export function requireVersion({ 'odata-maxversion': highest, 'odata-version': own }: IncomingHttpHeaders): void {
  for (const [name, value] of Object.entries({ 'OData-MaxVersion': highest, 'OData-Version': own }))
    if (value !== undefined && !(Number.parseFloat(String(value)) >= 4))
      throw wrong(
        `This service speaks OData 4.0, and ${name} is ${String(value).slice(0, 20)}; send 4.0 or leave it out.`,
      )
}

/** The form of the first of `Accept`'s ranges, by weight, that this service has; `$format` goes before it. */
export function formOf(format: string | undefined, accept: string | undefined): Form {
  if (format !== undefined) {
    const found = format === 'json' ? MINIMAL : formIn(format)
    if (found === undefined)
      throw notAcceptable(
        `$format=${format.slice(0, 60)} is not available; there is json, with odata.metadata=minimal or none.`,
      )
    return found
  }
  if (accept === undefined || accept.trim() === '') return MINIMAL
  const found = accept
    .split(',')
    .map((range) => ({ form: formIn(range), weight: weightOf(range) }))
    .filter(({ form, weight }) => form !== undefined && weight > 0)
    .sort((a, b) => b.weight - a.weight)[0]?.form
  if (found === undefined)
    throw notAcceptable(
      'The Accept header allows no available format; there is application/json;odata.metadata=minimal.',
    )
  return found
}

const notAcceptable = (detail: string): Problem => new Problem('not-acceptable', { detail })

const paramsOf = (range: string): { type: string; params: ReadonlyMap<string, string> } => {
  const [type = '', ...params] = range
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const pairs = params.map((param) => param.split('=').map((part) => part.trim().replaceAll('"', '')))
  return { type, params: new Map(pairs.map(([name = '', value = '']) => [name, value])) }
}

const weightOf = (range: string): number => {
  const weight = Number(paramsOf(range).params.get('q') ?? 1)
  return Number.isFinite(weight) ? weight : 0
}

/** Undefined for a range without JSON of this service. Full metadata would repeat in each record what `$metadata` says. */
function formIn(range: string): Form | undefined {
  const { type, params } = paramsOf(range)
  if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return undefined
  const metadata = params.get('odata.metadata') ?? 'minimal'
  if (metadata !== 'minimal' && metadata !== 'none') return undefined
  return { metadata, exact: params.get('ieee754compatible') === 'true' }
}

/** The size of a page, and the header that confirms it if the client asked for it. */
export function pageSize(prefer: string | string[] | undefined): { size: number; applied: string | undefined } {
  const [, text] = /(?:^|[,\s])(?:odata\.)?maxpagesize\s*=\s*"?(\d{1,9})"?/i.exec([prefer ?? []].flat().join(',')) ?? []
  const wanted = Number(text)
  if (!(wanted > 0)) return { size: LARGEST_PAGE, applied: undefined }
  const size = Math.min(wanted, LARGEST_PAGE)
  return { size, applied: `odata.maxpagesize=${size}` }
}
