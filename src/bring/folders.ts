/** The folders of files that are brought in: one per attempt, with its files, its mapping, its proposal and its state. */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MillbookError } from '../errors.js'
import { readState, writeWhole } from './state.js'

export const MAPPING = 'mapping.yaml'
export const PROPOSAL = 'proposal.json'
/** Exists while an action runs. */
const RUN = 'run'
export const BUSY = 'these files are being read; wait until that ends'

/** All processes of a service share them. */
export class Folders {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  pathOf(id: string): string {
    return join(this.#folder, id)
  }

  filesOf(id: string): string {
    return join(this.#folder, id, 'files')
  }

  make(id: string): void {
    mkdirSync(this.filesOf(id), { recursive: true, mode: 0o700 })
  }

  all(): { id: string; state: ReturnType<typeof readState> }[] {
    return namesIn(this.#folder).map((id) => ({ id, state: readState(this.pathOf(id)) }))
  }

  /** The age of a folder that has no state yet, because another process is creating it. */
  ageOf(id: string): number {
    return Date.now() - (statSync(this.pathOf(id), { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  }

  /** None after the load, which removes them. */
  files(id: string): { name: string; bytes: number }[] {
    return namesIn(this.filesOf(id)).map((name) => ({ name, bytes: statSync(join(this.filesOf(id), name)).size }))
  }

  removeFiles(id: string): void {
    rmSync(this.filesOf(id), { recursive: true, force: true })
  }

  remove(id: string): void {
    rmSync(this.pathOf(id), { recursive: true, force: true })
  }

  has(id: string, name: string): boolean {
    return existsSync(join(this.pathOf(id), name))
  }

  read(id: string, name: string): string | undefined {
    try {
      return readFileSync(join(this.pathOf(id), name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  write(id: string, name: string, text: string): void {
    writeWhole(join(this.pathOf(id), name), text)
  }

  drop(id: string, name: string): void {
    rmSync(join(this.pathOf(id), name), { force: true })
  }

  /** Throws if another request has begun a run, in this process or another; a run of a killed process is over after `lostMs`. */
  claim(id: string, lostMs: number): void {
    const path = join(this.pathOf(id), RUN)
    const ranAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (ranAt !== undefined && Date.now() - ranAt > lostMs) rmSync(path, { force: true })
    try {
      closeSync(openSync(path, 'wx', 0o600))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      throw new MillbookError(BUSY, { kind: 'conflict' })
    }
  }

  release(id: string): void {
    this.drop(id, RUN)
  }
}

/** None if there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
