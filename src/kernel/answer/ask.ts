/**
 * Answers questions about reports, without HTTP: who asks, which report with which values, which page or all of it, pinned to
 * which version. Each answer is computed once per state of the data that it depends on, for all callers, and then comes from
 * memory or from a file that all processes of the machine share.
 */
import { createHash } from 'node:crypto'
import type { Database } from '../../db/connect.js'
import { Problem } from '../../errors.js'
import { type Group, mayUse } from '../../groups.js'
import { type FeedLimits, Manifests } from '../../store/manifests.js'
import { Memory } from '../../store/memory.js'
import {
  cut,
  joinRuns,
  LARGEST_IN_MEMORY,
  readRecords,
  type Slice,
  sliceOf,
  streamRecords,
  writeRecords,
} from '../../store/records.js'
import type { Replicas } from '../../store/replicas.js'
import { isDiskFailure, type SnapshotFolder } from '../../store/snapshots.js'
import { numberOf, type State, type Versions } from '../../store/versions.js'
import { type AsKnown, readAsKnown } from '../report/as-known.js'
import { LARGEST_PAGE, type Page } from '../report/paging.js'
import { type Reader, viewOf } from '../report/rights.js'
import { isSelection } from '../report/view.js'
import { comparable, differencesOf, shownAgainst } from './against.js'
import { type Answer, type Edition, KeptRecords, type Source, type Unchanged } from './answer.js'
import { type Asked, type EditionAsked, Editions, Outdated, type Question } from './editions.js'
import { Feeds } from './feeds.js'
import { History } from './history.js'
import { Pages, type Waiting } from './pages.js'
import { Readers } from './readers.js'
import { unlessAborted } from './shared.js'
import { type Use, WarmUp, type WarmUpLimits } from './warm-up.js'
import { Wholes } from './wholes.js'

export type { Reader } from '../report/rights.js'
export type { Asked } from './editions.js'

export interface Terms {
  /** Returns whether the caller has this edition already; then nothing is computed. */
  has?(edition: Edition): boolean
  /** Called before the database computes an answer; refuses it by throwing. */
  charge?(): void | Promise<void>
  /** Called if the answer is not in memory; returns a signal that aborts when the caller has gone. */
  gone?(): AbortSignal
}

/** Attempts, if the data changes while an answer is computed: each computes the present edition. */
const TRIES = 5
/** Attempts at a page of a listing alone; the whole is computed in a transaction, which no load disturbs. */
const TRIES_ALONE = 3
/** Requests for pages of a listing after which it is computed whole after a load. */
const USES_OF_WHOLE = 20
/** How long a warm-up waits for a replica to get the new version. */
const REPLICA_MS = 2000

export interface KernelOptions {
  readonly database: Pick<Database, 'db' | 'quick' | 'engine' | 'onSilence'>
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
  readonly #history: History
  /** The same questions about the present, where they were asked as known today. */
  readonly #present = new WeakMap<Asked, Asked>()
  readonly #memory = new Memory<KeptRecords>()
  readonly #pages: Pages
  readonly #onError: KernelOptions['onError']
  /** Number of answers that callers wait for. */
  #waitedFor = 0

  constructor({ database, versions, replicas, files, warmUp, feeds, onError }: KernelOptions) {
    this.#database = database
    this.#files = files
    this.#onError = onError
    this.#editions = new Editions(database.db, versions)
    this.#replicas = replicas
    this.#readers = new Readers(database.db, replicas, onError)
    this.#wholes = new Wholes(database.engine, this.#readers, files, onError)
    this.#pages = new Pages(database, this.#editions, this.#readers, this.#wholes, files, replicas?.count ?? 0)
    this.#history = new History(database)
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
    const missing = groupsMissing(who, asked)
    if (missing.length > 0) throw forbidden(missing)
    this.#history.check(asked.report)
    if (asked.against !== undefined) return this.#askAgainst(who, asked, asked.against, terms)
    if (asked.asKnown !== undefined) return this.#askKnown(who, asked, asked.asKnown, terms)
    if (asked.since !== undefined) return this.#askChanges(who, asked, terms)
    const view = viewOf(who, asked.report.masks)
    const question = this.#editions.known(asked, view)
    if (question !== undefined) return this.#answer(question, terms)
    return this.#waitFor(terms, (signal) => this.#editions.question(asked, view, signal)).then((question) =>
      this.#answer(question, terms),
    )
  }

  /** The answer, if it is in memory and its edition is known without a query. */
  recall(who: Reader, asked: Asked): Answer | undefined {
    const isAllowed =
      groupsMissing(who, asked).length === 0 && asked.asKnown === undefined && asked.against === undefined
    const question = isAllowed ? this.#editions.known(asked, viewOf(who, asked.report.masks)) : undefined
    const edition = question && this.#editions.now(question)
    if (edition instanceof Promise) edition.catch(() => {}) // the request that waits for it gets the error
    if (question === undefined || edition === undefined || edition instanceof Promise) return undefined
    const records = this.#memory.get(edition.of)
    if (records === undefined) return undefined
    this.#warmUp.count(question)
    return { unchanged: false, edition, records, source: 'memory' }
  }

  /** `parameter` names the earlier version in messages. */
  async #askKnown(
    who: Reader,
    asked: Asked,
    when: string,
    terms: Terms,
    parameter = 'as_known',
  ): Promise<Answer | Unchanged> {
    if (asked.since !== undefined) throw notFollowedAsKnown()
    const present = this.#present.get(asked) ?? { ...asked, asKnown: undefined }
    this.#present.set(asked, present)
    for (let i = 0; i < TRIES; i++) {
      const { version, question } = await this.#waitFor(terms, async (signal) => {
        const known = await this.#history.find(readAsKnown(when) as AsKnown, parameter, asked.report)
        const question = known.isPresent
          ? undefined
          : await this.#editions.question(asked, viewOf(who, asked.report.masks), signal, known)
        return { version: known.version, question }
      })
      if (question !== undefined) return await this.#answer(question, terms)
      const answer = await this.ask(who, present, terms)
      // Another version may have become the present one meanwhile, or this process may not know of it yet.
      if (asked.pin !== undefined || numberOf(answer.edition.pin) === version) return answer
      this.#editions.forget()
    }
    throw changesTooFast()
  }

  async #askAgainst(who: Reader, asked: Asked, when: string, terms: Terms): Promise<Answer | Unchanged> {
    refuseAgainst(asked)
    const report = comparable(asked.report)
    const whole: Asked = { ...asked, report, page: undefined, against: undefined }
    const { has, ...paid } = terms
    const after = await this.ask(who, whole, paid)
    const before = await this.#askKnown(who, { ...whole, pin: undefined, asKnown: undefined }, when, paid, 'against')
    if (after.unchanged || before.unchanged) throw new Error('an answer without conditions is never unchanged')
    const key = createHash('sha256').update(`${after.edition.key} against ${before.edition.key}`).digest('hex')
    const edition = { ...after.edition, key: key.slice(0, 40) }
    if (has?.(edition)) return { unchanged: true, edition }
    const slice = await differencesOf({ ...asked, report }, before, after, terms.gone?.())
    const name = `${after.edition.key}.against-${before.edition.key.slice(0, 16)}`
    const records = new KeptRecords(slice, name, this.#files, this.#memory)
    return { unchanged: false, edition, records, source: after.source, against: { report: shownAgainst(report) } }
  }

  #askChanges(who: Reader, asked: Asked, terms: Terms): Promise<Answer | Unchanged> {
    if (isSelection(asked.report.view)) throw notFollowed()
    const kernel = {
      ask: (asked: Asked) => this.ask(who, asked, terms),
      records: (slice: Slice, name: string) => new KeptRecords(slice, name, this.#files, this.#memory),
    }
    return this.#waitFor(terms, (signal) => this.#feeds.ask(asked, viewOf(who, asked.report.masks), kernel, signal))
  }

  /** Call this with the first state of each new version of the data. */
  dataChanged(state: State): void {
    this.#replicas?.look()
    this.#wholes.cancelOutdated(state)
    this.#warmUp.begin()
  }

  /** Cancels the work that callers wait for; they get this problem. */
  cancel(reason: Problem): void {
    this.#editions.cancel(reason)
    this.#pages.cancel(reason)
    this.#wholes.cancel(reason)
    this.#feeds.cancel(reason)
  }

  /** Ends background work; call it when no caller waits any more. */
  async end(): Promise<void> {
    const ended = this.#warmUp.end()
    this.#wholes.cancel(new Outdated())
    await ended
    await this.#wholes.end()
    await this.#files.drain()
  }

  #answer(question: Question, terms: Terms): Answer | Unchanged | Promise<Answer | Unchanged> {
    if (question.known === undefined) this.#warmUp.count(question)
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
        // If a pinned edition is no longer stored, answer 410 even when the caller claims to have it.
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
      throw changesTooFast()
    })
  }

  /** Runs work for a caller, until the caller has gone or the database stops responding. */
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

  /** The records of an edition, by the first case that applies; undefined if they are gone. */
  async #slice(question: Question, edition: EditionAsked, caller: Waiting, alone: boolean): Promise<Found | undefined> {
    const page =
      alone && question.known === undefined && this.#pages.areComputedFor(question) ? question.page : undefined
    // The whole report is in a file.
    if (await this.#files.hasLately(edition.key)) return await this.#readFile(question, edition, 'file')
    const needsWhole = page === undefined || (edition.current && this.#wholes.countPage(question, edition))
    // The whole report is being written to a file that has the page already.
    const growing = page && (await this.#pages.fromGrowing(edition, page))
    if (growing !== undefined) return { ...growing, source: 'file' }
    // The edition can no longer be computed; another process may be writing it.
    if (!edition.current)
      return (await this.#wholes.comes(edition)) ? await this.#readFile(question, edition, 'database') : undefined
    // A page of a listing costs no more than its own records.
    if (page !== undefined && !(needsWhole && this.#files.isUsable))
      return { ...(await this.#pages.compute(question, edition, page, caller)), source: 'database' }
    // Anything else is cut from the whole.
    if (await this.#makeFile(question, edition, caller)) return await this.#readFile(question, edition, 'database')
    return { ...(await this.#withoutFile(question, edition, caller)), source: 'database' }
  }

  async #readFile({ page }: Question, { key, of }: EditionAsked, source: Source): Promise<Found | undefined> {
    const whole = this.#files.path(key)
    if (page !== undefined && page.size <= LARGEST_PAGE) {
      const slice = await readRecords(whole, (page.number - 1) * page.size, page.size)
      return slice && { ...slice, source }
    }
    if (page !== undefined) await this.#makeLargePage(page, whole, of)
    const slice = await readRecords(this.#files.path(of), 0, Number.POSITIVE_INFINITY, LARGEST_IN_MEMORY)
    return slice && { ...slice, source }
  }

  /** A page that may be too large for memory is a file too. */
  async #makeLargePage({ number, size }: Page, whole: string, name: string): Promise<void> {
    const total = (await readRecords(whole, 0, 0))?.total
    if (total === undefined) return
    const runs = streamRecords(whole, (number - 1) * size, size)
    await this.#files.make(name, (file) => writeRecords(file, joinRuns(runs), { total }))
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

  /** After a load, computes the whole report, or only the outline of a listing if callers ask for few of its pages. */
  async #computeAgain({ question, times }: Use): Promise<void> {
    const asked = { ...question, page: undefined, pin: undefined, latest: undefined }
    const edition = await this.#editions.now(asked)
    await this.#replicas?.wait(edition.by.id, REPLICA_MS)
    if (this.#pages.areComputedFor(question) && times < USES_OF_WHOLE) await this.#wholes.outline(asked, edition)
    else await this.#wholes.make(asked, edition)
  }
}

/** Records, and where they came from. */
type Found = Slice & { readonly source: Source }

/** Charges a request once, even if loads make the kernel compute its answer again. */
function onlyOnce(charge: Terms['charge']): () => Promise<void> {
  let paid = false
  return async () => {
    if (!paid) await charge?.()
    paid = true
  }
}

/** The groups that the caller needs for these values of the report, and may not use. */
const groupsMissing = (who: Reader, { report, values }: Asked): Group[] =>
  [report.group, ...(report.needs?.(values) ?? [])].filter((group) => !mayUse(who, group))

const forbidden = (missing: readonly Group[]) =>
  new Problem('forbidden', {
    detail: `These records need the ${missing.length > 1 ? 'groups' : 'group'} ${missing.join(' and ')}; ask the operator for access.`,
  })

const notFollowed = () =>
  new Problem('invalid-parameters', {
    errors: [
      {
        field: 'since',
        message:
          'must be left out with sort, filter, search, totals, group and compare: only a whole report can be followed',
      },
    ],
  })

function refuseAgainst({ since, report: { view = {} } }: Asked): void {
  const refused = { since, sort: view.sort, compare: view.compare }
  const errors = Object.entries(refused).flatMap(([field, given]) =>
    given === undefined
      ? []
      : [{ field, message: 'must be left out with against, whose records have the order of the report' }],
  )
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
}

const notFollowedAsKnown = () =>
  new Problem('invalid-parameters', {
    errors: [{ field: 'since', message: 'must be left out with as_known: the past does not change' }],
  })

const changesTooFast = () =>
  new Problem('unavailable', {
    detail: 'The data changes faster than the report can be computed; try again in a second.',
    headers: { 'retry-after': '1' },
  })

const gone = () =>
  new Problem('gone', {
    detail:
      'The data has changed since this walk over pages began, and its version is no longer kept; start again at page 1.',
  })
