/** /openapi.json and the API reference at /docs; the page loads nothing from other hosts. */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { PAGE_HEADERS } from '../../http/headers.js'
import { originOf } from '../../http/origin.js'
import type { Report } from '../../kernel/report/report.js'
import type { Surface } from '../surface.js'
import { openapi } from './openapi.js'

const SCALAR = new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'))

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/icon.svg">
</head>
<body>
${body}
</body>
</html>
`

/** A millstone. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="#7a5c3e"/>
<path d="M16 4v24M4 16h24M8 8l16 16M24 8L8 24" stroke="#f4ead9" stroke-width="2"/><circle cx="16" cy="16" r="4" fill="#f4ead9"/></svg>`

const docsPage = page(
  'Millbook API reference',
  `<div id="app"></div>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>`,
)

/** The settings keep the reference page from calling any other host. */
const docsScript = `Scalar.createApiReference('#app', ${JSON.stringify({
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultOpenAllTags: true,
  authentication: { preferredSecurityScheme: 'oauth2' },
  agent: { disabled: true },
  mcp: { disabled: true },
})})
`

/** A service has few origins; a caller may invent any number of them. */
const ORIGINS_KEPT = 8

export function mountDocs(app: FastifyInstance, surfaces: readonly Surface[], reports: readonly Report[]): void {
  const documents = new LRUCache<string, string>({ max: ORIGINS_KEPT })
  const documentFor = (origin: string): string => {
    const known = documents.get(origin)
    if (known !== undefined) return known
    const text = JSON.stringify(openapi(surfaces, reports, origin))
    documents.set(origin, text)
    return text
  }
  const html = 'text/html; charset=utf-8'
  const script = 'text/javascript; charset=utf-8'
  app.get('/icon.svg', async (_request, reply) => reply.type('image/svg+xml').send(icon))
  app.get('/openapi.json', async (request, reply) =>
    reply.type('application/json; charset=utf-8').send(documentFor(originOf(request))),
  )
  app.get('/docs', async (_request, reply) => reply.headers(PAGE_HEADERS).type(html).send(docsPage))
  app.get('/docs/start.js', async (_request, reply) => reply.type(script).send(docsScript))
  let scalar: Buffer | undefined // some megabytes, in memory once
  app.get('/docs/scalar.js', async (_request, reply) => {
    scalar ??= await readFile(SCALAR)
    return reply.type(script).header('cache-control', 'public, max-age=86400').send(scalar)
  })
}
