/** Pages: which one is asked for, and the envelope around its records. */

import type { Slice } from '../store/snapshots.js'
import { Optional, type Param, type Params, type Values, WholeNumber } from './params.js'
import type { Page } from './statement.js'

export const LARGEST_PAGE = 5000
/** For a report that has no page size of its own and is asked for a page all the same. */
const USUAL_PAGE = 20

/** What stands in an address is text; its schema tells the number that it means. */
const inAddress = (largest: number, description: string, example: number): Param<number | undefined> => ({
  ...WholeNumber(largest, description, example),
  schema: { type: 'integer', minimum: 1, maximum: largest, description, examples: [example] },
  required: false,
})

/** A parameter of a request that is the size of a page. */
export const PageSize = Optional(
  WholeNumber(
    LARGEST_PAGE,
    `Records on a page, at most ${LARGEST_PAGE}; as a number or as a string. \`per-page\` in the address goes before it.`,
    USUAL_PAGE,
  ),
)

const PIN = /^\d{1,18}-\d{1,18}(-\d{4}-\d\d-\d\d)?$/
/** Names the version of the data that a walk over pages has begun with. */
const Pin: Param<string | undefined> = {
  schema: {
    type: 'string',
    pattern: PIN.source,
    description:
      'The version of the data that a walk over pages has begun with: `next` and `last` carry it. When it is gone, the answer is 410.',
    examples: ['17-1772000000000000'],
  },
  expects: 'as it stands in a link of an answer',
  read: (value) => (typeof value === 'string' && PIN.test(value) ? value : undefined),
  required: false,
  example: '17-1772000000000000',
}

/** The parameters that every report takes in its query string. */
export const pageParams = {
  page: inAddress(1_000_000_000, 'Number of the page, from 1.', 1),
  'per-page': inAddress(LARGEST_PAGE, `Records on a page, at most ${LARGEST_PAGE}.`, USUAL_PAGE),
  snapshot: Pin,
} satisfies Params

/** The page to answer with, or undefined for the whole report. */
export function pageAsked(
  report: { readonly perPage?: number; readonly perPageFrom?: string },
  values: Values<Params>,
  asked: Values<typeof pageParams>,
): Page | undefined {
  const given = asked.page ?? asked['per-page'] ?? asked.snapshot
  if (given === undefined && report.perPage === undefined) return undefined
  const size = report.perPageFrom === undefined ? undefined : (values[report.perPageFrom] as number | undefined)
  return { number: asked.page ?? 1, size: asked['per-page'] ?? size ?? report.perPage ?? USUAL_PAGE }
}

export interface Envelope {
  body: Buffer
  headers: Record<string, string>
}

/**
 * One page with its links and counts; `linkTo` gives the address of another page of the same report, in the version of
 * this one (`pinned`) or in the latest.
 */
export function envelope(
  { bytes, total }: Slice,
  { number, size }: Page,
  linkTo: (page: number, which: 'self' | 'latest' | 'pinned') => string,
): Envelope {
  const pages = Math.ceil(total / size)
  const link = (page: number, which: 'self' | 'latest' | 'pinned') => ({ href: linkTo(page, which) })
  const links = {
    self: link(number, 'self'),
    first: link(1, 'latest'),
    last: link(Math.max(1, pages), pages > 1 ? 'pinned' : 'latest'),
    ...(number < pages && { next: link(number + 1, 'pinned') }),
  }
  const meta = { totalCount: total, pageCount: pages, currentPage: number, perPage: size }
  return {
    body: Buffer.concat([
      Buffer.from('{"data":['),
      bytes,
      Buffer.from(`],"_links":${JSON.stringify(links)},"_meta":${JSON.stringify(meta)}}`),
    ]),
    headers: {
      'x-pagination-total-count': String(total),
      'x-pagination-page-count': String(pages),
      'x-pagination-current-page': String(number),
      'x-pagination-per-page': String(size),
    },
  }
}

const link = { type: 'object', properties: { href: { type: 'string', format: 'uri' } }, required: ['href'] }

/** The JSON Schemas of what stands beside `data` on a page. */
export const envelopeSchemas = {
  _links: {
    type: 'object',
    description: 'Addresses of pages of the same report; `next` only where a further page exists.',
    properties: { self: link, first: link, last: link, next: link },
    required: ['self', 'first', 'last'],
    additionalProperties: false,
  },
  _meta: {
    type: 'object',
    description: 'The same counts stand in the `X-Pagination-*` headers.',
    properties: {
      totalCount: { type: 'integer', description: 'Records of all pages.' },
      pageCount: { type: 'integer', description: 'Pages; 0 where there is no record.' },
      currentPage: { type: 'integer', description: 'Number of this page, from 1.' },
      perPage: { type: 'integer', description: 'Records on a full page.' },
    },
    required: ['totalCount', 'pageCount', 'currentPage', 'perPage'],
    additionalProperties: false,
  },
}
