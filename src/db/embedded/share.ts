/**
 * Shares one PGlite session between many connections, each speaking PostgreSQL's wire protocol.
 *
 * PGlite has a single session. A connection therefore leases it for as long as PostgreSQL itself would need the
 * connection for one piece of work: from the first message until a ReadyForQuery that says "idle", which covers an
 * extended query (Parse, Bind, Execute, Sync), a cursor and a whole transaction. No statement of another connection
 * runs in between. docs/decisions/0003 explains why @electric-sql/pglite-socket is not used.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The part of PGlite that is needed here. */
export interface Session {
  execProtocolRawStream(message: Uint8Array, options: { onRawData: (data: Uint8Array) => void }): Promise<void>
}

/** A connection whose transaction is idle for this long is closed as soon as another connection waits. */
const IDLE_LEASE_MS = 60_000
/** When the engine is to end, it closes connections after this pause without statements, and at the latest after this time. */
const QUIET_BEFORE_END_MS = 1000
const MOST_BEFORE_END_MS = 5000
/** PostgreSQL's own limits: the longest message, and the longest startup message. */
const LONGEST_MESSAGE = 0x3fffffff
const LONGEST_GREETING = 10_000
/** Every type of message that a client may send; the engine would hang on any other. */
const KNOWN = new Set([...'BCDEFHPQSXcdfp'].map((letter) => letter.charCodeAt(0)))

const SSL_REQUEST = 80877103
const GSS_REQUEST = 80877104
const CANCEL_REQUEST = 80877102

const code = (letter: string) => letter.charCodeAt(0)
const [QUERY, SYNC, FLUSH, TERMINATE, PARSE] = ['Q', 'S', 'H', 'X', 'P'].map(code)
const [COPY_DATA, COPY_DONE, COPY_FAIL] = ['d', 'c', 'f'].map(code)
const [READY, COPY_IN, NOTIFICATION] = ['Z', 'G', 'A'].map(code)
/** Messages that make the session run and respond. */
const RUNS = new Set([QUERY, SYNC, FLUSH])
const COPY = new Set([COPY_DATA, COPY_DONE, COPY_FAIL])

/**
 * In COPY FROM STDIN the server asks for data before the client sends it. The engine needs the statement and its data at
 * once, so this file asks for the data, buffers it, and then runs the statement. A loader therefore sends its rows as many
 * statements of bounded size.
 */
const COPY_FROM_STDIN = /^\s*copy\b[^;]*\bfrom\s+stdin\b/i
const LISTEN = /^\s*listen\b/i
const COPY_ELSEWHERE = /;\s*copy\b[^;]*\bfrom\s+stdin\b/i
/** This file answers this query itself, even while another connection holds the session: all notifications before it were sent. */
export const HEARD_ALL = '-- heard all'
const HEARD_ALL_RESPONSE = Buffer.from([code('I'), 0, 0, 0, 4, READY as number, 0, 0, 0, 5, code('I')])
const COPY_IN_RESPONSE = Buffer.from([COPY_IN as number, 0, 0, 0, 7, 0, 0, 0])

const simpleQuery = (text: string) => {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Reads the status byte of each ReadyForQuery, and notifications, from response chunks that end anywhere. */
class ResponseScanner {
  /** `I` idle, `T` in a transaction, `E` in a failed one; undefined until a ReadyForQuery was seen. */
  status: string | undefined
  #header: number[] = []
  #skip = 0
  #notification: Buffer[] = []
  readonly #notified: (message: Buffer) => void

  constructor(notified: (message: Buffer) => void) {
    this.#notified = notified
  }

  scan(data: Uint8Array): void {
    let at = 0
    while (at < data.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, data.length - at)
        if (this.#header[0] === READY) this.status = String.fromCharCode(data[at] as number)
        if (this.#header[0] === NOTIFICATION) this.#notification.push(Buffer.from(data.subarray(at, at + step)))
        this.#skip -= step
        at += step
        if (this.#skip === 0) {
          if (this.#header[0] === NOTIFICATION)
            this.#notified(Buffer.concat([Buffer.from(this.#header), ...this.#notification.splice(0)]))
          this.#header = []
        }
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

/** Leases the session to one connection at a time, first come, first served. */
export class SharedSession {
  #holder: Connection | undefined
  #waiting: { connection: Connection; granted: () => void }[] = []
  #idleTimer: NodeJS.Timeout | undefined
  /** The holder has exceeded its idle time, and no connection waits yet. */
  #overdue = false
  readonly #connections = new Set<Connection>()
  readonly #listening = new Set<Connection>()
  #releasedAt = 0
  readonly #idleMs: number
  readonly session: Session
  /** Called after an internal failure of the engine, which must then run no further statement. */
  readonly onFailure: (error: Error) => void

  constructor(session: Session, onFailure: (error: Error) => void, idleMs = IDLE_LEASE_MS) {
    this.session = session
    this.onFailure = onFailure
    this.#idleMs = idleMs
  }

  /** Serves one socket until it closes. */
  serve(socket: Socket): void {
    const connection = new Connection(this, socket)
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
  }

  /**
   * Ends the connections once none of them has used the session for a moment, and at the latest after some seconds; a
   * connection with an open transaction may finish it first.
   */
  async end(): Promise<void> {
    const from = performance.now()
    while (this.#connections.size > 0) {
      const now = performance.now()
      const idle = this.#holder === undefined && now - this.#releasedAt > QUIET_BEFORE_END_MS
      if (idle || now - from > MOST_BEFORE_END_MS)
        for (const connection of this.#connections) if (connection !== this.#holder) connection.end(ENDING)
      await sleep(20)
    }
  }

  /** Notifications arrive with the response to any connection's statement; every listening connection gets a copy. */
  startListening(connection: Connection): void {
    this.#listening.add(connection)
  }

  stopListening(connection: Connection): void {
    this.#listening.delete(connection)
  }

  notify(message: Buffer, from: Connection): void {
    for (const connection of this.#listening) if (connection !== from) connection.notify(message)
  }

  async acquire(connection: Connection): Promise<void> {
    if (this.#holder === connection) return
    if (this.#holder === undefined) {
      this.#holder = connection
      return
    }
    if (this.#overdue) this.#holder.end(TOO_LONG)
    await new Promise<void>((granted) => this.#waiting.push({ connection, granted }))
  }

  release(connection: Connection): void {
    if (this.#holder !== connection) return
    this.stopIdleTimer()
    this.#releasedAt = performance.now()
    const next = this.#waiting.shift()
    this.#holder = next?.connection
    next?.granted()
  }

  holds(connection: Connection): boolean {
    return this.#holder === connection
  }

  /** Starts the idle timer of a holder with an open transaction. */
  startIdleTimer(): void {
    this.stopIdleTimer()
    this.#idleTimer = setTimeout(() => {
      this.#overdue = true
      if (this.#waiting.length > 0) this.#holder?.end(TOO_LONG)
    }, this.#idleMs).unref()
  }

  stopIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    this.#overdue = false
  }
}

const ENDING = 'the process that owns the database ends'
const TOO_LONG = 'the transaction was idle for too long while other connections waited'

class Connection {
  #shared: SharedSession
  #socket: Socket
  /** Received bytes that are not yet split into messages, and how many the next message needs. */
  #chunks: Buffer[] = []
  #arrived = 0
  #needed = 8
  /** Messages that wait for a message that makes the session run. */
  #pending: Buffer[] = []
  #started = false
  #copying = false
  #closed = false
  #work: Promise<void> = Promise.resolve()
  #statements = new Set<string>()
  #ready = new ResponseScanner((message) => this.#shared.notify(message, this))

  constructor(shared: SharedSession, socket: Socket) {
    this.#shared = shared
    this.#socket = socket
    socket.on('data', (data) => this.#receive(data))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#close())
  }

  /** Cannot interrupt a response: only the holder gets responses, and the holder gets its notifications with them. */
  notify(message: Buffer): void {
    if (this.#socket.writable) this.#socket.write(message)
  }

  end(reason: string): void {
    this.#socket.destroy(new Error(reason))
  }

  #receive(data: Buffer): void {
    this.#chunks.push(data)
    this.#arrived += data.length
    while (this.#arrived >= this.#needed && !this.#socket.destroyed) {
      const inbox = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
      const length = this.#started ? 1 + inbox.readInt32BE(1) : inbox.readInt32BE(0)
      if (length < (this.#started ? 5 : 8) || length > (this.#started ? LONGEST_MESSAGE : LONGEST_GREETING)) {
        this.end('not a message of the PostgreSQL protocol')
        return
      }
      this.#chunks = [inbox]
      if (inbox.length < length) {
        this.#needed = length
        return
      }
      this.#chunks = [inbox.subarray(length)]
      this.#arrived -= length
      const message = inbox.subarray(0, length)
      if (this.#started) this.#take(message)
      else this.#greet(message)
      this.#needed = this.#started ? 5 : 8
    }
  }

  /** The first messages have no type: a request for encryption, which is refused, or the startup message. */
  #greet(message: Buffer): void {
    const request = message.readInt32BE(4)
    if (request === SSL_REQUEST || request === GSS_REQUEST) this.#socket.write('N')
    else if (request === CANCEL_REQUEST)
      this.#socket.destroy() // a single session cannot be interrupted from outside
    else if (request >> 16 !== 3) this.end('this server supports only version 3 of the protocol')
    else {
      this.#started = true
      this.#enqueue([message])
    }
  }

  #take(message: Buffer): void {
    const type = message[0] as number
    if (type === TERMINATE) {
      // Never forwarded, because it would end the session of all connections. Earlier statements still get their responses.
      this.#work = this.#work.then(() => void this.#socket.end())
      return
    }
    if (!KNOWN.has(type)) {
      this.end('not a message of the PostgreSQL protocol')
      return
    }
    if (COPY.has(type) && !this.#copying) return // the protocol says to ignore messages of a COPY that has ended
    if (type === PARSE) {
      const name = message.toString('utf8', 5, message.indexOf(0, 5))
      if (name !== '') this.#statements.add(name)
    }
    const text = type === PARSE || type === QUERY ? message.toString('utf8', 5, 5 + 4000) : ''
    if (type === PARSE ? COPY_FROM_STDIN.test(text.slice(text.indexOf('\0') + 1)) : COPY_ELSEWHERE.test(text)) {
      this.end('send COPY FROM STDIN as a simple query with no other statement')
      return
    }
    if (type === QUERY && text === `${HEARD_ALL}\0`) {
      this.#work = this.#work.then(() => {
        if (this.#socket.writable) this.#socket.write(HEARD_ALL_RESPONSE)
      })
      return
    }
    if (LISTEN.test(type === PARSE ? text.slice(text.indexOf('\0') + 1) : text)) this.#shared.startListening(this)
    this.#pending.push(message)
    if (type === QUERY && COPY_FROM_STDIN.test(text)) {
      this.#copying = true
      // In turn: the responses to earlier messages come first.
      this.#work = this.#work.then(() => {
        if (this.#socket.writable) this.#socket.write(COPY_IN_RESPONSE)
      })
      return
    }
    if (this.#copying ? type !== COPY_DONE && type !== COPY_FAIL : !RUNS.has(type)) return
    this.#enqueue(this.#pending)
    this.#pending = []
    this.#copying = false
  }

  #enqueue(messages: Buffer[]): void {
    const run = Buffer.concat(messages)
    const copied = messages.length > 1 && messages[0]?.[0] === QUERY
    this.#work = this.#work.then(async () => {
      if (this.#closed) return
      await this.#shared.acquire(this)
      let first = copied
      await this.#run(run, messages.at(-1)?.[0] !== FLUSH, (data) => {
        // Drop the engine's own request for data: the client has one already.
        const answer = first && data[0] === COPY_IN ? data.subarray(1 + Buffer.from(data).readInt32BE(1)) : data
        first = false
        if (answer.length > 0 && this.#socket.writable) this.#socket.write(Buffer.from(answer))
      })
    })
  }

  async #run(messages: Buffer, expectsReady: boolean, onRawData: (data: Uint8Array) => void): Promise<void> {
    this.#shared.stopIdleTimer()
    this.#ready.status = undefined
    try {
      await this.#shared.session.execProtocolRawStream(new Uint8Array(messages), {
        onRawData: (data) => {
          this.#ready.scan(data)
          onRawData(data)
        },
      })
      // A statement that crashes the engine gets no response.
      if (expectsReady && this.#ready.status === undefined) throw new Error('the engine did not finish a statement')
    } catch (error) {
      this.#shared.onFailure(error as Error)
      return
    }
    if (this.#ready.status === 'I') this.#shared.release(this)
    else this.#shared.startIdleTimer()
  }

  /** Cleans up the session: rolls back the open transaction and drops this connection's prepared statements. */
  #close(): void {
    this.#closed = true
    this.#shared.stopListening(this)
    this.#work = this.#work.then(async () => {
      const held = this.#shared.holds(this)
      if (!held && this.#statements.size === 0) return
      await this.#shared.acquire(this)
      const names = [...this.#statements].map((name) => `deallocate "${name.replaceAll('"', '""')}"`)
      const sync = Buffer.from([SYNC as number, 0, 0, 0, 4])
      // Drop each separately, because a statement whose Parse failed does not exist.
      for (const message of [...(held ? [sync, simpleQuery('rollback')] : []), ...names.map(simpleQuery)]) {
        await this.#shared.acquire(this)
        await this.#run(message, true, () => {})
      }
      this.#shared.release(this)
    })
  }
}
