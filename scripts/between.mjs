/** A proxy between a program and the PostgreSQL server: it can hold back or delay the bytes of both, or cut connections. */
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @typedef {object} Between
 * @property {string} url of the database through the proxy
 * @property {() => number} connections how many were made so far
 * @property {() => void} pause passes nothing on, as if the server were stopped; bytes that arrive are kept
 * @property {() => void} resume
 * @property {(milliseconds: number) => void} delay passes everything on this much later, in both directions
 * @property {() => void} cut ends all connections and refuses new ones
 * @property {() => void} mend
 * @property {() => void} close
 *
 * @param {string} of the URL of the database
 * @returns {Promise<Between>}
 */
export async function standBetween(of) {
  const url = new URL(of)
  const { port, hostname } = url
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  let [isCut, isPaused, delayMs, connections] = [false, false, 0, 0]
  const server = createServer((near) => {
    connections++
    near.on('error', () => {})
    if (isCut) return void near.destroy()
    const far = createConnection(Number(port), hostname)
    far.on('error', () => {})
    for (const [from, to] of /** @type {const} */ ([
      [near, far],
      [far, near],
    ])) {
      sockets.add(from)
      /** Delayed bytes leave in the order in which they came, even after the delay was shortened. */
      let before = Promise.resolve()
      let delayed = 0
      from.on('data', (bytes) => {
        if (delayMs === 0 && delayed === 0) return void to.write(bytes)
        const due = performance.now() + delayMs
        delayed++
        before = before.then(async () => {
          await sleep(Math.max(0, due - performance.now()))
          delayed--
          if (to.writable) to.write(bytes)
        })
      })
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isPaused) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    connections: () => connections,
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets) socket.resume()
    },
    delay(milliseconds) {
      delayMs = milliseconds
    },
    cut() {
      isCut = true
      endAll()
    },
    mend() {
      isCut = false
    },
    close() {
      endAll()
      server.close()
    },
  }
}
