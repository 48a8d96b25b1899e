/** JSON as in the contract: `data`, and on pages `_links` and `_meta`. */
import type { About, Format } from './format.js'

const OPEN = Buffer.from('{"data":[')

export default {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  async *encode(records, about) {
    yield OPEN
    if (records.size > 0) yield* records.joined()
    yield closing(records, about)
  },
  length: (records, about) => OPEN.length + records.size + closing(records, about).length,
} satisfies Format

function closing({ total }: { total: number }, { page }: About): Buffer {
  if (page === undefined) return Buffer.from(']}')
  const links = Object.fromEntries(Object.entries(page.links).map(([name, href]) => [name, { href }]))
  const meta = {
    totalCount: total,
    pageCount: Math.ceil(total / page.size),
    currentPage: page.number,
    perPage: page.size,
  }
  return Buffer.from(`],"_links":${JSON.stringify(links)},"_meta":${JSON.stringify(meta)}}`)
}

const link = { type: 'object', properties: { href: { type: 'string', format: 'uri' } }, required: ['href'] }

/** The members of `_links`; `next` only if there is a further page. */
export const LINK_NAMES = ['self', 'first', 'last', 'next'] as const

/** The JSON Schemas of `_links` and `_meta`, which stand beside `data` on a page. */
export const envelopeSchemas = {
  _links: {
    type: 'object',
    description: 'URLs of pages of the same report; `next` only if there is a further page.',
    properties: Object.fromEntries(LINK_NAMES.map((name) => [name, link])),
    required: ['self', 'first', 'last'],
    additionalProperties: false,
  },
  _meta: {
    type: 'object',
    description: 'The `X-Pagination-*` headers hold the same counts.',
    properties: {
      totalCount: { type: 'integer', description: 'Records of all pages.' },
      pageCount: { type: 'integer', description: 'Pages; 0 if there is no record.' },
      currentPage: { type: 'integer', description: 'Number of this page, from 1.' },
      perPage: { type: 'integer', description: 'Records on a full page.' },
    },
    required: ['totalCount', 'pageCount', 'currentPage', 'perPage'],
    additionalProperties: false,
  },
}
