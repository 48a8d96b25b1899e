/** JSON lines: one object per line. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { MillbookError } from '../errors.js'
import type { Cell } from './columns.js'
import type { Listener } from './read.js'
import type { Rows } from './source.js'

const ROWS_AT_A_TIME = 5000

export async function* readJsonl(file: string, name: string, { onBytes }: Listener): AsyncGenerator<Rows> {
  const input = createReadStream(file, { highWaterMark: 1 << 20 })
  input.on('data', (chunk) => onBytes(chunk.length))
  let line = 0
  let rows: Rows = []
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    const json = line === 1 ? text.replace(/^\uFEFF/, '') : text
    if (json.trim() === '') continue
    if (json.includes('\uFFFD')) throw new MillbookError(`${name}:${line}: the file is not UTF-8`)
    let value: unknown
    try {
      value = JSON.parse(json)
    } catch (error) {
      throw new MillbookError(`${name}:${line}: not JSON: ${(error as Error).message}`)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new MillbookError(`${name}:${line}: each line is a JSON object`)
    rows.push({ line, header: Object.keys(value), cells: Object.values(value) as Cell[] })
    if (rows.length >= ROWS_AT_A_TIME) {
      yield rows
      rows = []
    }
  }
  yield rows
}
