/** A real HTTP receiver of webhooks that notes what it gets, and answers as a test says. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly id: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly message: { type: string; timestamp: string; data: Record<string, unknown> }
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** Answers the requests from now on. */
  answer: (response: ServerResponse, request: IncomingMessage) => void
}

export async function newReceiver(tls?: { cert: string; key: string }): Promise<Receiver> {
  const listener: RequestListener = async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const headers = request.headers as Record<string, string>
    receiver.received.push({
      ...{ id: headers['webhook-id'] ?? '', headers, body },
      message: body === '' ? undefined : JSON.parse(body),
    })
    receiver.answer(response, request)
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    ...{ url: `${tls ? 'https' : 'http'}://localhost:${port}/hook`, port, received: [] },
    answer: (response) => void response.writeHead(204).end(),
  }
  return receiver
}

export const answering =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('some body')
