/**
 * Metrics of a process, in the text format of Prometheus (exposition format 0.0.4). Written here because prom-client is no longer
 * maintained and its successor needs Node 22; the format has four kinds of lines.
 */

type Labels = Readonly<Record<string, string>>
type Kind = 'counter' | 'gauge' | 'histogram'

/** How the values of several processes become one. */
type Together = 'sum' | 'max'

/** One line of the output; `name` may have the suffix of a histogram's part. */
export interface Sample {
  readonly metric: string
  readonly name: string
  /** As in the output, without braces. */
  readonly labels: string
  readonly value: number
}

interface About {
  readonly name: string
  readonly help: string
  readonly kind: Kind
  readonly together: Together
}

abstract class Metric {
  readonly about: About

  constructor(about: About) {
    this.about = about
    if (declared.has(about.name)) throw new Error(`the metric ${about.name} is declared twice`)
    declared.set(about.name, this)
  }

  abstract samples(): Iterable<Sample>
}

/** Every metric of this process, in the order of declaration. */
const declared = new Map<string, Metric>()

/** A number under certain labels. */
export class Value {
  value = 0

  add(n = 1): void {
    this.value += n
  }

  set(n: number): void {
    this.value = n
  }
}

abstract class Labelled<V> extends Metric {
  readonly children = new Map<string, V>()

  /** The child for these labels; keep a reference to it if it is needed often. */
  with(labels: Labels = {}): V {
    const key = written(labels)
    const known = this.children.get(key)
    if (known !== undefined) return known
    const child = this.make()
    this.children.set(key, child)
    return child
  }

  protected abstract make(): V
}

class Numbers extends Labelled<Value> {
  readonly #collects = new Set<() => void>()

  protected make(): Value {
    return new Value()
  }

  set(value: number, labels: Labels = {}): void {
    this.with(labels).set(value)
  }

  /** Calls `collect` before each reading; the returned function ends that. */
  onRead(collect: (metric: this) => void): () => void {
    const call = () => collect(this)
    this.#collects.add(call)
    return () => this.#collects.delete(call)
  }

  *samples(): Iterable<Sample> {
    for (const collect of this.#collects) collect()
    const { name } = this.about
    for (const [labels, { value }] of this.children) yield { metric: name, name, labels, value }
  }
}

/** Only grows. Its name ends in `_total`. */
export class Counter extends Numbers {
  constructor(name: string, help: string) {
    super({ name, help, kind: 'counter', together: 'sum' })
  }

  add(labels: Labels = {}, n = 1): void {
    this.with(labels).add(n)
  }
}

/** Goes up and down. */
export class Gauge extends Numbers {
  constructor(name: string, help: string, together: Together = 'sum') {
    super({ name, help, kind: 'gauge', together })
  }
}

/** Observations in buckets. */
export class Observations {
  readonly buckets: readonly number[]
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(buckets: readonly number[]) {
    this.buckets = buckets
    this.counts = buckets.map(() => 0)
  }

  observe(value: number): void {
    this.sum += value
    this.count++
    for (let i = 0; i < this.buckets.length; i++)
      if (value <= (this.buckets[i] as number)) {
        this.counts[i] = (this.counts[i] as number) + 1
        return
      }
  }
}

export class Histogram extends Labelled<Observations> {
  readonly #buckets: readonly number[]

  constructor(name: string, help: string, buckets: readonly number[]) {
    super({ name, help, kind: 'histogram', together: 'sum' })
    this.#buckets = buckets
  }

  protected make(): Observations {
    return new Observations(this.#buckets)
  }

  observe(value: number, labels: Labels = {}): void {
    this.with(labels).observe(value)
  }

  *samples(): Iterable<Sample> {
    const { name: metric } = this.about
    for (const [labels, { buckets, counts, sum, count }] of this.children) {
      const label = (le: string) => `${labels}${labels && ','}le="${le}"`
      let below = 0
      for (const [i, bucket] of buckets.entries()) {
        below += counts[i] as number
        yield { metric, name: `${metric}_bucket`, labels: label(String(bucket)), value: below }
      }
      yield { metric, name: `${metric}_bucket`, labels: label('+Inf'), value: count }
      yield { metric, name: `${metric}_sum`, labels, value: sum }
      yield { metric, name: `${metric}_count`, labels, value: count }
    }
  }
}

/** The samples of this process. */
export const readSamples = (): Sample[] => [...declared.values()].flatMap((metric) => [...metric.samples()])

/** The samples of several processes as one. */
export function together(processes: Iterable<readonly Sample[]>): Sample[] {
  const all = new Map<string, Sample>()
  for (const samples of processes)
    for (const sample of samples) {
      const key = `${sample.name}{${sample.labels}}`
      const other = all.get(key)
      const { value } = sample
      const max = declared.get(sample.metric)?.about.together === 'max'
      const sum = other === undefined ? value : max ? Math.max(other.value, value) : other.value + value
      all.set(key, { ...sample, value: sum })
    }
  return [...all.values()]
}

/** The samples to keep of a process that has ended: counts, not levels. */
export const totals = (samples: readonly Sample[]): Sample[] =>
  samples.filter(({ metric }) => declared.get(metric)?.about.kind !== 'gauge')

/** The text that Prometheus reads. */
export function render(samples: readonly Sample[]): string {
  const lines: string[] = []
  for (const { about } of declared.values()) {
    const own = samples.filter(({ metric }) => metric === about.name)
    if (own.length === 0) continue
    lines.push(`# HELP ${about.name} ${about.help}`, `# TYPE ${about.name} ${about.kind}`)
    for (const { name, labels, value } of own) lines.push(`${name}${labels && `{${labels}}`} ${inText(value)}`)
  }
  return `${lines.join('\n')}\n`
}

/** Names and help of every metric, for the documentation. */
export const describeMetrics = (): readonly About[] => [...declared.values()].map(({ about }) => about)

const inText = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))

const written = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`)
    .join(',')
