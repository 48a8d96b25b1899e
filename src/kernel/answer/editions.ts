/**
 * Names editions: the records of a question at one state of the data. A load that changes none of the tables that the
 * question's statement reads leaves its edition as it is.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { comparableValues, statementsOf } from '../../db/computed.js'
import type { Db } from '../../db/connect.js'
import { type Changes, lastChange, numberOf, type State, type Versions } from '../../store/versions.js'
import { writeOrder } from '../report/order.js'
import type { Page } from '../report/paging.js'
import type { Params, Values } from '../report/params.js'
import type { Report } from '../report/report.js'
import type { View } from '../report/rights.js'
import type { Edition } from './answer.js'
import type { Known } from './history.js'
import { tablesRead } from './reads.js'
import { SharedWork } from './shared.js'
import { wholeStatement } from './statement.js'

export interface Asked {
  readonly report: Report
  readonly values: Values<Params>
  /** Undefined for all records. */
  readonly page: Page | undefined
  /** The version that a walk over pages began with; undefined for the present one. */
  readonly pin: string | undefined
  /** Asks for the records as an earlier version of the data knew them: a version, a day or a moment. */
  readonly asKnown?: string | undefined
  /** Asks for the differences from an earlier version, named like `asKnown`. */
  readonly against?: string | undefined
  /** Asks for the changes since the answer that returned this token; `start` for the whole report. */
  readonly since?: string | undefined
}

/** A question as one reader may see its answer. */
export interface Question extends Asked {
  readonly view: View
  /** Hash of the statement that answers the question, and of its values; a changed report has another. */
  readonly fingerprint: string
  /** The tables that the statement reads. */
  readonly tables: readonly string[] | undefined
  /** The earlier version that it is asked of; undefined for the present one. */
  readonly known?: Known | undefined
  /** The edition that answered the question last. */
  latest: EditionAsked | undefined
}

/** An edition and the part of it that a question asks for. */
export interface EditionAsked extends Edition {
  /** Names the requested page, or the whole edition. */
  readonly of: string
  /** Names the states of the data that have these records. */
  readonly since: string
  /** The present state when this was asked. */
  readonly by: State
}

/** The data changed between naming an edition and computing it. */
export class Outdated extends Error {}

/** The tables that a statement reads; undefined if it may read any table. */
interface Tables {
  readonly read: readonly string[] | undefined
}

/** The most statements whose tables are remembered. */
const REMEMBERED = 1000

export class Editions {
  readonly #db: Db
  readonly #versions: Versions
  /** Questions by request, separately for readers with different restrictions. */
  readonly #questions = new Map<View, WeakMap<Asked, Question>>()
  readonly #tables = new LRUCache<string, Tables>({ max: REMEMBERED })
  readonly #reading = new SharedWork<Tables>()
  /** The fingerprint and the tables of each statement, by report, values and view: the same for all its pages. */
  readonly #statements = new LRUCache<string, Pick<Question, 'fingerprint' | 'tables'>>({ max: REMEMBERED })

  constructor(db: Db, versions: Versions) {
    this.#db = db
    this.#versions = versions
  }

  /** The question, if it was asked before. */
  known(asked: Asked, view: View): Question | undefined {
    return this.#questionsFor(view).get(asked)
  }

  async question(asked: Asked, view: View, signal: AbortSignal, known?: Known): Promise<Question> {
    const { report, values } = asked
    const { orderBy, record } = report.shapeFor(values)
    // The id is not enough: views have the id of their report, and so has a report whose records show their whole key.
    const name = JSON.stringify([
      report.id,
      report.view,
      report.form,
      writeOrder(orderBy),
      Object.keys(record),
      values,
      view,
    ])
    const about = this.#statements.get(name) ?? (await this.#statement(asked, view, signal))
    this.#statements.set(name, about)
    const question = { ...asked, view, ...about, known, latest: undefined }
    if (known === undefined) this.#questionsFor(view).set(asked, question)
    return question
  }

  #questionsFor(view: View): WeakMap<Asked, Question> {
    const known = this.#questions.get(view)
    if (known !== undefined) return known
    const made = new WeakMap<Asked, Question>()
    this.#questions.set(view, made)
    return made
  }

  async #statement(
    { report, values }: Asked,
    view: View,
    signal: AbortSignal,
  ): Promise<Pick<Question, 'fingerprint' | 'tables'>> {
    const statement = wholeStatement(report, values, view)
    const text = statementsOf(statement)
      .map(({ text }) => text)
      .join(';')
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([text, comparableValues(statement)]))
      .digest('hex')
    const found =
      this.#tables.get(text) ??
      (await this.#reading.run(text, signal, async (signal) => ({
        read: await tablesRead(this.#db, statement, signal),
      })))
    this.#tables.set(text, found)
    return { fingerprint, tables: found.read }
  }

  /** Ends the work that callers wait for. */
  cancel(reason: unknown): void {
    this.#reading.cancel(reason)
  }

  /** The edition that answers a question now; immediately in most cases, because nothing has changed. */
  now(question: Question): EditionAsked | Promise<EditionAsked> {
    const state = this.#versions.current()
    if (state instanceof Promise) return state.then((state) => this.#at(question, state))
    return this.#at(question, state)
  }

  #at(question: Question, state: State): EditionAsked | Promise<EditionAsked> {
    const { latest, pin, report } = question
    if (latest?.by === state) return latest
    if (question.known !== undefined) return editionAsKnown(question, question.known, state)
    const present = pinOf(state, report)
    if (pin === undefined || pin === present) return remember(question, state, present, state.changes, state.day)
    return this.#pinned(question, state, pin)
  }

  async #pinned(question: Question, known: State, pin: string): Promise<EditionAsked> {
    const [id, day] = question.report.dependsOnToday ? [pin.slice(0, -DAY), pin.slice(1 - DAY)] : [pin, '']
    // Another process may have heard of a load earlier than this one.
    const state = numberOf(id) > numberOf(known.id) ? await this.#versions.read() : known
    return remember(question, state, pin, await this.#versions.changesBy(id), day)
  }

  /** Whether the edition's version, and its day if the report depends on it, are still the present ones. */
  async stillNow(question: Question, edition: EditionAsked): Promise<boolean> {
    const state = await this.#versions.read()
    return state.id === edition.by.id && holdsAt(question, edition, state)
  }

  /** Call this when an edition turned out to be outdated, so that the versions are read again. */
  forget(): void {
    this.#versions.forget()
  }
}

/** Whether a state of the data has the records of the edition. */
export const holdsAt = (question: Question, { since }: EditionAsked, { changes, day }: State): boolean =>
  sinceOf(question, changes, day) === since

/** Characters of a day in a pin: a hyphen and YYYY-MM-DD. */
const DAY = 11

const pinOf = ({ id, day }: Pick<State, 'id' | 'day'>, { dependsOnToday }: Asked['report']): string =>
  dependsOnToday ? `${id}-${day}` : id

const sinceOf = ({ tables, report }: Question, changes: Changes, day: string): string => {
  const last = lastChange(changes, tables)
  return report.dependsOnToday ? `${last} ${day}` : last
}

/** The edition of an earlier version, which no load changes. A walk that began at another version ends. */
function editionAsKnown(question: Question, { id, day }: Known, by: State): EditionAsked {
  const { page, pin, fingerprint, report } = question
  const name = pinOf({ id, day }, report)
  const since = `as known ${name}`
  const key = createHash('sha256').update(`${fingerprint} ${since}`).digest('hex').slice(0, 40)
  const of = page === undefined ? key : `${key}.${page.number}.${page.size}`
  question.latest = { pin: name, key, of, current: pin === undefined || pin === name, since, by }
  return question.latest
}

/** If `changes` is undefined, the pinned version is unknown and no file has its records. */
function remember(question: Question, by: State, pin: string, changes: Changes | undefined, day: string): EditionAsked {
  const since = changes === undefined ? `unknown ${pin}` : sinceOf(question, changes, day)
  const current = since === sinceOf(question, by.changes, by.day)
  const { page, fingerprint, latest } = question
  const same = latest?.since === since
  const key = same ? latest.key : createHash('sha256').update(`${fingerprint} ${since}`).digest('hex').slice(0, 40)
  const of = page === undefined ? key : `${key}.${page.number}.${page.size}`
  question.latest = { pin, key, of, current, since, by }
  return question.latest
}
