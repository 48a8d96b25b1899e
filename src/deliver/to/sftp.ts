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
        const client = new SftpClient()
        let presented = ''
        const abort = () => void client.end().catch(() => {})
        signal.addEventListener('abort', abort)
        try {
          await client.connect({
            ...{ host, port, username, readyTimeout: PATIENCE_MS },
            ...(password !== undefined && { password }),
            ...(key_file !== undefined && { privateKey: readFileSync(key_file) }),
            ...(passphrase !== undefined && { passphrase }),
            hostVerifier: (key: Buffer) => {
              presented = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
              return presented === host_key
            },
          })
          const folder = path.replace(/\/$/, '')
          const [part, whole] = [`${folder}/.${parcel.name}.part`, `${folder}/${parcel.name}`]
          await client.fastPut(parcel.path, part)
          const { size } = await client.stat(part)
          if (size !== parcel.bytes) throw new Error(`${size} of ${parcel.bytes} bytes arrived at ${host}`)
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
          throw error
        } finally {
          signal.removeEventListener('abort', abort)
          await client.end().catch(() => {})
        }
      },
    }
  },
} satisfies TargetKind
