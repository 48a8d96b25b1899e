/**
 * Answers questions with `since`: the records that are new or changed since an earlier answer, and the keys of removed records.
 * Manifests in the database identify them; the records come from the report's edition, as for every question.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { NO_TEXTS, type Texts } from '../../db/texts.js'
import { Problem } from '../../errors.js'
import { type Entry, Forgotten, type Manifests, type Step, TooManyRecords } from '../../store/manifests.js'
import { Memory } from '../../store/memory.js'
import { joinRuns, type Slice, sliceOf, split } from '../../store/records.js'
import { Turns } from '../../turns.js'
import { type KeyPart, keyOf } from '../report/columns.js'
import { keyed } from '../report/keyed.js'
import { writeOrder } from '../report/order.js'
import type { Page } from '../report/paging.js'
import type { Param } from '../report/params.js'
import type { View } from '../report/rights.js'
import type { Answer, Records, Unchanged } from './answer.js'
import type { Asked } from './editions.js'
import { type KeyText, keyTextOf } from './key-text.js'
import { part } from './part.js'
import { SharedWork } from './shared.js'

/** The first value of `since`: the whole report is new. */
export const START = 'start'

const TOKEN = /^[0-9a-f]{32}$/

/** Asks for changes. */
export const sinceParam: Param<string | undefined> = {
  type: { kind: 'text', longest: 32 },
  description: `Returns changes only. Send \`${START}\` to get the whole report and a token. Send that token later to get the records that are new or changed since then, and the keys of the removed ones. Without \`page\`, the response has all of them. The response is 410 if the service no longer keeps the token.`,
  expects: `${START}, or a token of an earlier response`,
  read: (value) => (typeof value === 'string' && (value === START || TOKEN.test(value)) ? value : undefined),
  required: false,
}

/** Tokens whose steps are remembered, and for how long. */
const REMEMBERED = { max: 1000, ttl: 600_000 }
const WRITTEN_AT_A_TIME = 2
const NUMBERS_BYTES = 32 * 2 ** 20 // one edition may take an eighth of it: half a million records

/** The part of the kernel that feeds call. */
interface Kernel {
  /** Answers a question without `since`. */
  ask(asked: Asked): Answer | Unchanged | Promise<Answer | Unchanged>
  /** Records from the file of this name: a part of it or all. */
  records(slice: Slice, name: string): Records
}

/** A step with the token that names it. */
type Named = Step & { readonly token: string }

export class Feeds {
  readonly #manifests: Manifests
  readonly #steps = new LRUCache<string, Step & { readonly question: string }>(REMEMBERED)
  readonly #keeping = new SharedWork<Step>()
  readonly #turns = new Turns(WRITTEN_AT_A_TIME)
  /** For each edition, the hashes of its keys as numbers, in the order of the records. */
  readonly #numbers = new Memory<Float64Array>(NUMBERS_BYTES)
  /** The question for the whole report, by the question about changes; the kernel recognizes a question by object identity. */
  readonly #wholes = new WeakMap<Asked, Asked>()

  constructor(manifests: Manifests) {
    this.#manifests = manifests
  }

  async ask(asked: Asked, view: View, kernel: Kernel, signal: AbortSignal): Promise<Answer | Unchanged> {
    const whole = this.#wholes.get(asked) ?? {
      ...asked,
      report: keyed(asked.report),
      page: undefined,
      since: undefined,
    }
    this.#wholes.set(asked, whole)
    const question = questionOf(whole, view)
    const { since = START, page } = asked
    const from = since === START ? undefined : await this.#begin(since, question)
    const answer = await kernel.ask(whole)
    if (answer.unchanged) return answer
    const { edition } = answer
    const token = digest(`${question} ${edition.key}`)
    const to = (await this.#find(token)) ?? (await this.#keep(question, token, whole, answer, signal))
    if (from !== undefined) return await this.#difference(from, { ...to, token }, whole, answer, page, kernel, signal)
    const changes = { token, removed: kernel.records(sliceOf(NO_TEXTS, 0), `${edition.key}.none`) }
    if (page === undefined) return { ...answer, changes }
    const some = await kernel.ask({ ...whole, page, pin: edition.pin })
    return some.unchanged ? some : { ...some, changes }
  }

  /** Ends the work that callers wait for. */
  cancel(reason: unknown): void {
    this.#keeping.cancel(reason)
  }

  /** The step of the caller's token. */
  async #begin(token: string, question: string): Promise<Step & { readonly token: string }> {
    const step = await this.#find(token)
    if (step === undefined) throw forgotten()
    if (step.question !== question)
      throw new Problem('invalid-parameters', {
        errors: [
          {
            field: 'since',
            message: `must be a token of the same report with the same parameters, fields and rights; begin with ${START}`,
          },
        ],
      })
    return { ...step, token }
  }

  async #find(token: string): Promise<(Step & { readonly question: string }) | undefined> {
    const known = this.#steps.get(token)
    if (known !== undefined) return known
    const found = await this.#manifests.find(token)
    if (found !== undefined) this.#steps.set(token, found)
    return found
  }

  /** Keeps the edition as a step. */
  async #keep(
    question: string,
    token: string,
    { report, values }: Asked,
    answer: Answer,
    signal: AbortSignal,
  ): Promise<Step> {
    const { records, edition } = answer
    const numbers = new Float64Array(records.total)
    const entries = (signal: AbortSignal) => entriesOf(records, keyTextOf(report.shapeFor(values)), numbers, signal)
    try {
      const step = await this.#keeping.run(token, signal, (signal) =>
        this.#turns.run(() => this.#manifests.keep(question, report.id, token, entries(signal))),
      )
      this.#steps.set(token, { ...step, question })
      // Another process may have kept the step first.
      if (numbers.length === 0 || numbers[0] !== 0) this.#numbers.set(edition.key, numbers, numbers.byteLength)
      return step
    } catch (error) {
      if (!(error instanceof TooManyRecords)) throw error
      throw new Problem('invalid-parameters', {
        detail: `The report has more records than the service keeps for \`since\`; ask for a shorter period, or leave \`since\` out.`,
        errors: [{ field: 'since', message: 'must be left out for a report of this size' }],
      })
    }
  }

  async #difference(
    from: Named,
    to: Named,
    { report, values }: Asked,
    answer: Answer,
    page: Page | undefined,
    kernel: Kernel,
    signal: AbortSignal,
  ): Promise<Answer> {
    const shape = report.shapeFor(values)
    const key = keyOf(shape)
    const { records, edition } = answer
    const numbers = this.#numbers.get(edition.key)
    const since = from.token.slice(0, 16)
    let found: Promise<{ upserted: Texts; removed: Texts }> | undefined
    const difference = () => {
      found ??= from.number === to.number ? NOTHING : this.#manifests.difference(from, to, signal)
      return found
    }
    const first = page === undefined ? 0 : (page.number - 1) * page.size
    const most = page?.size ?? Number.POSITIVE_INFINITY
    try {
      const upserts = await part(records, `since-${since}`, first, most, async function* () {
        const { upserted } = await difference()
        yield* joinRuns(chosen(records, keyTextOf(shape), upserted, numbers, signal))
      })
      const taken = upserts.count
      const removed = await part(
        records,
        `gone-${since}`,
        Math.max(0, first - upserts.total),
        most - taken,
        async function* () {
          yield* joinRuns([split((await difference()).removed).map((text) => partOf(key, text))])
        },
      )
      return {
        ...answer,
        records: kernel.records(upserts, `${edition.key}.since-${since}`),
        changes: { token: to.token, removed: kernel.records(removed, `${edition.key}.gone-${since}`) },
      }
    } catch (error) {
      if (!(error instanceof Forgotten)) throw error
      this.#steps.clear()
      throw forgotten()
    }
  }
}

const NOTHING = Promise.resolve({ upserted: NO_TEXTS, removed: NO_TEXTS })

/** Identifies the question that a caller follows. Later builds compute the same value unless the report's key has changed. */
function questionOf({ report, values }: Asked, { hideContacts, without }: View): string {
  const { [report.perPageFrom ?? '']: _, ...asked } = values
  const { fields } = report.view ?? {}
  const question = [
    report.id,
    asked,
    writeOrder(report.shapeFor(values).orderBy),
    hideContacts,
    ...(without.length > 0 ? [without] : []),
  ]
  return digest(JSON.stringify(fields === undefined ? question : [...question, fields]))
}

const digest = (text: string | Buffer): string => hash('sha256', text, 'hex').slice(0, 32)

/** Hexadecimal digits of a hash that fit into a number. On a collision an unchanged record is sent again; harmless. */
const DIGITS = 13

/** The entry of each record in a manifest. Collects the hashes of the keys in `numbers`. */
async function* entriesOf(
  records: Records,
  keyText: KeyText,
  numbers: Float64Array,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let i = 0
  for await (const run of records.texts()) {
    signal.throwIfAborted()
    for (const text of run) {
      const key = keyText(text)
      const keyHash = digest(key)
      numbers[i++] = numberOf(keyHash)
      yield { keyHash, hash: digest(text), key }
    }
  }
}

const numberOf = (hex: string): number => Number.parseInt(hex.slice(0, DIGITS), 16)

/** The records whose keys have one of these hashes; `numbers` has the hashes of all keys, if they are known. */
async function* chosen(
  records: Records,
  keyText: KeyText,
  hashes: Texts,
  numbers: Float64Array | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer[]> {
  const wanted = new Set(split(hashes).map((text) => numberOf(text.toString('latin1'))))
  if (wanted.size === 0) return
  let i = 0
  for await (const run of records.texts()) {
    signal.throwIfAborted()
    yield run.filter((text) => wanted.has(numbers?.[i++] ?? numberOf(digest(keyText(text)))))
  }
}

/** A record with its key alone. */
function partOf(key: readonly KeyPart[], text: Buffer): Buffer {
  const values = JSON.parse(text.toString()) as unknown[]
  const record: Record<string, unknown> = {}
  for (const [i, { path = [] }] of key.entries()) {
    let inside = record
    for (const name of path.slice(0, -1)) {
      inside[name] ??= {}
      inside = inside[name] as Record<string, unknown>
    }
    inside[path.at(-1) as string] = values[i]
  }
  return Buffer.from(JSON.stringify(record))
}

/** The service no longer keeps the token in `since`; a pinned version that is gone throws a plain `Problem`. */
export class TokenGone extends Problem {}

const forgotten = () =>
  new TokenGone('gone', {
    detail: `The token in \`since\` is no longer kept; begin again with since=${START}, and replace all records that you have.`,
  })
