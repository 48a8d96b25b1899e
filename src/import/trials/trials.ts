/**
 * Trials: imports as a dry run, of files that a browser sends. A folder holds the files and the state of each, so that any
 * process of a service can take the next request; files are removed after the run, the whole folder after `idleMs` without use.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Target } from '../../db/connect.js'
import { MillbookError } from '../../errors.js'
import { nearest } from '../../nearest.js'
import { entities } from '../entities.js'
import { checkReplaced, type LoadResult } from '../pipeline/load.js'
import { findFiles } from '../readers/folder.js'
import type { FromTrial, ToTrial } from './process.js'
import { isOver, isRunning, readState, type TrialState, touch, writeState } from './state.js'

export interface TrialLimits {
  /** Bytes of one file, and of all files of a trial. */
  fileBytes: number
  allBytes: number
  /** Trials at a time; a new one removes finished ones first. */
  trials: number
  /** A trial that is not used for this long is removed. */
  idleMs: number
  errorsShown: number
}

const MB = 2 ** 20
export const TRIAL_LIMITS: TrialLimits = {
  ...{ fileBytes: 64 * MB, allBytes: 256 * MB },
  ...{ trials: 8, idleMs: 15 * 60_000, errorsShown: 500 },
}

/** More was sent than a limit allows. */
export class TooLarge extends MillbookError {}

/** A running trial's state is written at least this often. */
const BEAT_MS = 5000
const LOST_MS = 6 * BEAT_MS
const SWEEP_MS = 60_000

// The same from src/ and from dist/: a process needs the compiled file.
const PROGRAM = fileURLToPath(new URL('../../../dist/import/trials/process.js', import.meta.url))

export class Trials {
  readonly #folder: string
  readonly #target: Target
  readonly limits: TrialLimits
  readonly #running = new Map<string, ChildProcess>()
  readonly #sweeping: NodeJS.Timeout

  readonly #onFault: (cause: string) => void

  /** All processes of a service share the folder. */
  constructor(
    folder: string,
    target: Target,
    { onFault = () => {}, ...limits }: Partial<TrialLimits> & { onFault?: (cause: string) => void } = {},
  ) {
    this.#folder = folder
    this.#target = target
    this.#onFault = onFault
    this.limits = { ...TRIAL_LIMITS, ...limits }
    this.#sweeping = setInterval(() => this.sweep(), Math.min(SWEEP_MS, this.limits.idleMs)).unref()
  }

  begin(id: string, owner: string): TrialState {
    this.sweep()
    this.#makeRoom()
    const state: TrialState = {
      ...{ id, owner, createdAt: new Date().toISOString() },
      ...{ phase: 'open', what: null, done: 0, rows: 0, result: null, error: null },
    }
    mkdirSync(this.#filesOf(id), { recursive: true, mode: 0o700 })
    writeState(this.#pathOf(id), state)
    return state
  }

  /** The trial of this owner, with the files that it has. */
  find(id: string, owner: string): TrialState & { files: { name: string; bytes: number }[] } {
    // The id becomes a part of a path.
    const found = /^[\w-]{22}$/.test(id) ? readState(this.#pathOf(id)) : undefined
    if (found === undefined || found.owner !== owner)
      throw new MillbookError('there is no such import: begin a new one', { kind: 'unknown' })
    const { idleMs, ...state } = found
    const lost = isRunning(state) && idleMs > LOST_MS
    if (!isRunning(state)) touch(this.#pathOf(id))
    return { ...(lost ? { ...state, ...interrupted } : state), files: this.#files(id) }
  }

  /** Writes a part of a file at `offset`; at 0, the file begins anew. Returns the file's size. A failed part leaves nothing. */
  async write(id: string, owner: string, name: string, offset: number, bytes: AsyncIterable<Buffer>): Promise<number> {
    const state = this.find(id, owner)
    this.#requireOpen(state)
    checkFileName(name)
    const others = state.files.filter((file) => file.name !== name)
    const twin = others.find((file) => entityOf(file.name) === entityOf(name))
    if (twin !== undefined)
      throw new MillbookError(`${twin.name} holds the same entity as ${name}; send one of the two files`, {
        kind: 'conflict',
      })
    const size = state.files.find((file) => file.name === name)?.bytes ?? 0
    if (offset !== 0 && offset !== size)
      throw new MillbookError(
        `${name} has ${size} bytes, not ${offset}; continue with offset=${size}, or begin with offset=0`,
        {
          kind: 'conflict',
        },
      )
    const file = await open(join(this.#filesOf(id), name), offset === 0 ? 'w' : 'r+', 0o600)
    let end = offset
    try {
      for await (const chunk of bytes) {
        end += chunk.length
        this.#checkSize(id, name, end)
        await file.write(chunk, 0, chunk.length, end - chunk.length)
      }
      touch(this.#pathOf(id))
      this.#requireOpen(this.find(id, owner)) // the run may have begun meanwhile
    } catch (error) {
      if (offset > 0) await file.truncate(offset)
      else rmSync(join(this.#filesOf(id), name), { force: true })
      throw error
    } finally {
      await file.close()
    }
    return end
  }

  /** Begins the dry run; `find` shows its progress. */
  run(id: string, owner: string, replace: readonly string[]): TrialState {
    const { files, ...state } = this.find(id, owner)
    this.#requireOpen(state)
    if (files.length === 0) throw new MillbookError('there is no file to try; send one first', { kind: 'conflict' })
    checkReplaced(replace, findFiles(this.#filesOf(id)))
    this.#claim(id)
    const begun: TrialState = { ...state, phase: 'waiting' }
    writeState(this.#pathOf(id), begun)
    void this.#follow(begun, replace)
    return begun
  }

  /** Ends a run, and removes everything. */
  remove(id: string, owner: string): void {
    this.find(id, owner)
    this.#remove(id)
  }

  /** Removes trials that were not used for `idleMs`. */
  sweep(): void {
    for (const { id, state } of this.#all())
      if ((state?.idleMs ?? this.#ageOf(id)) > this.limits.idleMs) this.#remove(id)
  }

  /** Ends the runs of this process. */
  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    await Promise.all(
      [...this.#running.values()].map(async (child) => {
        const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
        child.kill('SIGKILL')
        await ended
      }),
    )
  }

  /** Writes the messages of the process into the state, until the process ends. */
  async #follow(begun: TrialState, replace: readonly string[]): Promise<void> {
    const { id } = begun
    const child = fork(PROGRAM, [], { stdio: ['ignore', 'ignore', 2, 'ipc'], execArgv: [] })
    this.#running.set(id, child)
    let state = begun
    /** If the folder is gone, someone has removed the trial. */
    const write = (change: Partial<TrialState>) => {
      state = { ...state, ...change }
      try {
        writeState(this.#pathOf(id), state)
      } catch {
        child.kill('SIGKILL')
      }
    }
    /** A result is shown after the files are gone. */
    const end = (change: Partial<TrialState>) => {
      rmSync(this.#filesOf(id), { recursive: true, force: true })
      write({ what: null, ...change })
    }
    child.on('message', (message: FromTrial) => {
      if ('waiting' in message) write({ phase: 'waiting' })
      else if ('progress' in message) write(message.progress)
      else if ('result' in message) end({ phase: 'done', done: 1, result: resultOf(message.result) })
      else {
        if (message.cause !== undefined) this.#onFault(message.cause)
        end({ phase: 'failed', error: message.failed })
      }
    })
    const beat = setInterval(() => write({}), BEAT_MS)
    const job: ToTrial = {
      ...{ target: this.#target, folder: this.#filesOf(id) },
      ...{ replace, errorsShown: this.limits.errorsShown },
    }
    child.send(job, () => {}) // if it cannot be sent, the process has ended
    await Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => {})
    clearInterval(beat)
    this.#running.delete(id)
    if (!isOver(state)) end(interrupted)
  }

  /** Throws if another request has begun the run, in this process or another. */
  #claim(id: string): void {
    try {
      closeSync(openSync(join(this.#pathOf(id), 'run'), 'wx', 0o600))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      throw new MillbookError(BEGUN, { kind: 'conflict' })
    }
  }

  #requireOpen({ phase }: TrialState): void {
    if (phase !== 'open') throw new MillbookError(BEGUN, { kind: 'conflict' })
  }

  #checkSize(id: string, name: string, bytes: number): void {
    const { fileBytes, allBytes } = this.limits
    if (bytes > fileBytes)
      throw new TooLarge(`${name} is larger than ${fileBytes / MB} MB; try it with millbook import --dry-run`)
    const others = this.#files(id).filter((file) => file.name !== name)
    if (others.reduce((sum, file) => sum + file.bytes, bytes) > allBytes)
      throw new TooLarge(
        `the files together are larger than ${allBytes / MB} MB; try them with millbook import --dry-run`,
      )
  }

  /** Removes finished trials to make room for a new one, the oldest first. */
  #makeRoom(): void {
    const all = this.#all().toSorted((a, b) => (b.state?.idleMs ?? 0) - (a.state?.idleMs ?? 0))
    const over = all.filter(({ state }) => state !== undefined && isOver(state))
    for (const { id } of over.slice(0, Math.max(0, all.length - this.limits.trials + 1))) this.#remove(id)
    if (this.#all().length >= this.limits.trials)
      throw new MillbookError(
        `${this.limits.trials} imports are being tried already; wait until one ends, or remove one that you began`,
        { kind: 'conflict' },
      )
  }

  #all(): { id: string; state: ReturnType<typeof readState> }[] {
    try {
      return readdirSync(this.#folder).map((id) => ({ id, state: readState(this.#pathOf(id)) }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // before the first trial
      throw error
    }
  }

  /** The age of a folder that has no state yet, because another process is creating it. */
  #ageOf(id: string): number {
    return Date.now() - (statSync(this.#pathOf(id), { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  }

  #remove(id: string): void {
    this.#running.get(id)?.kill('SIGKILL')
    rmSync(this.#pathOf(id), { recursive: true, force: true })
  }

  #files(id: string): { name: string; bytes: number }[] {
    try {
      return readdirSync(this.#filesOf(id)).map((name) => ({
        name,
        bytes: statSync(join(this.#filesOf(id), name)).size,
      }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // they are removed after the run
      throw error
    }
  }

  #pathOf(id: string): string {
    return join(this.#folder, id)
  }

  #filesOf(id: string): string {
    return join(this.#folder, id, 'files')
  }
}

const BEGUN = 'this import has been tried, and its files are gone; begin a new one'

const interrupted = {
  phase: 'failed' as const,
  error: 'the dry run was interrupted, probably because the service was restarted; try again',
}

const resultOf = ({ rows, entities, errors, warnings }: LoadResult) => ({ rows, entities, errors, warnings })

const entityOf = (name: string): string => name.slice(0, name.indexOf('.'))

/** Throws unless an import would read a file of this name. Such a name cannot lead out of the folder. */
export function checkFileName(name: string): void {
  const names = entities.map((entity) => entity.name)
  const [, entity = '', ending] = /^([a-z_]{1,60})\.(csv|jsonl|parquet)$/.exec(name) ?? []
  if (names.includes(entity)) return
  const hint = ending === undefined ? '' : nearest(entity, names)
  throw new MillbookError(
    `a file is named after its entity, such as items.csv, stock_movements.jsonl or vendors.parquet${hint}; there are ${names.join(', ')}`,
  )
}
