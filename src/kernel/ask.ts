/**
 * Answers questions about reports, without HTTP: who asks, which report with which values, which page or all of it, pinned to
 * which version. Each answer is computed once per version of the data, however many ask, and then comes from memory or from a
 * file that all processes of the machine share.
 */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queryable } from '../db/connect.js'
import { Problem } from '../errors.js'
import { Memory } from '../store/memory.js'
import { readRecords, type Slice, writeRecords } from '../store/records.js'
import type { SnapshotFolder } from '../store/snapshots.js'
import { readState, type State, type Versions } from '../store/versions.js'
import { type Answer, type Edition, KeptAnswer, type Unchanged } from './answer.js'
import type { Page } from './paging.js'
import type { Params, Values } from './params.js'
import type { Report } from './report.js'
import { runPage, runWhole, type View, wholeStatement } from './statement.js'

/** Who asks. */
export interface Reader {
  /** The groups of reports that the reader may use; null for all. */
  readonly groups: readonly string[] | null
  readonly hideContacts: boolean
}

export interface Asked {
  readonly report: Report
  readonly values: Values<Params>
  /** All records without it. */
  readonly page: Page | undefined
  /** The version that a walk over pages began with; the present one without it. */
  readonly pin: string | undefined
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
/** How many whole reports a process computes in the background at a time. */
const IN_BACKGROUND = 1
/** The background begins this long after a page, so that the page is sent first: both at once took the page twice as long. */
const PAGE_FIRST_MS = 50

/** The data changed between naming an edition and computing it. */
class Outdated extends Error {}

export class Kernel {
  readonly #database: Pick<Database, 'db' | 'engine'>
  readonly #versions: Versions
  readonly #files: SnapshotFolder
  readonly #memory = new Memory<KeptAnswer>()
  /** Questions by what is asked, of readers who may see contact data and of others. */
  readonly #questions = { shown: new WeakMap<Asked, Question>(), hidden: new WeakMap<Asked, Question>() }
  readonly #onError: (error: unknown) => void
  readonly #background = new Set<Promise<unknown>>()

  /** `onError` is called for failures of background work. */
  constructor(
    database: Pick<Database, 'db' | 'engine'>,
    versions: Versions,
    files: SnapshotFolder,
    onError: (error: unknown) => void,
  ) {
    this.#database = database
    this.#versions = versions
    this.#files = files
    this.#onError = onError
  }

  /** Answers immediately from memory where it can, else by a promise. */
  ask(who: Reader, asked: Asked, terms: Terms = {}): Answer | Unchanged | Promise<Answer | Unchanged> {
    if (!mayUse(who, asked.report)) throw new Problem('forbidden')
    const question = this.#question(who, asked)
    const edition = this.#edition(question)
    if (edition instanceof Promise || (terms.has !== undefined && !edition.current))
      return this.#find(edition, question, terms)
    if (terms.has?.(edition)) return { unchanged: true, edition }
    return this.#memory.get(edition.of) ?? this.#find(edition, question, terms)
  }

  /** Waits for background work. */
  async drain(): Promise<void> {
    await Promise.all(this.#background)
    await this.#files.drain()
  }

  #question({ hideContacts }: Reader, asked: Asked): Question {
    const questions = hideContacts ? this.#questions.hidden : this.#questions.shown
    const known = questions.get(asked)
    if (known !== undefined) return known
    const view = { hideContacts }
    const { text, values } = wholeStatement(asked.report, asked.values, view)
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([text, values]))
      .digest('hex')
    const question = { ...asked, view, fingerprint, latest: undefined }
    questions.set(asked, question)
    return question
  }

  #edition(question: Question): EditionAsked | Promise<EditionAsked> {
    const state = this.#versions.current()
    return state instanceof Promise ? state.then((state) => editionAt(question, state)) : editionAt(question, state)
  }

  /** The choice between memory, file and database. */
  async #find(
    first: EditionAsked | Promise<EditionAsked>,
    question: Question,
    terms: Terms,
  ): Promise<Answer | Unchanged> {
    const { page, pin } = question
    for (let i = 0; i < TRIES; i++) {
      const edition = await (i === 0 ? first : this.#edition(question))
      const { of: key } = edition
      // A pinned edition that is kept nowhere is gone, whatever the caller claims to have.
      if (terms.has?.(edition) && (edition.current || this.#memory.get(key) || (await this.#files.has(edition.key))))
        return { unchanged: true, edition }
      const known = this.#memory.get(key)
      if (known !== undefined) return known
      const path =
        page !== undefined && pin === undefined
          ? await this.#pageFile(question, edition, page, terms)
          : await this.#wholeFile(question, edition, terms)
      const slice = path && (await read(path, edition, page))
      if (slice) return this.#keep(new KeptAnswer(edition, slice, path, this.#files, this.#memory, key), key)
      if (!edition.current) throw gone()
    }
    throw new Problem('unavailable', {
      detail: 'The data changes faster than the report can be computed; try again in a second.',
      headers: { 'retry-after': '1' },
    })
  }

  #keep(answer: KeptAnswer, key: string): Answer {
    if (answer.bytes !== undefined) this.#memory.set(key, answer, answer.size)
    return answer
  }

  /** The file that holds a page: the whole report's where it exists, else the page's own. Does not wait for the whole report. */
  async #pageFile(question: Question, edition: EditionAsked, page: Page, terms: Terms): Promise<string | undefined> {
    if (await this.#files.has(edition.key)) return this.#files.path(edition.key)
    if (!edition.current) return undefined
    const name = edition.of
    const made = await this.#make(name, question, edition, terms, async (file, tx) => {
      const { records, total } = await runPage(tx, question.report, question.values, question.view, page)
      await writeRecords(file, [records], () => total)
      // The page is the whole report, or the walk that may follow needs it.
      if (records.starts.length === total)
        await this.#files.makeIfFree(edition.key, (all) => writeRecords(all, [records]))
      else this.#computeInBackground(question, edition)
    })
    return made ? this.#files.path(name) : undefined
  }

  /** The file of all records; undefined if the edition is gone or is no longer the present one. */
  async #wholeFile(question: Question, edition: Edition, terms: Terms): Promise<string | undefined> {
    const path = this.#files.path(edition.key)
    if (await this.#files.has(edition.key)) return path
    if (!edition.current) return undefined
    const made = await this.#make(edition.key, question, edition, terms, (file, tx) => writeWhole(file, tx, question))
    return made ? path : undefined
  }

  /** Makes a file from the database; false if the data has changed since the edition was named. */
  async #make(
    name: string,
    question: Question,
    edition: Edition,
    terms: Terms,
    write: (file: FileHandle, tx: Queryable) => Promise<void>,
  ): Promise<boolean> {
    if (!this.#files.isMaking(name)) await terms.charge?.()
    try {
      await this.#files.make(name, (file) => this.#inEdition(question, edition, (tx) => write(file, tx)))
      return true
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
      this.#versions.forget()
      return false
    }
  }

  /** Computes the whole report after a page of it, for the walk that may follow. */
  #computeInBackground(question: Question, edition: Edition): void {
    // The embedded engine has one session: background work there would keep every request waiting.
    if (this.#database.engine === 'embedded' || this.#background.size >= IN_BACKGROUND) return
    const work = sleep(PAGE_FIRST_MS)
      .then(() =>
        this.#files.makeIfFree(edition.key, (file) =>
          this.#inEdition(question, edition, (tx) => writeWhole(file, tx, question)),
        ),
      )
      .catch((error) => {
        if (!(error instanceof Outdated)) this.#onError(error)
      })
      .finally(() => this.#background.delete(work))
    this.#background.add(work)
  }

  /** Runs work in a transaction that sees the edition's state of the data; throws if that is no longer the present one. */
  async #inEdition(question: Question, edition: Edition, work: (tx: Queryable) => Promise<void>): Promise<void> {
    await this.#database.db.begin('isolation level repeatable read read only', async (tx) => {
      if (pinOf(question.report, await readState(tx)) !== edition.pin) throw new Outdated()
      await work(tx)
    })
  }
}

/** What is asked, as one reader may see it. */
interface Question extends Asked {
  readonly view: View
  /** Identifies the statement that answers it: another version of the report has another. */
  readonly fingerprint: string
  /** The edition when this was last asked. */
  latest: EditionAsked | undefined
}

/** An edition and what is asked of it. */
interface EditionAsked extends Edition {
  /** Names the page asked for, or the whole edition. */
  readonly of: string
}

/** Immediately in most cases: the version is the same as for the question before. */
function editionAt(question: Question, state: State): EditionAsked {
  const { report, page, pin, fingerprint, latest } = question
  const present = pinOf(report, state)
  const wanted = pin ?? present
  const current = wanted === present
  if (latest?.pin === wanted && latest.current === current) return latest
  const key = createHash('sha256').update(`${fingerprint} ${wanted}`).digest('hex').slice(0, 40)
  const of = page === undefined ? key : `${key}.${page.number}.${page.size}`
  question.latest = { pin: wanted, key, of, current }
  return question.latest
}

export const mayUse = ({ groups }: Reader, { group }: Report): boolean => groups === null || groups.includes(group)

const pinOf = ({ dependsOnToday }: Report, { id, day }: State): string => (dependsOnToday ? `${id}-${day}` : id)

/** A page's own file holds nothing else; a whole report that is too large for memory is not read. */
function read(path: string, { key }: Edition, page: Page | undefined): Promise<Slice | undefined> {
  if (page === undefined) return readRecords(path, 0, Number.POSITIVE_INFINITY, LARGEST_IN_MEMORY)
  return readRecords(path, path.endsWith(key) ? (page.number - 1) * page.size : 0, page.size)
}

const writeWhole = (file: FileHandle, tx: Queryable, { report, values, view }: Question): Promise<void> =>
  writeRecords(file, runWhole(tx, report, values, view))

const gone = () =>
  new Problem('gone', {
    detail:
      'The data has changed since this walk over pages began, and its version is no longer kept; start again at page 1.',
  })
