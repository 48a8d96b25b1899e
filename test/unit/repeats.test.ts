/** Repeated requests that are left to Fastify: it gets them whole, however late it reads them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { Repeats } from '../../src/http/repeats.js'

it.each(['', 'x'.repeat(3000)])('a body of $length characters', async (body) => {
  const admission = { admitEarly: () => true, leaveToFastify: () => {} }
  const repeats = new Repeats({ newRequestId: () => '1', observe: () => {}, byAddress: false, admission })
  let looked = 0
  async function answerLate(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    await sleep(20) // as if its caller had to be looked up
    let got = ''
    raw.on('data', (bytes) => {
      got += bytes
    })
    raw.on('end', () => {
      const { url, headers } = raw
      const request = { url, headers, raw, body: got, routeOptions: {} } as unknown as FastifyRequest
      repeats.remember(request, {}, () => {
        looked++
        return false
      })
      response.end(got)
    })
  }
  const server = createServer(repeats.before((request, response) => void answerLate(request, response)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body,
      signal: AbortSignal.timeout(30_000),
    })
    expect(await response.text()).toBe(body)
  }
  expect(looked).toBe(2)
})
