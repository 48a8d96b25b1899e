/** Hostile requests over real sockets get no 5xx, reveal no internals and leave the service intact. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reports } from '../../src/reports/index.js'
import { openSample } from '../setup/database.js'
import { type HostileRequest, hostileRequests } from '../setup/hostile.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { runs } from '../setup/tier.js'

const REQUESTS = Number(process.env['MILLBOOK_FUZZ_REQUESTS'] ?? runs(600, 100_000))
/** The same requests in every run, unless MILLBOOK_FUZZ_SEED is set. */
const SEED = Number(process.env['MILLBOOK_FUZZ_SEED'] ?? 20_261_115)
const CONCURRENT = 20

let service: Service
let port: number
const log: string[] = []
beforeAll(async () => {
  const isLate = (line: string) => line.includes('"code":"CONNECTION_SILENT"') // the request is sent again
  const logTo = { write: (line: string) => void (line.includes('"level":50') && !isLate(line) && log.push(line)) }
  service = await startService(
    { trustedProxies: ['127.0.0.1'], logLevel: 'error', logTo },
    await openSample({ today: '2026-06-30', scale: 0.1, months: 1 }),
  )
  port = Number(new URL(await service.app.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => service.close())

/** Sends bytes and reads the response until the service closes the connection. */
function send(bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const read: Buffer[] = []
    socket.setTimeout(30_000, () => socket.destroy(new Error('no response within 30 seconds')))
    socket.on('data', (piece) => read.push(piece))
    socket.on('close', () => resolve(Buffer.concat(read).toString('latin1')))
    // The service may refuse a long body and close the connection before all of it is sent.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    )
    socket.write(bytes)
  })
}

/** The head of the response, and its body. */
const parts = (response: string) => response.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')

/** On a busy machine the database may be late: the service then asks to try again. */
async function sendUntilReady(bytes: Buffer, tries = 5): Promise<string> {
  const response = await send(bytes)
  const [, seconds] = /^HTTP\/1\.1 503 [\s\S]*^retry-after: (\d+)/im.exec(parts(response)[0] ?? '') ?? []
  if (seconds === undefined || tries === 1) return response
  await sleep(Number(seconds) * 1000)
  return await sendUntilReady(bytes, tries - 1)
}

/** Matches stack traces, file paths, SQL statements and messages of PostgreSQL. */
const INTERNALS =
  /\n\s+at |node_modules|node:internal|\.[jt]s:\d|PostgresError|syntax error at|invalid input syntax|invalid byte sequence|relation \\?"|column \\?"\w+\\?" |violates|out of range for type|\b(from|join|into|update) (api_|stock_|sales_|purchase_|goods_|batch|item |invoice)|\bpg_\w+\(/i

/** The fault of a response, if it has one. */
function faultOf(request: Buffer, response: string): string | undefined {
  if (response === '') return undefined // the service closed the connection while a body that is too long was sent
  const [head = '', ...rest] = parts(response)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0)
  if (status < 200 || status >= 500) return `status ${status}`
  const internals = status >= 400 ? INTERNALS.exec(rest.join())?.[0] : undefined
  if (internals !== undefined && !request.includes(internals)) return `${internals} in the body` // error texts may quote the request
  if (/^(set-cookie|x-injected)/im.test(head)) return 'a header injected by the request'
  return undefined
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
function heap(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** Checks that the service still answers correctly. */
async function goodRequests(): Promise<void> {
  for (let i = 0; i < 60; i++)
    expect((await service.call({ path: '/v1/warehouse/warehouse-list' })).statusCode).toBe(200)
}

it(`${REQUESTS} hostile requests get no 5xx, reveal no internals, and leak no memory`, async () => {
  const range = { from_date: '2026-06-01', to_date: '2026-06-30' }
  const arbitrary = hostileRequests({
    host: `127.0.0.1:${port}`,
    token: service.caller.token,
    reports: reports.map((report) => ({ report, good: requestsFor(report, range)[0] ?? {} })),
  })
  const statuses = new Map<string, number>()
  const faults: string[] = []
  const run = async (requests: number, seed: number) => {
    for (let done = 0; done < requests; done += CONCURRENT) {
      const each = async ({ what, bytes }: HostileRequest) => {
        const response = await sendUntilReady(bytes)
        const fault = faultOf(bytes, response)
        if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(what)} -> ${response.slice(0, 600)}`)
        const status = response.replace(/^.*100 Continue\s+/, '').slice(9, 12)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      await Promise.all(fc.sample(arbitrary, { numRuns: CONCURRENT, seed: seed + done }).map(each))
    }
  }

  const shape = await service.db`select count(*)::int as n from item`
  await goodRequests()
  await run(REQUESTS / 4, SEED)
  const before = heap()
  await run((REQUESTS * 3) / 4, SEED + REQUESTS)
  const grown = heap() - before
  await goodRequests()

  expect(faults.slice(0, 3), `${faults.length} faults`).toEqual([])
  expect(log, 'errors in the log').toEqual([])
  expect(grown, 'MB of heap after the last three quarters of the requests').toBeLessThan(15)
  expect(await service.db`select count(*)::int as n from item`).toEqual(shape)
  // The requests reach every layer: parser, token, values and database.
  for (const status of ['200', '400', '401', '404', '405', '413', '415', '422'])
    expect([status, (statuses.get(status) ?? 0) > REQUESTS / 2000]).toEqual([status, true])
})
