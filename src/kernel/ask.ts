/**
 * Answers questions about reports, without HTTP: who asks, which report with which values, which page or all of it, pinned to
 * which version. Each answer is computed once per state of the data that it depends on, however many ask, and then comes from
 * memory or from a file that all processes of the machine share.
 */
import type { Database } from '../db/connect.js'
import type { Texts } from '../db/texts.js'
import { Problem } from '../errors.js'
import { mayUse } from '../groups.js'
import { Memory } from '../store/memory.js'
import { readRecords, type Slice, sliceOf } from '../store/records.js'
import type { SnapshotFolder } from '../store/snapshots.js'
import type { State, Versions } from '../store/versions.js'
import { type Answer, type Edition, KeptRecords, type Unchanged } from './answer.js'
import { type Asked, type EditionAsked, Editions, type Question } from './editions.js'
import type { Page } from './paging.js'
import { runPage } from './statement.js'
import { Turns } from './turns.js'
import { type Use, WarmUp, type WarmUpLimits } from './warm-up.js'
import { Outdated, Wholes } from './wholes.js'

export type { Asked } from './editions.js'

/** Who asks. */
export interface Reader {
  /** The groups of reports that the reader may use; null for all. */
  readonly groups: readonly string[] | null
  readonly hideContacts: boolean
}

export interface Terms {
  /** Returns whether the caller has this edition already; then nothing is computed. */
  has?(edition: Edition): boolean
  /** Called before the database computes an answer; refuses it by throwing. */
  charge?(): void | Promise<void>
}

/** An answer up to this size is kept in memory; a larger one is sent from its file. */
const LARGEST_IN_MEMORY = 1 << 20
/** If the data changes while an answer is computed, the present one is computed instead, so many times at most. */
const TRIES = 5
/** So many times, a page of a listing is tried alone; the whole is computed in a transaction, which no load disturbs. */
const TRIES_ALONE = 3
/** Pages that begin after fewer records are found by counting; later ones by the listing's outline. */
const NEAR = 200
/** How many pages a process computes at a time: more would take the database from whole reports. */
const PAGES_AT_A_TIME = 4
/** A listing of which pages were asked for so often is computed whole after a load. */
const USES_OF_WHOLE = 20
const NONE: Texts = { bytes: Buffer.alloc(0), starts: new Float64Array() }

export interface KernelOptions {
  readonly database: Pick<Database, 'db' | 'engine'>
  readonly versions: Versions
  readonly files: SnapshotFolder
  readonly warmUp: WarmUpLimits
  /** Called for failures of background work. */
  readonly onError: (error: unknown) => void
}

export class Kernel {
  readonly #db: Database['db']
  readonly #files: SnapshotFolder
  readonly #editions: Editions
  readonly #wholes: Wholes
  readonly #warmUp: WarmUp
  readonly #memory = new Memory<KeptRecords>()
  /** Pages that are being computed; all requests share one computation. */
  readonly #pages = new Map<string, Promise<Slice>>()
  readonly #turns = new Turns(PAGES_AT_A_TIME)
  /** How many answers callers wait for. */
  #waitedFor = 0

  constructor({ database, versions, files, warmUp, onError }: KernelOptions) {
    this.#db = database.db
    this.#files = files
    this.#editions = new Editions(database.db, versions)
    this.#wholes = new Wholes(database, files, onError)
    this.#warmUp = new WarmUp(
      warmUp,
      () => this.#waitedFor > 0,
      (use) =>
        this.#computeAgain(use).catch((error) => {
          if (!(error instanceof Outdated)) onError(error)
        }),
    )
  }

  /** Answers immediately from memory where it can, else by a promise. */
  ask(who: Reader, asked: Asked, terms: Terms = {}): Answer | Unchanged | Promise<Answer | Unchanged> {
    if (!mayUse(who, asked.report.group)) throw new Problem('forbidden')
    const question = this.#editions.question(asked, who)
    if (question instanceof Promise) return question.then((question) => this.#answer(question, terms))
    return this.#answer(question, terms)
  }

  /** To be called with the first state of each new version of the data. */
  dataChanged(state: State): void {
    this.#wholes.cancelOutdated(state)
    this.#warmUp.begin()
  }

  /** Ends background work. */
  async end(): Promise<void> {
    await this.#warmUp.end()
    await this.#wholes.end()
    await this.#files.drain()
  }

  #answer(question: Question, terms: Terms): Answer | Unchanged | Promise<Answer | Unchanged> {
    this.#warmUp.count(question)
    const edition = this.#editions.now(question)
    if (edition instanceof Promise || (terms.has !== undefined && !edition.current))
      return this.#find(edition, question, terms)
    if (terms.has?.(edition)) return { unchanged: true, edition }
    const records = this.#memory.get(edition.of)
    return records === undefined ? this.#find(edition, question, terms) : { unchanged: false, edition, records }
  }

  /** The choice between memory, file and database. */
  async #find(
    first: EditionAsked | Promise<EditionAsked>,
    question: Question,
    terms: Terms,
  ): Promise<Answer | Unchanged> {
    const once = { ...terms, charge: onlyOnce(terms.charge) }
    this.#waitedFor++
    try {
      for (let i = 0; i < TRIES; i++) {
        const edition = await (i === 0 ? first : this.#editions.now(question))
        const known = this.#memory.get(edition.of)
        // A pinned edition that is kept nowhere is gone, whatever the caller claims to have.
        if (terms.has?.(edition) && (edition.current || known !== undefined || (await this.#files.has(edition.key))))
          return { unchanged: true, edition }
        if (known !== undefined) return { unchanged: false, edition, records: known }
        const slice = await this.#slice(question, edition, once, i < TRIES_ALONE).catch((error) => {
          if (!(error instanceof Outdated)) throw error
          this.#editions.forget()
          return undefined
        })
        if (slice !== undefined) return { unchanged: false, edition, records: this.#keep(slice, edition) }
        if (!edition.current) throw gone()
      }
    } finally {
      this.#waitedFor--
    }
    throw new Problem('unavailable', {
      detail: 'The data changes faster than the report can be computed; try again in a second.',
      headers: { 'retry-after': '1' },
    })
  }

  #keep(slice: Slice, { of: key }: EditionAsked): KeptRecords {
    const records = new KeptRecords(slice, key, this.#files, this.#memory)
    if (records.bytes !== undefined) this.#memory.set(key, records, records.size)
    return records
  }

  /** From the whole report's file where it exists; else a page of a listing is computed alone, and anything else whole. */
  async #slice(question: Question, edition: EditionAsked, terms: Terms, alone: boolean): Promise<Slice | undefined> {
    const { page, report, values } = question
    if (!(await this.#files.hasLately(edition.key))) {
      const isListing = page !== undefined && report.shapeFor(values).listing === true
      const needsWhole = !isListing || !alone || (edition.current && this.#wholes.countPage(question, edition))
      const growing = isListing ? await this.#growing(edition, page) : undefined
      if (growing !== undefined) return growing
      if (!edition.current) {
        if (!(await this.#wholes.comes(edition))) return undefined
      } else if (needsWhole) await this.#wholes.make(question, edition, terms.charge)
      else return await this.#pageAlone(question, edition, page, terms)
    }
    const path = this.#files.path(edition.key)
    if (page !== undefined) return await readRecords(path, (page.number - 1) * page.size, page.size)
    return await readRecords(path, 0, Number.POSITIVE_INFINITY, LARGEST_IN_MEMORY)
  }

  /** From a whole report that is being computed, if it has come that far. */
  async #growing(edition: EditionAsked, { number, size }: Page): Promise<Slice | undefined> {
    const outline = this.#wholes.knownOutline(edition)
    const build = this.#wholes.running(edition)
    if (outline === undefined || build?.growing === undefined) return undefined
    const first = (number - 1) * size
    const count = Math.max(0, Math.min(size, outline.total - first))
    const texts = await build.growing.read(first, count)
    if (texts !== undefined) return sliceOf(texts, outline.total)
    if (!build.growing.hasEnded) return undefined
    await build.done
    return await readRecords(this.#files.path(edition.key), first, size)
  }

  async #pageAlone(question: Question, edition: EditionAsked, page: Page, { charge }: Terms): Promise<Slice> {
    const running = this.#pages.get(edition.of)
    if (running !== undefined) return await running
    await charge?.()
    const computing =
      this.#pages.get(edition.of) ??
      this.#turns.run(() => this.#computePage(question, edition, page)).finally(() => this.#pages.delete(edition.of))
    this.#pages.set(edition.of, computing)
    return await computing
  }

  async #computePage(question: Question, edition: EditionAsked, { number, size }: Page): Promise<Slice> {
    const { report, values, view } = question
    const before = (number - 1) * size
    const isNear = before < NEAR
    const known = this.#wholes.knownOutline(edition)
    // A page near the start needs the outline only for the total, and only if the page is full.
    const needsOutline = !isNear || this.#wholes.lastTotal(question) >= before + size
    const outlining = known === undefined && needsOutline ? this.#wholes.outline(question, edition) : undefined
    outlining?.catch(() => {}) // the page may fail first, or need no total
    const outline = known ?? (isNear ? undefined : await outlining)
    if (outline !== undefined && before >= outline.total) return sliceOf(NONE, outline.total)
    const start = outline?.start(before) ?? { skip: before }
    const records = await runPage(this.#db, report, values, view, start, size, edition.by.id)
    const { length } = records.starts
    // Records prove that the version is the edition's.
    if ((length === 0 || report.dependsOnToday) && !(await this.#editions.stillNow(question, edition)))
      throw new Outdated()
    // A page that is not full is the last.
    const last = length < size && (length > 0 || before === 0)
    const total = last
      ? before + length
      : (outline ?? (await (outlining ?? this.#wholes.outline(question, edition)))).total
    return sliceOf(records, total)
  }

  /** After a load: the whole report, or the outline of a listing of which few pages are asked for. */
  async #computeAgain({ question, times }: Use): Promise<void> {
    const asked = { ...question, page: undefined, pin: undefined, latest: undefined }
    const edition = await this.#editions.now(asked)
    const { report, values, page } = question
    if (page !== undefined && report.shapeFor(values).listing && times < USES_OF_WHOLE)
      await this.#wholes.outline(asked, edition)
    else await this.#wholes.make(asked, edition)
  }
}

/** A request pays once, however often its answer has to be computed because of loads. */
function onlyOnce(charge: Terms['charge']): () => Promise<void> {
  let paid = false
  return async () => {
    if (!paid) await charge?.()
    paid = true
  }
}

const gone = () =>
  new Problem('gone', {
    detail:
      'The data has changed since this walk over pages began, and its version is no longer kept; start again at page 1.',
  })
