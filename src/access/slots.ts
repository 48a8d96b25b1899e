/** Limits concurrent work: some runs, some waits in a queue, the rest is refused. */
export class Slots {
  #running = 0
  readonly #waiting: { source: string; go: () => void }[] = []
  readonly #limits: { running: number; waiting: number; waitingPerSource: number }

  /** `waitingPerSource` keeps one source from filling the queue. */
  constructor(limits: { running: number; waiting: number; waitingPerSource: number }) {
    this.#limits = limits
  }

  /** Returns undefined if the queue is full. */
  async run<T>(source: string, work: () => Promise<T>): Promise<{ done: T } | undefined> {
    if (this.#running >= this.#limits.running) {
      const own = this.#waiting.filter((waiting) => waiting.source === source).length
      if (this.#waiting.length >= this.#limits.waiting || own >= this.#limits.waitingPerSource) return undefined
      await new Promise<void>((go) => this.#waiting.push({ source, go })) // the finished work below passes its slot on
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
