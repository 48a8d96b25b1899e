/**
 * Delivers each slot of a job once, even across restarts: it first saves the whole report, every attempt delivers that file, and the
 * state records each target that has it.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock, unlock } from 'fs-native-extensions'
import { type Answers, TokenGone, type Wanted } from '../answers/answers.js'
import { save } from '../answers/save.js'
import { inWords, MillbookError } from '../errors.js'
import { formatNamed } from '../formats/index.js'
import { START } from '../kernel/answer/feeds.js'
import { localToday } from '../period-words.js'
import { slotBefore, slotsBetween } from './clock.js'
import { type Job, type Place, parametersOver } from './jobs.js'
import { type Current, type Following, type JobState, readState, writeState } from './state.js'
import type { Missed, Parcel } from './target.js'

/** The outcome of a run. */
export interface Outcome {
  readonly job: string
  readonly slot: string
  /** The missed slots that the run covers too. */
  readonly missed?: Missed
  readonly status: 'delivered' | 'already delivered' | 'nothing has changed' | 'failed'
  readonly parcel?: Parcel
  readonly where: readonly string[]
  /** Why the run failed. */
  readonly error?: string
}

const FIRST_PAUSE_MS = 1000

export interface RunOptions {
  readonly signal: AbortSignal
  /** Called before another attempt. */
  readonly onRetry?: (line: string) => void
  /** Delivers a slot again even if it was delivered. */
  readonly again?: boolean
  /** Delivers the whole report, also for a job that delivers changes. */
  readonly whole?: boolean
  readonly firstPause?: number
}

export class Deliveries {
  readonly #folder: string
  readonly #file: string
  #state: Record<string, JobState>

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#file = join(folder, 'state.json')
    this.#state = readState(this.#file)
  }

  /** Runs work while no other process delivers from this folder; returns undefined if one does. */
  static async alone<T>(folder: string, work: (deliveries: Deliveries) => Promise<T>): Promise<T | undefined> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const lock = await open(join(folder, 'lock'), 'a+', 0o600)
    try {
      if (!tryLock(lock.fd)) return undefined
      try {
        return await work(new Deliveries(folder))
      } finally {
        unlock(lock.fd)
      }
    } finally {
      await lock.close()
    }
  }

  /** The last delivered slot of a job. */
  done(job: string): string | undefined {
    return this.#state[job]?.done
  }

  /** The slots between the last delivered one and the last one up to now. */
  missed(job: Job, now: Date): Date[] {
    const done = this.done(job.name)
    return done === undefined ? [] : slotsBetween(job, new Date(done), slotBefore(job, now))
  }

  /**
   * Delivers the last slot of a job up to now, unless it was delivered before. Slots that were missed since the last delivery are
   * covered by the same run, or delivered before it one by one, up to the first that fails.
   */
  async run(job: Job, answers: Answers, now: Date, options: RunOptions): Promise<Outcome[]> {
    const due = slotBefore(job, now)
    const slot = due.toISOString()
    const { done, missed: covered } = this.#state[job.name] ?? {}
    // After the clock was set back, earlier slots are not due again.
    if (done !== undefined && slot <= done && !options.again && !options.whole)
      return [{ job: job.name, slot, status: 'already delivered', where: [] }]
    const missed = this.missed(job, now)
    const [first] = missed
    const outcomes: Outcome[] = []
    for (const earlier of job.eachMissed ? missed : []) {
      outcomes.push(await this.#run(job, earlier, undefined, answers, options))
      if (outcomes.at(-1)?.status === 'failed') return outcomes
    }
    const together =
      done === slot
        ? covered
        : first === undefined || job.eachMissed
          ? undefined
          : { times: missed.length, first: first.toISOString() }
    return [...outcomes, await this.#run(job, due, together, answers, options)]
  }

  async #run(job: Job, due: Date, missed: Missed | undefined, answers: Answers, options: RunOptions): Promise<Outcome> {
    const slot = due.toISOString()
    const about = { job: job.name, slot, ...(missed && { missed }) }
    try {
      const current = await this.#parcel(job, due, missed, answers, options)
      if (current.before !== undefined && current.before !== START && current.parcel.records === 0) {
        await this.#finish(job, slot, current)
        return { ...about, status: 'nothing has changed', where: [] }
      }
      const where = await this.#deliver(job, current, options)
      await this.#finish(job, slot, current)
      return { ...about, status: 'delivered', parcel: current.parcel, where }
    } catch (error) {
      options.signal.throwIfAborted()
      return { ...about, status: 'failed', where: [], error: inWords(error) }
    }
  }

  /** The file of this slot: from an earlier attempt, or fetched now. */
  async #parcel(
    job: Job,
    due: Date,
    missed: Missed | undefined,
    answers: Answers,
    options: RunOptions,
  ): Promise<Current> {
    const { signal } = options
    const slot = due.toISOString()
    const { current, following, done } = this.#state[job.name] ?? {}
    if (current?.slot === slot && !options.whole && (await isWhole(current.parcel))) return current
    if (current !== undefined) await rm(current.parcel.path, { force: true })
    const day = localToday(due)
    const first = missed === undefined ? day : localToday(new Date(missed.first))
    const { format } = job
    const about =
      'view' in job ? { view: job.view } : { report: job.report.id, parameters: parametersOver(job, first, day) }
    const since = 'view' in about || !job.since ? undefined : sinceOf(about, following, options, done === slot)
    const wanted: Wanted = {
      ...{ format, options: job.options },
      ...('view' in job
        ? { saved: job.view, user: job.user, on: day }
        : { report: job.report, params: parametersOver(job, first, day), since }),
    }
    const path = join(this.#folder, `${job.name}.parcel`)
    const fetch = () =>
      answers.fetch(wanted, signal).catch((error) => {
        if (!(error instanceof TokenGone)) throw error
        throw new MillbookError(
          `the since-token of job ${job.name} has expired: run millbook deliver with --job "${job.name}" --whole, and have the receivers replace all records`,
        )
      })
    const { bytes, sha256, fetched } = await save(fetch, () => path)
    const { records, version, token, name } = fetched
    const times = [...(missed === undefined ? [] : [missed.first]), slot].map(compact).join('_')
    const days = first === day ? day : `${first}_${day}`
    const named = job.file
      ?.replaceAll('{version}', version)
      .replaceAll('{date}', days)
      .replaceAll('{time}', times)
      .replaceAll('{job}', job.name)
      .replaceAll('{format}', job.format)
    // Two runs on the same version may have different changes, and a run may cover missed ones, so their names have the times.
    const timed = job.since || missed !== undefined ? name.replace(/_v(?=\d+\.)/, `_${times}_v`) : name
    // Several views may show the same report and days.
    const usual = 'view' in job ? `${job.name}_${day}_v${version}.${extensionOf(format)}` : timed
    const parcel: Parcel = {
      ...{ run: `${job.name} ${slot}`, job: job.name, ...about, path },
      ...{ bytes, sha256, records, version, name: named ?? usual },
      ...{ contentType: formatNamed(job.format).contentType, changes: job.since, ...(missed && { missed }) },
    }
    const made: Current = {
      ...{ slot, parcel, arrived: {} },
      ...(token !== undefined && { token }),
      ...(since !== undefined && { before: since }),
    }
    await this.#note(job, { current: made })
    return made
  }

  async #deliver(job: Job, current: Current, options: RunOptions): Promise<string[]> {
    const arrived: Record<string, string> = { ...current.arrived }
    const failures: string[] = []
    for (const place of job.to) {
      if (arrived[place.key] !== undefined) continue
      try {
        arrived[place.key] = await patiently(place, current.parcel, job.retries, options)
        await this.#note(job, { current: { ...current, arrived } })
      } catch (error) {
        options.signal.throwIfAborted()
        failures.push(`${place.kind}: ${(error as Error).message}`) // inWords would name the database instead
      }
    }
    if (failures.length > 0) throw new MillbookError(failures.join('; '))
    return job.to.map(({ key }) => arrived[key] as string)
  }

  async #finish(job: Job, slot: string, { parcel, token, before = START }: Current): Promise<void> {
    const { current: _, missed: __, ...others } = this.#state[job.name] ?? {}
    const { report, parameters, missed } = parcel
    const following =
      token === undefined || report === undefined || parameters === undefined
        ? {}
        : { following: { report, parameters, token, before } }
    const done = { done: slot, doneAt: new Date().toISOString(), ...(missed && { missed }) }
    this.#state[job.name] = { ...others, ...following, ...done }
    await writeState(this.#file, this.#state)
    await rm(parcel.path, { force: true })
  }

  async #note(job: Job, more: JobState): Promise<void> {
    this.#state[job.name] = { ...this.#state[job.name], ...more }
    await writeState(this.#file, this.#state)
  }
}

/** The since-token to send in a run of a job that delivers changes. */
function sinceOf(
  { report, parameters }: Pick<Following, 'report' | 'parameters'>,
  following: Following | undefined,
  { whole, again }: RunOptions,
  isDone: boolean,
): string {
  const same = following?.report === report && JSON.stringify(following.parameters) === JSON.stringify(parameters)
  if (following === undefined || !same || whole) return START
  return again && isDone ? following.before : following.token
}

const extensionOf = (format: string): string => {
  const { extension, name } = formatNamed(format)
  return extension ?? name
}

/** Whether a saved file is still complete and unchanged. */
async function isWhole({ path, bytes, sha256 }: Parcel): Promise<boolean> {
  if (!existsSync(path)) return false
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of createReadStream(path)) {
    hash.update(piece)
    size += piece.length
  }
  return size === bytes && hash.digest('hex') === sha256
}

const compact = (slot: string): string => slot.replaceAll(/[-:]|\.\d+Z$/g, '')

/** Retries after errors that may pass; a MillbookError needs a person, so it ends the attempts. */
async function patiently(place: Place, parcel: Parcel, retries: number, options: RunOptions): Promise<string> {
  const { signal, onRetry = () => {}, firstPause = FIRST_PAUSE_MS } = options
  for (let attempt = 1; ; attempt++)
    try {
      return await place.target.deliver(parcel, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof MillbookError || attempt > retries) throw error
      const pause = firstPause * 2 ** (attempt - 1)
      onRetry(
        `${parcel.job} to ${place.kind}: ${(error as Error).message}; trying again in ${Math.ceil(pause / 1000)} s`,
      )
      await sleep(pause, undefined, { signal })
    }
}
