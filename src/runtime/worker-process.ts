/** One worker process as the process that started it sees it, from its start to its end. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MillbookError } from '../errors.js'
import type { Sample } from '../metrics/registry.js'
import type { ServiceSettings } from './service.js'

/** The environment variable with the settings of a worker, as JSON. */
export const WORKER_SETTINGS = 'MILLBOOK_WORKER'

/** Messages to a worker: take the connection sent with this number, end, cancel running requests, send metric samples. */
export type ToWorker = { connection: number } | { end: End } | { cancel: true } | { samples: true }
/** Whether a worker ends right after its running requests, or after its clients have had time to move to other workers. */
export type End = 'now' | 'drained'
/** Messages from a worker: ready, failed, connection taken, metric samples. */
export type FromWorker = { ready: true } | { failed: string } | { taken: number } | { samples: Sample[] }

/** A worker that is not ready after this time and --start-wait-seconds is killed. */
const START_MS = 120_000

/** How long a worker has to send its samples. */
const SAMPLES_MS = 1000

const PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url))

export class WorkerProcess {
  readonly number: number
  readonly startedAt = performance.now()
  /** Resolves when it answers requests; rejects if it cannot. */
  readonly ready: Promise<void>
  /** Resolves with the reason for its end. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  /** Connections that it has not confirmed. They stay open here, because Node never closes a connection sent to a process that dies. */
  readonly #unconfirmed = new Map<number, Socket>()
  #connections = 0
  #isReady = false
  /** The samples that it sent last. */
  lastSamples: readonly Sample[] = []
  readonly #asked: (() => void)[] = []

  constructor(number: number, settings: ServiceSettings) {
    this.number = number
    const child = fork(PROGRAM, [], {
      env: { ...process.env, [WORKER_SETTINGS]: JSON.stringify({ ...settings, worker: number }) },
      stdio: ['ignore', 2, 2, 'ipc'], // our stdout is for results
    })
    this.#child = child
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        if (child.pid === undefined) resolve(`it could not be started: ${error.message}`)
      })
      // Unlike 'exit', 'close' comes after the worker's last message.
      child.once('close', (code, signal) =>
        resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
      )
    })
    this.ready = new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new MillbookError(reason))
      const limit = START_MS + settings.startWaitSeconds * 1000
      const late = setTimeout(() => {
        fail(`worker ${number} was not ready within ${limit / 1000} seconds`)
        this.kill()
      }, limit)
      child.on('message', (message: FromWorker) => {
        if ('taken' in message) return void this.#unconfirmed.get(message.taken)?.destroy()
        if ('samples' in message) return this.#take(message.samples)
        clearTimeout(late)
        if ('failed' in message) return fail(message.failed)
        this.#isReady = true
        resolve()
      })
      void this.ended.then((how) => {
        clearTimeout(late)
        fail(`worker ${number} cannot start: ${how}`)
        for (const socket of this.#unconfirmed.values()) socket.destroy()
      })
    })
    this.ready.catch(() => {}) // a rejection that no caller awaits must not end this process
  }

  /** Hands it a connection. Once it has confirmed, we close our descriptor, which leaves the worker's open. */
  take(socket: Socket): void {
    const connection = ++this.#connections
    this.#unconfirmed.set(connection, socket)
    socket.once('close', () => this.#unconfirmed.delete(connection))
    this.#send({ connection }, socket)
  }

  /** Returns when it has ended; kills it if it is not ready. */
  async end(how: End): Promise<void> {
    if (this.#isReady) this.#send({ end: how })
    else this.kill()
    await this.ended
  }

  /** Its current samples, or the last ones if it does not respond in time. */
  async samples(): Promise<readonly Sample[]> {
    if (!this.#isReady) return this.lastSamples
    const answered = new Promise<void>((resolve) => this.#asked.push(resolve))
    this.#send({ samples: true })
    await Promise.race([answered, this.ended, sleep(SAMPLES_MS, undefined, { ref: false })])
    return this.lastSamples
  }

  #take(samples: readonly Sample[]): void {
    this.lastSamples = samples
    for (const resolve of this.#asked.splice(0)) resolve()
  }

  /** Makes it cancel its running requests. */
  cancel(): void {
    this.#send({ cancel: true })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Sending fails only to a worker that is ending. */
  #send(message: ToWorker, socket?: Socket): void {
    this.#child.send(message, socket, { keepOpen: true }, (error) => {
      if (error) socket?.destroy()
    })
  }
}
