/** Errors of an SFTP server, as a person reads them: the server, the folder, and what to do. */
import { createHash, generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import ssh2, { type Connection } from 'ssh2'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import sftp from '../../src/deliver/to/sftp.js'
import { MillbookError } from '../../src/errors.js'
import { folderOf } from '../setup/files.js'

const { Server, utils } = ssh2
const { STATUS_CODE } = utils.sftp
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
let hostKey: string
beforeAll(() => {
  const parsed = utils.parseKey(privateKey)
  if (parsed instanceof Error) throw parsed
  hostKey = `SHA256:${createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')}`
})

/** A server that knows one password and answers every attempt to open a file with this status. */
async function serve(status: number): Promise<number> {
  const server = new Server({ hostKeys: [privateKey] }, (connection: Connection) => {
    connection.on('error', () => {})
    connection.on('authentication', (attempt) =>
      attempt.method === 'password' && attempt.password === 'right' ? attempt.accept() : attempt.reject(['password']),
    )
    connection.on('ready', () =>
      connection.on('session', (accept) =>
        accept().on('sftp', (accept) => {
          const stream = accept()
          stream.on('OPEN', (request) => stream.status(request, status))
        }),
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function failureOf(port: number, more: Record<string, unknown> = {}): Promise<Error> {
  const path = join(folderOf({ 'stock.parcel': 'sku\r\n' }), 'stock.parcel')
  const settings = { host: '127.0.0.1', port, username: 'mills', password: 'right', path: '/in', host_key: hostKey }
  const target = sftp.read({ ...settings, ...more })
  const parcel = {
    ...{ run: 'stock', job: 'stock', report: 'masters.material', parameters: {}, path, name: 'stock.csv' },
    ...{ contentType: 'text/csv', bytes: 5, sha256: '', records: 1, version: '1', changes: false },
  }
  return await target.deliver(parcel, new AbortController().signal).then(
    () => Promise.reject(new Error('it was delivered')),
    (error) => error,
  )
}

it.each([
  [STATUS_CODE.NO_SUCH_FILE, /^127\.0\.0\.1:\d+ has no folder \/in; create it there, or change sftp\.path$/],
  [STATUS_CODE.PERMISSION_DENIED, /^mills may not write to \/in on 127\.0\.0\.1:\d+; ask its administrator/],
])('status %i needs a person', async (status, message) => {
  const error = await failureOf(await serve(status))
  expect(error.message).toMatch(message)
  expect(error).toBeInstanceOf(MillbookError)
})

it('another failure of the server may pass, so it is tried again', async () => {
  const error = await failureOf(await serve(STATUS_CODE.FAILURE))
  expect(error.message).toMatch(/^writing to \/in on 127\.0\.0\.1:\d+ failed: Failure$/)
  expect(error).not.toBeInstanceOf(MillbookError)
})

it('a refused login names the settings to check', async () => {
  const error = await failureOf(await serve(STATUS_CODE.OK), { password: 'wrong' })
  expect(error.message).toMatch(/^127\.0\.0\.1:\d+ does not accept the login of mills; check sftp\.username, and/)
  expect(error).toBeInstanceOf(MillbookError)
})

it('a host that refuses the connection is named, not the database', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const { message } = await failureOf(port)
  expect(message).toBe(
    `127.0.0.1:${port} refused the connection; check sftp.host and sftp.port, and that the server runs`,
  )
})

it('a key file that is missing or no key is named', async () => {
  const gone = await failureOf(1, { password: undefined, key_file: '/nowhere/key' })
  expect(gone.message).toMatch(/^sftp\.key_file \/nowhere\/key cannot be read: ENOENT/)
  const file = join(folderOf({ key: 'not a key' }), 'key')
  const wrong = await failureOf(await serve(STATUS_CODE.OK), { password: undefined, key_file: file })
  expect(wrong.message).toMatch(/^the key in sftp\.key_file cannot be used: .*; check sftp\.passphrase$/)
})
