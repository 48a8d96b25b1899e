/**
 * Files that a browser brings in: workbooks with a mapping, or files of an import. A folder holds the files, the mapping and the
 * state of each, so that any process of a service can take the next request. The folder is removed after the load, or after
 * `idleMs` without use.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Target } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { findFiles } from '../import/readers/folder.js'
import { checkReplaced } from '../import/replaced.js'
import { mappingOf } from '../pull/sheets/mapping.js'
import type { Proposal } from '../pull/sheets/propose/proposal.js'
import { checkFileName, isImportFile } from './files.js'
import { BUSY, Folders, MAPPING, PROPOSAL } from './folders.js'
import type { Job, Look, Message } from './process.js'
import { type Action, type BringState, isRunning, readState, touch, writeState } from './state.js'

export interface BringLimits {
  /** Bytes of one file, and of all files together. */
  fileBytes: number
  allBytes: number
  /** At a time; a new one removes loaded ones first. */
  most: number
  /** Removed if it is not used for this long. */
  idleMs: number
  errorsShown: number
}

const MB = 2 ** 20
export const BRING_LIMITS: BringLimits = {
  ...{ fileBytes: 64 * MB, allBytes: 256 * MB },
  ...{ most: 8, idleMs: 60 * 60_000, errorsShown: 500 },
}

/** More was sent than a limit allows. */
export class TooLarge extends MillbookError {}

/** Of a process that reads files; the largest .xls takes 700. */
const MEMORY_MB = 2048
/** The exit code of a process that ran out of it, on systems without signals. */
const ABORTED = 134

/** The files were removed, or belong to somebody else. */
export class FilesGone extends MillbookError {}

/** The state of a running action is written at least this often. */
const BEAT_MS = 5000
const LOST_MS = 6 * BEAT_MS
const SWEEP_MS = 60_000

// The same from src/ and from dist/: a process needs the compiled file.
const PROGRAM = fileURLToPath(new URL('../../dist/bring/process.js', import.meta.url))

export type { Proposal } from '../pull/sheets/propose/proposal.js'

export interface Found extends BringState {
  files: { name: string; bytes: number }[]
  /** The text of the mapping; null if the files are files of an import, or if none was set. */
  mapping: string | null
  /** Whether there is a proposal for these files and this mapping. */
  looked: boolean
}

/** Options of `run`, beside the files and the mapping. */
export interface RunOptions {
  action: Action
  /** Entities whose stored rows are removed if their file of an import does not have them. */
  replace?: readonly string[]
  /** The name under which the mapping was kept with this action. */
  named?: string | undefined
}

export class Bringing {
  readonly #folders: Folders
  readonly #target: Target
  readonly limits: BringLimits
  readonly #running = new Map<string, ChildProcess>()
  readonly #sweeping: NodeJS.Timeout
  readonly #onFault: (cause: string) => void

  /** All processes of a service share the folder. `target` is the database with the login that loads. */
  constructor(
    folder: string,
    target: Target,
    { onFault = () => {}, ...limits }: Partial<BringLimits> & { onFault?: (cause: string) => void } = {},
  ) {
    this.#folders = new Folders(folder)
    this.#target = target
    this.#onFault = onFault
    this.limits = { ...BRING_LIMITS, ...limits }
    this.#sweeping = setInterval(() => this.sweep(), Math.min(SWEEP_MS, this.limits.idleMs)).unref()
  }

  begin(id: string, owner: string): Found {
    this.sweep()
    this.#makeRoom()
    this.#folders.make(id)
    writeState(this.#folders.pathOf(id), {
      ...{ id, owner, createdAt: new Date().toISOString(), phase: 'open', named: null, action: null },
      ...{ what: null, done: 0, rows: 0, result: null, error: null },
    })
    return this.find(id, owner)
  }

  /** The files of this owner. */
  find(id: string, owner: string): Found {
    // The id becomes a part of a path.
    const found = /^[\w-]{22}$/.test(id) ? readState(this.#folders.pathOf(id)) : undefined
    if (found === undefined || found.owner !== owner)
      throw new FilesGone(
        'these files are gone: they were not used for an hour, or the service was restarted. A load that had not ended has stored nothing: look at the list of loads, then send them again',
        { kind: 'unknown' },
      )
    const { idleMs, ...state } = found
    const lost = isRunning(state) && idleMs > LOST_MS
    if (!isRunning(state)) touch(this.#folders.pathOf(id))
    return {
      ...(lost ? { ...state, ...interrupted } : state),
      ...{ files: this.#folders.files(id), mapping: this.#folders.read(id, MAPPING) ?? null },
      looked: this.#folders.has(id, PROPOSAL),
    }
  }

  /** Writes a part of a file at `offset`; at 0, the file begins anew. Returns the file's size. A failed part leaves nothing. */
  async write(id: string, owner: string, name: string, offset: number, bytes: AsyncIterable<Buffer>): Promise<number> {
    const state = this.#requireOpen(id, owner)
    checkFileName(name)
    const size = state.files.find((file) => file.name === name)?.bytes ?? 0
    if (offset !== 0 && offset !== size)
      throw new MillbookError(
        `${name} has ${size} bytes, not ${offset}; continue with offset=${size}, or begin with offset=0`,
        { kind: 'conflict' },
      )
    const file = await open(join(this.#folders.filesOf(id), name), offset === 0 ? 'w' : 'r+', 0o600)
    let end = offset
    try {
      for await (const chunk of bytes) {
        end += chunk.length
        this.#checkSize(id, name, end)
        await file.write(chunk, 0, chunk.length, end - chunk.length)
      }
      this.#change(this.#requireOpen(id, owner)) // a run may have begun meanwhile
    } catch (error) {
      if (offset > 0) await file.truncate(offset)
      else rmSync(join(this.#folders.filesOf(id), name), { force: true })
      throw error
    } finally {
      await file.close()
    }
    return end
  }

  removeFile(id: string, owner: string, name: string): Found {
    const state = this.#requireOpen(id, owner)
    if (!state.files.some((file) => file.name === name))
      throw new MillbookError(`there is no file ${name}`, { kind: 'unknown' })
    rmSync(join(this.#folders.filesOf(id), name), { force: true })
    this.#change(state)
    return this.find(id, owner)
  }

  /** Checks the mapping and keeps it for the next run. `named` is the name that it is kept under, if it is. */
  setMapping(id: string, owner: string, text: string, named?: string): Found {
    const state = this.#requireOpen(id, owner)
    mappingOf(text, 'the mapping')
    this.#folders.write(id, MAPPING, text)
    this.#change({ ...state, named: named ?? state.named })
    return this.find(id, owner)
  }

  /** The mapping is forgotten: the next look proposes one. */
  removeMapping(id: string, owner: string): Found {
    const state = this.#requireOpen(id, owner)
    this.#folders.drop(id, MAPPING)
    this.#change({ ...state, named: null })
    return this.find(id, owner)
  }

  /** The result of the last look. */
  proposal(id: string, owner: string): Proposal {
    this.find(id, owner)
    const text = this.#folders.read(id, PROPOSAL)
    if (text === undefined)
      throw new MillbookError('nobody has looked at these files yet: run the action look first', { kind: 'conflict' })
    return JSON.parse(text) as Proposal
  }

  /** All that this owner has begun, the newest first. */
  list(owner: string): Found[] {
    this.sweep()
    return this.#folders
      .all()
      .flatMap(({ id, state }) => (state?.owner === owner ? this.find(id, owner) : []))
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  }

  /** Begins to load the sample company. */
  loadSample(id: string, owner: string): Found {
    return this.#start(this.begin(id, owner), { action: 'sample', replace: [], version: null })
  }

  /** Begins to take back the load that made this version of the data. */
  undo(id: string, owner: string, version: number): Found {
    const state = this.begin(id, owner)
    return this.#start(state, { action: 'undo', replace: [], version })
  }

  /** Throws if `run` would refuse this. */
  checkRun(id: string, owner: string, { action, replace = [] }: RunOptions): Found {
    const state = this.#requireOpen(id, owner)
    const { files, mapping } = state
    if (files.length === 0) throw new MillbookError('there is no file; send one first', { kind: 'conflict' })
    const isImport = files.every(({ name }) => isImportFile(name))
    if (action === 'look' && isImport)
      throw new MillbookError('files of an import need no mapping: try them', { kind: 'conflict' })
    if (mapping === null && !isImport && action !== 'look')
      throw new MillbookError('there is no mapping yet: look at the files first, or set one', { kind: 'conflict' })
    if (mapping === null && isImport) checkReplaced(replace, findFiles(this.#folders.filesOf(id)))
    return state
  }

  /** Begins a look, a try or a load; `find` shows its progress. */
  run(id: string, owner: string, options: RunOptions): Found {
    const { action, replace = [], named } = options
    const state = this.checkRun(id, owner, options)
    return this.#start({ ...state, named: named ?? state.named }, { action, replace, version: null })
  }

  #start(found: Found, { action, replace, version }: Pick<Job, 'action' | 'replace' | 'version'>): Found {
    const { id, owner, mapping, named } = found
    this.#folders.claim(id, LOST_MS)
    const progress = { phase: 'waiting' as const, done: 0, rows: 0 }
    const begun: BringState = { ...stateOf(found), ...progress, action, error: null, result: null }
    writeState(this.#folders.pathOf(id), begun)
    void this.#follow(begun, {
      ...{ action, target: this.#target, folder: this.#folders.filesOf(id), mapping, named, replace, version },
      ...{ errorsShown: this.limits.errorsShown, actor: owner },
    })
    return this.find(id, owner)
  }

  /** Ends a run, and removes everything. */
  remove(id: string, owner: string): void {
    this.find(id, owner)
    this.#remove(id)
  }

  /** Removes files that were not used for `idleMs`. */
  sweep(): void {
    for (const { id, state } of this.#folders.all())
      if ((state?.idleMs ?? this.#folders.ageOf(id)) > this.limits.idleMs) this.#remove(id)
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
  async #follow(begun: BringState, job: Job): Promise<void> {
    const { id } = begun
    const execArgv = [`--max-old-space-size=${MEMORY_MB}`]
    const child = fork(PROGRAM, [], { stdio: ['ignore', 'ignore', 2, 'ipc'], execArgv })
    this.#running.set(id, child)
    let state = begun
    /** If the folder is gone, someone has removed the files. */
    const write = (change: Partial<BringState>) => {
      state = { ...state, ...change }
      try {
        writeState(this.#folders.pathOf(id), state)
      } catch {
        child.kill('SIGKILL')
      }
    }
    /** The files of a load are removed before its result is shown. */
    const end = (change: Partial<BringState>) => {
      const isLoaded = change.result?.committed === true
      if (isLoaded) this.#folders.removeFiles(id)
      this.#folders.release(id)
      write({ phase: isLoaded ? 'loaded' : 'open', what: null, done: 1, ...change })
    }
    child.on('message', (message: Message) => {
      if ('waiting' in message) write({ phase: 'waiting' })
      else if ('progress' in message) write(message.progress)
      else if ('result' in message) end({ result: message.result })
      else if ('proposal' in message) {
        this.#keepProposal(id, message)
        end({})
      } else {
        if (message.cause !== undefined) this.#onFault(message.cause)
        end({ error: message.failed })
      }
    })
    const beat = setInterval(() => write({}), BEAT_MS)
    child.send(job, () => {}) // if it cannot be sent, the process has ended
    const [code, signal] = await Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => [])
    clearInterval(beat)
    this.#running.delete(id)
    if (isRunning(state)) end(signal === 'SIGABRT' || code === ABORTED ? outOfMemory : interrupted)
  }

  #requireOpen(id: string, owner: string): Found {
    const found = this.find(id, owner)
    if (found.phase === 'loaded')
      throw new MillbookError('these files have been loaded, and are gone; begin again', { kind: 'conflict' })
    if (isRunning(found)) throw new MillbookError(BUSY, { kind: 'conflict' })
    return found
  }

  /** Without a mapping, the proposed one is set. */
  #keepProposal(id: string, { proposal, text }: Look): void {
    try {
      if (text !== undefined) this.#folders.write(id, MAPPING, text)
      this.#folders.write(id, PROPOSAL, JSON.stringify(proposal))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // someone has removed the files
    }
  }

  /** The result and the proposal were about other files, or another mapping. */
  #change(found: Found): void {
    this.#folders.drop(found.id, PROPOSAL)
    writeState(this.#folders.pathOf(found.id), { ...stateOf(found), phase: 'open', result: null, error: null })
  }

  #checkSize(id: string, name: string, bytes: number): void {
    const { fileBytes, allBytes } = this.limits
    const instead = 'load it with millbook pull spreadsheets or millbook import'
    if (bytes > fileBytes) throw new TooLarge(`${name} is larger than ${fileBytes / MB} MB; ${instead}`)
    const others = this.#folders.files(id).filter((file) => file.name !== name)
    if (others.reduce((sum, file) => sum + file.bytes, bytes) > allBytes)
      throw new TooLarge(`the files together are larger than ${allBytes / MB} MB; ${instead}`)
  }

  /** Removes loaded files to make room for new ones, the oldest first. */
  #makeRoom(): void {
    const all = this.#folders.all().toSorted((a, b) => (b.state?.idleMs ?? 0) - (a.state?.idleMs ?? 0))
    const over = all.filter(({ state }) => state?.phase === 'loaded')
    for (const { id } of over.slice(0, Math.max(0, all.length - this.limits.most + 1))) this.#remove(id)
    if (this.#folders.all().length >= this.limits.most)
      throw new MillbookError(
        `files are being brought in ${this.limits.most} times already; wait until one ends, or remove one that you began`,
        { kind: 'conflict' },
      )
  }

  #remove(id: string): void {
    this.#running.get(id)?.kill('SIGKILL')
    this.#folders.remove(id)
  }
}

const stateOf = ({ files, mapping, looked, ...state }: Found): BringState => state

const interrupted = {
  phase: 'open' as const,
  error: 'reading the files was interrupted: the service was restarted, or its host has too little memory; try again',
}

const outOfMemory = {
  phase: 'open' as const,
  error:
    'reading the files took more memory than the service allows: bring in fewer rows at a time, or save an .xls as .xlsx',
}
