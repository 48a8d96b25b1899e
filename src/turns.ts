/** Limits concurrent work: each piece takes a turn, or waits for one, first come, first served. */
export class Turns {
  readonly #atATime: number
  #running = 0
  readonly #waiting: Waiting[] = []

  constructor(atATime: number) {
    this.#atATime = atATime
  }

  /** Takes a turn if one is free. */
  take(): boolean {
    if (this.#running >= this.#atATime) return false
    this.#running++
    return true
  }

  /** Calls `go` when a turn is free. The returned function leaves the queue; it returns false if `go` was already called. */
  wait(go: () => void, source?: string): () => boolean {
    const own = { go, source }
    this.#waiting.push(own)
    return () => {
      const at = this.#waiting.indexOf(own)
      if (at >= 0) this.#waiting.splice(at, 1)
      return at >= 0
    }
  }

  /** Ends a turn; the first in the queue gets it. */
  end(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next.go()
  }

  async run<T>(work: () => Promise<T>, source?: string): Promise<T> {
    if (!this.take()) await new Promise<void>((go) => this.wait(go, source))
    try {
      return await work()
    } finally {
      this.end()
    }
  }

  get isIdle(): boolean {
    return this.#running === 0
  }

  get waiting(): number {
    return this.#waiting.length
  }

  waitingFrom(source: string): number {
    return this.#waiting.filter((one) => one.source === source).length
  }
}

interface Waiting {
  readonly go: () => void
  readonly source: string | undefined
}
