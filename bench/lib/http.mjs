/** Minimal HTTP callers, which leave as much of the machine as possible to the server. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { quantile } from './time.mjs'

/**
 * @typedef {object} Target
 * @property {string} base such as http://127.0.0.1:8080
 * @property {string} token
 * @property {string} path
 * @property {unknown} [body] of a POST
 */

/** @param {Target} target */
function requestBytes({ base, token, path, body }) {
  const json = JSON.stringify(body ?? {})
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${new URL(base).host}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  )
}

/**
 * Connections that each send the next request after a response, or one request per `every` ms; for some seconds or `until` an
 * event.
 * @param {Target} target
 * @param {{ connections: number, seconds?: number, until?: Promise<unknown>, every?: number }} how
 */
export async function callRepeatedly(target, { connections, seconds, until: event, every = 0 }) {
  const bytes = requestBytes(target)
  const { hostname, port } = new URL(target.base)
  /** @type {number[]} */
  const times = []
  let from = 0
  let until = Number.POSITIVE_INFINITY
  const one = () => {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    /** @type {() => void} */
    let connected
    const ready = new Promise((resolve) => {
      connected = () => resolve(undefined)
    })
    const done = new Promise((resolve, reject) => {
      let sent = 0
      /** Bytes left of the present response; −1 before its head. */
      let rest = -1
      const send = () => {
        if (performance.now() >= until) {
          socket.end()
          return
        }
        sent = performance.now()
        socket.write(bytes)
      }
      socket.on('connect', () => connected())
      socket.on('go', send)
      socket.on('data', (/** @type {Buffer} */ piece) => {
        if (rest < 0) {
          const head = piece.toString('latin1', 0, Math.min(piece.length, 4096))
          const end = head.indexOf('\r\n\r\n')
          if (end < 0) throw new Error('the head of a response arrived in pieces, which this caller cannot read')
          if (!head.startsWith('HTTP/1.1 200')) {
            reject(new Error(head.slice(0, 400)))
            socket.destroy()
            return
          }
          rest = Number(/content-length: (\d+)/i.exec(head)?.[1]) + end + 4
        }
        rest -= piece.length
        if (rest > 0) return
        rest = -1
        const now = performance.now()
        if (sent >= from) times.push(now - sent)
        if (every === 0) send()
        else setTimeout(send, Math.max(0, every - (now - sent)))
      })
      socket.on('error', reject)
      socket.on('close', resolve)
    })
    return { socket, ready, done }
  }
  const all = Array.from({ length: connections }, one)
  await Promise.all(all.map(({ ready, done }) => Promise.race([ready, done])))
  const start = performance.now()
  from = start + 500 // earlier responses only warm up the server
  if (seconds !== undefined) until = from + seconds * 1000
  void event?.then(() => {
    until = 0
  })
  // Busy-wait unless requests are paced: waking a sleeping caller costs a server as much as sending, and only servers
  // slower than the caller would pay it.
  let awake = every === 0
  const stayAwake = () => void (awake && setImmediate(stayAwake))
  stayAwake()
  for (const { socket } of all) socket.emit('go')
  await Promise.all(all.map(({ done }) => done))
  awake = false
  if (times.length === 0) throw new Error('no response arrived')
  return {
    perSecond: times.length / ((performance.now() - from) / 1000),
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
  }
}

/**
 * Sends one request; parses the response body, or discards all but its end.
 * @param {Target} target
 */
export async function call({ base, token, path, body }, { parse = false } = {}) {
  const from = performance.now()
  const json = JSON.stringify(body ?? {})
  const send = () =>
    request(new URL(path, base), {
      method: 'POST',
      agent,
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json', 'accept-encoding': 'identity' },
        'content-length': Buffer.byteLength(json),
      },
    }).end(json)
  const sent = send()
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (
    await once(sent, 'response').catch((error) => {
      // While psql ran, which blocks this process, the service closed the idle connection.
      if (!sent.reusedSocket || error.code !== 'ECONNRESET') throw error
      return once(send(), 'response')
    })
  )
  const kept = parse || response.statusCode !== 200 ? Number.POSITIVE_INFINITY : END_BYTES
  /** @type {Buffer[]} */
  const pieces = []
  let [bytes, keeps] = [0, 0]
  for await (const piece of response) {
    bytes += piece.length
    pieces.push(piece)
    keeps += piece.length
    while (keeps - (pieces[0]?.length ?? 0) >= kept) keeps -= pieces.shift()?.length ?? 0
  }
  const seconds = (performance.now() - from) / 1000
  const text = Buffer.concat(pieces).toString()
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`)
  return { seconds, bytes, end: text.slice(-END_BYTES), json: parse ? JSON.parse(text) : undefined }
}

const agent = new Agent({ keepAlive: true })
const END_BYTES = 2000

/**
 * Follows the links from page to page; returns the total that the last page states.
 * @param {Target} target
 */
export async function walk({ base, ...target }) {
  let [path, total] = [target.path, 0]
  for (;;) {
    const { end } = await call({ base, ...target, path })
    total = Number(/"totalCount":(\d+)/.exec(end)?.[1])
    const next = /"next":\{"href":"([^"]+)"/.exec(end)?.[1]
    if (next === undefined) return total
    path = next
  }
}
