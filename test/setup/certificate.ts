/** Self-signed certificates, made here (X.509 in DER) because no tool for them is installed everywhere. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const name = (common: string) => sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(common)))))
const moment = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
const DAY = 24 * 3600 * 1000

/** A certificate for localhost and 127.0.0.1, and its key; valid for some days, or expired since yesterday. */
export function makePair(commonName: string, { expired = false } = {}): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))
  const end = Date.now() + (expired ? -DAY : 7 * DAY)
  const hosts = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name(commonName),
    sequence(moment(new Date(end - 30 * DAY)), moment(new Date(end))),
    name(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(identifier('551d11'), der(0x04, hosts)))),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const text = sequence(content, ecdsaWithSha256, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** Writes both to files that are removed after the test, and returns their paths; `ca` is the text that a client trusts. */
export function pairOnDisk(): { cert: string; key: string; ca: string } {
  const where = mkdtempSync(join(tmpdir(), 'millbook-tls-'))
  onTestFinished(() => rmSync(where, { recursive: true, force: true }))
  const pair = makePair('localhost')
  const files = { cert: join(where, 'cert.pem'), key: join(where, 'key.pem') }
  writeFileSync(files.cert, pair.cert)
  writeFileSync(files.key, pair.key)
  return { ...files, ca: pair.cert }
}
