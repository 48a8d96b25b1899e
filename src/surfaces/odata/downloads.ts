/** `GET /v1/views/<id>.odc` and `.pbids`: downloads that open a saved view in Excel and in Power BI. */
import type { FastifyInstance } from 'fastify'
import { readsView } from '../../access/readable.js'
import type { Caller } from '../../access/tokens.js'
import { MillbookError, Problem } from '../../errors.js'
import { mayUse } from '../../groups.js'
import { originOf } from '../../http/origin.js'
import { plainName } from '../../kernel/report/flat.js'
import { reportNamed } from '../../kernel/report/names.js'
import type { Report } from '../../kernel/report/report.js'
import { findView } from '../../views/saved.js'
import type { Services } from '../surface.js'
import { odc, pbids } from './files.js'
import { ODATA_PATH } from './resource.js'
import { aliasOf } from './tables.js'

const files = [
  { extension: 'odc', type: 'text/x-ms-odc; charset=utf-8', make: odc },
  { extension: 'pbids', type: 'application/json; charset=utf-8', make: pbids },
]

export function mountDownloads(app: FastifyInstance, { database, admission, reports }: Services): void {
  for (const { extension, type, make } of files)
    app.get(
      `/v1/views/:id(^[\\w-]+).${extension}`,
      { onRequest: admission.hook(undefined, readsView) },
      async (request, reply) => {
        const caller = request.caller as Caller
        const { id, definition } = await findView(database.quick, (request.params as { id: string }).id, caller).catch(
          (error) => {
            throw error instanceof MillbookError
              ? new Problem('does-not-exist', { detail: `${error.message}.` })
              : error
          },
        )
        requireGroup(caller, reportNamed(definition.report, reports))
        const text = make(`${originOf(request)}${ODATA_PATH}/${aliasOf(id)}`, definition.name)
        const name = plainName(definition.name)
        return reply
          .headers({ ...request.allowance, 'cache-control': 'no-store' })
          .header(
            'content-disposition',
            `attachment; filename="${name.replace(/[^ -~]/g, '_')}.${extension}"; filename*=UTF-8''${encodeURIComponent(name)}.${extension}`,
          )
          .type(type)
          .send(text)
      },
    )
}

function requireGroup(caller: Caller, report: Report | undefined): void {
  if (report === undefined || mayUse(caller, report.group)) return
  throw new Problem('forbidden', {
    detail: `This view shows the report ${report.id}, and you may not use the group ${report.group}; ask the operator for access to it.`,
  })
}
