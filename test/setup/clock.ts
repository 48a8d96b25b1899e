/** A clock that a test can set for programs that run with its environment, by libfaketime. */
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const LIBRARY = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((file) => existsSync(file))

export interface Clock {
  env: Record<string, string>
  /** Seconds ahead of the real time, negative for behind; programs follow within a second. */
  set(seconds: number): void
}

/** Undefined if libfaketime is not installed. */
export function makeClock(): Clock | undefined {
  if (LIBRARY === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'millbook-clock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755) // PostgreSQL runs as another user
  const file = join(folder, 'now')
  const set = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    renameSync(`${file}.new`, file)
  }
  set(0)
  return {
    // As on a real machine, setting the clock does not change the monotonic clock.
    env: {
      ...{ LD_PRELOAD: LIBRARY, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' },
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
