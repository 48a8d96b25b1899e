/** After a load, recomputes the reports that callers ask for most, so that the first caller need not wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Question } from './editions.js'

/** The bounds of a warm-up. */
export interface WarmUpLimits {
  /** The most reports; 0 for no warm-up. */
  readonly reports: number
  readonly seconds: number
}

export interface Use {
  readonly question: Question
  /** How often it was asked; every load halves this. */
  times: number
}

/** Uses are counted for this number of questions, the most recent ones. */
const COUNTED = 2000
const WAIT_MS = 20

export class WarmUp {
  readonly #limits: WarmUpLimits
  readonly #isBusy: () => boolean
  readonly #compute: (use: Use) => Promise<void>
  readonly #uses = new LRUCache<string, Use>({ max: COUNTED })
  /** The number of loads so far: a warm-up ends when the next one begins. */
  #round = 0
  #running: Promise<void> = Promise.resolve()

  /** A warm-up waits while `isBusy()`: callers go first. */
  constructor(limits: WarmUpLimits, isBusy: () => boolean, compute: (use: Use) => Promise<void>) {
    this.#limits = limits
    this.#isBusy = isBusy
    this.#compute = compute
  }

  count(question: Question): void {
    const use = this.#uses.get(question.fingerprint)
    if (use !== undefined) use.times++
    else this.#uses.set(question.fingerprint, { question, times: 1 })
  }

  /** Call this after a load. */
  begin(): void {
    const round = ++this.#round
    const most = [...this.#uses.values()].sort((a, b) => b.times - a.times).slice(0, this.#limits.reports)
    const uses = most.map((use) => ({ ...use }))
    // A copy: the cache loses its place when the entry that it is at is deleted.
    for (const [fingerprint, use] of [...this.#uses]) {
      use.times = Math.floor(use.times / 2)
      if (use.times === 0) this.#uses.delete(fingerprint)
    }
    this.#running = this.#running.then(() => this.#run(round, uses))
  }

  async #run(round: number, uses: readonly Use[]): Promise<void> {
    const until = performance.now() + this.#limits.seconds * 1000
    const mayGoOn = () => round === this.#round && performance.now() < until
    for (const use of uses) {
      while (mayGoOn() && this.#isBusy()) await sleep(WAIT_MS)
      if (!mayGoOn()) return
      await this.#compute(use)
    }
  }

  /** Stops the warm-up; resolves when its last computation has ended. */
  async end(): Promise<void> {
    this.#round++
    await this.#running
  }
}
