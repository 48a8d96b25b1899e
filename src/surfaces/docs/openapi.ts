/** The OpenAPI 3.1 document: the parts of all surfaces put together. */
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import type { Report } from '../../kernel/report/report.js'
import { problemComponents } from '../openapi.js'
import type { Surface } from '../surface.js'

const about = `Reports over the inventory, sales, purchase and production data of one manufacturing account. Every report gives the same
answer to the same question: all stock figures are sums over one ledger.

**To call a report**: get a token from \`POST /oauth2/token\`, then send it as \`Authorization: Bearer <access_token>\`.
A program that takes a link with a user name and a password, such as Excel, gets an app password from \`POST /v1/app-passwords\` in place of
the user's own.

**Numbers**: quantities and amounts are strings with a fixed number of fraction digits, so that no program rounds them by
accident; the price of one unit may show up to 6. **Dates** are calendar dates of the account's time zone, and ranges include both ends.

**Parameters** that are numbers may be JSON numbers or strings of digits. An optional parameter of a report that is null or an
empty string counts as left out, unless its description gives the empty string a meaning.

**Pages**: \`?page=\` and \`?per-page=\` work on every report. Paginated reports return page 1 by default; the others return all
records. \`_meta\` and the \`X-Pagination-*\` headers give the number of records; a page past the end is empty. The links \`next\` and
\`last\` pin the version of the data that the first page had: following them gives every record once, even while new data is loaded.
The response is 410 if the service no longer keeps that version: start again at page 1.

**Caching**: every response of a report has an \`ETag\`. Send it back as \`If-None-Match\` and the response is 304 without a body until the
data changes. \`X-Data-Version\` counts the loads. Responses are compressed as \`Accept-Encoding\` allows (br, gzip, zstd).

**Rates**: each client has a rate in units a minute, 6,000 unless the operator sets another. A request costs 1 unit; computing a heavy
report costs 10. The headers \`RateLimit\` and \`RateLimit-Policy\` give the remaining units. Past the rate the response is 429 with \`Retry-After\`.

**Errors** are \`application/problem+json\` (RFC 9457): each names the error and says what to send instead.`

/** The document for callers of this origin. */
export function openapi(surfaces: readonly Surface[], reports: readonly Report[], origin: string): JsonSchema {
  // Surfaces with reports and data come before surfaces about the service.
  const ordered = surfaces.toSorted((a, b) => Number(b.limited) - Number(a.limited))
  const parts = ordered.flatMap((surface) => surface.openapi?.({ reports, origin }) ?? [])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millbook',
      version: '1',
      summary: 'Reports over the inventory, sales, purchase and production data of one manufacturing account',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: origin }],
    tags: parts.flatMap((part) => part.tags ?? []),
    paths: Object.assign({}, ...parts.map((part) => part.paths)),
    components: {
      securitySchemes: Object.assign({}, ...parts.map((part) => part.securitySchemes)),
      schemas: Object.assign({}, ...parts.map((part) => part.schemas), problemComponents.schemas),
      responses: problemComponents.responses,
    },
  }
}
