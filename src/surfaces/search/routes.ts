/** GET /v1/search?q=: the best hits of each kind that the caller may use. */
import { parse } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import { readsEverything } from '../../access/readable.js'
import { readTexts } from '../../db/texts.js'
import { Problem } from '../../errors.js'
import { goneSignal } from '../../http/response-end.js'
import { readParams } from '../../kernel/report/params.js'
import type { Caller } from '../../search/kinds.js'
import { searchParams } from '../../search/params.js'
import { searchStatement } from '../../search/statement.js'
import type { Services } from '../surface.js'

export const SEARCH_PATH = '/v1/search'

/** Searches run on the connections of reports, with their limits on waiting and on the time of a statement. */
export function mountSearch(app: FastifyInstance, { database, admission }: Services): void {
  app.get(SEARCH_PATH, { onRequest: admission.hook(undefined, readsEverything) }, async (request, reply) => {
    const read = readParams(searchParams, parse(request.url.split('?')[1] ?? ''))
    if ('errors' in read) throw new Problem('invalid-parameters', { errors: read.errors })
    const statement = searchStatement(request.caller as Caller, read.values.q)
    const found = statement && (await readTexts(database.db, statement, goneSignal(reply.raw)))
    return reply
      .headers({ ...request.allowance, 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(`{"data":[${found?.bytes ?? ''}]}`)
  })
}
