/** Writes the rows of a source as import files: one CSV file per entity. */
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { MillbookError } from '../errors.js'
import type { Progress } from '../import/pipeline/load.js'
import type { Part, Source } from '../import/source.js'

/** A cell without a value is empty, an empty text is a pair of quotes. */
const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return ''
  const text = String(cell)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns how many rows each file has. */
export async function writeFiles(
  source: Source,
  folder: string,
  onProgress: (progress: Progress) => void,
): Promise<Record<string, number>> {
  mkdirSync(folder, { recursive: true })
  const files = new Map<Part, { stream: WriteStream; rows: number }>()
  for (const part of source.parts) {
    const file = join(folder, `${part.entity.name}.csv`)
    if (existsSync(file)) throw new MillbookError(`${file} exists already; name another directory`)
    const stream = createWriteStream(file)
    stream.write(`${Object.keys(part.entity.columns).join(',')}\n`)
    files.set(part, { stream, rows: 0 })
  }
  let written = 0
  for await (const { part, rows, done } of source.chunks()) {
    const file = files.get(part) as { stream: WriteStream; rows: number }
    file.rows += rows.length
    written += rows.length
    const text = rows.map(({ cells }) => `${cells.map(cellText).join(',')}\n`).join('')
    if (!file.stream.write(text)) await once(file.stream, 'drain')
    onProgress({ phase: 'reading', what: 'writing the sample', done, rows: written })
  }
  const counts: Record<string, number> = {}
  for (const [{ entity }, { stream, rows }] of files) {
    stream.end()
    await finished(stream)
    counts[entity.name] = rows
  }
  return counts
}
