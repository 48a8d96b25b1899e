/** The separator and the encoding of a text file, from its beginning. */
import { closeSync, openSync, readSync } from 'node:fs'
import type { CsvOptions } from '../csv.js'
import { encodingOf as unicodeOf } from '../kind.js'

const BEGINNING = 1 << 18
const SEPARATORS = [',', ';', '\t', '|'] as const

export function sniff(file: string): CsvOptions {
  const bytes = beginningOf(file)
  const encoding = encodingOf(bytes)
  const text = new TextDecoder(encoding).decode(bytes)
  // A byte order mark counts for the reader too, whatever the mapping names.
  return { separator: separatorOf(text), encoding: isMarked(bytes) ? 'utf-8' : encoding }
}

function beginningOf(file: string): Uint8Array {
  const buffer = Buffer.alloc(BEGINNING)
  const handle = openSync(file, 'r')
  try {
    return buffer.subarray(0, readSync(handle, buffer, 0, BEGINNING, 0))
  } finally {
    closeSync(handle)
  }
}

const isMarked = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

function encodingOf(bytes: Uint8Array): string {
  const unicode = unicodeOf(bytes)
  if (unicode !== 'utf-8') return unicode
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }) // its last letter may be cut
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** The sign that makes the most columns in most lines, outside of quotes. */
function separatorOf(text: string): string {
  const lines = text
    .replace(/"[^"]*"/g, '')
    .split(/\r\n|\r|\n/, 50)
    .filter((line) => line.trim() !== '')
  const score = (sign: string): number => {
    const counts = lines.map((line) => line.split(sign).length - 1).filter((count) => count > 0)
    const usual = [...new Set(counts)].map((count) => ({ count, lines: counts.filter((one) => one === count).length }))
    const best = usual.sort((a, b) => b.lines * b.count - a.lines * a.count)[0]
    return best === undefined ? 0 : best.lines * best.count
  }
  return [...SEPARATORS].sort((a, b) => score(b) - score(a))[0] as string
}
