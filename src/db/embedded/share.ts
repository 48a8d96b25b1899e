/**
 * Shares one PGlite session between many connections, each speaking PostgreSQL's wire protocol.
 *
 * PGlite has a single session. A connection therefore leases it for as long as PostgreSQL itself would need the
 * connection for one piece of work: from the first message until a ReadyForQuery that says "idle", which covers an
 * extended query (Parse, Bind, Execute, Sync), a cursor and a whole transaction. Nothing of another connection is
 * executed in between. docs/decisions/0003 tells why this is not left to @electric-sql/pglite-socket.
 */
import type { Socket } from 'node:net'

/** The part of PGlite that is needed here. */
export interface Session {
  execProtocolRawStream(message: Uint8Array, options: { onRawData: (data: Uint8Array) => void }): Promise<void>
}

/** A connection that leaves a transaction open while others wait is ended after this long. */
const IDLE_LEASE_MS = 60_000

const SSL_REQUEST = 80877103
const GSS_REQUEST = 80877104
const CANCEL_REQUEST = 80877102

const code = (letter: string) => letter.charCodeAt(0)
const [QUERY, SYNC, FLUSH, TERMINATE, PARSE, COPY_DONE, COPY_FAIL] = ['Q', 'S', 'H', 'X', 'P', 'c', 'f'].map(code)
const READY = code('Z')
/** Messages after which the session is run: it answers, or at least sends what it has. */
const RUNS = new Set([QUERY, SYNC, FLUSH, COPY_DONE, COPY_FAIL])

const simpleQuery = (text: string) => {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Reads the status byte of each ReadyForQuery in a stream of answers that is cut anywhere. */
class ReadyScanner {
  /** `I` idle, `T` in a transaction, `E` in a failed one; undefined until a ReadyForQuery was seen. */
  status: string | undefined
  #header: number[] = []
  #skip = 0

  scan(data: Uint8Array): void {
    let at = 0
    while (at < data.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, data.length - at)
        if (this.#header[0] === READY) this.status = String.fromCharCode(data[at] as number)
        this.#skip -= step
        at += step
        if (this.#skip === 0) this.#header = []
        continue
      }
      this.#header.push(data[at++] as number)
      if (this.#header.length === 5) {
        const [, a, b, c, d] = this.#header as [number, number, number, number, number]
        this.#skip = ((a << 24) | (b << 16) | (c << 8) | d) - 4
        if (this.#skip === 0) this.#header = []
      }
    }
  }
}

/** Hands the session to one holder at a time, in the order they asked. */
export class SharedSession {
  #holder: Connection | undefined
  #waiting: { connection: Connection; granted: () => void }[] = []
  #idleTimer: NodeJS.Timeout | undefined
  readonly session: Session

  constructor(session: Session) {
    this.session = session
  }

  /** Serves one socket until it closes. */
  serve(socket: Socket): void {
    new Connection(this, socket)
  }

  async acquire(connection: Connection): Promise<void> {
    if (this.#holder === connection) return
    if (this.#holder === undefined) {
      this.#holder = connection
      return
    }
    this.watchIdleHolder()
    await new Promise<void>((granted) => this.#waiting.push({ connection, granted }))
  }

  release(connection: Connection): void {
    if (this.#holder !== connection) return
    clearTimeout(this.#idleTimer)
    this.#idleTimer = undefined
    const next = this.#waiting.shift()
    this.#holder = next?.connection
    next?.granted()
  }

  holds(connection: Connection): boolean {
    return this.#holder === connection
  }

  /** Called whenever the holder falls silent or someone starts to wait. */
  watchIdleHolder(): void {
    clearTimeout(this.#idleTimer)
    const holder = this.#holder
    if (holder === undefined) return
    this.#idleTimer = setTimeout(() => {
      if (this.#waiting.length === 0 || holder.busy) return
      holder.end('the transaction was left open for too long while others waited')
    }, IDLE_LEASE_MS).unref()
  }
}

class Connection {
  /** True while the session works for this connection. */
  busy = false
  #shared: SharedSession
  #socket: Socket
  #inbox: Buffer = Buffer.alloc(0)
  #started = false
  #closed = false
  #work: Promise<void> = Promise.resolve()
  #statements = new Set<string>()
  #ready = new ReadyScanner()

  constructor(shared: SharedSession, socket: Socket) {
    this.#shared = shared
    this.#socket = socket
    socket.on('data', (data) => this.#receive(data))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#close())
  }

  end(reason: string): void {
    this.#socket.destroy(new Error(reason))
  }

  #receive(data: Buffer): void {
    this.#inbox = this.#inbox.length === 0 ? data : Buffer.concat([this.#inbox, data])
    for (let run = this.#takeRun(); run !== undefined; run = this.#takeRun()) this.#enqueue(run)
  }

  /** Takes the messages up to the first that the session answers to; undefined while that one is not complete. */
  #takeRun(): Buffer | undefined {
    let at = 0
    while (true) {
      const left = this.#inbox.length - at
      if (!this.#started) {
        if (left < 8) return undefined
        const length = this.#inbox.readInt32BE(at)
        const request = this.#inbox.readInt32BE(at + 4)
        if (left < length) return undefined
        at += length
        if (request === SSL_REQUEST || request === GSS_REQUEST) {
          this.#socket.write('N')
          this.#inbox = this.#inbox.subarray(at)
          at = 0
        } else if (request === CANCEL_REQUEST) {
          this.#socket.destroy() // a single session cannot be interrupted from outside
          return undefined
        } else {
          this.#started = true
          return this.#take(at)
        }
        continue
      }
      if (left < 5) return undefined
      const type = this.#inbox[at] as number
      const length = 1 + this.#inbox.readInt32BE(at + 1)
      if (left < length) return undefined
      if (type === TERMINATE) {
        this.#socket.end() // never forwarded: it would end the session of everyone
        return undefined
      }
      if (type === PARSE) {
        const name = this.#inbox.toString('utf8', at + 5, this.#inbox.indexOf(0, at + 5))
        if (name !== '') this.#statements.add(name)
      }
      at += length
      if (RUNS.has(type)) return this.#take(at)
    }
  }

  #take(end: number): Buffer {
    const run = this.#inbox.subarray(0, end)
    this.#inbox = this.#inbox.subarray(end)
    return run
  }

  #enqueue(messages: Buffer): void {
    this.#work = this.#work.then(async () => {
      if (this.#closed) return
      await this.#shared.acquire(this)
      await this.#run(messages, (data) => this.#socket.writable && this.#socket.write(Buffer.from(data)))
    })
  }

  async #run(messages: Buffer, onRawData: (data: Uint8Array) => void): Promise<void> {
    this.busy = true
    this.#ready.status = undefined
    try {
      await this.#shared.session.execProtocolRawStream(new Uint8Array(messages), {
        onRawData: (data) => {
          this.#ready.scan(data)
          onRawData(data)
        },
      })
    } catch (error) {
      this.#socket.destroy(error as Error)
    } finally {
      this.busy = false
    }
    if (this.#ready.status === 'I') this.#shared.release(this)
    else this.#shared.watchIdleHolder()
  }

  /** Leaves the session as it was found: no open transaction, no statement of this connection. */
  #close(): void {
    this.#closed = true
    this.#work = this.#work.then(async () => {
      const held = this.#shared.holds(this)
      if (!held && this.#statements.size === 0) return
      await this.#shared.acquire(this)
      const names = [...this.#statements].map((name) => `deallocate "${name.replaceAll('"', '""')}"`)
      const sync = Buffer.from([SYNC as number, 0, 0, 0, 4])
      // A statement whose Parse failed does not exist: each is dropped on its own.
      for (const message of [...(held ? [sync, simpleQuery('rollback')] : []), ...names.map(simpleQuery)]) {
        await this.#shared.acquire(this)
        await this.#run(message, () => {})
      }
      this.#shared.release(this)
    })
  }
}
