/** Computes single pages of listings, each found by the key of its first record. */
import type { Database, Db, Queryable } from '../../db/connect.js'
import { NO_TEXTS } from '../../db/texts.js'
import { readRecords, type Slice, sliceOf } from '../../store/records.js'
import type { SnapshotFolder } from '../../store/snapshots.js'
import { readState } from '../../store/versions.js'
import { Turns } from '../../turns.js'
import { LARGEST_PAGE, type Page } from '../report/paging.js'
import { type EditionAsked, type Editions, Outdated, type Question } from './editions.js'
import type { Readers } from './readers.js'
import { SharedWork } from './shared.js'
import { runPage } from './statement.js'
import type { Wholes } from './wholes.js'

/** A page with fewer records before it is found by an offset, a later page by the listing's outline. */
const NEAR = 200
/** Pages that a process computes at a time on each database: more would starve whole reports of connections. */
const AT_A_TIME = 4

/** A caller who waits for an answer. */
export interface Waiting {
  charge(): Promise<void>
  readonly signal: AbortSignal
}

export class Pages {
  readonly #db: Db
  readonly #computesPages: boolean
  readonly #editions: Editions
  readonly #readers: Readers
  readonly #wholes: Wholes
  readonly #files: SnapshotFolder
  readonly #computing = new SharedWork<Slice>()
  readonly #turns: Turns

  constructor(
    { db, engine }: Pick<Database, 'db' | 'engine'>,
    editions: Editions,
    readers: Readers,
    wholes: Wholes,
    files: SnapshotFolder,
    replicas: number,
  ) {
    this.#db = db
    this.#computesPages = engine.computesPages
    this.#editions = editions
    this.#readers = readers
    this.#wholes = wholes
    this.#files = files
    this.#turns = new Turns(AT_A_TIME * Math.max(1, replicas))
  }

  /** Whether the question is for a page that may be computed without the whole report. */
  areComputedFor({ page, report, values }: Question): boolean {
    return page !== undefined && page.size <= LARGEST_PAGE && this.#computesPages && !!report.shapeFor(values).listing
  }

  /** Ends the work that callers wait for. */
  cancel(reason: unknown): void {
    this.#computing.cancel(reason)
  }

  /** Reads the page from a whole report that is being written, if the file has it already. */
  async fromGrowing(edition: EditionAsked, { number, size }: Page): Promise<Slice | undefined> {
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

  /** Computes the page; throws `Outdated`. Concurrent identical requests share the computation. */
  async compute(question: Question, edition: EditionAsked, page: Page, { charge, signal }: Waiting): Promise<Slice> {
    const { of: key } = edition
    if (!this.#computing.has(key)) await charge()
    return await this.#computing.run(key, signal, (signal) =>
      this.#turns.run(() => this.#run(question, edition, page, signal)),
    )
  }

  async #run(question: Question, edition: EditionAsked, { number, size }: Page, signal: AbortSignal): Promise<Slice> {
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
    if (outline !== undefined && before >= outline.total) return sliceOf(NO_TEXTS, outline.total)
    const start = outline?.start(before) ?? { skip: before }
    const read = (db: Queryable) => runPage(db, report, values, view, start, size, edition.by.id, signal)
    const records = report.dependsOnToday
      ? await read(this.#db) // the primary's clock decides which day it is
      : await this.#readers.run(edition, signal, async (db, onReplica) => {
          const records = await read(db)
          return onReplica && records.starts.length === 0 ? await readIn(db, edition, read) : records
        })
    const { length } = records.starts
    // A record proves that the data has the edition's version; an empty page does not.
    if ((length === 0 || report.dependsOnToday) && !(await this.#editions.stillNow(question, edition)))
      throw new Outdated()
    // A page that is not full is the last.
    const last = length < size && (length > 0 || before === 0)
    const total = last
      ? before + length
      : (outline ?? (await (outlining ?? this.#wholes.outline(question, edition, signal)))).total
    return sliceOf(records, total)
  }
}

/** Reads again in a transaction that proves the version, because an empty page does not. */
const readIn = <T>(db: Db, { by }: EditionAsked, read: (tx: Queryable) => Promise<T>): Promise<T> =>
  db.begin('isolation level repeatable read read only', async (tx) => {
    if ((await readState(tx)).id !== by.id) throw new Outdated()
    return await read(tx)
  })
