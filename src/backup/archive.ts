/**
 * The file of a backup: its lines, compressed by gzip and, if a key is given, encrypted in the format of age
 * (https://age-encryption.org), so that `age` and `gunzip` open it without Millbook.
 */
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
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
const GZIP = Buffer.from([0x1f, 0x8b])

/** Writes a file that appears whole or not at all, or to stdout for `-`. */
export async function writeArchive(path: string, backup: AsyncIterable<Buffer>, keys: Keys): Promise<void> {
  const gzip = createGzip({ level: 6, chunkSize: 1 << 16 })
  if (path === '-') return await pipeline(backup, gzip, encrypter(keys), process.stdout, { end: false })
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await pipeline(backup, gzip, encrypter(keys), createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }))
    await rename(part, path)
    const folder = await open(dirname(path) || '.', 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(part, { force: true })
    const { path: named, message } = error as NodeJS.ErrnoException
    throw named === undefined ? error : new MillbookError(`cannot write ${path}: ${message}; name another file`)
  }
}

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
    if (passphrase !== undefined) encrypt.setPassphrase(passphrase)
    const encrypted = await encrypt.encrypt(toWeb(pieces))
    for await (const piece of encrypted as unknown as AsyncIterable<Uint8Array>) yield Buffer.from(piece)
  }
}

/** The same as `readArchive`, but fails at once if the file cannot be read, decrypted or decompressed from its beginning. */
export async function openArchive(path: string, keys: Keys): Promise<AsyncIterable<Buffer>> {
  const pieces = readArchive(path, keys)
  const first = await pieces.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* pieces
  })()
}

/** The lines of a file, or of stdin for `-`, decrypted and decompressed. */
export async function* readArchive(path: string, keys: Keys): AsyncGenerator<Buffer> {
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
  const plain = head.subarray(0, AGE.length).equals(AGE) ? decrypt(all, keys) : all
  yield* decompress(plain)
}

async function* decrypt(pieces: AsyncIterable<Buffer>, { identities = [], passphrase }: Keys): AsyncGenerator<Buffer> {
  if (identities.length === 0 && passphrase === undefined)
    throw new MillbookError(
      'the backup is encrypted: name the file with its key by --identity, or set MILLBOOK_BACKUP_PASSPHRASE',
    )
  const { Decrypter } = await import('age-encryption')
  const decrypt = new Decrypter()
  for (const identity of identities) decrypt.addIdentity(identity)
  if (passphrase !== undefined) decrypt.addPassphrase(passphrase)
  let opened: ReadableStream<Uint8Array>
  try {
    opened = (await decrypt.decrypt(toWeb(pieces))) as unknown as ReadableStream<Uint8Array>
  } catch {
    throw new MillbookError('the backup cannot be decrypted with this key: it was made with another one')
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
