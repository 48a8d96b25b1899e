/**
 * The file of a backup: its lines, compressed by gzip and, if a key is given, encrypted in the format of age
 * (https://age-encryption.org), so that `age` and `gunzip` open it without Millbook.
 */
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createGunzip, createGzip } from 'node:zlib'
import { MillbookError } from '../errors.js'

export interface Keys {
  /** Public keys (`age1…`), each of which can decrypt it. */
  readonly recipients?: readonly string[]
  /** Private keys (`AGE-SECRET-KEY-1…`). */
  readonly identities?: readonly string[]
  readonly passphrase?: string | undefined
}

const AGE = Buffer.from('age-encryption.org/')
/** Marks the header of a file that is encrypted with a passphrase. */
const BY_PASSPHRASE = '\n-> scrypt '
const GZIP = Buffer.from([0x1f, 0x8b])

/** Throws unless a backup may be written there. */
export function checkTarget(path: string, replace: boolean): void {
  const there = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false })
  if (there === undefined) return
  if (!there.isFile())
    throw new MillbookError(`cannot write ${path}: it is not a regular file; name another one, or - for stdout`)
  if (!replace) throw new MillbookError(`${path} exists: name another file, or give --force to replace it`)
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Writes a file that appears whole or not at all, or to stdout for `-`. */
export async function writeBackupFile(path: string, backup: AsyncIterable<Buffer>, keys: Keys): Promise<void> {
  const gzip = createGzip({ level: 6, chunkSize: 1 << 16 })
  if (path === '-')
    return await pipeline(backup, gzip, encrypter(keys), process.stdout, { end: false }).catch((error) => {
      throw isOfFile(error) ? new MillbookError(`cannot write the backup to stdout: ${inWords(error)}`) : error
    })
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  const giveUp = (signal: NodeJS.Signals) => {
    rmSync(part, { force: true })
    for (const name of SIGNALS) process.off(name, giveUp)
    process.kill(process.pid, signal) // ends the process as if there were no listener
  }
  for (const name of SIGNALS) process.on(name, giveUp)
  try {
    await pipeline(backup, gzip, encrypter(keys), createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }))
    await rename(part, path)
    const folder = await open(dirname(path) || '.', 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(part, { force: true })
    throw isOfFile(error) ? new MillbookError(`cannot write ${path}: ${inWords(error)}`) : error
  } finally {
    for (const name of SIGNALS) process.off(name, giveUp)
  }
}

/** Error codes of a file that cannot be written, each with a sentence. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space, or name a file on another disk',
  EDQUOT: "this user's disk quota is used up; free some space, or name a file on another disk",
  EFBIG: 'it is larger than this disk allows; name a file on another disk',
  EPIPE: 'the program that reads stdout has ended',
  EACCES: 'this user may not write there; name another file',
  EPERM: 'this user may not write there; name another file',
  EROFS: 'the disk is read-only; name a file on another disk',
  ENOENT: 'there is no such folder; create it, or name another file',
  ENOTDIR: 'there is no such folder; create it, or name another file',
  EIO: 'the disk reported a failure; name a file on another disk',
}
/** Not errors of a socket: the embedded database has one. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return code in WORDS && syscall !== 'connect'
}
const inWords = ({ code = '' }: NodeJS.ErrnoException): string => WORDS[code] as string

/** Passes bytes on, encrypted if there is a key. */
function encrypter({ recipients = [], passphrase }: Keys) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    if (recipients.length === 0 && passphrase === undefined) {
      yield* pieces
      return
    }
    const { Encrypter } = await import('age-encryption')
    const encrypt = new Encrypter()
    try {
      for (const recipient of recipients) encrypt.addRecipient(recipient)
    } catch {
      throw new MillbookError('--recipient is not a public key of age; age-keygen prints one, which begins with age1')
    }
    if (passphrase !== undefined && recipients.length === 0) encrypt.setPassphrase(passphrase)
    const encrypted = await encrypt.encrypt(toWeb(pieces))
    for await (const piece of encrypted as unknown as AsyncIterable<Uint8Array>) yield Buffer.from(piece)
  }
}

/** The same as `readBackupFile`, but fails at once if the file cannot be read, decrypted or decompressed from its beginning. */
export async function openBackupFile(path: string, keys: Keys): Promise<AsyncIterable<Buffer>> {
  const pieces = readBackupFile(path, keys)
  const first = await pieces.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* pieces
  })()
}

/** The lines of a file, or of stdin for `-`, decrypted and decompressed. */
export async function* readBackupFile(path: string, keys: Keys): AsyncGenerator<Buffer> {
  const source: AsyncIterable<Buffer> = path === '-' ? process.stdin : createReadStream(path)
  const pieces = source[Symbol.asyncIterator]()
  const first = await pieces.next().catch((error: NodeJS.ErrnoException) => {
    throw new MillbookError(`cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`)
  })
  const head = first.done ? Buffer.alloc(0) : first.value
  const all = (async function* () {
    yield head
    for (;;) {
      const { value, done } = await pieces.next()
      if (done) return
      yield value
    }
  })()
  const plain = head.subarray(0, AGE.length).equals(AGE) ? decrypt(all, keys, head.includes(BY_PASSPHRASE)) : all
  yield* decompress(plain)
}

async function* decrypt(
  pieces: AsyncIterable<Buffer>,
  { identities = [], passphrase }: Keys,
  byPassphrase: boolean,
): AsyncGenerator<Buffer> {
  if (byPassphrase && passphrase === undefined)
    throw new MillbookError('the backup is encrypted with a passphrase: set MILLBOOK_BACKUP_PASSPHRASE')
  if (!byPassphrase && identities.length === 0)
    throw new MillbookError('the backup is encrypted for a key: name the file of the private key with --identity')
  const { Decrypter } = await import('age-encryption')
  const decrypt = new Decrypter()
  if (byPassphrase) decrypt.addPassphrase(passphrase as string)
  else for (const identity of identities) decrypt.addIdentity(identity)
  let opened: ReadableStream<Uint8Array>
  try {
    opened = (await decrypt.decrypt(toWeb(pieces))) as unknown as ReadableStream<Uint8Array>
  } catch {
    throw new MillbookError(
      `the backup cannot be decrypted with this ${byPassphrase ? 'passphrase' : 'key'}: it was made with another one`,
    )
  }
  try {
    for await (const piece of opened) yield Buffer.from(piece)
  } catch {
    throw new MillbookError('the backup is damaged: it cannot be decrypted to its end. Nothing was restored')
  }
}

async function* decompress(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip: Transform = createGunzip({ chunkSize: 1 << 18 })
  let first = true
  const checked = (async function* () {
    for await (const piece of pieces) {
      if (first && !piece.subarray(0, 2).equals(GZIP)) throw new MillbookError('this is not a backup of Millbook')
      first = false
      yield piece
    }
  })()
  const fed = pipeline(checked, gunzip)
  fed.catch(() => {}) // the loop below gets the error
  try {
    for await (const piece of gunzip) yield piece as Buffer
    await fed
  } catch (error) {
    await fed.catch((cause) => {
      if (cause instanceof MillbookError) throw cause
    })
    throw new MillbookError(
      `the backup is damaged: it cannot be decompressed to its end (${(error as Error).message}). Nothing was restored`,
    )
  }
}

const toWeb = (pieces: AsyncIterable<Buffer>) =>
  Readable.toWeb(Readable.from(pieces, { objectMode: false })) as unknown as globalThis.ReadableStream<Uint8Array>
