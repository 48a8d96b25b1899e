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
import { readRecords, type Slice, split, streamJoined, streamRecords, writeRecords } from '../store/records.js'
import type { SnapshotFolder } from '../store/snapshots.js'
import { readState, type State, type Versions } from '../store/versions.js'
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

/** A report, its values, and what the reader may see of it. */
export interface Question {
  readonly report: Report
  readonly values: Values<Params>
  readonly view: View
}

export interface Asked {
  readonly question: Question
  /** All records without it. */
  readonly page: Page | undefined
  /** The version that a walk over pages began with; the present one without it. */
  readonly pin: string | undefined
}

/** The records that answer a question at one state of the data. */
export interface Edition {
  /** Names the state of the data, and the day if the report depends on it; a walk over pages is pinned to it. */
  readonly pin: string
  /** Names the edition's file: the same for the same question at the same state. */
  readonly key: string
  /** Whether this is what a question without a pin gets now. */
  readonly current: boolean
}

export interface Terms {
  /** Returns whether the caller has this edition already; then nothing is computed. */
  has?(edition: Edition): boolean
  /** Called before the database computes an answer; refuses it by throwing. */
  charge?(): void | Promise<void>
}

/** The caller has this edition already. */
export interface Unchanged {
  readonly unchanged: true
  readonly edition: Edition
}

/** Records of an edition: a page of it or all. */
export interface Answer {
  readonly unchanged: false
  readonly edition: Edition
  /** Records of the whole report. */
  readonly total: number
  /** Bytes of these records' texts, joined by commas. */
  readonly size: number
  /** The texts, joined by commas; undefined if they are too large for memory. */
  readonly bytes: Buffer | undefined
  /** The texts, joined by commas, in pieces of bounded size. */
  joined(): AsyncIterable<Buffer>
  /** The text of each record, in runs of bounded length. */
  records(): AsyncIterable<readonly Buffer[]>
  /** The path of a file that `write` makes from this answer, once for all processes. */
  file(name: string, write: (file: FileHandle) => Promise<void>): Promise<string>
  /** A value that was made from this answer and kept in memory with it. */
  recall<T extends object>(name: string): T | undefined
  /** Keeps such a value of so many bytes for as long as the answer is in memory. */
  keep<T extends object>(name: string, value: T, bytes: number): T
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
  readonly #memos = new WeakMap<Asked, Memo>()
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
    if (!mayUse(who, asked.question.report)) throw new Problem('forbidden')
    const edition = this.#edition(asked)
    if (edition instanceof Promise || (terms.has !== undefined && !edition.current))
      return this.#find(edition, asked, terms)
    if (terms.has?.(edition)) return { unchanged: true, edition }
    return this.#memory.get(edition.of) ?? this.#find(edition, asked, terms)
  }

  /** Waits for background work. */
  async drain(): Promise<void> {
    await Promise.all(this.#background)
    await this.#files.drain()
  }

  #edition(asked: Asked): EditionAsked | Promise<EditionAsked> {
    const state = this.#versions.current()
    return state instanceof Promise
      ? state.then((state) => this.#editionAt(asked, state))
      : this.#editionAt(asked, state)
  }

  #editionAt(asked: Asked, state: State): EditionAsked {
    const { question, page, pin } = asked
    let memo = this.#memos.get(asked)
    if (memo === undefined) {
      memo = { fingerprint: fingerprintOf(question), latest: undefined }
      this.#memos.set(asked, memo)
    }
    const present = pinOf(question.report, state)
    const wanted = pin ?? present
    if (memo.latest?.pin !== wanted || memo.latest.current !== (wanted === present)) {
      const key = createHash('sha256').update(`${memo.fingerprint} ${wanted}`).digest('hex').slice(0, 40)
      const of = page === undefined ? key : `${key}.${page.number}.${page.size}`
      memo.latest = { pin: wanted, key, of, current: wanted === present }
    }
    return memo.latest
  }

  /** The choice between memory, file and database. */
  async #find(first: EditionAsked | Promise<EditionAsked>, asked: Asked, terms: Terms): Promise<Answer | Unchanged> {
    const { question, page, pin } = asked
    for (let i = 0; i < TRIES; i++) {
      const edition = await (i === 0 ? first : this.#edition(asked))
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
      if (records.length === total) await this.#files.makeIfFree(edition.key, (all) => writeRecords(all, [records]))
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

/** An edition and what is asked of it. */
interface EditionAsked extends Edition {
  /** Names the page asked for, or the whole edition. */
  readonly of: string
}

/** What is computed once for everything that is asked. */
interface Memo {
  readonly fingerprint: string
  /** The edition when this was last asked. */
  latest: EditionAsked | undefined
}

/** Identifies the statement that answers a question: another version of a report has another. */
function fingerprintOf({ report, values, view }: Question): string {
  const statement = wholeStatement(report, values, view)
  return createHash('sha256')
    .update(JSON.stringify([statement.text, statement.values]))
    .digest('hex')
}

class KeptAnswer implements Answer {
  readonly unchanged = false
  readonly edition: Edition
  readonly total: number
  readonly size: number
  readonly bytes: Buffer | undefined
  readonly #texts: Slice['texts']
  readonly #path: string
  readonly #files: SnapshotFolder
  readonly #memory: Memory<KeptAnswer>
  readonly #key: string
  readonly #made = new Map<string, object>()
  #madeBytes = 0

  constructor(
    edition: Edition,
    slice: Slice,
    path: string,
    files: SnapshotFolder,
    memory: Memory<KeptAnswer>,
    key: string,
  ) {
    this.edition = edition
    this.total = slice.total
    this.size = slice.size
    this.#texts = slice.texts
    this.bytes = slice.texts?.bytes
    this.#path = path
    this.#files = files
    this.#memory = memory
    this.#key = key
  }

  async *joined(): AsyncGenerator<Buffer> {
    if (this.bytes !== undefined) yield this.bytes
    else yield* streamJoined(this.#path)
  }

  async *records(): AsyncGenerator<readonly Buffer[]> {
    if (this.#texts !== undefined) yield split(this.#texts)
    else yield* streamRecords(this.#path)
  }

  async file(name: string, write: (file: FileHandle) => Promise<void>): Promise<string> {
    const full = `${this.#key}.${name}`
    await this.#files.make(full, write)
    return this.#files.path(full)
  }

  recall<T extends object>(name: string): T | undefined {
    return this.#made.get(name) as T | undefined
  }

  keep<T extends object>(name: string, value: T, bytes: number): T {
    this.#made.set(name, value)
    this.#madeBytes += bytes
    if (this.#memory.get(this.#key) === this) this.#memory.set(this.#key, this, this.size + this.#madeBytes)
    return value
  }
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
