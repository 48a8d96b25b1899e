/** The state of files that are being brought in, in a file that all processes of the service read. */
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadResult } from '../import/pipeline/load.js'
import type { Account } from '../pull/sheets/account.js'
import type { Figures } from './figures.js'

/** Takes files and a mapping; waits for another load, reads, merges; then open again with a result, or loaded. */
export const PHASES = ['open', 'waiting', 'reading', 'merging', 'loaded'] as const
export type Phase = (typeof PHASES)[number]

/** Looks at the files and proposes a mapping; does everything of a load but commit; loads; takes the last load back; loads the sample. */
export const ACTIONS = ['look', 'try', 'load', 'undo', 'sample'] as const
export type Action = (typeof ACTIONS)[number]

export interface BringResult extends Pick<LoadResult, 'committed' | 'rows' | 'entities' | 'errors' | 'warnings'> {
  /** Rows that were read, used and left out; null for files of an import, and for an undo. */
  account: Account | null
  /** Figures of the account before the load, and after it; null if there was an error. */
  figures: { before: Figures; after: Figures } | null
  /** The version of the data after a load. */
  version: number
}

export interface BringState {
  id: string
  /** The user who began it; nobody else sees it. */
  owner: string
  createdAt: string
  phase: Phase
  /** The name of its mapping, if that is kept under one. */
  named: string | null
  /** The action that runs, or ran last. */
  action: Action | null
  /** The file that is read, or the entity that is merged. */
  what: string | null
  /** How much of the phase is done, from 0 to 1. */
  done: number
  /** How many rows have been read. */
  rows: number
  /** The result of the last try or load, until a file or the mapping changes. */
  result: BringResult | null
  /** Why the last action failed. */
  error: string | null
}

const FILE = 'state.json'

export function writeState(folder: string, state: BringState): void {
  writeWhole(join(folder, FILE), JSON.stringify(state))
}

/** Other processes see the file as it was, or the new one whole. */
export function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: 0o600 })
  renameSync(`${path}.part`, path)
}

/** The state, and the time since its last use; undefined if there is none. */
export function readState(folder: string): (BringState & { idleMs: number }) | undefined {
  try {
    const path = join(folder, FILE)
    const state = JSON.parse(readFileSync(path, 'utf8')) as BringState
    return { ...state, idleMs: Date.now() - statSync(path).mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Counts as a use; throws if it is gone. */
export function touch(folder: string): void {
  const now = new Date()
  utimesSync(join(folder, FILE), now, now)
}

export const isRunning = ({ phase }: BringState): boolean => ['waiting', 'reading', 'merging'].includes(phase)
