/** The bodies that were sent lately, in memory, each also as it was encoded: bounded by their bytes. */
import { type Encoding, encode } from './encode.js'

export interface Body {
  readonly plain: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly encoded: Map<Encoding, Promise<Buffer>>
  /** In all its forms. */
  bytes: number
}

const LIMIT_BYTES = 64 * 2 ** 20

export class Bodies {
  readonly #kept = new Map<string, Body>()
  #bytes = 0
  readonly #limit: number

  constructor(limit = LIMIT_BYTES) {
    this.#limit = limit
  }

  get(name: string): Body | undefined {
    const body = this.#kept.get(name)
    if (body === undefined) return undefined
    this.#kept.delete(name) // to the end: what is at the front was used longest ago
    this.#kept.set(name, body)
    return body
  }

  keep(name: string, plain: Buffer, headers: Record<string, string>): Body {
    const body: Body = { plain, headers, encoded: new Map(), bytes: 0 }
    if (plain.length > this.#limit / 8) return body
    const before = this.#kept.get(name)
    if (before !== undefined) this.#drop(name, before)
    this.#kept.set(name, body)
    this.#grow(body, plain.length)
    return body
  }

  /** The body in an encoding, worked out once. */
  encoded(name: string, body: Body, encoding: Encoding): Promise<Buffer> {
    const known = body.encoded.get(encoding)
    if (known !== undefined) return known
    const made = encode(body.plain, encoding)
    body.encoded.set(encoding, made)
    made.then(
      (bytes) => {
        if (this.#kept.get(name) === body) this.#grow(body, bytes.length)
      },
      () => body.encoded.delete(encoding),
    )
    return made
  }

  #grow(grown: Body, bytes: number): void {
    grown.bytes += bytes
    this.#bytes += bytes
    for (const [name, body] of this.#kept) {
      if (this.#bytes <= this.#limit) return
      this.#drop(name, body)
    }
  }

  #drop(name: string, body: Body): void {
    this.#kept.delete(name)
    this.#bytes -= body.bytes
  }
}
