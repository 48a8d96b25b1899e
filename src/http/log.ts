/** What is written of requests, cheaply: a line for each must not take longer than answering it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from './errors.js'
import { whenOver } from './response-end.js'

export interface LineWriter {
  write(line: string): void
}

/** How long a line can wait, in milliseconds, and how much of them. */
const WAIT_MS = 50
const WAITING_CHARACTERS = 1 << 16

/** Lines that can wait are written together, before any that cannot and before the process ends. */
export function inTurns(to: LineWriter): LineWriter & { later(line: string): void; close(): void } {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    if (text !== '') to.write(text)
  }
  process.on('exit', flush)
  return {
    write(line) {
      flush()
      to.write(line)
    },
    later(line) {
      if (waiting === '') setTimeout(flush, WAIT_MS).unref()
      waiting += line
      if (waiting.length > WAITING_CHARACTERS) flush()
    },
    close() {
      flush()
      process.off('exit', flush)
    },
  }
}

const INFO = 30

/**
 * A hook for the beginning of every request: one line for each, in the form of the other lines. Not by the logger, which looks for secrets in all that it is given:
 * there are none here, and looking took three times as long as answering.
 */
export function logRequests(base: object, write: (line: string) => void) {
  const rest = JSON.stringify(base).slice(1, -1)
  const tell = (request: FastifyRequest, reply: FastifyReply, from: number) => {
    const { id, method, caller } = request
    const end = reply.raw.writableFinished
      ? `"status":${reply.statusCode},"msg":"answered"`
      : '"msg":"cut off before the answer was complete"'
    const path = JSON.stringify(pathOf(request)) // a query string may hold what does not belong into a log
    const ms = Math.round((performance.now() - from) * 10) / 10
    const client = caller ? `,"client":${JSON.stringify(caller.name)}` : ''
    write(
      `{"level":${INFO},"time":${Date.now()},${rest},"reqId":"${id}","method":"${method}","path":${path},"ms":${ms}${client},${end}}\n`,
    )
  }
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const from = performance.now()
    whenOver(reply.raw, () => tell(request, reply, from)) // with onResponse, Fastify listens for more than is needed here
    done()
  }
}
