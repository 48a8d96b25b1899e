/**
 * Answers questions about reports, without HTTP: who asks, which report with which values, which page or all of it, pinned to
 * which version. Each answer is computed once per state of the data that it depends on, however many ask, and then comes from
 * memory or from a file that all processes of the machine share.
 */
import type { Database, Db, Queryable } from '../db/connect.js'
import type { Texts } from '../db/texts.js'
import { Problem } from '../errors.js'
import { mayUse } from '../groups.js'
import { type FeedLimits, Manifests } from '../store/manifests.js'
import { Memory } from '../store/memory.js'
import { cut, readRecords, type Slice, sliceOf } from '../store/records.js'
import type { Replicas } from '../store/replicas.js'
import { isDiskFailure, type SnapshotFolder } from '../store/snapshots.js'
import { readState, type State, type Versions } from '../store/versions.js'
import { type Answer, type Edition, KeptRecords, type Source, type Unchanged } from './answer.js'
import { type Asked, type EditionAsked, Editions, Outdated, type Question } from './editions.js'
import { Feeds } from './feeds.js'
import type { Page } from './paging.js'
import { Readers } from './readers.js'
import { SharedWork, unlessAborted } from './shared.js'
import { runPage } from './statement.js'
import { Turns } from './turns.js'
import { type Use, WarmUp, type WarmUpLimits } from './warm-up.js'
import { Wholes } from './wholes.js'

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
  /** Called if the answer is not in memory; returns a signal that aborts when the caller has gone. */
  gone?(): AbortSignal
}

/** An answer up to this size is kept in memory; a larger one is sent from its file. */
const LARGEST_IN_MEMORY = 1 << 20
/** If the data changes while an answer is computed, the present one is computed instead, so many times at most. */
const TRIES = 5
/** So many times, a page of a listing is tried alone; the whole is computed in a transaction, which no load disturbs. */
const TRIES_ALONE = 3
/** Pages that begin after fewer records are found by counting; later ones by the listing's outline. */
const NEAR = 200
/** How many pages a process computes at a time on each database: more would take it from whole reports. */
const PAGES_AT_A_TIME = 4
/** A listing of which pages were asked for so often is computed whole after a load. */
const USES_OF_WHOLE = 20
/** How long a warm-up waits for a replica to get the new version. */
const REPLICA_MS = 2000
const NONE: Texts = { bytes: Buffer.alloc(0), starts: new Float64Array() }

export interface KernelOptions {
  readonly database: Pick<Database, 'db' | 'engine' | 'onSilence'>
  readonly versions: Versions
  /** Databases that reports may be read from in place of `database`. */
  readonly replicas?: Replicas | undefined
  readonly files: SnapshotFolder
  readonly warmUp: WarmUpLimits
  readonly feeds: FeedLimits
  /** Called for failures of background work. */
  readonly onError: (error: unknown) => void
}

export class Kernel {
  readonly #database: KernelOptions['database']
  readonly #files: SnapshotFolder
  readonly #editions: Editions
  readonly #replicas: Replicas | undefined
  readonly #readers: Readers
  readonly #wholes: Wholes
  readonly #warmUp: WarmUp
  readonly #feeds: Feeds
  readonly #memory = new Memory<KeptRecords>()
  /** Pages that are being computed; all requests share one computation. */
  readonly #pages = new SharedWork<Slice>()
  readonly #turns: Turns
  readonly #onError: KernelOptions['onError']
  /** How many answers callers wait for. */
  #waitedFor = 0

  constructor({ database, versions, replicas, files, warmUp, feeds, onError }: KernelOptions) {
    this.#database = database
    this.#files = files
    this.#onError = onError
    this.#editions = new Editions(database.db, versions)
    this.#replicas = replicas
    this.#readers = new Readers(database.db, replicas, onError)
    this.#turns = new Turns(PAGES_AT_A_TIME * Math.max(1, replicas?.count ?? 0))
    this.#wholes = new Wholes(database.engine, this.#readers, files, onError)
    this.#feeds = new Feeds(new Manifests(database.db, feeds))
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
    if (asked.since !== undefined) return this.#askChanges(who, asked, terms)
    const question = this.#editions.known(asked, who)
    if (question !== undefined) return this.#answer(question, terms)
    return this.#waitFor(terms, (signal) => this.#editions.question(asked, who, signal)).then((question) =>
      this.#answer(question, terms),
    )
  }

  /** The answer, if it is in memory and its edition is known without a query. */
  recall(who: Reader, asked: Asked): Answer | undefined {
    const question = mayUse(who, asked.report.group) ? this.#editions.known(asked, who) : undefined
    const edition = question && this.#editions.now(question)
    if (edition instanceof Promise) edition.catch(() => {}) // the request that waits for it gets the error
    if (question === undefined || edition === undefined || edition instanceof Promise) return undefined
    const records = this.#memory.get(edition.of)
    if (records === undefined) return undefined
    this.#warmUp.count(question)
    return { unchanged: false, edition, records, source: 'memory' }
  }

  #askChanges(who: Reader, asked: Asked, terms: Terms): Promise<Answer | Unchanged> {
    if (asked.report.view !== undefined) throw notFollowed()
    const kernel = {
      ask: (asked: Asked) => this.ask(who, asked, terms),
      records: (slice: Slice, name: string) => new KeptRecords(slice, name, this.#files, this.#memory),
    }
    return this.#waitFor(terms, (signal) => this.#feeds.ask(asked, who, kernel, signal))
  }

  /** To be called with the first state of each new version of the data. */
  dataChanged(state: State): void {
    this.#replicas?.look()
    this.#wholes.cancelOutdated(state)
    this.#warmUp.begin()
  }

  /** Ends the work that callers wait for, for this reason. */
  cancel(reason: Problem): void {
    this.#editions.cancel(reason)
    this.#pages.cancel(reason)
    this.#wholes.cancel(reason)
    this.#feeds.cancel(reason)
  }

  /** Ends background work; to be called when no caller waits any more. */
  async end(): Promise<void> {
    const ended = this.#warmUp.end()
    this.#wholes.cancel(new Outdated())
    await ended
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
    if (records === undefined) return this.#find(edition, question, terms)
    return { unchanged: false, edition, records, source: 'memory' }
  }

  /** The choice between memory, file and database. */
  async #find(
    first: EditionAsked | Promise<EditionAsked>,
    question: Question,
    terms: Terms,
  ): Promise<Answer | Unchanged> {
    const charge = onlyOnce(terms.charge)
    return await this.#waitFor(terms, async (signal) => {
      for (let i = 0; i < TRIES; i++) {
        const edition = await (i === 0 ? first : this.#editions.now(question))
        const known = this.#memory.get(edition.of)
        // A pinned edition that is kept nowhere is gone, whatever the caller claims to have.
        if (terms.has?.(edition) && (edition.current || known !== undefined || (await this.#files.has(edition.key))))
          return { unchanged: true, edition }
        if (known !== undefined) return { unchanged: false, edition, records: known, source: 'memory' }
        const slice = await this.#slice(question, edition, { charge, signal }, i < TRIES_ALONE).catch((error) => {
          if (!(error instanceof Outdated)) throw error
          this.#editions.forget()
          return undefined
        })
        if (slice !== undefined)
          return { unchanged: false, edition, records: this.#keep(slice, edition), source: slice.source }
        if (!edition.current) throw gone()
      }
      throw new Problem('unavailable', {
        detail: 'The data changes faster than the report can be computed; try again in a second.',
        headers: { 'retry-after': '1' },
      })
    })
  }

  /** Work that a caller waits for: as long as the caller is there and the database responds. */
  async #waitFor<T>(terms: Terms, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const silence = new AbortController()
    const end = this.#database.onSilence((error) => silence.abort(error))
    const signal = terms.gone === undefined ? silence.signal : AbortSignal.any([silence.signal, terms.gone()])
    this.#waitedFor++
    try {
      return await unlessAborted(work(signal), signal)
    } finally {
      this.#waitedFor--
      end()
    }
  }

  #keep(slice: Slice, { of: key }: EditionAsked): KeptRecords {
    const records = new KeptRecords(slice, key, this.#files, this.#memory)
    if (!records.isLarge) this.#memory.set(key, records, records.size)
    return records
  }

  /** From the whole report's file where it exists; else a page of a listing is computed alone, and anything else whole. */
  async #slice(question: Question, edition: EditionAsked, caller: Waiting, alone: boolean): Promise<Found | undefined> {
    const { page, report, values } = question
    let source: Source = 'file'
    const pageAlone =
      alone && page !== undefined && report.shapeFor(values).listing === true && this.#database.engine.computesPages
    if (!(await this.#files.hasLately(edition.key))) {
      const needsWhole = !pageAlone || (edition.current && this.#wholes.countPage(question, edition))
      const growing = pageAlone ? await this.#growing(edition, page) : undefined
      if (growing !== undefined) return { ...growing, source }
      source = 'database'
      if (!edition.current) {
        if (!(await this.#wholes.comes(edition))) return undefined
      } else if (!needsWhole || (pageAlone && !this.#files.isUsable))
        return { ...(await this.#pageAlone(question, edition, page as Page, caller)), source }
      else if (!(await this.#makeFile(question, edition, caller)))
        return { ...(await this.#withoutFile(question, edition, caller)), source }
    }
    const path = this.#files.path(edition.key)
    const slice =
      page === undefined
        ? await readRecords(path, 0, Number.POSITIVE_INFINITY, LARGEST_IN_MEMORY)
        : await readRecords(path, (page.number - 1) * page.size, page.size)
    return slice && { ...slice, source }
  }

  /** Returns false if the disk cannot be written to. */
  async #makeFile(question: Question, edition: EditionAsked, { charge, signal }: Waiting): Promise<boolean> {
    if (!this.#files.isUsable) return false
    try {
      await this.#wholes.make(question, edition, charge, signal)
      return true
    } catch (error) {
      if (!isDiskFailure(error)) throw error
      this.#onError(error)
      return false
    }
  }

  async #withoutFile(question: Question, edition: EditionAsked, { charge, signal }: Waiting): Promise<Slice> {
    const texts = await this.#wholes.inMemory(question, edition, charge, signal)
    const { page } = question
    const some = page === undefined ? texts : cut(texts, (page.number - 1) * page.size, page.size)
    return sliceOf(some, texts.starts.length)
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

  async #pageAlone(question: Question, edition: EditionAsked, page: Page, { charge, signal }: Waiting): Promise<Slice> {
    const { of: key } = edition
    if (!this.#pages.has(key)) await charge()
    return await this.#pages.run(key, signal, (signal) =>
      this.#turns.run(() => this.#computePage(question, edition, page, signal)),
    )
  }

  async #computePage(
    question: Question,
    edition: EditionAsked,
    { number, size }: Page,
    signal: AbortSignal,
  ): Promise<Slice> {
    signal.throwIfAborted()
    const { report, values, view } = question
    const before = (number - 1) * size
    const isNear = before < NEAR
    const known = this.#wholes.knownOutline(edition)
    // A page near the start needs the outline only for the total, and only if the page is full.
    const needsOutline = !isNear || this.#wholes.lastTotal(question) >= before + size
    const outlining = known === undefined && needsOutline ? this.#wholes.outline(question, edition, signal) : undefined
    outlining?.catch(() => {}) // the page may fail first, or need no total
    const outline = known ?? (isNear ? undefined : await outlining)
    if (outline !== undefined && before >= outline.total) return sliceOf(NONE, outline.total)
    const start = outline?.start(before) ?? { skip: before }
    const read = (db: Queryable) => runPage(db, report, values, view, start, size, edition.by.id, signal)
    const records = report.dependsOnToday
      ? await read(this.#database.db) // whose clock says what day it is
      : await this.#readers.run(edition, signal, async (db, onReplica) => {
          const records = await read(db)
          return onReplica && records.starts.length === 0 ? await readIn(db, edition, read) : records
        })
    const { length } = records.starts
    // Records prove that the version is the edition's.
    if ((length === 0 || report.dependsOnToday) && !(await this.#editions.stillNow(question, edition)))
      throw new Outdated()
    // A page that is not full is the last.
    const last = length < size && (length > 0 || before === 0)
    const total = last
      ? before + length
      : (outline ?? (await (outlining ?? this.#wholes.outline(question, edition, signal)))).total
    return sliceOf(records, total)
  }

  /** After a load: the whole report, or the outline of a listing of which few pages are asked for. */
  async #computeAgain({ question, times }: Use): Promise<void> {
    const asked = { ...question, page: undefined, pin: undefined, latest: undefined }
    const edition = await this.#editions.now(asked)
    await this.#replicas?.wait(edition.by.id, REPLICA_MS)
    const { report, values, page } = question
    const isListing = report.shapeFor(values).listing && this.#database.engine.computesPages
    if (page !== undefined && isListing && times < USES_OF_WHOLE) await this.#wholes.outline(asked, edition)
    else await this.#wholes.make(asked, edition)
  }
}

/** Reads again in a transaction that proves the version, because a page without records does not. */
const readIn = <T>(db: Db, { by }: EditionAsked, read: (tx: Queryable) => Promise<T>): Promise<T> =>
  db.begin('isolation level repeatable read read only', async (tx) => {
    if ((await readState(tx)).id !== by.id) throw new Outdated()
    return await read(tx)
  })

/** Records, and where they came from. */
type Found = Slice & { readonly source: Source }

/** A caller who waits for an answer. */
interface Waiting {
  charge(): Promise<void>
  readonly signal: AbortSignal
}

/** A request pays once, however often its answer has to be computed because of loads. */
function onlyOnce(charge: Terms['charge']): () => Promise<void> {
  let paid = false
  return async () => {
    if (!paid) await charge?.()
    paid = true
  }
}

const notFollowed = () =>
  new Problem('invalid-parameters', {
    errors: [
      {
        field: 'since',
        message: 'must be left out with sort, filter, search and totals: only a whole report can be followed',
      },
    ],
  })

const gone = () =>
  new Problem('gone', {
    detail:
      'The data has changed since this walk over pages began, and its version is no longer kept; start again at page 1.',
  })
