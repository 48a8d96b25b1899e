/** The hash of a file, which tells a load that it has read the file before. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Part } from '../source.js'

/** Hashes the format too: the same bytes in another format are other rows. */
export function fingerprinted(file: string, format: string): Required<Pick<Part, 'fingerprint' | 'unchanged'>> {
  const about = async () => {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join(' ')
  }
  let before = ''
  return {
    async fingerprint() {
      before = await about()
      const hash = createHash('sha256')
      await pipeline(createReadStream(file), hash)
      return `${format} ${hash.digest('hex')}`
    },
    unchanged: async () => before === (await about().catch(() => undefined)),
  }
}
