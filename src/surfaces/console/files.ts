/** Serves the built console: one page for all of its URLs, and files whose names change with their content. */
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MillbookError } from '../../errors.js'
import { type Encoding, encode, encodingFor } from '../../http/encoding.js'

/** The same path from dist/ and from src/. */
const BUILT = new URL('../../../dist/console/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The pages that the console's script shows. */
export const PAGES: readonly string[] = [
  ...[
    '/',
    '/account',
    '/recall',
    '/ordering',
    '/closed-periods',
    '/reports/:id',
    '/views/:id',
    '/operate/:name',
    '/loads/:version',
  ],
  ...['/items/:sku', '/batches/:sku/:no', '/customers/:code', '/vendors/:code', '/orders/:no'],
  ...['/purchase-orders/:no', '/invoices/:no', '/work-orders/:no'],
]

/** No inline script or style, nothing from another host. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY', // for browsers that do not know frame-ancestors
}

/** A file in memory, compressed once per encoding. */
class File {
  readonly #encoded = new Map<Encoding, Promise<Buffer>>()

  readonly #bytes: Buffer
  readonly #headers: Readonly<Record<string, string>>

  constructor(bytes: Buffer, type: string, cached: boolean) {
    this.#bytes = bytes
    const cache = cached ? 'public, max-age=31536000, immutable' : 'no-cache'
    this.#headers = { ...HEADERS, 'content-type': type, 'cache-control': cache, vary: 'Accept-Encoding' }
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = encodingFor(request.headers['accept-encoding'])
    reply.headers(this.#headers)
    if (encoding === undefined) return reply.send(this.#bytes)
    let made = this.#encoded.get(encoding)
    if (made === undefined) {
      made = encode(this.#bytes, encoding)
      this.#encoded.set(encoding, made)
    }
    return reply.header('content-encoding', encoding).send(await made)
  }
}

function read(name: string, cached: boolean): File {
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return new File(readFileSync(new URL(name, BUILT)), type, cached)
}

export function mountConsole(app: FastifyInstance): void {
  const page = readPage()
  const assets = new Map(readdirSync(new URL('assets/', BUILT)).map((name) => [name, read(`assets/${name}`, true)]))
  for (const url of PAGES) app.get(url, (request, reply) => page.send(request, reply))
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const file = assets.get(request.params.name)
    if (file !== undefined) return file.send(request, reply)
    reply.callNotFound()
    return reply
  })
}

function readPage(): File {
  try {
    return read('index.html', false)
  } catch (error) {
    throw new MillbookError('the console is not built; run npm run build', { cause: error })
  }
}
