/** POST /mcp, without sessions: each request is answered alone. And the metadata by which an assistant finds where people sign in. */
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MCP_PATH } from '../../access/resources.js'
import type { Caller } from '../../access/tokens.js'
import { groups } from '../../groups.js'
import { originOf } from '../../http/origin.js'
import { readJsonTexts } from '../../http/request-body.js'
import { goneSignal, whenOver } from '../../http/response-end.js'
import type { Services } from '../surface.js'
import { checkSender } from './sender.js'
import { kernelSource, type Source } from './source.js'
import type { Answer } from './tool.js'

export const METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`

export async function mountMcp(app: FastifyInstance, services: Services): Promise<void> {
  const { admission } = services
  /** RFC 9728 §3. */
  app.get(METADATA_PATH, async (request) => {
    const origin = originOf(request)
    return {
      resource: `${origin}${MCP_PATH}`,
      authorization_servers: [origin],
      scopes_supported: groups,
      bearer_methods_supported: ['header'],
      resource_name: 'Millbook for assistants',
      resource_documentation: `${origin}/docs`,
    }
  })
  await app.register(async (scope) => {
    readJsonTexts(scope)
    const admit = admission.hookOf({ resource: 'mcp' })
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: MCP_PATH,
      exposeHeadRoute: false,
      config: { endpoint: 'mcp' },
      onRequest: [checkSender, admit],
      handler: (request, reply) => answer(request, reply, services),
    })
  })
}

const load = async () => ({
  ...(await import('@modelcontextprotocol/server')),
  ...(await import('./server.js')),
})
let loaded: ReturnType<typeof load> | undefined

/** Loaded with the first request: 26 MB that a service without assistants does not need. */
function sdk(): ReturnType<typeof load> {
  loaded ??= load()
  return loaded
}

async function answer(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<void> {
  const { trace, log } = request
  const gone = goneSignal(reply.raw)
  const source = sourceFor(request, services, gone)
  const options = {
    onError: (error: unknown) => log.error({ reqId: request.id, err: error }, 'a tool of assistants failed'),
    onAnswer: (tool: string, { version, shown }: Answer) => {
      Object.assign(trace, { report: `mcp.${tool}`, version, rows: shown, answeredAt: performance.now() })
    },
  }
  trace.admittedAt = performance.now()
  const { createMcpHandler, mcpServer } = await sdk()
  const handler = createMcpHandler(() => mcpServer((work) => work(source), options), {
    responseMode: 'json',
    onerror: (error) => log.debug({ reqId: request.id, err: error }, 'refused a message of an assistant'),
  })
  const { method, url, headers, body } = request
  const sent = new Request(new URL(url, originOf(request)), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined || CONNECTION.has(name) ? [] : [[name, String(value)]],
    ),
    ...(method === 'POST' && { body: (body as string | undefined) ?? '' }),
    signal: gone,
  })
  const response = await handler.fetch(sent)
  reply.code(response.status).headers({ ...request.allowance, 'cache-control': 'no-store' })
  for (const [name, value] of response.headers) if (!CONNECTION.has(name)) reply.header(name, value)
  whenOver(reply.raw, () => void handler.close())
  if (response.body !== null && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    // A subscription is acknowledged, as the protocol asks, and has nothing to tell: the list of tools never changes.
    const end = setTimeout(() => void handler.close(), LISTENING_MS)
    whenOver(reply.raw, () => clearTimeout(end))
    await reply.send(Readable.fromWeb(response.body as WebStream))
    return
  }
  const bytes = Buffer.from(await response.arrayBuffer())
  trace.bytes = bytes.length
  await reply.send(bytes.length === 0 ? null : bytes)
}

const LISTENING_MS = 30_000

/** Headers of a connection, which are Node's. */
const CONNECTION = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'authorization',
  'cookie',
])

function sourceFor(
  request: FastifyRequest,
  { kernel, database, reports, admission }: Services,
  gone: AbortSignal,
): Source {
  const source = kernelSource({
    ...{ kernel, database, reports, reader: request.caller as Caller, console: originOf(request) },
    charge: ({ cost }) => {
      request.trace.source = 'database'
      return admission.charge(cost, request)
    },
  })
  request.trace.source = 'memory'
  // Closing the response cancels the statement, whatever the protocol's own signal says.
  const both = (signal: AbortSignal) => AbortSignal.any([signal, gone])
  return {
    ...source,
    ask: (wanted, signal) => source.ask(wanted, both(signal)),
    search: (text, signal) => source.search(text, both(signal)),
  }
}
