/** The bodies that were sent lately, in memory, each also as it was encoded: bounded by their bytes. */
import { type Encoding, encode } from './encode.js'

export interface BodyHeaders {
  readonly [name: string]: string
  readonly etag: string
}

export interface Body {
  readonly plain: Buffer
  readonly headers: BodyHeaders
  /** Worked out once: at once where it is there. */
  encoded(encoding: Encoding): Buffer | Promise<Buffer>
}

interface Kept extends Body {
  /** In all its forms. */
  bytes: number
}

const LIMIT_BYTES = 64 * 2 ** 20

export class Bodies {
  readonly #kept = new Map<string, Kept>()
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

  keep(name: string, plain: Buffer, headers: BodyHeaders): Body {
    const encoded = new Map<Encoding, Buffer | Promise<Buffer>>()
    const body: Kept = {
      ...{ plain, headers, bytes: 0 },
      encoded: (encoding) => {
        const known = encoded.get(encoding)
        if (known !== undefined) return known
        const made = encode(plain, encoding)
        encoded.set(encoding, made)
        made.then(
          (bytes) => {
            encoded.set(encoding, bytes)
            if (this.#kept.get(name) === body) this.#grow(body, bytes.length)
          },
          () => encoded.delete(encoding),
        )
        return made
      },
    }
    if (plain.length > this.#limit / 8) return body
    const before = this.#kept.get(name)
    if (before !== undefined) this.#drop(name, before)
    this.#kept.set(name, body)
    this.#grow(body, plain.length)
    return body
  }

  #grow(grown: Kept, bytes: number): void {
    grown.bytes += bytes
    this.#bytes += bytes
    for (const [name, body] of this.#kept) {
      if (this.#bytes <= this.#limit) return
      this.#drop(name, body)
    }
  }

  #drop(name: string, body: Kept): void {
    this.#kept.delete(name)
    this.#bytes -= body.bytes
  }
}
