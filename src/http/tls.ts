/** Reads and checks the TLS certificate and key, and reloads them when their files change. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type Server } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { MillbookError } from '../errors.js'

/** Paths of the PEM files. */
export interface TlsFiles {
  cert: string
  key: string
  pollMs?: number
}

/** Certificate and key as PEM. */
export interface Pair {
  cert: string
  key: string
}

export const TLS_OPTIONS = { minVersion: 'TLSv1.2' } as const

const POLL_MS = 2000

export const readPair = (files: TlsFiles): Pair => checked(files, readFiles(files))

const readFiles = (files: TlsFiles): Pair => ({
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
    throw new MillbookError(`--tls-cert, --tls-key: TLS does not accept them: ${(error as Error).message}`)
  }
  return pair
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      { ENOENT: 'does not exist', EACCES: 'is not readable by this user', EISDIR: 'is a directory' }[code ?? ''] ??
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
 * Compares contents instead of modification times, which notices every way of renewal: write, rename and symbolic link.
 * Takes a new pair once it is the same in two polls, because the files are replaced one after the other. Open connections
 * keep the old pair.
 */
export function reloadOnChange(app: FastifyInstance, files: TlsFiles, inUse: Pair): void {
  logCertificate(app, inUse, 'TLS is on')
  let handled = JSON.stringify(inUse)
  let previous = handled
  const timer = setInterval(() => {
    const read = attempt(() => readFiles(files))
    const current = JSON.stringify(read instanceof Error ? read.message : read)
    const stable = current === previous
    previous = current
    if (!stable || current === handled) return
    handled = current
    const pair = read instanceof Error ? read : attempt(() => checked(files, read))
    if (pair instanceof Error) {
      app.log.error({ reason: pair.message }, 'the new TLS certificate is invalid; the old one stays in use')
      return
    }
    ;(app.server as unknown as Server).setSecureContext({ ...TLS_OPTIONS, ...pair })
    logCertificate(app, pair, 'the new TLS certificate is in use')
  }, files.pollMs ?? POLL_MS)
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

function logCertificate(app: FastifyInstance, { cert }: Pair, text: string): void {
  const { subject, validTo } = new X509Certificate(cert)
  if (Date.parse(validTo) < Date.now()) app.log.warn({ subject, validTo }, `${text}, but the certificate has expired`)
  else app.log.info({ subject, validTo }, text)
}
