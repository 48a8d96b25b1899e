/** Saved views: their definitions, and their data as the report's own response. */
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { By } from '../../access/audit.js'
import { readsView } from '../../access/readable.js'
import { type Caller, invalidToken } from '../../access/tokens.js'
import type { Tx } from '../../db/connect.js'
import { retryDeadlocks } from '../../db/retry.js'
import { MillbookError, Problem } from '../../errors.js'
import { formatParam, optionParams } from '../../formats/index.js'
import { mayUse } from '../../groups.js'
import { usesSession } from '../../http/bearer.js'
import { addressOf, originOf } from '../../http/origin.js'
import { parseJson } from '../../http/request-body.js'
import { requireSameOrigin } from '../../http/same-origin.js'
import { sinceParam } from '../../kernel/answer/feeds.js'
import { againstParam, asKnownParam } from '../../kernel/report/as-known.js'
import { reportNamed } from '../../kernel/report/names.js'
import { pageParams } from '../../kernel/report/paging.js'
import { Day, Optional, type Params, readParams } from '../../kernel/report/params.js'
import { hasState } from '../../sqlstate.js'
import { type Definition, readDefinition, resolveSaved } from '../../views/definition.js'
import {
  createView,
  deleteView,
  findView,
  listViews,
  readCalendar,
  replaceView,
  type SavedView,
} from '../../views/saved.js'
import type { Services } from '../surface.js'
import { type Common, queryOf, readingOf } from './read.js'
import type { Answering } from './reports.js'

export const VIEWS_PATH = '/v1/views'

/** The parameters of `GET /v1/views/<id>/data`; the view has the others. */
export const dataParams = {
  ...pageParams,
  on: Optional(
    Day(
      'The day from which the words of the period are counted, today by default: with `last-month`, the month before this day. Links to other pages have it, so that a walk over pages keeps its period at midnight.',
      '2026-07-15',
    ),
  ),
  since: sinceParam,
  as_known: asKnownParam,
  against: againstParam,
  format: formatParam,
  ...optionParams,
} satisfies Params

/** `answer` sends the response of a report. */
export function mountViews(app: FastifyInstance, { database, reports, admission }: Services, answer: Answering): void {
  const db = database.quick
  const onRequest = admission.hook()
  const one = `${VIEWS_PATH}/:id`

  const change = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    retryDeadlocks(() => db.begin(work)).catch((error) => {
      throw toProblem(error)
    })
  const find = async (request: FastifyRequest): Promise<SavedView> => {
    const found = await findView(db, (request.params as { id: string }).id, callerOf(request)).catch((error) => {
      throw toProblem(error)
    })
    requireGroup(request, found.definition)
    return found
  }
  const requireGroup = (request: FastifyRequest, { report }: Definition): void => {
    const found = reportNamed(report, reports)
    if (found === undefined || mayUse(callerOf(request), found.group)) return
    throw new Problem('forbidden', {
      detail: `This view shows the report ${found.id}, and you may not use the group ${found.group}; ask the operator for access to it.`,
    })
  }
  const readBody = async (request: FastifyRequest): Promise<Definition> => {
    const body = parseJson((request.body as string | undefined) ?? '') ?? {}
    const { definition } = readDefinition(body, reports, await readCalendar(db))
    requireGroup(request, definition)
    return definition
  }

  app.get(VIEWS_PATH, { onRequest }, async (request, reply) => {
    const caller = callerOf(request)
    const found = await listViews(db, caller)
    const seen = found.filter(({ definition: { report } }) => {
      const group = reportNamed(report, reports)?.group
      return group === undefined || mayUse(caller, group)
    })
    return plain(request, reply).send({ data: seen.map((view) => viewJson(view, caller)) })
  })

  app.post(VIEWS_PATH, { onRequest }, async (request, reply) => {
    const owner = ownerOf(request)
    const definition = await readBody(request)
    const made = await change((tx) => createView(tx, owner, definition, byOf(request)))
    return plain(request, reply)
      .code(201)
      .header('location', `${VIEWS_PATH}/${made.id}`)
      .send(viewJson(made, callerOf(request)))
  })

  app.get(one, { onRequest }, async (request, reply) =>
    plain(request, reply).send(viewJson(await find(request), callerOf(request))),
  )

  app.put(one, { onRequest }, async (request, reply) => {
    const owner = ownerOf(request)
    const { id } = await own(request, owner)
    const definition = await readBody(request)
    const made = await change((tx) => replaceView(tx, owner, id, definition, byOf(request)))
    return plain(request, reply).send(viewJson(made, callerOf(request)))
  })

  app.delete(one, { onRequest }, async (request, reply) => {
    const view = await own(request, ownerOf(request))
    await change((tx) => deleteView(tx, view, byOf(request)))
    return plain(request, reply).send(viewJson(view, callerOf(request)))
  })

  /** A view that the caller may change: an operator may also end a view of another user. */
  const own = async (request: FastifyRequest, owner: string): Promise<SavedView> => {
    const view = await find(request)
    if (view.owner === owner || (request.method === 'DELETE' && callerOf(request).role === 'operator')) return view
    throw new Problem('forbidden', {
      detail: `This view belongs to ${view.owner}, and only its owner may change it; save it under a name of your own.`,
    })
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: `${one}/data`,
    exposeHeadRoute: false,
    config: { endpoint: 'views.data' },
    onRequest: admission.hook(undefined, readsView),
    handler: async (request, reply) => {
      const view = await find(request)
      const read = readParams(dataParams, parse(queryOf(request.url)))
      if ('errors' in read) throw new Problem('invalid-parameters', { errors: read.errors })
      const { on, ...given } = read.values
      const calendar = await readCalendar(db)
      const {
        report,
        values,
        view: spec,
      } = resolveSaved(view.definition, reports, {
        ...calendar,
        today: on ?? calendar.today,
      })
      const { period } = view.definition
      const own = period === undefined ? {} : { on: on ?? calendar.today }
      const links = { path: `${VIEWS_PATH}/${view.id}/data`, own, view: {} }
      const browser = request.headers['sec-fetch-mode'] !== undefined
      const common = { ...spec, ...given } as Common
      return await answer(readingOf(report, values, common, links, request, originOf(request), browser), request, reply)
    },
  })
}

const callerOf = ({ caller }: FastifyRequest): Caller => caller as Caller

/** The user that the request acts for. A session is used by pages of this service only. */
function ownerOf(request: FastifyRequest): string {
  if (usesSession(request)) requireSameOrigin(request)
  const { username } = callerOf(request)
  if (username === null)
    throw new Problem('forbidden', {
      detail:
        'Views belong to users, and this token is of a client without a user; send a token of a user, or sign in to the console.',
    })
  return username
}

const byOf = (request: FastifyRequest): By & { client: string } => ({
  actor: callerOf(request).username as string,
  client: callerOf(request).name,
  address: addressOf(request),
})

const plain = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers({ ...request.allowance, 'cache-control': 'no-store' })

const viewJson = ({ id, owner, definition, changedAt }: SavedView, { username }: Caller) => ({
  id,
  ...definition,
  owner,
  mine: owner === username,
  changed_at: changedAt.toISOString(),
})

function toProblem(error: unknown): unknown {
  if (hasState(error, 'foreign_key_violation')) return invalidToken() // the user was deleted during the request
  if (hasState(error, 'unique_violation'))
    return new Problem('conflict', { detail: 'Another request has just taken this name; choose another one.' })
  if (!(error instanceof MillbookError)) return error
  return new Problem(error.kind === 'unknown' ? 'does-not-exist' : 'conflict', { detail: `${error.message}.` })
}
