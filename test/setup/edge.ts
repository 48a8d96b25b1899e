/** The production app on a port without a database, for decisions that need none; and raw connections to it. */
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { server } from '../../src/db/server.js'
import { reports } from '../../src/reports/index.js'
import { type AppOptions, buildApp } from '../../src/runtime/app.js'

export const noDatabase = (() => {
  throw new Error('there is no database here')
}) as unknown as Db

export interface Edge {
  app: FastifyInstance
  port: number
  url: string
  log: string[]
}

export async function startEdge(options: Partial<AppOptions> = {}, { listen = true } = {}): Promise<Edge> {
  const log: string[] = []
  const logTo = { write: (text: string) => void log.push(...text.trimEnd().split('\n')) }
  const notifications = () => Promise.reject(new Error('there is no database here'))
  const database = {
    ...{ db: noDatabase, quick: noDatabase, engine: server, target: { url: '' } },
    ...{ listen: notifications, onSilence: () => () => {} },
  }
  const app = await buildApp({ database, reports, logTo, ...options })
  onTestFinished(() => app.close())
  if (listen) await app.listen({ port: 0, host: '127.0.0.1' })
  else await app.ready()
  const { port } = (app.server.address() ?? { port: 0 }) as { port: number }
  return { app, port, url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`, log }
}

/** A connection that sends this text; `answer` is everything received until the other side ends it. */
export function open(port: number, text = ''): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(text)
  let got = ''
  const answer = new Promise<string>((resolve, reject) => {
    socket.setEncoding('utf8').on('data', (more) => {
      got += more
    })
    socket.once('end', () => resolve(got))
    socket.once('error', reject)
  })
  answer.catch(() => {})
  return { socket, answer }
}

/** The request line and headers of a request whose body follows. */
export const head = (request: string, headers: Record<string, string | number> = {}): string =>
  [`${request} HTTP/1.1`, ...Object.entries({ Host: 'x', ...headers }).map(([k, v]) => `${k}: ${v}`), '', ''].join(
    '\r\n',
  )
