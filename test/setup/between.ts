/** Stands between a program and the PostgreSQL server: it can hold back what either sends, delay it, or cut connections. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Target } from '../../src/db/connect.js'

export interface Between {
  /** The database through this. */
  readonly target: Target
  /** How many connections were made so far. */
  readonly connections: number
  /** Passes nothing on, as if the server were stopped; what is sent is kept. */
  pause(): void
  resume(): void
  /** Passes everything on so many milliseconds later, in both directions. */
  delay(milliseconds: number): void
  /** Ends all connections and refuses new ones. */
  cut(): void
  mend(): void
}

export async function standBetween(target: Target): Promise<Between> {
  const url = new URL((target as { url: string }).url)
  const { port, hostname } = url
  const sockets = new Set<Socket>()
  let [isCut, isPaused, delayMs, connections] = [false, false, 0, 0]
  const server = createServer((near) => {
    connections++
    near.on('error', () => {})
    if (isCut) return void near.destroy()
    const far = createConnection(Number(port), hostname)
    far.on('error', () => {})
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (delayMs > 0) setTimeout(() => to.writable && to.write(bytes), delayMs)
        else to.write(bytes)
      })
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isPaused) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  url.port = String((server.address() as AddressInfo).port)
  return {
    target: { engine: 'server', url: url.href },
    get connections() {
      return connections
    },
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
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isCut = false
    },
  }
}
