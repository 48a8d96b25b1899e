/**
 * Files that are made once and read many times, by all processes of one machine: the records of a report, with the place of
 * each, and whatever is made from them. A file appears whole or not at all, and is never changed.
 */
import { closeSync, createReadStream, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock, unlock } from 'fs-native-extensions'

export interface Limits {
  /** Of all files together; the newest may be larger than that. */
  bytes: number
  /** After this long without use a file goes. */
  ageMs: number
}

export const LIMITS: Limits = { bytes: 2 * 2 ** 30, ageMs: 3_600_000 }
const LOCK_AGAIN_MS = 15
const TOUCH_AGAIN_MS = 10_000
const TIDY_AGAIN_MS = 5000
const PART = '.part'
/** What the system says of a disk without room. */
const FULL = new Set<string | undefined>(['ENOSPC', 'EDQUOT'])

export class SnapshotFolder {
  readonly #folder: string
  readonly #limits: Limits
  /** What this process is making or waiting for: one asking for all. */
  readonly #making = new Map<string, Promise<void>>()
  readonly #touched = new Map<string, number>()
  /** When it was last looked at what there is, and what this process has added since. */
  #tidied = 0
  #added = 0
  #tidying: Promise<unknown> | undefined

  constructor(folder: string, limits: Limits = LIMITS) {
    this.#folder = folder
    this.#limits = limits
  }

  path(name: string): string {
    return join(this.#folder, name)
  }

  /** Whether there is such a file; it counts as used. */
  async has(name: string): Promise<boolean> {
    const now = Date.now()
    try {
      if (now - (this.#touched.get(name) ?? 0) < TOUCH_AGAIN_MS) await stat(this.path(name))
      else {
        await utimes(this.path(name), now / 1000, now / 1000)
        this.#touched.set(name, now)
      }
      return true
    } catch {
      this.#touched.delete(name)
      return false
    }
  }

  /** Makes a file unless it is there: one process of all does, and the others wait for it. */
  async make(name: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    const running = this.#making.get(name)
    if (running === undefined) return await this.#start(name, write, true)
    await running
    if (!(await this.has(name))) await this.make(name, write)
  }

  /** The same, but where another is at it already, leaves it to that one. */
  async makeIfFree(name: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    if (!this.#making.has(name)) await this.#start(name, write, false)
  }

  #start(name: string, write: (file: FileHandle) => Promise<void>, waits: boolean): Promise<void> {
    const running = this.#makeAlone(name, write, waits).finally(() => this.#making.delete(name))
    this.#making.set(name, running)
    return running
  }

  async #makeAlone(name: string, write: (file: FileHandle) => Promise<void>, waits: boolean): Promise<void> {
    const path = this.path(name)
    const part = path + PART
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    while (!(await this.has(name))) {
      const file = await open(part, 'a+', 0o600)
      try {
        // The system lets go of the lock when its process is gone, however it went.
        if (!tryLock(file.fd)) {
          if (!waits) return
          await sleep(LOCK_AGAIN_MS)
          continue
        }
        // Whoever had it before may have finished it, or given up: then this is not the file of that name any more.
        if ((await inode(part)) !== (await file.stat()).ino) continue
        // Or it was finished just before this one was opened.
        if (await this.has(name)) {
          await rm(part, { force: true })
          continue
        }
        await file.truncate(0)
        try {
          await write(file)
          await rename(part, path)
        } catch (error) {
          await rm(part, { force: true })
          // A disk may be smaller than the limit: what was kept makes room for what is wanted now.
          if (FULL.has((error as NodeJS.ErrnoException).code) && (await this.#tidy(name, 0))) continue
          throw error
        } finally {
          unlock(file.fd)
        }
      } finally {
        await file.close()
      }
      const { size } = await stat(path).catch(() => ({ size: 0 }))
      this.#added += size
      const due = Date.now() - this.#tidied > TIDY_AGAIN_MS || this.#added > this.#limits.bytes / 16
      // No one waits for it, and what fails is tried again soon.
      if (due) this.#tidying = this.#tidy(name).catch(() => {})
    }
  }

  /** Removes what is old, and what was used longest ago where there is too much; says whether there was anything. */
  async #tidy(newest: string, limit = this.#limits.bytes): Promise<boolean> {
    const now = Date.now()
    this.#tidied = now
    this.#added = 0
    for (const [name, at] of this.#touched) if (now - at >= TOUCH_AGAIN_MS) this.#touched.delete(name)
    const files: { name: string; bytes: number; used: number }[] = []
    for (const name of await readdir(this.#folder)) {
      const found = await stat(this.path(name)).catch(() => undefined)
      const left = name.endsWith(PART) && now - (found?.mtimeMs ?? 0) < this.#limits.ageMs // being made
      if (found !== undefined && !left) files.push({ name, bytes: found.size, used: found.mtimeMs })
    }
    files.sort((a, b) => b.used - a.used)
    let kept = files.find(({ name }) => name === newest)?.bytes ?? 0
    let removed = false
    for (const { name, bytes, used } of files) {
      if (name === newest || newest.startsWith(`${name}.`)) continue // that, and what it is made from
      kept += bytes
      if (kept <= limit && now - used <= this.#limits.ageMs) continue
      kept -= bytes
      this.#touched.delete(name)
      await rm(this.path(name), { force: true }) // who reads it goes on reading
      removed = true
    }
    return removed
  }

  /** Returns when nothing is made any more, nor tidied up. */
  async finished(): Promise<void> {
    await Promise.allSettled(this.#making.values())
    await this.#tidying
  }
}

const PREFIX = 'millbook-snapshots-'

/** A folder for the files of one service, which goes with it; those that killed services left go now. */
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

/** Another user's cannot be opened, and one without a lock is being made or removed. */
function removeUnlessUsed(folder: string): void {
  try {
    const lock = openSync(join(folder, 'lock'), 'r+')
    const free = tryLock(lock)
    closeSync(lock)
    if (free) rmSync(folder, { recursive: true, force: true })
  } catch {
    // not ours to remove
  }
}

const inode = (path: string): Promise<number | undefined> =>
  stat(path).then(
    (found) => found.ino,
    () => undefined,
  )

/**
 * A file of records: their texts, joined by commas; where each begins; and a foot of three numbers: the bytes of the texts,
 * how many records there are here, and how many the report has.
 */
const NUMBER_BYTES = 8
const FOOT_BYTES = 3 * NUMBER_BYTES

/** Writes records as they come, in bounded memory but for eight bytes of each. */
export async function writeRecords(
  file: FileHandle,
  runs: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
  totalOf: (count: number) => number = (count) => count,
): Promise<void> {
  const places: Buffer[] = []
  let count = 0
  let at = 0
  for await (const records of runs) {
    if (records.length === 0) continue
    const begins = Buffer.allocUnsafe(records.length * NUMBER_BYTES)
    const pieces: Buffer[] = []
    for (const [i, record] of records.entries()) {
      if (at > 0) {
        pieces.push(COMMA)
        at += COMMA.length
      }
      begins.writeDoubleLE(at, i * NUMBER_BYTES)
      at += record.length
      pieces.push(record)
    }
    places.push(begins)
    count += records.length
    await writeAll(file, Buffer.concat(pieces))
  }
  const end = Buffer.alloc(FOOT_BYTES)
  ;[at, count, totalOf(count)].forEach((number, i) => {
    end.writeDoubleLE(number, i * NUMBER_BYTES)
  })
  await writeAll(file, Buffer.concat([...places, end]))
}

const COMMA = Buffer.from(',')

export async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
}

export interface Slice {
  /** The records' texts, joined by commas. */
  bytes: Buffer
  /** Of all records of the report. */
  total: number
}

/** Some records of a file, from the given one on (from 0); undefined where there is no such file any more. */
export async function readRecords(path: string, first: number, some: number): Promise<Slice | undefined> {
  const file = await opened(path)
  if (file === undefined) return undefined
  try {
    const { rowsBytes, count, total, place } = await foot(file)
    if (first >= count) return { bytes: Buffer.alloc(0), total }
    const last = Math.min(count, first + some)
    const from = await place(first)
    const to = last === count ? rowsBytes : (await place(last)) - 1
    return { bytes: await readAt(file, from, to - from), total }
  } finally {
    await file.close()
  }
}

/** How many bytes all records have together; undefined where there is no such file any more. */
export async function recordsBytes(path: string): Promise<number | undefined> {
  const file = await opened(path)
  if (file === undefined) return undefined
  try {
    return (await foot(file)).rowsBytes
  } finally {
    await file.close()
  }
}

/** All records, joined by commas, as a stream; of a file that has some. */
export async function* streamRecords(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  const { rowsBytes } = await foot(file)
  yield* createReadStream('', { fd: file, start: 0, end: rowsBytes - 1, highWaterMark: 1 << 18 }) // closes the file
}

const opened = (path: string): Promise<FileHandle | undefined> =>
  open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done)
    if (bytesRead === 0) throw new Error('a snapshot is shorter than it says')
    done += bytesRead
  }
  return bytes
}

async function foot(file: FileHandle) {
  const { size } = await file.stat()
  const end = await readAt(file, size - FOOT_BYTES, FOOT_BYTES)
  const rowsBytes = end.readDoubleLE(0)
  return {
    rowsBytes,
    count: end.readDoubleLE(NUMBER_BYTES),
    total: end.readDoubleLE(2 * NUMBER_BYTES),
    place: async (n: number) => (await readAt(file, rowsBytes + n * NUMBER_BYTES, NUMBER_BYTES)).readDoubleLE(0),
  }
}
