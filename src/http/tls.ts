/** The certificate and key that the service is given: checked before use, and taken anew when the files change. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type Server } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { MillbookError } from '../errors.js'

/** Where they are. */
export interface TlsFiles {
  cert: string
  key: string
  lookEveryMs?: number
}

/** What is in them, as PEM. */
export interface Pair {
  cert: string
  key: string
}

export const TLS_OPTIONS = { minVersion: 'TLSv1.2' } as const

const LOOK_EVERY_MS = 2000

export const readPair = (files: TlsFiles): Pair => checked(files, inFiles(files))

const inFiles = (files: TlsFiles): Pair => ({
  cert: readText('--tls-cert', files.cert),
  key: readText('--tls-key', files.key),
})

function checked(files: TlsFiles, pair: Pair): Pair {
  const certificate = readCertificate(files.cert, pair.cert)
  if (!certificate.checkPrivateKey(readKey(files.key, pair.key)))
    throw new MillbookError(`--tls-key: ${files.key} is not the key of the first certificate in ${files.cert}`)
  try {
    createSecureContext({ ...TLS_OPTIONS, ...pair })
  } catch (error) {
    throw new MillbookError(`--tls-cert, --tls-key: TLS cannot use them: ${(error as Error).message}`)
  }
  return pair
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      { ENOENT: 'does not exist', EACCES: 'may not be read by this user', EISDIR: 'is a directory' }[code ?? ''] ??
      `cannot be read: ${message}`
    throw new MillbookError(`${flag}: ${file} ${why}`)
  }
}

function readCertificate(file: string, text: string): X509Certificate {
  try {
    if (!text.includes('-----BEGIN')) throw new Error('no PEM')
    return new X509Certificate(text)
  } catch {
    throw new MillbookError(`--tls-cert: ${file} holds no certificate as PEM (-----BEGIN CERTIFICATE-----)`)
  }
}

function readKey(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (error) {
    throw new MillbookError(
      (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
        ? `--tls-key: ${file} is encrypted; store the key without a passphrase, readable by this user only`
        : `--tls-key: ${file} holds no private key as PEM (-----BEGIN PRIVATE KEY-----)`,
    )
  }
}

/**
 * Looks at what the files hold, not at when they changed: that sees every way of renewing them, by writing, by renaming
 * and by turning a symbolic link. A new pair is taken once it has stayed the same between two looks, because one file is
 * replaced after the other; new connections get it, and those that are open stay.
 */
export function keepPairFresh(app: FastifyInstance, files: TlsFiles, inUse: Pair): void {
  tellOf(app, inUse, 'TLS is on')
  let settled = JSON.stringify(inUse)
  let before = settled
  const timer = setInterval(() => {
    const found = attempt(() => inFiles(files))
    const seen = JSON.stringify(found instanceof Error ? found.message : found)
    const stays = seen === before
    before = seen
    if (!stays || seen === settled) return
    settled = seen
    const pair = found instanceof Error ? found : attempt(() => checked(files, found))
    if (pair instanceof Error) {
      app.log.error({ reason: pair.message }, 'the new TLS certificate is no good: the one in use is kept')
      return
    }
    ;(app.server as unknown as Server).setSecureContext({ ...TLS_OPTIONS, ...pair })
    tellOf(app, pair, 'the new TLS certificate is in use')
  }, files.lookEveryMs ?? LOOK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    return error as Error
  }
}

function tellOf(app: FastifyInstance, { cert }: Pair, text: string): void {
  const { subject, validTo } = new X509Certificate(cert)
  if (Date.parse(validTo) < Date.now()) app.log.warn({ subject, validTo }, `${text}, but the certificate has expired`)
  else app.log.info({ subject, validTo }, text)
}
