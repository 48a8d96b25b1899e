/** A proxy between a client and a service that answers some requests for reports itself: 429, then 503, later 410. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Faults {
  readonly url: string
  /** Restarts the plan: requests 2 and 3 get 429 and 503, request 5 gets 410; no request after `last` gets any. */
  reset(last?: number): void
  /** The injected statuses since the last reset. */
  met(): number[]
  close(): void
}

const BUSY = { 'retry-after': '1' }
const PLAN: Readonly<Record<number, readonly [number, Record<string, string>]>> = {
  2: [429, BUSY],
  3: [503, BUSY],
  5: [410, {}],
}

export async function startFaults(service: string): Promise<Faults> {
  let [count, met, until]: [number, number[], number] = [0, [], Number.POSITIVE_INFINITY]
  const server = createServer((incoming, outgoing) => {
    const fault = incoming.url?.startsWith('/v1/') && ++count <= until ? PLAN[count] : undefined
    if (fault !== undefined) {
      const [status, headers] = fault
      met.push(status)
      incoming.resume()
      const body = { type: 'about:blank', title: 'A fault', status, detail: 'Made by a test.', request_id: 'test' }
      outgoing.writeHead(status, { ...headers, 'content-type': 'application/problem+json' }).end(JSON.stringify(body))
      return
    }
    // With the caller's Host header, links lead to this proxy too.
    const { method, headers, url = '/' } = incoming
    const forwarded = request(new URL(url, service), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reset(last = Number.POSITIVE_INFINITY) {
      ;[count, met, until] = [0, [], last]
    },
    met: () => met,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
