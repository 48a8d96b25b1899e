/** Logs one line per request, cheaper than the logger would. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from './errors.js'
import { whenOver } from './response-end.js'

export interface LineWriter {
  write(line: string): void
}

const FLUSH_AFTER_MS = 50
const FLUSH_AT_CHARACTERS = 1 << 16

export interface BufferedLines extends LineWriter {
  buffer(line: string): void
  close(): void
}

/** `write` flushes the buffered lines first, so that all lines keep their order; so does the exit of the process. */
export function bufferedLines(to: LineWriter): BufferedLines {
  let buffered = ''
  const flush = () => {
    const text = buffered
    buffered = ''
    if (text !== '') to.write(text)
  }
  process.on('exit', flush)
  return {
    write(line) {
      flush()
      to.write(line)
    },
    buffer(line) {
      if (buffered === '') setTimeout(flush, FLUSH_AFTER_MS).unref()
      buffered += line
      if (buffered.length > FLUSH_AT_CHARACTERS) flush()
    },
    close() {
      flush()
      process.off('exit', flush)
    },
  }
}

const INFO = 30

/**
 * An onRequest hook that writes a line in the logger's format when the response ends. The logger itself would redact every
 * line, which took three times as long as a warm response; these fields hold no secrets.
 */
export function logRequests(base: object, write: (line: string) => void) {
  const rest = JSON.stringify(base).slice(1, -1)
  const logLine = (request: FastifyRequest, reply: FastifyReply, start: number) => {
    const { id, method, caller } = request
    const end = reply.raw.writableFinished
      ? `"status":${reply.statusCode},"msg":"response sent"`
      : '"msg":"connection closed before the response was complete"'
    const path = JSON.stringify(pathOf(request)) // without the query string, which may hold a secret
    const ms = Math.round((performance.now() - start) * 10) / 10
    const client = caller ? `,"client":${JSON.stringify(caller.name)}` : ''
    write(
      `{"level":${INFO},"time":${Date.now()},${rest},"reqId":"${id}","method":"${method}","path":${path},"ms":${ms}${client},${end}}\n`,
    )
  }
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const start = performance.now()
    whenOver(reply.raw, () => logLine(request, reply, start)) // cheaper than Fastify's onResponse
    done()
  }
}
