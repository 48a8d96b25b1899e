/** Reads request bodies: JSON on every route, and forms where a route asks for them. */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../errors.js'

type Parsed = Record<string, unknown> | undefined

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(decode(body)),
  )
}

/** Leaves JSON bodies as the text that they are: who has seen a text before need not parse it again. */
export function readJsonTexts(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    let text: string
    try {
      text = decode(body)
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
    async (_request: unknown, body: Buffer): Promise<Parsed> => {
      const parsed: Record<string, unknown> = Object.create(null)
      for (const [name, value] of new URLSearchParams(decode(body))) {
        if (name in parsed) throw new Problem('malformed-request', { detail: `${name.slice(0, 60)} is given twice.` })
        parsed[name] = value
      }
      return parsed
    },
  )
}

/** No body at all counts as none given, whatever its content type says: many clients label an empty body as JSON. */
export function parseJson(text: string): Parsed {
  if (text.trim() === '') return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    // Of the message only the place: the rest may quote a secret.
    const [where = ''] = /at position \d+/.exec((error as Error).message) ?? []
    throw new Problem('malformed-request', { detail: `The body is not valid JSON${where && `: look ${where}`}.` })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Problem('malformed-request', { detail: 'The body must be a JSON object, such as {}.' })
  return parsed as Parsed
}

const BYTE_ORDER_MARK = '\ufeff'
const REPLACEMENT = '\ufffd'

function decode(body: Buffer): string {
  const text = body.toString()
  // What stands for bytes that are none may as well have been sent.
  if (text.includes(REPLACEMENT) && !isUtf8(body))
    throw new Problem('malformed-request', { detail: 'The body is not valid UTF-8.' })
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}
