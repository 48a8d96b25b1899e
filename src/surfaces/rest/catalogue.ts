/** `GET /v1/reports`: the declarations of the reports that the caller may use. */
import type { FastifyInstance } from 'fastify'
import { allowsReport, readsAllowed } from '../../access/readable.js'
import type { Caller } from '../../access/tokens.js'
import { formats } from '../../formats/index.js'
import { mayUse } from '../../groups.js'
import { describeReport } from '../../kernel/report/catalogue.js'
import type { Services } from '../surface.js'

export function mountCatalogue(app: FastifyInstance, { reports, admission }: Services): void {
  const described = reports.map(describeReport)
  const offered = formats.map(({ name, label, share, contentType, usualLines }) => ({
    name,
    label,
    share,
    content_type: contentType,
    ...(usualLines && { lines: usualLines }),
  }))
  app.get('/v1/reports', { onRequest: admission.hook(undefined, readsAllowed) }, async (request, reply) => {
    const caller = request.caller as Caller
    const { readLimits } = caller
    const data = described.filter(
      ({ id, group }) => mayUse(caller, group) && (readLimits === undefined || allowsReport(readLimits, id)),
    )
    return reply
      .headers(request.allowance ?? {})
      .header('cache-control', 'private, no-cache')
      .send({ data, formats: offered })
  })
}
