/**
 * A folder of files that are made once and read many times by all processes of one machine: the records of an edition, and the
 * same records in other formats and encodings. A file appears whole or not at all, and never changes.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock, unlock } from 'fs-native-extensions'
import { LRUCache } from 'lru-cache'
import { snapshotFailures } from '../metrics/metrics.js'

export interface Limits {
  /** Limit of the bytes of all files together; the newest file may exceed it. */
  bytes: number
  /** Files that were not used for this long are removed. */
  ageMs: number
}

export const LIMITS: Limits = { bytes: 2 * 2 ** 30, ageMs: 3_600_000 }
const RETRY_LOCK_MS = 15
const TOUCH_EVERY_MS = 10_000
const LOOK_EVERY_MS = 50
const CLEAN_UP_EVERY_MS = 5000
const PART = '.part'
/** Error codes of a full disk, and of one that cannot be written to for another reason. */
const FULL = new Set<string | undefined>(['ENOSPC', 'EDQUOT'])
const UNUSABLE = new Set<string | undefined>([...FULL, 'EROFS', 'EIO', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'])
/** Time after a failure in which no file is made. */
const UNUSABLE_MS = 5000

/** Whether an error is about the disk, so that the report can be answered without a file. */
export const isDiskFailure = (error: unknown): boolean => UNUSABLE.has((error as NodeJS.ErrnoException).code)

export class SnapshotFolder {
  readonly #folder: string
  readonly #limits: Limits
  /** Files that this process is making or waiting for; all requests share one attempt. */
  readonly #making = new Map<string, Promise<void>>()
  readonly #touched = new Map<string, number>()
  /** When each file was last found missing, for the most recent lookups. */
  readonly #missing = new LRUCache<string, number>({ max: 1000 })
  /** Time of the last cleanup, and the bytes that this process has added since. */
  #cleanedAt = Number.NEGATIVE_INFINITY
  #added = 0
  #cleaning: Promise<unknown> | undefined
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(folder: string, limits: Limits = LIMITS) {
    this.#folder = folder
    this.#limits = limits
  }

  /** False for a while after writing a file failed. */
  get isUsable(): boolean {
    return performance.now() - this.#failedAt > UNUSABLE_MS
  }

  path(name: string): string {
    return join(this.#folder, name)
  }

  /** Whether the file exists; it counts as used from now on. */
  async has(name: string): Promise<boolean> {
    const now = performance.now()
    try {
      if (now - (this.#touched.get(name) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) await stat(this.path(name))
      else {
        const seconds = Date.now() / 1000
        await utimes(this.path(name), seconds, seconds)
        this.#touched.set(name, now)
      }
      return true
    } catch {
      this.#touched.delete(name)
      return false
    }
  }

  /** The same, but a file that was missing a moment ago is not looked for again. */
  async hasLately(name: string): Promise<boolean> {
    const now = performance.now()
    if (now - (this.#missing.get(name) ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY_MS) return false
    const found = await this.has(name)
    if (!found) this.#missing.set(name, now)
    return found
  }

  /** Makes a file unless it exists. One process makes it, the others wait until the signal aborts. */
  async make(name: string, write: (file: FileHandle) => Promise<void>, signal?: AbortSignal): Promise<void> {
    const running = this.#making.get(name)
    if (running === undefined) return await this.#start(name, write, true, signal)
    await running.catch((error) => {
      if (!isAbort(error)) throw error
    })
    signal?.throwIfAborted()
    if (!(await this.has(name))) await this.make(name, write, signal)
  }

  /** The same, but returns at once if another process or request is making it. */
  async makeIfFree(name: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    if (!this.#making.has(name)) await this.#start(name, write, false, undefined)
  }

  /** Whether this process is making the file or waiting for it. */
  isMaking(name: string): boolean {
    return this.#making.has(name)
  }

  #start(
    name: string,
    write: (file: FileHandle) => Promise<void>,
    waits: boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const running = this.#makeAlone(name, write, waits, signal)
      .catch((error) => {
        if (isDiskFailure(error)) {
          this.#failedAt = performance.now()
          snapshotFailures.add()
        }
        throw error
      })
      .finally(() => this.#making.delete(name))
    this.#making.set(name, running)
    return running
  }

  async #makeAlone(
    name: string,
    write: (file: FileHandle) => Promise<void>,
    waits: boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const path = this.path(name)
    const part = path + PART
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    while (!(await this.has(name))) {
      const file = await open(part, 'a+', 0o600)
      try {
        // The operating system releases the lock when its process ends, however it ends.
        if (!tryLock(file.fd)) {
          if (!waits) return
          await sleep(RETRY_LOCK_MS)
          signal?.throwIfAborted()
          continue
        }
        // The last holder of the lock may have finished or given up; the path then names another file.
        if ((await inode(part)) !== (await file.stat()).ino) continue
        // Or another process finished the file just before this one was opened.
        if (await this.has(name)) {
          await rm(part, { force: true })
          continue
        }
        await file.truncate(0)
        try {
          await write(file)
          await rename(part, path)
          this.#missing.delete(name)
        } catch (error) {
          await rm(part, { force: true })
          if (isMissingAtRename(error)) continue // something has removed it meanwhile
          // The disk may be smaller than the limit: evict older files to make room, then try again.
          if (FULL.has((error as NodeJS.ErrnoException).code) && (await this.#cleanUp(name, 0))) continue
          throw error
        } finally {
          unlock(file.fd)
        }
      } finally {
        await file.close()
      }
      const { size } = await stat(path).catch(() => ({ size: 0 }))
      this.#added += size
      const due = performance.now() - this.#cleanedAt > CLEAN_UP_EVERY_MS || this.#added > this.#limits.bytes / 16
      // In the background; a failed cleanup is tried again soon.
      if (due) this.#cleaning = this.#cleanUp(name).catch(() => {})
    }
  }

  /** Removes expired files, and the least recently used ones past the limit; returns whether it removed any. */
  async #cleanUp(newest: string, limit = this.#limits.bytes): Promise<boolean> {
    const now = Date.now()
    this.#cleanedAt = performance.now()
    this.#added = 0
    for (const [name, at] of this.#touched) if (this.#cleanedAt - at >= TOUCH_EVERY_MS) this.#touched.delete(name)
    const files: { name: string; bytes: number; used: number }[] = []
    for (const name of await readdir(this.#folder)) {
      const found = await stat(this.path(name)).catch(() => undefined)
      const isOld = now - (found?.mtimeMs ?? 0) >= this.#limits.ageMs
      // Clocks jump, so a file that seems old may still be written.
      const leave = name.endsWith(PART) && !(isOld && (await isAbandoned(this.path(name))))
      if (found !== undefined && !leave) files.push({ name, bytes: found.size, used: found.mtimeMs })
    }
    files.sort((a, b) => b.used - a.used)
    let kept = files.find(({ name }) => name === newest)?.bytes ?? 0
    let removed = false
    for (const { name, bytes, used } of files) {
      if (name === newest || newest.startsWith(`${name}.`)) continue // keep the newest and the file it was made from
      kept += bytes
      if (kept <= limit && now - used <= this.#limits.ageMs) continue
      kept -= bytes
      this.#touched.delete(name)
      await rm(this.path(name), { force: true }) // open readers keep reading
      removed = true
    }
    return removed
  }

  /** Returns when no file is being made and no cleanup runs. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#making.values())
    await this.#cleaning
  }
}

const isAbort = (error: Error) => error.name === 'AbortError'

const isMissingAtRename = (error: unknown): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'ENOENT' && syscall === 'rename'
}

/** Whether no process is writing a part. */
async function isAbandoned(path: string): Promise<boolean> {
  const file = await open(path, 'r+').catch(() => undefined)
  if (file === undefined) return false
  try {
    return tryLock(file.fd)
  } finally {
    await file.close() // and unlocks it
  }
}

const PREFIX = 'millbook-snapshots-'

/** Makes a folder that is removed with the service, and removes folders that killed services left behind. */
export function newSnapshotFolder(parent: string): { path: string; remove(): void } {
  for (const name of readdirSync(parent)) if (name.startsWith(PREFIX)) removeUnlessUsed(join(parent, name))
  const own = mkdtempSync(join(parent, PREFIX))
  const lock = openSync(join(own, 'lock'), 'a+', 0o600)
  tryLock(lock)
  const path = join(own, 'files')
  mkdirSync(path, { mode: 0o700 })
  return {
    path,
    remove: () => {
      closeSync(lock)
      rmSync(own, { recursive: true, force: true })
    },
  }
}

/** Skips folders of other users, and folders without a lock file, which are being made or removed. */
function removeUnlessUsed(folder: string): void {
  try {
    const lock = openSync(join(folder, 'lock'), 'r+')
    const free = tryLock(lock)
    closeSync(lock)
    if (free) rmSync(folder, { recursive: true, force: true })
  } catch {
    // not ours, or in use
  }
}

const inode = (path: string): Promise<number | undefined> =>
  stat(path).then(
    (found) => found.ino,
    () => undefined,
  )
