/** The driver's connection, with two additions: Unix sockets of any name, and rows that are not decoded. */
import type { Duplex } from 'node:stream'
import pg from 'pg'

const [DATA_ROW, COPY_DATA, READY] = [0x44, 0x64, 0x5a] as const
/** A message's type and length. */
const HEADER_BYTES = 5

export interface Wire extends Pick<pg.ClientConfig, 'ssl' | 'sslnegotiation'> {
  /** The socket to connect to, in place of a host and a port. */
  path?: string
}

export class WireConnection extends pg.Connection {
  /**
   * Set it to get the next statement's rows as bytes; the statement's end resets it. The driver decodes DataRow messages to
   * strings but passes CopyData messages on undecoded, so this class changes the type of each DataRow to CopyData.
   */
  rowsAsBytes = false
  readonly #path: string | undefined
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #headerBytes = 0
  /** How many bytes of the current message's body are still to come. */
  #body = 0

  constructor({ path, ssl, sslnegotiation }: Wire) {
    // Keepalive detects a server that vanished without closing the connection.
    super({
      ssl,
      sslNegotiation: sslnegotiation,
      keepAlive: true,
      keepAliveInitialDelayMillis: 60_000,
    } as pg.ClientConfig)
    this.#path = path
  }

  override connect(port: number | string, host?: string): void {
    if (this.#path === undefined) super.connect(port, host)
    else super.connect(this.#path)
  }

  override attachListeners(stream: Duplex): void {
    stream.on('data', (data: Buffer) => this.#scan(data)) // before the driver's own listener
    super.attachListeners(stream)
  }

  /** Finds the beginnings of messages in chunks that end anywhere. */
  #scan(data: Buffer): void {
    for (let at = 0; at < data.length; ) {
      if (this.#body > 0) {
        const step = Math.min(this.#body, data.length - at)
        this.#body -= step
        at += step
        continue
      }
      if (this.#headerBytes === 0) {
        if (data[at] === READY) this.rowsAsBytes = false
        else if (data[at] === DATA_ROW && this.rowsAsBytes) data[at] = COPY_DATA
      }
      this.#header[this.#headerBytes++] = data[at++] as number
      if (this.#headerBytes < HEADER_BYTES) continue
      this.#headerBytes = 0
      this.#body = this.#header.readInt32BE(1) - 4
    }
  }
}
