/** Values in memory, bounded by their bytes; the least recently used ones are evicted first. */
import { LRUCache } from 'lru-cache'

const LIMIT_BYTES = 64 * 2 ** 20
/** Memory of an entry beside its bytes and its key, as measured. */
const OVERHEAD_BYTES = 1200

export class Memory<V extends object> {
  readonly #cache: LRUCache<string, V>

  constructor(limit = LIMIT_BYTES) {
    this.#cache = new LRUCache({ maxSize: limit, maxEntrySize: Math.floor(limit / 8) })
  }

  get(key: string): V | undefined {
    return this.#cache.get(key)
  }

  /** Stores a value; call it again when the value has grown. A value over an eighth of the limit is not kept. */
  set(key: string, value: V, bytes: number): void {
    this.#cache.delete(key) // the cache keeps the size of a value that it has already
    this.#cache.set(key, value, { size: bytes + 2 * key.length + OVERHEAD_BYTES })
  }
}
