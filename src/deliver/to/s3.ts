/** A bucket of S3 or of a server that speaks its protocol: one PUT, signed (AWS Signature Version 4) with the file's own checksum. */
import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { MillbookError } from '../../errors.js'
import { optional, readSettings, text } from '../settings.js'
import type { TargetKind } from '../target.js'

/** The most bytes that S3 accepts in a single PUT. */
const LARGEST = 5 * 2 ** 30
const PATIENCE_MS = 30_000
const SLOWEST_BYTES_PER_MS = 100

export default {
  name: 's3',
  read(settings) {
    const {
      endpoint,
      bucket,
      prefix = '',
      region = 'us-east-1',
      key_id,
      secret_key,
    } = readSettings('s3', settings, {
      ...{ endpoint: text, bucket: text, key_id: text, secret_key: text },
      ...{ prefix: optional(text), region: optional(text) },
    })
    if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint))
      throw new MillbookError(`s3.endpoint must be an http or https address, not ${endpoint}`)
    return {
      async deliver(parcel, signal) {
        if (parcel.bytes > LARGEST)
          throw new MillbookError(
            `${parcel.name} is larger than 5 GiB, the most that S3 accepts at once: deliver it to a folder or by sftp`,
          )
        const key = `${prefix}${parcel.name}`
        const url = new URL(endpoint)
        url.pathname = [url.pathname.replace(/\/$/, ''), bucket, ...key.split('/')]
          .map(encoded)
          .join('/')
          .replace('%2F', '/')
        const headers = {
          'content-type': parcel.contentType,
          'x-amz-meta-records': String(parcel.records),
          'x-amz-meta-version': parcel.version,
          'x-amz-meta-sha256': parcel.sha256,
        }
        const signed = sign({
          url,
          headers,
          sha256: parcel.sha256,
          region,
          keyId: key_id,
          secret: secret_key,
          now: new Date(),
        })
        const response = await fetch(url, {
          method: 'PUT',
          headers: { ...signed, 'content-length': String(parcel.bytes) },
          body: Readable.toWeb(createReadStream(parcel.path)) as ReadableStream,
          duplex: 'half',
          signal: AbortSignal.any([
            signal,
            AbortSignal.timeout(PATIENCE_MS + Math.ceil(parcel.bytes / SLOWEST_BYTES_PER_MS)),
          ]),
        } as RequestInit).catch((error: Error) => {
          const { cause } = error
          throw new Error(`${url.host}: ${cause instanceof Error ? cause.message : error.message}`)
        })
        const answer = await response.text()
        if (!response.ok)
          throw new Error(
            `S3 answered ${response.status}: ${/<Message>(.*?)<\/Message>/.exec(answer)?.[1] ?? answer.slice(0, 200)}`,
          )
        return `s3://${bucket}/${key}`
      },
    }
  },
} satisfies TargetKind

const encoded = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

interface ToSign {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly sha256: string
  readonly region: string
  readonly keyId: string
  readonly secret: string
  readonly now: Date
}

/** The headers of a PUT, with its signature. */
export function sign({ url, headers, sha256, region, keyId, secret, now }: ToSign): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const all: Record<string, string> = { ...headers, host: url.host, 'x-amz-content-sha256': sha256, 'x-amz-date': time }
  const names = Object.keys(all).sort()
  const request = [
    ...['PUT', url.pathname, url.searchParams.toString()],
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    ...['', names.join(';'), sha256],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash(request)].join('\n')).toString('hex')
  const { host: _, ...sent } = all
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}
