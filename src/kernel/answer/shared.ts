/** Work whose result several callers wait for: done once for all of them, and cancelled when the last has given up. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>()

  has(key: string): boolean {
    return this.#find(key) !== undefined
  }

  /** Starts the work under this key unless it is running, and waits for it; throws the signal's reason if it aborts first. */
  run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let running = this.#find(key)
    if (running === undefined) {
      const begun = new Running(work)
      this.#running.set(key, begun)
      void begun.ended.then(() => {
        if (this.#running.get(key) === begun) this.#running.delete(key)
      })
      running = begun
    }
    return running.for(signal)
  }

  /** Cancels all work, with this reason. */
  cancel(reason: unknown): void {
    for (const running of this.#running.values()) running.cancel(reason)
  }

  /** A new caller must not wait for cancelled work. */
  #find(key: string): Running<T> | undefined {
    const running = this.#running.get(key)
    return running?.isCancelled ? undefined : running
  }
}

class Running<T> {
  readonly ended: Promise<void>
  readonly #abort = new AbortController()
  readonly #result: Promise<T>
  #waiting = 0

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#abort.signal)
    const end = () => {}
    this.ended = this.#result.then(end, end)
  }

  get isCancelled(): boolean {
    return this.#abort.signal.aborted
  }

  cancel(reason: unknown): void {
    this.#abort.abort(reason)
  }

  async for(signal: AbortSignal | undefined): Promise<T> {
    this.#waiting++
    try {
      return await (signal === undefined ? this.#result : unlessAborted(this.#result, signal))
    } finally {
      if (--this.#waiting === 0) this.cancel(new Abandoned()) // has no effect on work that has ended
    }
  }
}

/** Nobody waits for the work any more. */
class Abandoned extends Error {
  override readonly name = 'AbortError'
}

/** Waits for the work; throws the signal's reason if the signal aborts first. The work itself goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {})
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
