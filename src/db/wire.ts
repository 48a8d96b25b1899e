/** The driver's connection, with three additions: Unix sockets of any name, rows that are not decoded, and cancelling. */
import { EventEmitter } from 'node:events'
import { Socket, type SocketConstructorOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'

const [DATA_ROW, READY, COMMA] = [0x44, 0x5a, 0x2c] as const
/** A message's type and length. */
const HEADER_BYTES = 5
/** A row's header, the number of its columns, and the length of its only value. */
const ROW_HEADER_BYTES = HEADER_BYTES + 2 + 4
const BUFFER_BYTES = 1 << 16

export interface Wire extends Pick<pg.ClientConfig, 'ssl' | 'sslnegotiation'> {
  /** The socket to connect to, in place of a host and a port. */
  path?: string
}

/** Takes the rows of a statement with one column, undecoded. */
export interface TakesTexts {
  /** A text begins at this offset of the bytes of the next `take`. */
  beginText(at: number): void
  /** Bytes of texts, with a comma between two texts; valid during the call only. */
  take(bytes: Buffer): void
}

export class WireConnection extends pg.Connection {
  declare stream: Duplex
  readonly #options: Wire
  #address: [port: number | string, host?: string | undefined] = [0]
  /** Receives the bytes of all messages that the driver parses. */
  readonly #driver = new EventEmitter()
  #taker: TakesTexts | undefined
  #isFirst = true
  /** The message that is being read: whether it is a row to take, its header, and how many bytes of its body are to come. */
  #inRow = false
  readonly #header = Buffer.alloc(ROW_HEADER_BYTES)
  #headerBytes = 0
  #body = 0

  constructor(options: Wire) {
    const { ssl, sslnegotiation } = options
    // Keepalive detects a server that vanished without closing the connection.
    super({
      ssl,
      sslNegotiation: sslnegotiation,
      keepAlive: true,
      keepAliveInitialDelayMillis: 60_000,
    } as pg.ClientConfig)
    this.#options = options
    if (ssl) return
    // All chunks are read into one buffer: a buffer for each would be most of the garbage of a long report.
    const callback = (length: number, buffer: Uint8Array) => {
      this.#read(buffer.subarray(0, length) as Buffer)
      return true
    }
    const onread = { buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES), callback }
    this.stream = new Socket({ onread } as SocketConstructorOpts)
  }

  override connect(port: number | string, host?: string): void {
    this.#address = this.#options.path === undefined ? [port, host] : [this.#options.path]
    super.connect(...this.#address)
  }

  /** Passes the next statement's rows to `taker`, and not to the driver. */
  takeTexts(taker: TakesTexts): void {
    this.#taker = taker
    this.#isFirst = true
  }

  /** Asks the server to cancel a session's statement, on a separate connection; resolves when that connection has ended. */
  async requestCancel(processID: number, secretKey: number, withinMs: number): Promise<void> {
    const { ssl, sslnegotiation } = this.#options
    const request = new WireConnection(this.#options)
    const late = setTimeout(() => request.stream.destroy(new Error('the server did not respond in time')), withinMs)
    const send = () => request.cancel(processID, secretKey)
    request.once('connect', () => {
      if (!ssl) send()
      else if (sslnegotiation !== 'direct') request.requestSsl()
    })
    request.once('sslconnect', send)
    const ended = new Promise<void>((resolve, reject) => {
      request.once('end', resolve)
      request.on('error', reject)
    })
    request.connect(...this.#address)
    await ended.finally(() => clearTimeout(late))
  }

  override attachListeners(stream: Duplex): void {
    super.attachListeners(this.#driver as Duplex)
    if (this.#options.ssl) stream.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  /**
   * Separates the texts of rows from other messages, in chunks that end anywhere. Texts are moved together inside their
   * chunk, because copying each would create an object; the place of a row's type byte takes the comma before its text.
   */
  #read(chunk: Buffer): void {
    /** The bytes to pass on next begin here, and end at `kept` (texts) or `at` (other messages). */
    let from = 0
    let kept = 0
    let at = 0
    const passOn = () => {
      if (this.#inRow) {
        if (kept > from) this.#taker?.take(chunk.subarray(from, kept))
      } else if (at > from) this.#driver.emit('data', Buffer.from(chunk.subarray(from, at))) // the driver keeps it
      from = at
      kept = at
    }
    while (at < chunk.length) {
      if (this.#body > 0) {
        const end = Math.min(at + this.#body, chunk.length)
        if (this.#inRow) {
          chunk.copyWithin(kept, at, end)
          kept += end - at
        }
        this.#body -= end - at
        at = end
        continue
      }
      if (this.#headerBytes === 0) {
        const type = chunk[at]
        const isRow = type === DATA_ROW && this.#taker !== undefined
        if (isRow !== this.#inRow) passOn()
        this.#inRow = isRow
        if (type === READY) this.#taker = undefined
        if (isRow) {
          if (!this.#isFirst) chunk[kept++] = COMMA
          this.#isFirst = false
          this.#taker?.beginText(kept - from)
        }
      }
      const size = this.#inRow ? ROW_HEADER_BYTES : HEADER_BYTES
      const end = Math.min(at + size - this.#headerBytes, chunk.length)
      while (at < end) this.#header[this.#headerBytes++] = chunk[at++] as number
      if (this.#headerBytes < size) break
      this.#headerBytes = 0
      this.#body = this.#header.readInt32BE(1) - (size - 1)
    }
    passOn()
  }
}
