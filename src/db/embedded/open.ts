/**
 * Opens the embedded database of a data directory: as its owner, or through the socket of the process that owns it.
 *
 * Two engines on one directory lose committed rows without any error. The owner therefore holds a lock on the file
 * `lock` that the operating system releases when the process ends, however it ends; nothing stale can stay behind.
 */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { createConnection } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { tryLock, unlock } from 'fs-native-extensions'
import { MillbookError } from '../../errors.js'
import { privateFolder } from './permissions.js'

export interface Opened {
  socket: string
  description: string
  /** Another process runs the engine. */
  through: boolean
  died: Promise<Error>
  /** If another process runs the engine: resolves when that process has ended. */
  ownerEnds?(): Promise<void>
  close(): Promise<void>
}

interface Owner {
  pid: number
  host: string
  since: string
  socket: string
}

/** How long to wait for another process to open the database, or to finish a long statement. */
const OWNER_WAIT_MS = 60_000
/** How often a service that uses another process's engine checks that this process still runs. */
const LOOK_FOR_OWNER_MS = 1000
/** The shortest request that every PostgreSQL server answers: whether it supports TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
/** Unix limits a socket's path to about 104 bytes. */
const LONGEST_SOCKET_PATH = 100

// The same from src/ and from dist/: a worker thread needs the compiled file.
const WORKER = new URL('../../../dist/db/embedded/worker.js', import.meta.url)

export async function openEmbedded(dataDirectory: string, waitMs = OWNER_WAIT_MS): Promise<Opened> {
  const directory = resolve(dataDirectory)
  const lockFile = join(directory, 'lock')
  prepare(directory)
  const fd = openSync(lockFile, 'a+', 0o600)
  const started = Date.now()
  let reported = false
  const deadline = Date.now() + waitMs
  while (true) {
    if (tryLock(fd)) return await own(directory, fd)
    const owner = readOwner(lockFile)
    if (owner !== undefined && (await answers(owner.socket, deadline - Date.now()))) {
      closeSync(fd)
      return {
        socket: owner.socket,
        description: `embedded database in ${directory}, run by process ${owner.pid}`,
        through: true,
        died: new Promise(() => {}),
        ownerEnds: () => ownerEnds(lockFile),
        close: async () => {},
      }
    }
    if (Date.now() > deadline || (owner !== undefined && owner.host !== hostname())) {
      closeSync(fd)
      throw new MillbookError(
        `the data directory ${directory} is in use by ${
          owner ? `process ${owner.pid} on ${owner.host} since ${owner.since}` : 'another process'
        }, which does not answer on its socket; stop it first, or use another directory`,
      )
    }
    if (!reported && Date.now() - started > 2000) {
      reported = true
      process.stderr.write(
        `waiting for ${owner ? `process ${owner.pid}` : 'another process'}, which uses ${directory}\n`,
      )
    }
    await sleep(50)
  }
}

/** Resolves when no process holds the lock any more, or the directory is gone. */
async function ownerEnds(lockFile: string): Promise<void> {
  for (let ended = false; !ended; ) {
    await sleep(LOOK_FOR_OWNER_MS, undefined, { ref: false })
    ended = !existsSync(lockFile) || isFree(lockFile)
  }
}

function isFree(lockFile: string): boolean {
  const fd = openSync(lockFile, 'a+', 0o600)
  try {
    return tryLock(fd)
  } finally {
    closeSync(fd) // and unlocks it
  }
}

/** Creates the directory and its folders. Refuses a directory that contains other files. */
function prepare(directory: string): void {
  try {
    makeFolder(directory)
    refuseOthersFiles(directory)
    for (const name of ['database', 'run']) privateFolder(join(directory, name))
    closeSync(openSync(join(directory, 'lock'), 'a+', 0o600))
  } catch (error) {
    throw new MillbookError(`cannot use the data directory ${directory}: ${(error as Error).message}`)
  }
}

/** A recursive mkdirSync never returns in /proc, which reports a missing parent for every new folder. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // another process has just made it
  }
}

function refuseOthersFiles(directory: string): void {
  const names = readdirSync(directory).filter((name) => name !== 'lost+found')
  if (names.length > 0 && !names.includes('database'))
    throw new Error('it holds other files; name a new or an empty directory')
}

async function own(directory: string, fd: number): Promise<Opened> {
  const inDirectory = join(directory, 'run', 'millbook.sock')
  const fits = Buffer.byteLength(inDirectory) <= LONGEST_SOCKET_PATH
  const socket = fits ? inDirectory : join(mkdtempSync(join(tmpdir(), 'millbook-')), 'millbook.sock')
  rmSync(socket, { force: true })
  const owner: Owner = { pid: process.pid, host: hostname(), since: new Date().toISOString(), socket }
  ftruncateSync(fd)
  writeSync(fd, JSON.stringify(owner))

  const worker = new Worker(WORKER, { workerData: { directory: join(directory, 'database'), socket } })
  const unlockDirectory = () => {
    if (!fits) rmSync(dirname(socket), { recursive: true, force: true })
    ftruncateSync(fd)
    unlock(fd)
    closeSync(fd)
  }
  const ended = new Promise<Error>((end) => {
    worker.once('error', end)
    worker.once('exit', (code) => end(new Error(`the embedded database stopped with code ${code}`)))
  })
  const first = await Promise.race([new Promise<'ready'>((ready) => worker.once('message', ready)), ended])
  if (first !== 'ready') {
    unlockDirectory()
    throw new MillbookError(`cannot open the embedded database in ${directory}: ${first.message}`)
  }
  let closing = false
  return {
    socket,
    description: `embedded database in ${directory}`,
    through: false,
    died: new Promise((died) => {
      void ended.then((error) => {
        if (!closing) died(error)
      })
    }),
    close: async () => {
      closing = true
      worker.postMessage('close')
      await ended
      unlockDirectory()
    },
  }
}

/** Waits for a lock on a file; the operating system releases it when this process ends. */
export async function lockFile(directory: string, name: string, onWait: () => void): Promise<() => Promise<void>> {
  prepare(directory)
  const fd = openSync(join(directory, 'run', name), 'a+', 0o600)
  for (let tries = 0; !tryLock(fd); tries++) {
    if (tries === 0) onWait()
    await sleep(100)
  }
  return async () => {
    unlock(fd)
    closeSync(fd)
  }
}

function readOwner(lockFile: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')) as Owner
  } catch {
    return undefined // the owner is about to write it
  }
}

/** Whether a PostgreSQL server responds on the socket; an accepted connection alone does not prove it. */
function answers(socket: string, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(socket, () => probe.write(SSL_REQUEST))
    const end = (answered: boolean) => {
      probe.destroy()
      resolve(answered)
    }
    probe.setTimeout(Math.max(1, withinMs), () => end(false))
    probe.once('data', () => end(true))
    probe.once('close', () => end(false))
    probe.once('error', () => end(false))
  })
}
