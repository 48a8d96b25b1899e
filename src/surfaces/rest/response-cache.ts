/** The bodies that were sent lately, in memory, each also as it was encoded: bounded by their bytes. */
import { type Encoding, encode } from '../../http/encoding.js'

export interface BodyHeaders {
  readonly [name: string]: string
  readonly etag: string
}

export interface Body {
  readonly plain: Buffer
  readonly headers: BodyHeaders
  /** These, and those that every body has, as names and values in turn. */
  readonly fields: readonly string[]
  /** Worked out once: at once where it is there. */
  encoded(encoding: Encoding): Buffer | Promise<Buffer>
}

interface Kept extends Body {
  /** In all its forms. */
  bytes: number
  /** Since it was last passed over. */
  used: boolean
}

const LIMIT_BYTES = 64 * 2 ** 20
/** What a body takes beside its bytes and its name, as measured. */
const BESIDE_BYTES = 1200

export class Bodies {
  readonly #kept = new Map<string, Kept>()
  #bytes = 0
  readonly #limit: number

  constructor(limit = LIMIT_BYTES) {
    this.#limit = limit
  }

  get(name: string): Body | undefined {
    const body = this.#kept.get(name)
    if (body !== undefined) body.used = true
    return body
  }

  keep(name: string, plain: Buffer, headers: BodyHeaders, everyHeader: Readonly<Record<string, string>>): Body {
    const encoded = new Map<Encoding, Buffer | Promise<Buffer>>()
    const body: Kept = {
      ...{ plain, headers, fields: Object.entries({ ...everyHeader, ...headers }).flat(), bytes: 0, used: false },
      encoded: (encoding) => {
        const known = encoded.get(encoding)
        if (known !== undefined) return known
        const made = encode(plain, encoding)
        encoded.set(encoding, made)
        made.then(
          (bytes) => {
            encoded.set(encoding, bytes)
            this.#makeRoom(bytes.length)
            if (this.#kept.get(name) === body) this.#count(body, bytes.length)
          },
          () => encoded.delete(encoding),
        )
        return made
      },
    }
    if (plain.length > this.#limit / 8) return body
    const before = this.#kept.get(name)
    if (before !== undefined) this.#drop(name, before)
    const bytes = plain.length + 2 * name.length + BESIDE_BYTES
    this.#makeRoom(bytes)
    this.#kept.set(name, body)
    this.#count(body, bytes)
    return body
  }

  #count(body: Kept, bytes: number): void {
    body.bytes += bytes
    this.#bytes += bytes
  }

  /** Those at the front came first. One that was used since gets another round. */
  #makeRoom(bytes: number): void {
    for (const [name, body] of this.#kept) {
      if (this.#bytes + bytes <= this.#limit) return
      if (!body.used) this.#drop(name, body)
      else {
        body.used = false
        this.#kept.delete(name)
        this.#kept.set(name, body)
      }
    }
  }

  #drop(name: string, body: Kept): void {
    this.#kept.delete(name)
    this.#bytes -= body.bytes
  }
}
