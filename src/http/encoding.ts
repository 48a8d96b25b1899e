/** Content encodings: chooses one by Accept-Encoding and compresses response bodies. */
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { readWeights } from '../weights.js'

/** zlib has zstd from Node 22.15. */
const zstd = zlib as typeof zlib & {
  zstdCompress?: (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void
  createZstdCompress?: () => zlib.Gzip
}
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } } // from 5 on, compressing takes several times as long

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
/** Smaller bodies, in bytes, are sent uncompressed. */
export const SMALLEST_ENCODED = 1000

/** The encoding with the highest weight in Accept-Encoding (RFC 9110 §12.5.3), ours first among equals; or none. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined || accepted === '') return undefined
  const weights = new Map(readWeights(accepted).map(({ name, weight }) => [name, weight]))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const plain = weights.get('identity') ?? 0
  const [best] = offered.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  return best !== undefined && weightOf(best) >= plain ? best : undefined
}

export const encode = (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  (encodings[encoding] as (typeof encodings)['br']).whole(body)

export const encoder = (encoding: Encoding): zlib.Gzip =>
  (encodings[encoding] as (typeof encodings)['br']).stream() as zlib.Gzip
