/**
 * Answers to what is asked of reports, each worked out once for a version of the data, however many ask, and kept as files
 * that all processes of the machine share. A page of a report that was not asked for before is fetched on its own; what
 * follows it comes from the whole report, of the same version.
 */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queryable } from '../db/connect.js'
import { readRecords, type Slice, type SnapshotFolder, writeRecords } from '../store/snapshots.js'
import { type DataState, type DataVersion, readState } from '../store/versions.js'
import type { Params, Values } from './params.js'
import type { Report } from './report.js'
import { type Page, runPage, runWhole, type View, wholeStatement } from './statement.js'

/** A report, its parameters, and what the caller may see. */
export interface Question {
  report: Report
  values: Values<Params>
  view: View
  /** Worked out when it is first needed. */
  fingerprint?: Fingerprint
}

/** The answer to a question at one state of the data. */
export interface Edition {
  /** Names the state of the data, and the day where it matters: a walk over pages holds on to it. */
  pin: string
  /** The name of its file: the same question at the same state has the same. */
  key: string
  /** Whether it is what would be answered now. */
  current: boolean
}

/** How many reports a process works out in the background at a time. */
const IN_BACKGROUND = 1
/** How long after a page the whole is begun, so that the page has been sent by then: both at once took it twice as long. */
const ANSWER_FIRST_MS = 50

/** The data has changed since an edition was named: another one has to be asked for. */
class Outdated extends Error {}

export class Answers {
  readonly #database: Pick<Database, 'db' | 'engine'>
  readonly #version: DataVersion
  readonly #files: SnapshotFolder
  readonly #onError: (error: unknown) => void
  #inBackground = 0
  readonly #working = new Set<Promise<unknown>>()

  /** `onError` hears of what went wrong in the background. */
  constructor(
    database: Pick<Database, 'db' | 'engine'>,
    version: DataVersion,
    files: SnapshotFolder,
    onError: (error: unknown) => void,
  ) {
    this.#database = database
    this.#version = version
    this.#files = files
    this.#onError = onError
  }

  /** Which edition answers: the present one, or the one that a walk has begun with. At once where that is known. */
  edition(question: Question, pin?: string): Edition | Promise<Edition> {
    const state = this.#version.current()
    return state instanceof Promise
      ? state.then((state) => this.#editionAt(question, state, pin))
      : this.#editionAt(question, state, pin)
  }

  #editionAt(question: Question, state: DataState, pin: string | undefined): Edition {
    const fingerprint = fingerprintOf(question)
    const { hash, byDay, latest } = fingerprint
    const present = byDay ? `${state.id}-${state.day}` : state.id
    if (pin !== undefined && pin !== present) return { pin, key: keyOf(hash, pin), current: false }
    if (latest?.pin === present) return latest
    fingerprint.latest = { pin: present, key: keyOf(hash, present), current: true }
    return fingerprint.latest
  }

  /**
   * A page of an edition; undefined where it is gone, or is not the present one any more. Where no walk has begun
   * (`fresh`), it does not wait for the whole report.
   */
  async page(question: Question, edition: Edition, page: Page, fresh: boolean): Promise<Slice | undefined> {
    const first = (page.number - 1) * page.size
    const path = this.#files.path(edition.key)
    if (await this.#files.has(edition.key)) return await readRecords(path, first, page.size)
    if (!edition.current) return undefined
    if (!fresh) return (await this.whole(question, edition)) ? await readRecords(path, first, page.size) : undefined
    const name = `${edition.key}.${page.number}.${page.size}`
    const made = await this.#current(() =>
      this.#files.make(name, (file) => this.#fetchPage(question, edition, page, file)),
    )
    return made ? await readRecords(this.#files.path(name), 0, page.size) : undefined
  }

  /** The file of all records of an edition; undefined where it is gone, or is not the present one any more. */
  async whole(question: Question, edition: Edition): Promise<string | undefined> {
    const path = this.#files.path(edition.key)
    if (await this.#files.has(edition.key)) return path
    if (!edition.current) return undefined
    const made = await this.#current(() =>
      this.#files.make(edition.key, (file) =>
        this.#inEdition(question, edition, (tx) => writeWhole(file, tx, question)),
      ),
    )
    return made ? path : undefined
  }

  /** Returns when nothing is worked out any more. */
  async finished(): Promise<void> {
    await Promise.all(this.#working)
    await this.#files.finished()
  }

  /** Something made from a whole edition, once: its file. */
  async derived(edition: Edition, name: string, write: (file: FileHandle) => Promise<void>): Promise<string> {
    await this.#files.make(`${edition.key}.${name}`, write)
    return this.#files.path(`${edition.key}.${name}`)
  }

  async #current(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
      this.#version.forget()
      return false
    }
  }

  /** Fetches a page and, in the same state of the data, the whole report in the background: a walk can then go on. */
  async #fetchPage(question: Question, edition: Edition, page: Page, file: FileHandle): Promise<void> {
    const { report, values, view } = question
    await new Promise<void>((resolve, reject) => {
      let answered = false
      const work = this.#inEdition(question, edition, async (tx) => {
        const { records, total } = await runPage(tx, report, values, view, page)
        await writeRecords(file, [records], () => total)
        if (records.length === total) await this.#files.makeIfFree(edition.key, (all) => writeRecords(all, [records]))
        answered = true
        resolve()
        // The embedded engine has one session: who works in the background there keeps everyone waiting.
        if (records.length === total || this.#database.engine === 'embedded' || this.#inBackground >= IN_BACKGROUND)
          return
        this.#inBackground++
        try {
          await this.#files.makeIfFree(edition.key, async (all) => {
            await sleep(ANSWER_FIRST_MS)
            await writeWhole(all, tx, question)
          })
        } finally {
          this.#inBackground--
        }
      })
      const over = work.catch((error) => (answered ? this.#onError(error) : reject(error)))
      this.#working.add(over)
      void over.finally(() => this.#working.delete(over))
    })
  }

  /** Runs work in a transaction that sees this edition's state of the data, or throws. */
  async #inEdition(question: Question, edition: Edition, work: (tx: Queryable) => Promise<void>): Promise<void> {
    await this.#database.db.begin('isolation level repeatable read read only', async (tx) => {
      const { id, day } = await readState(tx)
      const found = fingerprintOf(question).byDay ? `${id}-${day}` : id
      if (found !== edition.pin) throw new Outdated()
      await work(tx)
    })
  }
}

function fingerprintOf(question: Question): Fingerprint {
  if (question.fingerprint !== undefined) return question.fingerprint
  const { text, values } = wholeStatement(question.report, question.values, question.view)
  const hash = createHash('sha256')
    .update(JSON.stringify([text, values]))
    .digest('hex')
  question.fingerprint = { hash, byDay: /\bnow\(\)/.test(text), latest: undefined }
  return question.fingerprint
}

/** Of the statement that answers a question: a changed report or another program's has another. */
interface Fingerprint {
  hash: string
  /** Whether the answer depends on what day it is. */
  byDay: boolean
  /** The edition that was the present one when it was last asked for. */
  latest: Edition | undefined
}

const keyOf = (hash: string, pin: string): string =>
  createHash('sha256').update(`${hash} ${pin}`).digest('hex').slice(0, 40)

const writeWhole = (file: FileHandle, tx: Queryable, { report, values, view }: Question): Promise<void> =>
  writeRecords(file, runWhole(tx, report, values, view))
