/** Makes the files of whole reports and of outlines, for a caller who waits or in the background. */
import type { FileHandle } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { Engine, Queryable } from '../../db/connect.js'
import type { Texts } from '../../db/texts.js'
import { buildSeconds, builds, inSeconds } from '../../metrics/metrics.js'
import { Memory } from '../../store/memory.js'
import { collectRecords, Growing, writeRecords } from '../../store/records.js'
import { isDiskFailure, type SnapshotFolder } from '../../store/snapshots.js'
import { readState, type State } from '../../store/versions.js'
import { Turns } from '../../turns.js'
import { type EditionAsked, holdsAt, Outdated, type Question } from './editions.js'
import { seeVersion } from './history.js'
import { OUTLINE, type Outline, outlineOf, readOutline, writeOutline } from './outline.js'
import type { Readers } from './readers.js'
import { SharedWork } from './shared.js'
import { runWhole } from './statement.js'

/** How many whole reports a process computes in the background at a time. */
const IN_BACKGROUND = 2
/** Requests for pages after which a listing is computed whole: a caller who reads a few pages does not need it. */
const PAGES_BEFORE_WHOLE = 10
/** The same if nothing is computed in the background; the caller of that page waits for the whole. */
const PAGES_BEFORE_WAITING = 20
const LISTINGS_COUNTED = 1000
const OUTLINE_BYTES = 16 * 2 ** 20
/** A larger report is not collected in memory. */
export const LARGEST_WITHOUT_FILE = 64 * 2 ** 20

interface Build {
  readonly question: Question
  readonly edition: EditionAsked
  readonly abort: AbortController
  /** Whether a walk over its pages is under way. */
  walked: boolean
  readonly done: Promise<void>
  /** The records so far, once the file is being written. */
  growing: Growing | undefined
}

export class Wholes {
  readonly #engine: Engine
  readonly #readers: Readers
  readonly #files: SnapshotFolder
  readonly #onError: (error: unknown) => void
  readonly #outlines = new Memory<Outline>(OUTLINE_BYTES)
  /** How many records each listing had when it was last counted. */
  readonly #totals = new LRUCache<string, number>({ max: LISTINGS_COUNTED })
  /** How many pages were computed of each listing that has no file. */
  readonly #pages = new LRUCache<string, number>({ max: LISTINGS_COUNTED })
  readonly #builds = new Map<string, Build>()
  /** Whole reports that callers wait for, as files and in memory. */
  readonly #makes = new SharedWork<void>()
  readonly #collects = new SharedWork<Texts>()
  readonly #outlining = new SharedWork<Outline>()
  readonly #collecting = new Turns(1)

  /** `onError` is called for failures of background work. */
  constructor(engine: Engine, readers: Readers, files: SnapshotFolder, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#readers = readers
    this.#files = files
    this.#onError = onError
  }

  /** Makes the file of all records unless it exists; throws `Outdated`. Ends when every caller's signal has aborted. */
  async make(
    question: Question,
    edition: EditionAsked,
    charge?: () => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { key } = edition
    if (charge !== undefined && !this.#files.isMaking(key)) await charge()
    await this.#makes.run(key, signal, (signal) =>
      this.#files.make(
        key,
        (file) => this.#inEdition(question, edition, signal, (tx) => writeWhole(file, tx, question, signal)),
        signal,
      ),
    )
  }

  /** All records in memory, for when no file can be written; throws `Outdated`, and a problem if there are too many. */
  async inMemory(
    question: Question,
    edition: EditionAsked,
    charge: () => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<Texts> {
    const { key } = edition
    if (!this.#collects.has(key)) await charge()
    const { report, values, view } = question
    return await this.#collects.run(key, signal, (signal) =>
      this.#collecting.run(() =>
        this.#inEdition(question, edition, signal, (tx) =>
          collectRecords(runWhole(tx, report, values, view, signal), LARGEST_WITHOUT_FILE),
        ),
      ),
    )
  }

  /** The outline of a listing; throws `Outdated`. Ends when every caller's signal has aborted. */
  async outline(question: Question, edition: EditionAsked, signal?: AbortSignal): Promise<Outline> {
    const known = this.#outlines.get(edition.key)
    if (known !== undefined) return known
    const outline = await this.#outlining.run(edition.key, signal, (signal) =>
      this.#makeOutline(question, edition, signal),
    )
    this.#outlines.set(edition.key, outline, outline.bytes)
    this.#totals.set(question.fingerprint, outline.total)
    return outline
  }

  async #makeOutline(question: Question, edition: EditionAsked, signal: AbortSignal): Promise<Outline> {
    const name = `${edition.key}.${OUTLINE}`
    try {
      while (this.#files.isUsable) {
        await this.#files.make(
          name,
          (file) => this.#inEdition(question, edition, signal, (tx) => writeOutline(file, tx, question, signal)),
          signal,
        )
        const outline = await readOutline(this.#files.path(name))
        if (outline !== undefined) return outline // else a cleanup has just removed it
      }
    } catch (error) {
      if (!isDiskFailure(error)) throw error
    }
    return await this.#inEdition(question, edition, signal, (tx) => outlineOf(tx, question, signal))
  }

  /** How many records the listing had when it was last counted, maybe before the latest load; 0 if it never was. */
  lastTotal({ fingerprint }: Question): number {
    return this.#totals.get(fingerprint) ?? 0
  }

  knownOutline(edition: EditionAsked): Outline | undefined {
    return this.#outlines.get(edition.key)
  }

  /**
   * Call this before a page of a listing is computed: it begins the whole in the background if it will be needed. Returns
   * whether the caller has to make the whole instead.
   */
  countPage(question: Question, edition: EditionAsked): boolean {
    const { key } = edition
    const walked = question.pin !== undefined
    const pages = (this.#pages.get(key) ?? 0) + 1
    this.#pages.set(key, pages)
    if (!this.#engine.computesInBackground) return walked || pages >= PAGES_BEFORE_WAITING
    const running = this.#builds.get(key)
    if (running !== undefined) running.walked ||= walked
    else if (walked || pages >= PAGES_BEFORE_WHOLE) this.#build(question, edition, walked)
    return false
  }

  #build(question: Question, edition: EditionAsked, walked: boolean): void {
    if (this.#builds.size >= IN_BACKGROUND || !this.#files.isUsable) return // the next page tries again
    const abort = new AbortController()
    let result = 'done'
    const done = this.#files
      .makeIfFree(edition.key, (file) =>
        this.#inEdition(question, edition, abort.signal, async (tx) => {
          await tx`set local max_parallel_workers_per_gather = 0` // leaves the other processors to callers who wait
          build.growing = new Growing(file)
          await writeWhole(file, tx, question, abort.signal, build.growing)
        }),
      )
      .catch((error) => {
        result = error instanceof Outdated ? 'cancelled' : 'failed'
        if (result === 'failed') this.#onError(error)
      })
      .finally(() => {
        this.#builds.delete(edition.key)
        builds.add({ result })
      })
    const build: Build = { question, edition, abort, walked, done, growing: undefined }
    this.#builds.set(edition.key, build)
  }

  /** Waits for the file of an edition that can no longer be computed; false if no process is writing it, or the disk is full. */
  async comes(edition: EditionAsked): Promise<boolean> {
    try {
      await this.#files.make(edition.key, () => Promise.reject(new Outdated()))
      return true
    } catch (error) {
      if (error instanceof Outdated || isDiskFailure(error)) return false
      throw error
    }
  }

  /** The computation of an edition in the background. */
  running(edition: EditionAsked): Pick<Build, 'growing' | 'done'> | undefined {
    return this.#builds.get(edition.key)
  }

  /** Ends background work whose edition is not the present one any more, unless a walk needs it. */
  cancelOutdated(present: State): void {
    for (const { question, edition, abort, walked } of this.#builds.values())
      if (!walked && !holdsAt(question, edition, present)) abort.abort(new Outdated()) // waiting callers get this error too
  }

  /** Ends the work that callers wait for. */
  cancel(reason: unknown): void {
    this.#makes.cancel(reason)
    this.#collects.cancel(reason)
    this.#outlining.cancel(reason)
  }

  /** Ends background work. */
  async end(): Promise<void> {
    for (const { abort } of this.#builds.values()) abort.abort(new Outdated())
    await Promise.all([...this.#builds.values()].map(({ done }) => done))
  }

  /** Runs work in a transaction that sees the edition's records; throws if the database has other records. */
  #inEdition<T>(
    question: Question,
    edition: EditionAsked,
    signal: AbortSignal,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    const { seconds } = question.report
    const settings = seconds === undefined ? '' : `set local statement_timeout = ${seconds * 1000}`
    return this.#readers.run(edition, signal, (db, onReplica) =>
      this.#engine.inVersion(db, settings, async (tx) => {
        const state = await readState(tx)
        if (onReplica && state.id !== edition.by.id) throw new Outdated()
        if (question.known !== undefined) await seeVersion(tx, question.known)
        else if (!holdsAt(question, edition, state)) throw new Outdated()
        return await work(tx)
      }),
    )
  }
}

async function writeWhole(
  file: FileHandle,
  tx: Queryable,
  { report, values, view }: Question,
  signal?: AbortSignal,
  growing?: Growing,
): Promise<void> {
  const start = performance.now()
  await writeRecords(file, runWhole(tx, report, values, view, signal), { ...(growing && { growing }) })
  buildSeconds.observe(inSeconds(performance.now() - start), { report: report.id })
}
