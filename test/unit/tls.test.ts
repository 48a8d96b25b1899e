/** HTTPS by the service itself: checks of certificate and key, and their reload. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readPair } from '../../src/http/tls.js'
import { makePair } from '../setup/certificate.js'
import { type Edge, head, startEdge } from '../setup/edge.js'
import { eventually } from '../setup/patience.js'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'millbook-tls-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function write(where: string, pair: { cert: string; key: string }) {
  const files = { cert: join(where, 'cert.pem'), key: join(where, 'key.pem') }
  writeFileSync(files.cert, pair.cert)
  writeFileSync(files.key, pair.key)
  return files
}

async function shake(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** A client that accepts old protocols, so that the service has to refuse them. */
const OLD = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }

/** The subject of the certificate that a new connection gets. */
async function subjectAt(port: number): Promise<string> {
  const socket = await shake(port)
  const { subject } = socket.getPeerCertificate() as PeerCertificate
  socket.destroy()
  return String(subject.CN)
}

describe('a certificate and its key', () => {
  it('are accepted if they belong together, also with a chain after the certificate', () => {
    const pair = makePair('good')
    const chained = { ...pair, cert: pair.cert + makePair('issuer').cert }
    expect(readPair(write(folder(), chained))).toEqual(chained)
  })

  const other = makePair('other')
  const cases: [string, (pair: { cert: string; key: string }) => Partial<typeof pair>, RegExp][] = [
    [
      'that do not belong together',
      () => ({ key: other.key }),
      /--tls-key: \S+key.pem is not the key of the first certificate in \S+cert.pem/,
    ],
    ['where the certificate is not PEM', () => ({ cert: 'noise' }), /--tls-cert: \S+ holds no certificate as PEM/],
    ['where the certificate is truncated', ({ cert }) => ({ cert: cert.slice(0, 200) }), /holds no certificate as PEM/],
    ['where the key is empty', () => ({ key: '' }), /--tls-key: \S+ holds no private key as PEM/],
    ['that are swapped', ({ cert, key }) => ({ cert: key, key: cert }), /--tls-cert: \S+ holds no certificate/],
  ]
  it.each(cases)('%s are refused with a message that names the file', (_name, change, message) => {
    const pair = makePair('bad')
    expect(() => readPair(write(folder(), { ...pair, ...change(pair) }))).toThrow(message)
  })

  it('in files that do not exist, or are directories, are refused with a message that names the file', () => {
    const where = folder()
    const files = write(where, makePair('x'))
    expect(() => readPair({ ...files, cert: join(where, 'none') })).toThrow(/--tls-cert: \S+none does not exist/)
    expect(() => readPair({ ...files, key: where })).toThrow(/--tls-key: \S+ is a directory/)
  })
})

describe('the service', () => {
  const serve = async (where = folder(), name = 'first'): Promise<Edge & { where: string }> => {
    const files = write(where, makePair(name))
    return { where, ...(await startEdge({ tls: { ...files, pollMs: 20 } })) }
  }

  it('speaks TLS 1.2 and newer only, sends HSTS, and closes while connections are open', async () => {
    const { port, app } = await serve()
    for (const version of ['TLSv1.2', 'TLSv1.3'])
      expect((await shake(port, { minVersion: version, maxVersion: version })).getProtocol()).toBe(version)
    await expect(shake(port, OLD)).rejects.toThrow(/protocol version/)

    const sent = request({ port, host: '127.0.0.1', path: '/healthz', rejectUnauthorized: false }).end()
    const [response] = await once(sent, 'response')
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000')
    expect(await text(response)).toBe('{"status":"ok"}')
    await app.close()
  })

  it('closes a connection that speaks plain HTTP, and keeps serving', async () => {
    const { port } = await serve()
    const plain = connectPlain(port, '127.0.0.1')
    plain.on('error', () => {})
    plain.write(head('GET /healthz'))
    plain.resume()
    await once(plain, 'close')
    expect(await subjectAt(port)).toBe('first')
  })

  it('finishes a running request before it closes', async () => {
    const { port, app } = await serve()
    const sent = request({
      port,
      host: '127.0.0.1',
      path: '/oauth2/token',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 2 },
      rejectUnauthorized: false,
    })
    const started = once(app.server, 'request')
    sent.write('[')
    await started
    await new Promise((resolve) => setImmediate(resolve))
    const closed = app.close()
    sent.end(']')
    const [response] = await once(sent, 'response')
    expect([response.statusCode, response.headers.connection]).toEqual([400, 'close'])
    response.resume()
    await closed
  })

  it('reloads files that were overwritten; open connections stay', async () => {
    const { port, where, log } = await serve()
    const open = await shake(port)
    write(where, makePair('second'))
    await eventually(async () => expect(await subjectAt(port)).toBe('second'))
    expect(log.join('')).toMatch(/"subject":"CN=second".*the new TLS certificate is in use/)
    await expect(shake(port, OLD)).rejects.toThrow(/protocol version/)
    open.write(head('GET /healthz', { Connection: 'close' }))
    expect(await text(open)).toContain('{"status":"ok"}')
  })

  it('reloads files that were replaced by a rename or by a symbolic link', async () => {
    const where = folder()
    const version = (name: string) => {
      mkdirSync(join(where, name))
      return write(join(where, name), makePair(name))
    }
    version('one')
    symlinkSync('one', join(where, 'now'))
    const files = { cert: join(where, 'now', 'cert.pem'), key: join(where, 'now', 'key.pem') }
    const { port } = await startEdge({ tls: { ...files, pollMs: 20 } })
    expect(await subjectAt(port)).toBe('one')
    version('two')
    symlinkSync('two', join(where, 'next'))
    renameSync(join(where, 'next'), join(where, 'now'))
    await eventually(async () => expect(await subjectAt(port)).toBe('two'))
    const three = version('three')
    renameSync(three.cert, files.cert)
    renameSync(three.key, files.key)
    await eventually(async () => expect(await subjectAt(port)).toBe('three'))
  })

  it('keeps the old pair while the new one is invalid, logs it once, and reloads when the pair is valid', async () => {
    const { port, where, log } = await serve()
    const second = makePair('second')
    for (const [broken, reason] of [
      [() => rmSync(join(where, 'cert.pem')), 'does not exist'],
      [() => writeFileSync(join(where, 'cert.pem'), 'noise'), 'holds no certificate'],
      [() => writeFileSync(join(where, 'cert.pem'), second.cert), 'is not the key'],
    ] as const) {
      log.length = 0
      broken()
      await eventually(() => expect(log.join('')).toContain(reason))
      expect(await subjectAt(port)).toBe('first')
      expect(log.filter((line) => line.includes('the old one stays in use'))).toHaveLength(1)
    }
    writeFileSync(join(where, 'key.pem'), second.key)
    await eventually(async () => expect(await subjectAt(port)).toBe('second'))
  })

  it('logs a warning if the certificate has expired', async () => {
    const { log } = await startEdge({ tls: write(folder(), makePair('old', { expired: true })) })
    expect(log.join('')).toContain('the certificate has expired')
  })
})

describe('HSTS is sent', () => {
  const hsts = async (trustedProxies: string[], headers: Record<string, string>) => {
    const { app } = await startEdge({ trustedProxies })
    const response = await app.inject({ url: '/healthz', headers, remoteAddress: '10.0.0.1' })
    return response.headers['strict-transport-security']
  }
  it('behind a proxy only if the proxy is trusted and was reached by HTTPS', async () => {
    const https = { 'x-forwarded-proto': 'https' }
    expect(await hsts(['10.0.0.1'], https)).toBe('max-age=31536000')
    expect(await hsts(['10.0.0.1'], { 'x-forwarded-proto': 'http' })).toBeUndefined()
    expect(await hsts(['10.0.0.2'], https)).toBeUndefined()
    expect(await hsts([], https)).toBeUndefined()
  })
})
