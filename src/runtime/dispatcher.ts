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

interface Timeouts {
  /**
   * How long a connection waits for the first worker: a new version starts its workers after the migration, and a proxy sends it
   * the requests that the old one refuses (docs/upgrade.md). As long as the usual proxies wait for a response.
   */
  waitMs: number
  /**
   * How long this process keeps a connection that its worker has not confirmed. Closing it here does not close it in a worker:
   * each process has its own descriptor of the connection.
   */
  handOverMs: number
}
const TIMEOUTS: Timeouts = { waitMs: 60_000, handOverMs: 10_000 }

type ListenSettings = Pick<ServeSettings, 'host' | 'port' | 'maxConnections'>

export class Dispatcher {
  readonly address: AddressInfo
  readonly #server: Server
  readonly #timeouts: Timeouts
  /** In turn: the first one gets the next connection. */
  readonly #workers: Taker[] = []
  /** Connections that came while no worker was ready. */
  readonly #waiting = new Set<Socket>()

  /** Returns once it listens; connections wait for the first worker. */
  static async listen(settings: ListenSettings, timeouts = TIMEOUTS): Promise<Dispatcher> {
    const server = createServer({ ...TCP_OPTIONS, pauseOnConnect: true })
    try {
      await once(server.listen({ host: settings.host, port: settings.port }), 'listening')
    } catch (error) {
      throw cannotListen(error as NodeJS.ErrnoException, settings)
    }
    server.maxConnections = settings.maxConnections // counts unconfirmed connections; workers count theirs
    return new Dispatcher(server, timeouts)
  }

  private constructor(server: Server, timeouts: Timeouts) {
    this.#server = server
    this.#timeouts = timeouts
    this.address = server.address() as AddressInfo
    server.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.on('timeout', () => socket.destroy())
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
      socket.setTimeout(this.#timeouts.waitMs)
      this.#waiting.add(socket)
      return
    }
    this.#workers.push(worker)
    this.#waiting.delete(socket)
    socket.setTimeout(this.#timeouts.handOverMs)
    worker.take(socket)
  }
}
