/** The state of a trial, in a file that all processes of the service read. */
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadResult } from '../pipeline/load.js'

/** Takes files, waits for another load, reads, merges; done with a result, or failed for a reason. */
export const PHASES = ['open', 'waiting', 'reading', 'merging', 'done', 'failed'] as const
export type Phase = (typeof PHASES)[number]

export interface TrialState {
  id: string
  /** The user who began it; nobody else sees it. */
  owner: string
  createdAt: string
  phase: Phase
  /** The file that is read, or the entity that is merged. */
  what: string | null
  /** How much of the phase is done, from 0 to 1. */
  done: number
  /** How many rows have been read. */
  rows: number
  result: Pick<LoadResult, 'rows' | 'entities' | 'errors' | 'warnings'> | null
  /** Why it failed. */
  error: string | null
}

const FILE = 'state.json'

export function writeState(folder: string, state: TrialState): void {
  const part = join(folder, `${FILE}.part`)
  writeFileSync(part, JSON.stringify(state), { mode: 0o600 })
  renameSync(part, join(folder, FILE))
}

/** The state, and the time since its last use; undefined if there is no such trial. */
export function readState(folder: string): (TrialState & { idleMs: number }) | undefined {
  try {
    const path = join(folder, FILE)
    const state = JSON.parse(readFileSync(path, 'utf8')) as TrialState
    return { ...state, idleMs: Date.now() - statSync(path).mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Counts the trial as used; throws if it is gone. */
export function touch(folder: string): void {
  const now = new Date()
  utimesSync(join(folder, FILE), now, now)
}

export const isRunning = ({ phase }: TrialState): boolean => ['waiting', 'reading', 'merging'].includes(phase)
export const isOver = ({ phase }: TrialState): boolean => phase === 'done' || phase === 'failed'
