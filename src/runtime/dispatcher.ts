/** Holds the port of a service with several workers, and hands each connection to the next worker in turn. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { TCP_OPTIONS } from '../http/connections.js'
import { cannotListen } from './service.js'
import type { ServeSettings } from './settings.js'

/** A worker as the dispatcher sees it. */
export interface Taker {
  take(connection: Socket): void
}

/**
 * How long this process keeps a connection that no worker has confirmed. Closing it here does not close it in a worker:
 * each process has its own descriptor of the connection.
 */
const HAND_OVER_MS = 10_000

export class Dispatcher {
  readonly address: AddressInfo
  readonly #server: Server
  /** In turn: the first one gets the next connection. */
  readonly #workers: Taker[] = []
  /** Connections that came while no worker was ready. */
  readonly #waiting = new Set<Socket>()

  /** Returns once it listens; connections wait for the first worker. */
  static async listen(settings: ServeSettings): Promise<Dispatcher> {
    const server = createServer({ ...TCP_OPTIONS, pauseOnConnect: true })
    try {
      await once(server.listen({ host: settings.host, port: settings.port }), 'listening')
    } catch (error) {
      throw cannotListen(error as NodeJS.ErrnoException, settings)
    }
    server.maxConnections = settings.maxConnections // counts unconfirmed connections; workers count theirs
    return new Dispatcher(server)
  }

  private constructor(server: Server) {
    this.#server = server
    this.address = server.address() as AddressInfo
    server.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.setTimeout(HAND_OVER_MS, () => socket.destroy())
      socket.once('close', () => this.#waiting.delete(socket))
      this.#dispatch(socket)
    })
  }

  add(worker: Taker): void {
    this.#workers.push(worker)
    for (const socket of this.#waiting) this.#dispatch(socket)
  }

  remove(worker: Taker): void {
    const at = this.#workers.indexOf(worker)
    if (at >= 0) this.#workers.splice(at, 1)
  }

  /** Frees the port, and closes connections that still wait for a worker. */
  close(): void {
    this.#server.close()
    for (const socket of this.#waiting) socket.destroy()
  }

  #dispatch(socket: Socket): void {
    const worker = this.#workers.shift()
    if (worker === undefined) {
      this.#waiting.add(socket)
      return
    }
    this.#workers.push(worker)
    this.#waiting.delete(socket)
    worker.take(socket)
  }
}
