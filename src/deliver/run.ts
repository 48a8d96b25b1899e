/**
 * Delivers each slot of a job once, even across restarts: it first saves the whole report, every attempt delivers that file, and the
 * state records each target that has it.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock, unlock } from 'fs-native-extensions'
import { type Answers, TokenGone } from '../answers/answers.js'
import { localToday } from '../answers/dates.js'
import { save } from '../answers/save.js'
import { inWords, MillbookError } from '../errors.js'
import { formatNamed } from '../formats/index.js'
import { START } from '../kernel/answer/feeds.js'
import { slotBefore } from './clock.js'
import { type Job, type Place, parametersAt } from './jobs.js'
import type { Parcel } from './target.js'

/** The recorded state of a job. */
interface JobState {
  /** The last slot that was delivered to every target, and when. */
  readonly done?: string
  readonly doneAt?: string
  /** The unfinished run. */
  readonly current?: Current
  /** Only for a job that delivers changes. */
  readonly following?: Following
}

interface Following {
  readonly report: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly token: string
  /** The token that the last run sent, for --again. */
  readonly before: string
}

interface Current {
  readonly slot: string
  readonly parcel: Parcel
  readonly token?: string
  readonly before?: string
  /** The targets that have the file, by the key of the place. */
  readonly arrived: Readonly<Record<string, string>>
}

/** The outcome of a run. */
export interface Outcome {
  readonly job: string
  readonly slot: string
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

  /** Delivers the last slot of a job up to now, unless it was delivered before. */
  async run(job: Job, answers: Answers, now: Date, options: RunOptions): Promise<Outcome> {
    const due = slotBefore(job, now)
    const slot = due.toISOString()
    const done = this.done(job.name)
    // After the clock was set back, earlier slots are not due again.
    if (done !== undefined && slot <= done && !options.again && !options.whole)
      return { job: job.name, slot, status: 'already delivered', where: [] }
    try {
      const current = await this.#parcel(job, slot, localToday(due), answers, options)
      if (current.before !== undefined && current.before !== START && current.parcel.records === 0) {
        await this.#finish(job, slot, current)
        return { job: job.name, slot, status: 'nothing has changed', where: [] }
      }
      const where = await this.#deliver(job, current, options)
      await this.#finish(job, slot, current)
      return { job: job.name, slot, status: 'delivered', parcel: current.parcel, where }
    } catch (error) {
      options.signal.throwIfAborted()
      return { job: job.name, slot, status: 'failed', where: [], error: inWords(error) }
    }
  }

  /** The file of this slot: from an earlier attempt, or fetched now. */
  async #parcel(job: Job, slot: string, day: string, answers: Answers, options: RunOptions): Promise<Current> {
    const { signal } = options
    const { current, following, done } = this.#state[job.name] ?? {}
    if (current?.slot === slot && !options.whole && (await isWhole(current.parcel))) return current
    if (current !== undefined) await rm(current.parcel.path, { force: true })
    const parameters = parametersAt(job, day)
    const since = job.since ? sinceOf(job, parameters, following, options, done === slot) : undefined

    const wanted = { report: job.report, params: parameters, format: job.format, options: job.options, since }
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
    const named = job.file
      ?.replaceAll('{version}', version)
      .replaceAll('{date}', day)
      .replaceAll('{time}', compact(slot))
      .replaceAll('{job}', job.name)
      .replaceAll('{format}', job.format)
    const parcel: Parcel = {
      ...{
        run: `${job.name} ${slot}`,
        job: job.name,
        report: job.report.id,
        parameters,
        path,
        bytes,
        sha256,
        records,
        version,
      },
      // Two runs on the same version may have different changes, so their names have the time.
      ...{
        name: named ?? (job.since ? name.replace(/_v(?=\d+\.)/, `_${compact(slot)}_v`) : name),
        contentType: formatNamed(job.format).contentType,
        changes: job.since,
      },
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
    const failures: unknown[] = []
    for (const place of job.to) {
      if (arrived[place.key] !== undefined) continue
      try {
        arrived[place.key] = await patiently(place, current.parcel, job.retries, options)
        await this.#note(job, { current: { ...current, arrived } })
      } catch (error) {
        options.signal.throwIfAborted()
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new MillbookError(failures.map(inWords).join('; '))
    return job.to.map(({ key }) => arrived[key] as string)
  }

  async #finish(job: Job, slot: string, { parcel, token, before = START }: Current): Promise<void> {
    const { current: _, ...others } = this.#state[job.name] ?? {}
    const { report, parameters } = parcel
    const following = token === undefined ? {} : { following: { report, parameters, token, before } }
    this.#state[job.name] = { ...others, ...following, done: slot, doneAt: new Date().toISOString() }
    await this.#write()
    await rm(parcel.path, { force: true })
  }

  async #note(job: Job, more: JobState): Promise<void> {
    this.#state[job.name] = { ...this.#state[job.name], ...more }
    await this.#write()
  }

  /** Replaces the file atomically, so that a crash never leaves half of it. */
  async #write(): Promise<void> {
    const part = `${this.#file}.part`
    const file = await open(part, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(this.#state, null, 2))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, this.#file)
  }
}

/** The since-token to send in a run of a job that delivers changes. */
function sinceOf(
  { report }: Job,
  parameters: Readonly<Record<string, unknown>>,
  following: Following | undefined,
  { whole, again }: RunOptions,
  isDone: boolean,
): string {
  const same = following?.report === report.id && JSON.stringify(following.parameters) === JSON.stringify(parameters)
  if (following === undefined || !same || whole) return START
  return again && isDone ? following.before : following.token
}

function readState(file: string): Record<string, JobState> {
  if (!existsSync(file)) return {}
  try {
    const found = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof found === 'object' && found !== null) return found
  } catch {
    // reported below
  }
  throw new MillbookError(
    `${file} is damaged, so the past deliveries are unknown: delete it; the next run then delivers every job again`,
  )
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
