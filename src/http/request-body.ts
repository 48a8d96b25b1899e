/** Reads request bodies: JSON on every route, and forms where a route asks for them. */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../errors.js'

type Parsed = Record<string, unknown> | undefined

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    parseJson(decode(request, body)),
  )
}

/** Leaves JSON bodies as text: a surface that has seen the text before need not parse it again. */
export function readJsonTexts(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    let text: string
    try {
      text = decode(request, body)
    } catch (error) {
      done(error as Problem)
      return
    }
    done(null, text)
  })
}

export function readFormBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer): Promise<Parsed> => {
      const parsed: Record<string, unknown> = Object.create(null)
      for (const [name, value] of new URLSearchParams(decode(request, body))) {
        if (name in parsed)
          throw new Problem('malformed-request', { detail: `${name.slice(0, 60)} is given twice; send it once.` })
        parsed[name] = value
      }
      return parsed
    },
  )
}

/** Treats an empty body as none: many clients label an empty body as JSON. */
export function parseJson(text: string): Parsed {
  if (text.trim() === '') return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    // Only the position: the rest of the message may quote a secret.
    const [where = ''] = /at position \d+/.exec((error as Error).message) ?? []
    throw new Problem('malformed-request', { detail: `The body is not valid JSON${where && `, ${where}`}.` })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Problem('malformed-request', { detail: 'The body must be a JSON object, such as {}.' })
  const name = repeatedKey(text)
  if (name !== undefined)
    throw new Problem('malformed-request', {
      detail: `The body has the key ${JSON.stringify(name.slice(0, 60))} twice; send each key once.`,
    })
  return parsed as Parsed
}

/** A key that a JSON object has twice (JSON.parse takes the last one silently); `text` is valid JSON. */
function repeatedKey(text: string): string | undefined {
  const seen = new Set<string>()
  let depth = 0
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && string !== undefined && colon !== undefined) {
      const key = JSON.parse(string) as string
      if (seen.has(key)) return key
      seen.add(key)
    }
  }
  return undefined
}

const BYTE_ORDER_MARK = '\ufeff'
const REPLACEMENT = '\ufffd'

const GZIP = Buffer.from([0x1f, 0x8b])
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i
const CHARSETS = ['utf-8', 'utf8', 'us-ascii']

function decode({ headers }: FastifyRequest, body: Buffer): string {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw compressed(
      `The body has Content-Encoding: ${coding.slice(0, 40)}; send it uncompressed, without that header.`,
    )
  if (body.subarray(0, GZIP.length).equals(GZIP))
    throw compressed('The body is compressed with gzip; send it uncompressed.')
  const [, charset] = CHARSET.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !CHARSETS.includes(charset.toLowerCase()))
    throw new Problem('unsupported-media-type', {
      detail: `The Content-Type names the charset ${charset.slice(0, 40)}; send the body as UTF-8, without a charset.`,
    })
  const text = body.toString()
  // The caller may have sent the replacement character itself.
  if (text.includes(REPLACEMENT) && !isUtf8(body))
    throw new Problem('malformed-request', { detail: 'The body is not valid UTF-8; encode it as UTF-8.' })
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

const compressed = (detail: string): Problem =>
  new Problem('unsupported-media-type', { detail, headers: { 'accept-encoding': 'identity' } }) // RFC 9110 §15.5.16
