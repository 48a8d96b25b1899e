/** `GET /v1/reports`: the declarations of the reports that the caller may use, for programs that make forms and tables of them. */
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/tokens.js'
import { formats } from '../../formats/index.js'
import { type Group, mayUse } from '../../groups.js'
import { admit } from '../../http/admit.js'
import { type Column, columnsOf, type KeyPart, keyOf } from '../../kernel/columns.js'
import type { ParamType } from '../../kernel/params.js'
import type { Report } from '../../kernel/report.js'
import type { Services } from '../surface.js'

export interface CatalogueParam {
  readonly name: string
  readonly type: ParamType
  readonly description: string
  readonly required: boolean
}

export interface CatalogueReport {
  readonly id: string
  readonly group: Group
  /** A few words for a menu. */
  readonly title: string
  readonly summary: string
  readonly description: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly params: readonly CatalogueParam[]
  /** The parameter that says how many records a page has. */
  readonly per_page_from?: string
  /** The parameter that decides which of the shapes the records have. */
  readonly shaped_by?: string
  /** The only one has an empty name. */
  readonly shapes: readonly {
    readonly name: string
    readonly columns: readonly Column[]
    readonly key: readonly KeyPart[]
  }[]
}

export interface Catalogue {
  readonly data: readonly CatalogueReport[]
  readonly formats: readonly { readonly name: string; readonly content_type: string }[]
}

function describe(report: Report): CatalogueReport {
  const { id, group, title, summary, description, method, path, request, perPageFrom, shapedBy, shapes } = report
  return {
    ...{ id, group, title, summary, description, method, path },
    params: Object.entries(request).map(([name, { type, description, required }]) => ({
      ...{ name, type, description, required },
    })),
    ...(perPageFrom !== undefined && { per_page_from: perPageFrom }),
    ...(shapedBy !== undefined && { shaped_by: shapedBy }),
    shapes: [...shapes].map(([name, shape]) => ({ name, columns: columnsOf(shape), key: keyOf(shape) })),
  }
}

export function mountCatalogue(app: FastifyInstance, { reports, tokens, rate }: Services): void {
  const described = reports.map(describe)
  const offered = formats.map(({ name, contentType }) => ({ name, content_type: contentType }))
  app.get('/v1/reports', { onRequest: admit(undefined, tokens, rate) }, async (request, reply) => {
    const caller = request.caller as Caller
    const body: Catalogue = { data: described.filter(({ group }) => mayUse(caller, group)), formats: offered }
    return reply
      .headers(request.allowance ?? {})
      .header('cache-control', 'private, no-cache')
      .send(body)
  })
}
