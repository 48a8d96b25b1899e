/** Documents in which programs describe themselves: which addresses are asked, and what is refused. */
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { ClientDocuments, fetchBy, isDocumentUrl, readDocument } from '../../src/access/client-documents.js'
import { isPublicAddress } from '../../src/network.js'
import { makePair } from '../setup/certificate.js'

const ID = 'https://assistant.example/client.json'
const document = (change: object = {}) =>
  JSON.stringify({ client_id: ID, client_name: 'Helper', redirect_uris: ['https://assistant.example/cb'], ...change })

it.each([
  ...[
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ],
  ...['192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fd00::1'],
  ...['::ffff:10.0.0.1', '::ffff:8.8.8.8', '64:ff9b::a00:1', '2001:db8::1', '2002:a00:1::', 'ff02::1', 'localhost', ''],
])('%s is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})
it.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '192.167.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is a public address',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

it.each([
  ...[
    'http://assistant.example/c',
    'https://assistant.example',
    'https://assistant.example/',
    'https://a.example:444/c',
  ],
  ...['https://user@a.example/c', 'https://a.example/c#x', 'https://a.example/x/../c', 'https://A.example/c'],
  ...[
    'https://127.0.0.1/c',
    'https://[::1]/c',
    'https://a.example/c?d=e',
    `https://a.example/${'c'.repeat(100)}`,
    'claude',
  ],
])('%s names no document', (id) => {
  expect(isDocumentUrl(id)).toBe(false)
})

it('an address with a path, https and nothing else names a document', () => {
  expect(isDocumentUrl(ID)).toBe(true)
})

it.each([
  [document({ client_id: `${ID}x` }), 'another client_id'],
  [document({ client_name: '' }), 'no client_name'],
  [document({ client_name: 'evil\u202egnp' }), 'no client_name'],
  [document({ client_secret: 'x' }), 'with a secret'],
  [document({ token_endpoint_auth_method: 'private_key_jwt' }), 'with a secret'],
  [document({ redirect_uris: 'https://a.example' }), 'no redirect_uris'],
  [document({ redirect_uris: ['http://evil.example/cb', 'javascript:alert(1)', 7] }), 'no redirect URI'],
  ['[]', 'not a JSON object'],
  ['<html>', 'not a JSON object'],
])('refuses the document %s', (text, reason) => {
  expect(() => readDocument(ID, text)).toThrow(reason)
})

it('asks allowed hosts only, and each once an hour', async () => {
  const asked: string[] = []
  const documents = new ClientDocuments(['assistant.example'], async ({ href }) => {
    asked.push(href)
    return document()
  })
  expect(await documents.of(ID)).toEqual({ name: 'Helper', redirectUris: ['https://assistant.example/cb'] })
  await documents.of(ID)
  expect(asked).toEqual([ID])
  await expect(documents.of('https://evil.example/client.json')).rejects.toThrow('may not ask people to sign in')
  expect(asked).toHaveLength(1)
})

it('refuses a host with an address of this machine, without a connection to it', async () => {
  const documents = new ClientDocuments(['*'])
  await expect(documents.of('https://localhost/client.json')).rejects.toThrow('address of a private network')
})

it.each<[string, RequestListener, string]>([
  ['a redirect', (_, r) => r.writeHead(302, { location: 'https://127.0.0.1/' }).end(), 'it answered 302'],
  ['a page', (_, r) => r.setHeader('content-type', 'text/html').end('<p>'), 'something else than JSON'],
  [
    'a long document',
    (_, r) => r.setHeader('content-type', 'application/json').end('x'.repeat(20_000)),
    'larger than 16 KB',
  ],
  ['a broken answer', (_, r) => r.socket?.destroy() as never, 'it could not be reached'],
])('refuses %s', async (_, listener, reason) => {
  const { fetch } = await serve(listener)
  await expect(fetch()).rejects.toThrow(reason)
})

it('reads a document of an address that was resolved before', async () => {
  const { fetch } = await serve((request, response) => {
    expect(request.headers.cookie).toBeUndefined()
    response.setHeader('content-type', 'application/json; charset=utf-8').end(document())
  })
  expect(readDocument(ID, await fetch()).name).toBe('Helper')
})

/** A server at the host of the document, on this machine. */
async function serve(listener: RequestListener) {
  const { cert, key } = makePair('localhost')
  const server = createServer({ cert, key }, listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const lookup: LookupFunction = (_host, { all }, done) =>
    all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
  return { port, fetch: () => fetchBy(new URL(`https://localhost:${port}/client.json`), lookup, cert) }
}
