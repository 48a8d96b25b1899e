/** Content encodings: which one a caller takes, and bodies in them. */
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

/** Newer versions of Node have zstd. */
const zstd = zlib as typeof zlib & {
  zstdCompress?: (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void
  createZstdCompress?: () => zlib.Gzip
}
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } } // 5 and more take several times as long

const encodings = {
  ...(zstd.zstdCompress &&
    zstd.createZstdCompress && { zstd: { whole: promisify(zstd.zstdCompress), stream: zstd.createZstdCompress } }),
  br: {
    whole: (body: Buffer) => promisify(zlib.brotliCompress)(body, BROTLI),
    stream: () => zlib.createBrotliCompress(BROTLI),
  },
  gzip: { whole: (body: Buffer) => promisify(zlib.gzip)(body), stream: () => zlib.createGzip() },
}

export type Encoding = 'zstd' | 'br' | 'gzip'
const offered = Object.keys(encodings) as Encoding[]
/** Below this it is not worth it. */
export const SMALLEST_ENCODED = 1000

/** The encoding for an Accept-Encoding header (RFC 9110 §12.5.3): the best liked one, and ours among those; or none. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined || accepted === '') return undefined
  const liked = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...params] = part.split(';').map((text) => text.trim())
    const q = params.find((param) => param.startsWith('q='))
    const weight = q === undefined ? 1 : Number(q.slice(2))
    liked.set(name, Number.isFinite(weight) ? weight : 0)
  }
  const weightOf = (name: string) => liked.get(name) ?? liked.get('*') ?? 0
  const plain = liked.get('identity') ?? 0
  const [best] = offered.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  return best !== undefined && weightOf(best) >= plain ? best : undefined
}

export const encode = (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  (encodings[encoding] as (typeof encodings)['br']).whole(body)

export const encoder = (encoding: Encoding): zlib.Gzip =>
  (encodings[encoding] as (typeof encodings)['br']).stream() as zlib.Gzip
