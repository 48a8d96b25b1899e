/** A folder on an SFTP server. The file of jobs must have the fingerprint of the server's key. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import SftpClient from 'ssh2-sftp-client'
import { MillbookError } from '../../errors.js'
import { number, optional, readSettings, text } from '../settings.js'
import type { TargetKind } from '../target.js'

const PATIENCE_MS = 20_000

export default {
  name: 'sftp',
  read(settings) {
    const found = readSettings('sftp', settings, {
      ...{ host: text, username: text, path: text, port: optional(number) },
      ...{ password: optional(text), key_file: optional(text), passphrase: optional(text), host_key: optional(text) },
    })
    const { host, port = 22, username, path, password, key_file, passphrase, host_key } = found
    if ((password === undefined) === (key_file === undefined))
      throw new MillbookError('sftp needs either password or key_file, not both')
    return {
      async deliver(parcel, signal) {
        signal.throwIfAborted()
        const client = new SftpClient('sftp', {}) // without callbacks, it prints events to stdout
        const folder = path.replace(/\/$/, '')
        const [part, whole] = [`${folder}/.${parcel.name}.part`, `${folder}/${parcel.name}`]
        let presented = ''
        const abort = () => void client.end().catch(() => {})
        signal.addEventListener('abort', abort)
        try {
          await client.connect({
            ...{ host, port, username, readyTimeout: PATIENCE_MS },
            ...(password !== undefined && { password }),
            ...(key_file !== undefined && { privateKey: keyIn(key_file) }),
            ...(passphrase !== undefined && { passphrase }),
            hostVerifier: (key: Buffer) => {
              presented = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
              return presented === host_key
            },
          })
          await client.fastPut(parcel.path, part)
          const { size } = await client.stat(part)
          if (size !== parcel.bytes) throw new Error(`${size} of ${parcel.bytes} bytes arrived`)
          // posixRename replaces a file of the same name atomically; not every server supports it.
          await client.posixRename(part, whole).catch(async () => {
            await client.delete(whole, true)
            await client.rename(part, whole)
          })
          return `sftp://${host}${whole.startsWith('/') ? '' : '/'}${whole}`
        } catch (error) {
          signal.throwIfAborted()
          if (presented !== '' && presented !== host_key)
            throw new MillbookError(
              host_key === undefined
                ? `sftp.host_key is missing: ${host} presented ${presented}; check that this is its key, then set sftp.host_key to it`
                : `${host} presented the key ${presented}, not the one in sftp.host_key: ask its administrator why before you change the setting`,
            )
          throw inSftpWords(error, { host, port, username, folder: folder || '/' })
        } finally {
          signal.removeEventListener('abort', abort)
          await client.end().catch(() => {})
        }
      },
    }
  },
} satisfies TargetKind

function keyIn(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new MillbookError(`sftp.key_file ${file} cannot be read: ${(error as Error).message}`)
  }
}

interface Place {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly folder: string
}

/** The status codes of SFTP (draft-ietf-secsh-filexfer-02, section 7) that a person must act on. */
const NO_SUCH_FILE = 2
const PERMISSION_DENIED = 3

/** An error as the server's side of it, then what to do. Only an error that may pass is not a MillbookError. */
function inSftpWords(error: unknown, { host, port, username, folder }: Place): Error {
  if (error instanceof MillbookError) return error
  const { code, message } = error as Error & { code?: string | number }
  const server = port === 22 ? host : `${host}:${port}`
  if (/Cannot parse privateKey|passphrase/i.test(message))
    return new MillbookError(`the key in sftp.key_file cannot be used: ${told(message)}; check sftp.passphrase`)
  if (/authentication methods failed/i.test(message))
    return new MillbookError(
      `${server} does not accept the login of ${username}; check sftp.username, and sftp.password or sftp.key_file`,
    )
  if (code === NO_SUCH_FILE)
    return new MillbookError(`${server} has no folder ${folder}; create it there, or change sftp.path`)
  if (code === PERMISSION_DENIED)
    return new MillbookError(
      `${username} may not write to ${folder} on ${server}; ask its administrator for the right, or change sftp.path`,
    )
  if (code === 'ENOTFOUND') return new Error(`the host ${host} is not known; check sftp.host`)
  if (code === 'ECONNREFUSED')
    return new Error(`${server} refused the connection; check sftp.host and sftp.port, and that the server runs`)
  if (/timed out/i.test(message) || code === 'ETIMEDOUT')
    return new Error(`${server} did not answer within ${PATIENCE_MS / 1000} s; check sftp.host and sftp.port`)
  return new Error(`writing to ${folder} on ${server} failed: ${told(message)}`)
}

/** The message without the names of functions and local files that the library adds. */
const told = (message: string): string => message.replace(/^(\w+(: |->))+/, '').replace(/ Local: .*/s, '')
