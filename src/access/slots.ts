/** Lets some work run at a time and some more of it wait its turn, and refuses the rest. */
export class Slots {
  #running = 0
  readonly #waiting: { source: string; go: () => void }[] = []
  readonly #limits: { running: number; waiting: number; waitingPerSource: number }

  /** `waitingPerSource` keeps one source from taking every place in the queue. */
  constructor(limits: { running: number; waiting: number; waitingPerSource: number }) {
    this.#limits = limits
  }

  /** Undefined where there is no place left to wait. */
  async run<T>(source: string, work: () => Promise<T>): Promise<{ done: T } | undefined> {
    if (this.#running >= this.#limits.running) {
      const own = this.#waiting.filter((waiting) => waiting.source === source).length
      if (this.#waiting.length >= this.#limits.waiting || own >= this.#limits.waitingPerSource) return undefined
      await new Promise<void>((go) => this.#waiting.push({ source, go })) // its place is handed over, see below
    } else this.#running++
    try {
      return { done: await work() }
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next.go()
    }
  }
}
