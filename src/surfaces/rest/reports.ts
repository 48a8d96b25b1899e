/** Every report as a route. The path of a request, top to bottom: admit → read → ask → write. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readsReport } from '../../access/readable.js'
import type { Caller } from '../../access/tokens.js'
import { Problem } from '../../errors.js'
import type { Route } from '../../http/bearer.js'
import { readJsonTexts } from '../../http/request-body.js'
import { goneSignal } from '../../http/response-end.js'
import type { Answer, Unchanged } from '../../kernel/answer/answer.js'
import { START, TokenGone } from '../../kernel/answer/feeds.js'
import type { Report } from '../../kernel/report/report.js'
import type { Services } from '../surface.js'
import { againFor } from './again.js'
import { type Reading, Readings } from './read.js'
import { callerHas, versionOf, writeAnswer, writeUnchanged } from './write.js'

/** Sends the response to the request that a reading describes. */
export type Answering = (reading: Reading, request: FastifyRequest, reply: FastifyReply) => undefined | Promise<void>

/** Returns the function that answers any reading, for routes that are not those of a report. */
export function mountReports(app: FastifyInstance, { kernel, admission, repeats, reports }: Services): Answering {
  readJsonTexts(app)
  const readings = new Readings()

  /** Answers immediately if the response is in memory: most are, and a promise would cost more than the rest. */
  function handle(
    report: Report,
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
  ): undefined | Promise<void> {
    const { trace } = request
    trace.report = report.id
    trace.admittedAt = performance.now()
    return answerTo(readings.read(report, request), request, reply, (reading) => {
      const again = againFor(report, reading, request, reply, kernel)
      if (again !== undefined) repeats.remember(request, route, again)
    })
  }

  function answerTo(
    reading: Reading,
    request: FastifyRequest,
    reply: FastifyReply,
    remember?: (reading: Reading) => void,
  ): undefined | Promise<void> {
    const { report } = reading
    const has = callerHas(request, reading)
    const answer = kernel.ask(request.caller as Caller, reading, {
      ...(has && { has }),
      charge: () => admission.charge(report.cost, request),
      gone: () => goneSignal(reply.raw),
    })
    if (!(answer instanceof Promise)) {
      remember?.(reading)
      return write(answer, reading, request, reply)
    }
    return answer.then(
      (answer) => write(answer, reading, request, reply),
      (error) => {
        throw reading.since === undefined ? error : withBeginning(error, reading)
      },
    )
  }

  for (const report of reports) {
    const route: Route = { group: report.group, readable: readsReport(report.id) }
    app.route({
      method: report.method === 'GET' ? ['GET', 'HEAD'] : ['GET', 'HEAD', 'POST'],
      url: report.path,
      exposeHeadRoute: false, // it is declared here
      config: { endpoint: report.id },
      onRequest: admission.hook(route.group, route.readable),
      handler: (request, reply) => handle(report, route, request, reply),
    })
  }
  return (reading, request, reply) => {
    request.trace.report = reading.report.id
    request.trace.admittedAt = performance.now()
    return answerTo(reading, request, reply)
  }
}

/** On 410, adds the link that restarts: page 1 of this walk, or `since=start` if the token expired. */
function withBeginning(error: unknown, { link, page }: Reading): unknown {
  if (!(error instanceof Problem) || error.code !== 'gone') return error
  const url = new URL(link(1, undefined))
  if (error instanceof TokenGone) url.searchParams.set('since', START)
  if (page === undefined) url.searchParams.delete('page')
  const { detail = '' } = error
  return new Problem('gone', {
    detail: `${detail} Begin at ${url.href}`,
    headers: { link: `<${url.href}>; rel="first"` },
  })
}

function write(
  answer: Answer | Unchanged,
  reading: Reading,
  request: FastifyRequest,
  reply: FastifyReply,
): undefined | Promise<void> {
  const { trace } = request
  trace.answeredAt = performance.now()
  trace.version = versionOf(answer.edition)
  trace.source = answer.unchanged ? 'memory' : answer.source
  trace.rows = answer.unchanged ? 0 : answer.records.count
  if (!answer.unchanged) return writeAnswer(answer, reading, request, reply)
  writeUnchanged(answer.edition, reading, request, reply)
  return undefined
}
