/** The forms of a database URL that operators use. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../src/db/client.js'
import { readServerUrl } from '../../src/db/url.js'
import { makePair } from '../setup/certificate.js'

afterEach(() => vi.unstubAllEnvs())

it('a URL has user, password, host, port and name, with escaped characters', () => {
  const { options, description } = readServerUrl('postgres://mill%40web:p%2F%3A%40@db.example:6432/my%20books')
  expect(options).toMatchObject({
    ...{ user: 'mill@web', password: 'p/:@', host: 'db.example', port: 6432, database: 'my books', ssl: false },
  })
  expect(description).toBe('PostgreSQL database my books on db.example:6432')
})

it('missing parts come from the environment variables of psql', () => {
  for (const [name, value] of Object.entries({
    PGHOST: '/run/pg',
    PGPORT: '5433',
    PGUSER: 'mill',
    PGPASSWORD: 'secret',
  }))
    vi.stubEnv(name, value)
  expect(readServerUrl('postgresql:///').options).toMatchObject({
    ...{ host: '/run/pg', port: 5433, user: 'mill', password: 'secret', database: 'mill' },
  })
})

it('a host may be an address in brackets or the folder of a Unix socket', () => {
  expect(readServerUrl('postgres://u@[::1]:5432/books').options.host).toBe('::1')
  expect(readServerUrl('postgres://u@%2Frun%2Fpostgresql/books').options.host).toBe('/run/postgresql')
  expect(readServerUrl('postgres://u@localhost/books?host=/run/postgresql').options.host).toBe('/run/postgresql')
})

it.each([
  ['', false, false],
  ['?sslmode=disable', false, false],
  ['?sslmode=prefer', { rejectUnauthorized: false }, true],
  ['?sslmode=require', { rejectUnauthorized: false }, false],
  ['?sslmode=verify-ca', true, false],
  ['?sslmode=verify-full', true, false],
  ['?sslmode=a-typing-mistake', true, false],
  ['?sslrootcert=system', true, false],
])('TLS for %j', (params, ssl, plainIfNoTls) => {
  const server = readServerUrl(`postgres://u@db.example/books${params}`)
  expect([server.options.ssl, server.plainIfNoTls]).toEqual([ssl, plainIfNoTls])
})

it.each([
  ['verify-full', 'supports TLS', false],
  ['require', 'supports TLS', true],
  ['verify-full', 'refuses TLS', false],
  ['require', 'refuses TLS', false],
])('sslmode=%s and a server that %s, with a self-signed certificate', async (mode, kind, trusted) => {
  const [tls, pair] = [kind === 'supports TLS', makePair('database')]
  let got = ''
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(tls ? 'S' : 'N')
      const next = tls ? new TLSSocket(socket, { isServer: true, ...pair }) : socket
      next.on('error', () => {})
      next.on('data', (bytes) => {
        got += bytes.toString('latin1')
        socket.destroy()
      })
    })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { options } = readServerUrl(`postgres://mill:s3cret@127.0.0.1:${port}/books?sslmode=${mode}`)
  await expect(Client.open({ ...options, connectTimeoutMs: 10_000 })).rejects.toThrow()
  expect(got.includes('mill'), 'the server received the user name').toBe(trusted)
})

it('other parameters are settings of the session', () => {
  const { startup } = readServerUrl(
    'postgres://u@h/d?sslmode=require&statement_timeout=5000&options=-c%20jit%3Don',
  ).options
  expect(startup).toEqual({ statement_timeout: '5000', options: '-c jit=on' })
})

it('the error for a wrong URL does not repeat the URL', () => {
  const form = 'the database URL is not of the form postgres://user:password@host:5432/name'
  for (const url of [
    'mysql://u:secret@h/d',
    'u:secret@h',
    'postgres://u:secret@h:port/d',
    'postgres://u:secret%@h/d',
    '',
  ])
    expect(() => readServerUrl(url)).toThrow(form)
  expect(() => readServerUrl('postgres://u:secret@one,two/d')).toThrow('names several hosts: name one')
})
