/** JSON as in the contract: `data`, and on pages `_links` and `_meta`; with `since`, `removed` and `_since` between them. */
import type { About, Format } from './format.js'

const OPEN = Buffer.from('{"data":[')
const REMOVED = Buffer.from('],"removed":[')

export default {
  name: 'json',
  label: 'JSON',
  share: 1,
  contentType: 'application/json; charset=utf-8',
  removedApart: true,
  keepsRecords: true,
  async *encode(records, about) {
    yield OPEN
    if (records.size > 0) yield* records.joined()
    const { changes } = about
    if (changes !== undefined) {
      yield REMOVED
      if (changes.removed.size > 0) yield* changes.removed.joined()
    }
    yield closing(records, about)
  },
  length: (records, about) =>
    OPEN.length +
    records.size +
    (about.changes === undefined ? 0 : REMOVED.length + about.changes.removed.size) +
    closing(records, about).length,
} satisfies Format

function closing(records: { total: number }, { page, changes, version }: About): Buffer {
  const since = changes && `,"_since":${JSON.stringify({ token: changes.token, version: Number(version) })}`
  if (page === undefined) return Buffer.from(`]${since ?? ''}}`)
  const total = records.total + (changes?.removed.total ?? 0)
  const links = Object.fromEntries(Object.entries(page.links).map(([name, href]) => [name, { href }]))
  const meta = {
    totalCount: total,
    pageCount: Math.ceil(total / page.size),
    currentPage: page.number,
    perPage: page.size,
  }
  return Buffer.from(`]${since ?? ''},"_links":${JSON.stringify(links)},"_meta":${JSON.stringify(meta)}}`)
}

const link = { type: 'object', properties: { href: { type: 'string', format: 'uri' } }, required: ['href'] }

/** The members of `_links`; `next` only if there is a further page. */
export const LINK_NAMES = ['self', 'first', 'last', 'next'] as const

/** The JSON Schemas of `_links` and `_meta`, which a page has beside `data`. */
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
